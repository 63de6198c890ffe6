import type { Clock } from '../base/clock.js';
import { isActive } from '../node/limits.js';
import type { ClusterReading, KnownPod } from '../query/cluster-reading.js';
import type { ClusterReportInput } from '../report/cluster-report.js';
import type { EvictionReport } from '../report/eviction-report.js';
import { type NodeFailure, nodeFailure } from '../report/node-report.js';
import { allObjects, type ClusterSnapshot } from '../scrape/snapshot.js';
import type { ActiveSettings } from './active-settings.js';

type Sources = Pick<ActiveSettings, 'source' | 'collection'>;

/** What the lists and objects of the pages are made of. */
export function clusterReading(
  options: Sources & {
    readonly input: ClusterReportInput;
    readonly evictions: readonly EvictionReport[];
    readonly clock: Clock;
  },
): ClusterReading {
  const { input, evictions, clock } = options;
  const { store, cache } = options.source;
  const { snapshot, lastKnownOf, samplesOf, apiServer } = input;
  let knownPods: readonly KnownPod[] | undefined;
  const nowMs = clock.monotonicMs();
  return {
    snapshot,
    /** Made where a pod or a workload is shown: a copy of all would cost each page some milliseconds. */
    get knownPods() {
      return (knownPods ??= [...boundPods(snapshot), ...otherPods(snapshot, options)]);
    },
    get knownNodes() {
      return [...store.nodes()];
    },
    readAtMs: clock.nowMs(),
    failures: new Map(
      snapshot.nodes.flatMap(({ nodeName }): readonly [string, NodeFailure][] => {
        const failure = cache.lastFailure(nodeName);
        return failure === undefined ? [] : [[nodeName, nodeFailure(failure, nowMs)]];
      }),
    ),
    lastKnownOf,
    samplesOf,
    apiServer,
    evictions,
    notes: [],
  };
}

/** Those that have not been scheduled, those that have ended, and those of nodes that are never scraped. */
function otherPods({ nodes }: ClusterSnapshot, { source, collection }: Sources): readonly KnownPod[] {
  const skipped = nodes.filter((node) => node.state === 'absent' && node.reason === 'skipped');
  const names = new Set(skipped.map(({ nodeName }) => nodeName));
  const others = [...source.store.pods()].filter(
    (pod) => pod.nodeName === undefined || !isActive(pod) || names.has(pod.nodeName),
  );
  return others.map((pod) => ({ pod, workloads: collection.resolver.workloadsOf(pod) }));
}

/** Their workloads are known already. */
function boundPods(snapshot: ClusterSnapshot): readonly KnownPod[] {
  return allObjects(snapshot).flatMap(({ pods }) => pods.filter(({ pod }) => isActive(pod)));
}
