import type { Workload } from '../workload/workload.js';

const fixedLabels = ['namespace', 'workload', 'workload_type', 'source'] as const;
type FixedLabel = (typeof fixedLabels)[number];

/** As documented: `label_…` stands for one label for each label key that forms workloads. */
export const workloadInfoLabels: readonly string[] = [...fixedLabels, 'label_…'];

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

export interface WorkloadInfo {
  readonly labelNames: readonly string[];
  /** Every workload with a value for each of the names; '' where one does not apply. */
  readonly labelsOf: (workload: Workload) => Readonly<Record<string, string>>;
}

/** The labels of `workload_info` for these workloads. */
export function workloadInfo(workloads: readonly Workload[]): WorkloadInfo {
  const keys = workloads.flatMap(({ origin }) => (origin.source === 'labels' ? Object.keys(origin.labels) : []));
  const nameOfKey = infoLabelNames(keys);
  return {
    labelNames: [...fixedLabels, ...nameOfKey.values()],
    labelsOf: (workload) => {
      const { origin } = workload;
      const values = new Map(origin.source === 'labels' ? Object.entries(origin.labels) : []);
      const ofKeys = Array.from(nameOfKey, ([key, name]) => [name, values.get(key) ?? ''] as const);
      return { ...fixedLabelsOf(workload), ...Object.fromEntries(ofKeys) };
    },
  };
}

function fixedLabelsOf({ namespace, name, type, origin }: Workload): Readonly<Record<FixedLabel, string>> {
  return { namespace, workload: name, workload_type: type, source: origin.source };
}
