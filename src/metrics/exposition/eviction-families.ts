import type { EvictedPod, EvictionCounts } from '../../facts/history/eviction-snapshot.js';
import { isNearPressure } from '../../facts/node/node-forecasts.js';
import type { NodeSnapshot } from '../../facts/node/node-view.js';
import { type NextVictim, nextVictims } from '../../facts/node/victims.js';
import type { Workload } from '../../facts/workload/workload.js';
import { type FamilyGroup, familyGroup, type SeriesSource, toSeconds } from './family.js';
import { labelText } from './render.js';
import { workloads } from './workload-families.js';

export const workloadEvictionGroups: readonly FamilyGroup<readonly EvictionCounts<Workload>[]>[] = [
  familyGroup({
    level: 'workload',
    seriesSource: countsByCause(workloads.labels, ({ namespace, name, type }: Workload) => [namespace, name, type]),
    families: [
      {
        name: 'workload_evictions_total',
        type: 'counter',
        profile: 'minimal',
        help: 'Evictions of pods of the workload for local storage that this exporter has seen, by cause.',
        value: ({ count }) => count,
      },
    ],
  }),
];

export const nodeEvictionGroups: readonly FamilyGroup<readonly EvictionCounts<string>[]>[] = [
  familyGroup({
    level: 'node',
    seriesSource: countsByCause(['node'], (nodeName: string) => [nodeName]),
    families: [
      {
        name: 'node_evictions_total',
        type: 'counter',
        profile: 'minimal',
        help: 'Evictions of pods on the node for local storage that this exporter has seen, by cause.',
        value: ({ count }) => count,
      },
    ],
  }),
];

/** The newest eviction of pods that had the same name: nothing else in the labels differs. */
export const evictedPodGroups: readonly FamilyGroup<readonly EvictedPod[]>[] = [
  familyGroup({
    level: 'pod',
    seriesSource: newestBy(['namespace', 'pod', 'node', 'cause', 'container', 'volume']),
    families: [
      {
        name: 'pod_evicted_timestamp_seconds',
        profile: 'minimal',
        help: 'When the pod was evicted for local storage, with the container or emptyDir that was above its limit.',
        value: ({ evictedAtMs }) => toSeconds(evictedAtMs),
      },
    ],
  }),
  familyGroup({
    level: 'pod',
    seriesSource: newestBy(['namespace', 'pod', 'node', 'cause']),
    families: [
      {
        name: 'pod_evicted_used_bytes',
        profile: 'standard',
        help: 'Ephemeral storage used by the evicted pod, as last measured before its eviction.',
        value: ({ lastUsage }) => (typeof lastUsage === 'object' ? lastUsage.usage?.usedBytes : undefined),
      },
      {
        name: 'pod_evicted_limit_bytes',
        profile: 'standard',
        help: 'Limit that the pod was evicted for: of the pod, of a container or of an emptyDir.',
        value: ({ limitBytes }) => limitBytes,
      },
    ],
  }),
];

function countsByCause<T>(
  labels: readonly string[],
  valuesOf: (of: T) => readonly string[],
): SeriesSource<readonly EvictionCounts<T>[], { readonly of: T; readonly cause: string; readonly count: number }> {
  const names = [...labels, 'cause'];
  return {
    labels: names,
    forEach(page, emit) {
      for (const { of, counts } of page) for (const [cause, count] of counts) emit({ of, cause, count });
    },
    labelsOf: (_page, { of, cause }) => labelText(names, [...valuesOf(of), cause]),
  };
}

/** Records are the newest first. */
function newestBy(
  labels: readonly ('namespace' | 'pod' | 'node' | 'cause' | 'container' | 'volume')[],
): SeriesSource<readonly EvictedPod[], EvictedPod> {
  const labelsOf = (record: EvictedPod): string =>
    labelText(
      labels,
      labels.map((label) => record[label]),
    );
  return {
    labels,
    forEach(records, emit) {
      const seen = new Set<string>();
      for (const data of records) {
        const text = labelsOf(data);
        if (seen.has(text)) continue;
        seen.add(text);
        emit(data);
      }
    },
    labelsOf: (_records, data) => labelsOf(data),
  };
}

/** None of a node that is not close to evicting pods. */
const evictionRanks: SeriesSource<NodeSnapshot, NextVictim> = {
  labels: ['namespace', 'pod', 'node', 'signal'],
  forEach(snapshot, emit) {
    if (isNearPressure(snapshot)) for (const data of nextVictims(snapshot)) emit(data);
  },
  labelsOf: ({ nodeName }, { victim: { pod }, signal }) =>
    labelText(evictionRanks.labels, [pod.namespace, pod.name, nodeName, signal]),
};

/** Whom a node would evict next. */
export const evictionRankGroups: readonly FamilyGroup<NodeSnapshot>[] = [
  familyGroup({
    level: 'pod',
    seriesSource: evictionRanks,
    families: [
      {
        name: 'pod_eviction_rank',
        profile: 'standard',
        help: 'Place of the pod in the order in which the kubelet evicts when the node runs low on disk: 1 is evicted first, equals share a place. The first five of each signal, only on nodes with headroom below a quarter of a threshold, or about to cross it within ten minutes: that of the kubelet with kubelet.readConfig, else the default of Kubernetes. None of a node on which there are pods that the exporter does not read.',
        value: ({ rank }) => rank,
      },
    ],
  }),
];
