import type { Labels } from '../kube/objects.js';
import type { Workload, WorkloadOrigin } from '../workload/workload.js';
import type { SeriesSource } from './family.js';
import { labelText } from './render.js';
import { type WorkloadPage, workloads } from './series-sources.js';

/**
 * The label name for each label key: `label_` and the key with every character that a label name cannot have replaced
 * by `_`, as kube-state-metrics does. Of keys that become the same name the second gets `_2`, the third `_3`, in the
 * order of the keys, so that the names depend on the set of keys alone.
 */
export function infoLabelNames(keys: Iterable<string>): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const key of [...new Set(keys)].sort()) {
    const plainName = `label_${key.replaceAll(/\W/g, '_')}`;
    let name = plainName;
    for (let number = 2; taken.has(name); number += 1) name = `${plainName}_${number}`;
    taken.add(name);
    names.set(key, name);
  }
  return names;
}

const fixedLabels = [...workloads.labels, 'source'];

interface WorkloadInfo {
  readonly workload: Workload;
  /** Of the labels, by their keys. */
  readonly names: ReadonlyMap<string, string>;
}

/** One for each workload, with the label values behind it. `label_…` stands for one label for each label key. */
export const workloadInfos: SeriesSource<WorkloadPage, WorkloadInfo> = {
  labels: [...fixedLabels, 'label_…'],
  forEach(page, emit) {
    const names = infoLabelNames(page.labelKeys);
    for (const { workload } of page.workloads) emit({ workload, names });
  },
  labelsOf(_page, { workload: { namespace, name, type, origin }, names }) {
    const values = originLabels(origin);
    const ofKeys = Array.from(names.keys(), (key) => (Object.hasOwn(values, key) ? (values[key] ?? '') : ''));
    const labels = [...fixedLabels, ...names.values()];
    return labelText(labels, [namespace, name, type, origin.source, ...ofKeys]);
  },
};

export function originLabels(origin: WorkloadOrigin): Labels {
  return origin.source === 'labels' ? origin.labels : {};
}
