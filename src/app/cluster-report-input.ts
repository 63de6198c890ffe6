import type { Clock } from '../base/clock.js';
import type { Scheduler } from '../base/scheduler.js';
import type { NodeSnapshot } from '../node/node-view.js';
import { isAwaitedNode } from '../report/absence-hints.js';
import type { ClusterReportInput } from '../report/cluster-report.js';
import type { FormerPod } from '../report/former-pod.js';
import { nodeFailure } from '../report/node-report.js';
import type { ClusterSnapshot } from '../scrape/snapshot.js';
import type { ActiveSettings } from './active-settings.js';
import { hasWorkloads } from './collection.js';

interface Collected extends Pick<ActiveSettings, 'config' | 'source' | 'collection'> {
  readonly snapshot: ClusterSnapshot;
  readonly evictions: ClusterReportInput['evictions'];
  /** Nodes had not responded by the deadline. */
  readonly isPartial: boolean;
  /** When the kubelets were asked for it; monotonic. */
  readonly askedAtMs: number;
  readonly scheduler: Scheduler;
  readonly clock: Clock;
}

/** What the status page reports of a snapshot, beyond what a scrape serves. */
export function clusterReportInput(collected: Collected): ClusterReportInput {
  const { config, source, collection, snapshot, evictions, isPartial, askedAtMs, scheduler, clock } = collected;
  const { cache, store } = source;
  return {
    snapshot,
    failureOf: (nodeName) => {
      const failure = cache.lastFailure(nodeName);
      return failure && nodeFailure(failure, clock.monotonicMs());
    },
    lastKnownOf: ({ node, reason }) => {
      const last = node && cache.lastSummary(node);
      if (node === undefined || last === undefined) return undefined;
      const isLate = clock.monotonicMs() - last.ageMs >= askedAtMs;
      if (isLate && isAwaitedNode(reason, cache.lastFailure(node.name))) return undefined; // the next reading has it
      const snapshot = collection.trackers.of(node).lastKnown(node, last);
      return snapshot && { snapshot, ageMs: last.ageMs };
    },
    samplesOf: (nodeName, pod) => cache.history(nodeName)?.find(pod)?.samples ?? [],
    evictions,
    formerPodsOf: (of) => formerPods(of, collected),
    apiServer: { isAway: store.lists.isServerAway, access: config.kubelet.access },
    isPartial,
    nowMs: clock.steadyNowMs(),
    hidesPodsWithoutWorkload: hasWorkloads(config) && !config.workloads.controllers,
    lane: scheduler.readers,
  };
}

function formerPods(of: NodeSnapshot, { source, collection }: Collected): ReadonlyMap<string, FormerPod> {
  const history = source.cache.history(of.nodeName);
  const pending = of.pods.filter(({ isPending }) => isPending);
  const before = pending.flatMap(({ summary }) => history?.beforePending(summary) ?? []);
  const ages = new Map(before.map(({ summary: { uid }, olderByMs }) => [uid, olderByMs]));
  const summaries = before.map(({ summary }) => summary);
  const pods = collection.trackers.of(of.node).formerPods(of, summaries);
  return new Map(pods.map((pod) => [pod.summary.uid, { pod, olderByMs: ages.get(pod.summary.uid) ?? 0 }]));
}
