import type { Pod } from '../../src/cluster/kube/objects.js';
import type { FoundLookup } from '../../src/cluster/kubelet/lookup.js';
import type { NodeSummary } from '../../src/cluster/kubelet/summary.js';
import { NodeFaults } from '../../src/facts/node/node-faults.js';
import type { PodLister } from '../../src/facts/node/node-snapshot.js';
import type { NodeTrackerOptions } from '../../src/facts/node/node-tracker.js';
import { podContexts } from '../../src/facts/node/pod-record.js';
import { WorkloadResolver } from '../../src/facts/workload/workload-resolver.js';
import { silentLogger } from '../../src/lib/base/logger.js';
import { aNode } from './builders.js';
import { ManualClock } from './manual-clock.js';

/** What trackers of nodes are made with: the defaults of the exporter where a test changes nothing. */
export function trackerOptions(
  changes: Pick<NodeTrackerOptions, 'pods'> & Partial<NodeTrackerOptions>,
): NodeTrackerOptions {
  return {
    resolver: new WorkloadResolver({ selectors: [], labels: [], controllers: false }),
    contextOf: podContexts('measured'),
    scope: { namespaces: [], hasPodSelector: false },
    showsAllPods: true,
    maxUnknownPods: 20,
    growth: () => new Map(),
    ttlMs: 55_000,
    clock: new ManualClock(),
    nodesSeenAtMs: () => Infinity,
    faults: new NodeFaults(silentLogger),
    memories: new Map(),
    ...changes,
  };
}

/** An API server that knows the pods of `aNode()` and no others. `pods`: returns those of now. */
export function podsOfNode(pods: () => readonly Pod[]): PodLister {
  return {
    podsOn: pods,
    boundNodeNames: () => [aNode().name],
    unlistedNamespaces: () => [],
    findPod: (namespace, name) => pods().find((pod) => pod.namespace === namespace && pod.name === name),
    isDeleted: () => false,
  };
}

/** What trackers of nodes are shown: a summary without the configuration of its kubelet. */
export function aFreshLookup(summary: NodeSummary, arrivedAtMs = 0): FoundLookup {
  return { state: 'fresh', summary, configuration: undefined, arrivedAtMs, fetchedAtMs: 0 };
}
