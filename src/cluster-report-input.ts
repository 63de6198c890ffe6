import type { ActiveSettings } from './active-settings.js';
import type { Clock } from './base/clock.js';
import { TimeSlicer } from './base/time-slicer.js';
import { hasWorkloads } from './collection.js';
import type { ClusterReportInput } from './report/cluster-report.js';
import { nodeFailure } from './report/node-report.js';
import type { ClusterSnapshot } from './scrape/snapshot.js';

interface Collected extends Pick<ActiveSettings, 'config' | 'source' | 'collection'> {
  readonly snapshot: ClusterSnapshot;
  /** Nodes had not responded by the deadline. */
  readonly isPartial: boolean;
  readonly clock: Clock;
}

/** What the status page reports of a snapshot, beyond what a scrape serves. */
export function clusterReportInput(collected: Collected): ClusterReportInput {
  const { config, source, collection, snapshot, isPartial, clock } = collected;
  const { cache, store } = source;
  return {
    snapshot,
    failureOf: (nodeName) => {
      const failure = cache.lastFailure(nodeName);
      return failure && nodeFailure(failure, clock.monotonicMs());
    },
    lastKnownOf: ({ node }) => {
      const last = node && cache.lastSummary(node);
      return node && last && { snapshot: collection.records.lastKnown(node, last), ageMs: last.ageMs };
    },
    samplesOf: (nodeName, uid) => cache.history(nodeName)?.find(uid)?.samples ?? [],
    apiServer: { isAway: store.isServerAway, access: config.kubelet.access },
    isPartial,
    hidesPodsWithoutWorkload: hasWorkloads(config) && !config.workloads.controllers,
    slicer: new TimeSlicer(clock),
  };
}
