import type { EvictedPod, EvictionCounts } from '../../facts/history/eviction-snapshot.js';
import { isNearPressure } from '../../facts/node/node-forecasts.js';
import type { NodeSnapshot } from '../../facts/node/node-view.js';
import { nextVictims } from '../../facts/node/victims.js';
import type { Workload } from '../../facts/workload/workload.js';
import { distinct } from '../../lib/base/maps.js';
import { type FamilyGroup, familyGroup, seriesOf, toSeconds } from './family.js';
import { labelText } from './render.js';
import { namesOf, workloads } from './workload-families.js';

export const workloadEvictionGroups: readonly FamilyGroup<readonly EvictionCounts<Workload>[]>[] = [
  familyGroup('workload', countsByCause(workloads.labels, namesOf), {
    workload_evictions_total: {
      profile: 'minimal',
      help: 'Evictions of pods of the workload for local storage that this exporter has seen, by cause.',
      value: ({ count }) => count,
    },
  }),
];

export const nodeEvictionGroups: readonly FamilyGroup<readonly EvictionCounts<string>[]>[] = [
  familyGroup(
    'node',
    countsByCause(['node'], (nodeName: string) => [nodeName]),
    {
      node_evictions_total: {
        profile: 'minimal',
        help: 'Evictions of pods on the node for local storage that this exporter has seen, by cause.',
        value: ({ count }) => count,
      },
    },
  ),
];

/** The newest eviction of pods that had the same name: nothing else in the labels differs. */
export const evictedPodGroups: readonly FamilyGroup<readonly EvictedPod[]>[] = [
  familyGroup('pod', newestBy(['namespace', 'pod', 'node', 'cause', 'container', 'volume']), {
    pod_evicted_timestamp_seconds: {
      profile: 'minimal',
      help: 'When the pod was evicted for local storage, with the container or emptyDir that was above its limit.',
      value: ({ evictedAtMs }) => toSeconds(evictedAtMs),
    },
  }),
  familyGroup('pod', newestBy(['namespace', 'pod', 'node', 'cause']), {
    pod_evicted_used_bytes: {
      profile: 'standard',
      help: 'Ephemeral storage used by the evicted pod, as last measured before its eviction.',
      value: ({ lastUsage }) => (typeof lastUsage === 'object' ? lastUsage.usage?.usedBytes : undefined),
    },
    pod_evicted_limit_bytes: {
      profile: 'standard',
      help: 'Limit that the pod was evicted for: of the pod, of a container or of an emptyDir.',
      value: ({ limitBytes }) => limitBytes,
    },
  }),
];

function countsByCause<T>(labels: readonly string[], valuesOf: (of: T) => readonly string[]) {
  return seriesOf(
    [...labels, 'cause'],
    (page: readonly EvictionCounts<T>[]) =>
      page.flatMap(({ of, counts }) => Array.from(counts, ([cause, count]) => ({ of, cause, count }))),
    ({ of, cause }) => [...valuesOf(of), cause],
  );
}

/** Records are the newest first. */
function newestBy(labels: readonly ('namespace' | 'pod' | 'node' | 'cause' | 'container' | 'volume')[]) {
  const valuesOf = (record: EvictedPod): readonly string[] => labels.map((label) => record[label]);
  return seriesOf(
    labels,
    (records: readonly EvictedPod[]) => distinct(records, (record) => labelText(labels, valuesOf(record))),
    valuesOf,
  );
}

/** None of a node that is not close to evicting pods. */
const evictionRanks = seriesOf(
  ['namespace', 'pod', 'node', 'signal'],
  (snapshot: NodeSnapshot) => (isNearPressure(snapshot) ? nextVictims(snapshot) : []),
  ({ victim: { pod }, signal }, { nodeName }) => [pod.namespace, pod.name, nodeName, signal],
);

/** Whom a node would evict next. */
export const evictionRankGroups: readonly FamilyGroup<NodeSnapshot>[] = [
  familyGroup('pod', evictionRanks, {
    pod_eviction_rank: {
      profile: 'standard',
      help: 'Place of the pod in the order in which the kubelet evicts when the node runs low on disk: 1 is evicted first, equals share a place. The first five of each signal, only on nodes with headroom below a quarter of a threshold, or about to cross it within ten minutes: that of the kubelet with kubelet.readConfig, else the default of Kubernetes. None of a node on which there are pods that the exporter does not read.',
      value: ({ rank }) => rank,
    },
  }),
];
