import type { Clock } from '../base/clock.js';
import { isActive } from '../node/limits.js';
import type { ClusterReading, KnownPod } from '../query/cluster-reading.js';
import type { KnownSnapshots } from '../query/snapshot-pods.js';
import type { ClusterReportInput } from '../report/cluster-report.js';
import { type NodeFailure, nodeFailure } from '../report/node-report.js';
import { allObjects, type ClusterSnapshot } from '../scrape/snapshot.js';
import type { ActiveSettings } from './active-settings.js';

type Sources = Pick<ActiveSettings, 'config' | 'scope' | 'source' | 'collection'>;

/** What the lists and objects of the pages are made of. */
export function clusterReading(
  options: Sources & {
    readonly input: ClusterReportInput;
    /** Of the readings before, too. */
    readonly known: KnownSnapshots;
    readonly clock: Clock;
  },
): ClusterReading {
  const { input, known, clock } = options;
  const { store, cache } = options.source;
  const { snapshot, lastKnownOf, samplesOf, apiServer, evictions } = input;
  const nowMs = clock.monotonicMs();
  return {
    scope: options.scope,
    ttlMs: options.config.cache.ttlMs,
    snapshot,
    knownPods: { [Symbol.iterator]: () => knownPods(snapshot, options) },
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
    limitMeasurementsOf: (nodeName) => options.collection.trackers.measurements(nodeName),
    podsOf: (of) => known.podsOf(of),
    apiServer,
    evictions,
    notes: [],
  };
}

/** First those of nodes, whose workloads are known already. */
function* knownPods(snapshot: ClusterSnapshot, { source, collection }: Sources): Generator<KnownPod> {
  for (const { pods } of allObjects(snapshot)) for (const bound of pods) if (isActive(bound.pod)) yield bound;
  const skipped = snapshot.nodes.filter((node) => node.state === 'absent' && node.reason === 'skipped');
  const names = new Set(skipped.map(({ nodeName }) => nodeName));
  for (const pod of source.store.pods()) {
    const isOther = pod.nodeName === undefined || !isActive(pod) || names.has(pod.nodeName);
    if (isOther) yield { pod, workloads: collection.resolver.workloadsOf(pod) };
  }
}
