import type { Workload } from '../workload/workload.js';

const fixedLabels = ['workload', 'source', 'controller_kind', 'controller_namespace', 'controller_name'] as const;
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

function fixedLabelsOf({ name, origin }: Workload): Readonly<Record<FixedLabel, string>> {
  const controlled = origin.source === 'controller' ? origin : undefined;
  return {
    workload: name,
    source: origin.source,
    controller_kind: controlled?.controller.kind ?? '',
    controller_namespace: controlled?.namespace ?? '',
    controller_name: controlled?.controller.name ?? '',
  };
}
