import { isActive } from '../../facts/node/limits.js';
import { allObjects, type ClusterSnapshot } from '../../facts/scrape/snapshot.js';
import type { ClusterReading, KnownPod } from '../../people/query/cluster-reading.js';
import { type ClusterReport, clusterReport } from '../../people/query/cluster-report.js';
import { isAwaitedNode } from '../../people/report/absence-hints.js';
import type { NodeFailure } from '../../people/report/node-report.js';
import { type Core, hasWorkloads } from './core.js';

/** Makes what lists and objects are made of: pages, their JSON, and what commands print. */
export function clusterReading(
  core: Core,
  collected: Pick<ClusterReading, 'snapshot' | 'evictions'> & {
    /** When the kubelets were asked for it; monotonic. */
    readonly askedAtMs: number;
    readonly notes?: ClusterReading['notes'];
  },
): ClusterReading {
  const { config, scope, place, trackers, clock } = core;
  const { store, cache } = place;
  const { snapshot, evictions, askedAtMs, notes = [] } = collected;
  const nowMs = clock.monotonicMs();
  return {
    scope,
    ttlMs: config.cache.ttlMs,
    snapshot,
    knownPods: { [Symbol.iterator]: () => knownPods(snapshot, core) },
    get knownNodes() {
      return [...store.nodes()];
    },
    readAtMs: clock.nowMs(),
    failures: new Map(
      snapshot.nodes.flatMap(({ nodeName }): readonly [string, NodeFailure][] => {
        const failure = cache.lastFailure(nodeName);
        if (failure === undefined) return [];
        const { reason, message, atMs } = failure;
        return [[nodeName, { reason, message, ageMs: Math.round(nowMs - atMs) }]];
      }),
    ),
    lastKnownOf: ({ node, reason }) => {
      const last = node && cache.lastSummary(node);
      if (node === undefined || last === undefined || reason === 'skipped') return undefined;
      const isLate = clock.monotonicMs() - last.ageMs >= askedAtMs;
      if (isLate && isAwaitedNode(reason, cache.lastFailure(node.name))) return undefined; // the next reading has it
      const known = trackers.of(node).lastKnown(node, last);
      return known && { snapshot: known, ageMs: last.ageMs };
    },
    samplesOf: (nodeName, pod) => cache.history(nodeName)?.find(pod)?.samples ?? [],
    limitSamplesOf: (nodeName, ...of) => trackers.measurements(nodeName)?.ofLimit(...of) ?? [],
    apiServer: { isAway: store.lists.isServerAway, access: config.kubelet.access },
    evictions,
    notes,
  };
}

/** First those of nodes, whose workloads are known already. */
function* knownPods(snapshot: ClusterSnapshot, { place, resolver }: Core): Generator<KnownPod> {
  const objects = allObjects(snapshot);
  for (const { pods } of objects) for (const bound of pods) if (isActive(bound.pod)) yield bound;
  const skipped = snapshot.nodes.filter((node) => node.state === 'absent' && node.reason === 'skipped');
  const shown = new Set(objects.map(({ nodeName }) => nodeName));
  for (const { nodeName } of skipped) shown.delete(nodeName);
  for (const pod of place.store.pods()) {
    const isOther = pod.nodeName === undefined || !isActive(pod) || !shown.has(pod.nodeName);
    if (isOther) yield { pod, workloads: resolver.workloadsOf(pod) };
  }
}

/** Makes the report of the overview. `isPartial`: nodes had not responded by the deadline. */
export function reportOf(
  { config, scheduler }: Core,
  reading: ClusterReading,
  isPartial: boolean,
): Promise<ClusterReport> {
  const hidesPodsWithoutWorkload = hasWorkloads(config) && !config.workloads.controllers;
  return clusterReport(reading, { isPartial, hidesPodsWithoutWorkload, lane: scheduler.readers });
}
