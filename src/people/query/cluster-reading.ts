import type { Node } from '../../cluster/kube/objects.js';
import type { Scope } from '../../cluster/kube/scope.js';
import type { UsageSample } from '../../cluster/kubelet/lookup.js';
import { noEvictionsSeen } from '../../facts/history/eviction-snapshot.js';
import type { LimitRatio } from '../../facts/node/limit-ratios.js';
import type { BoundPod, PodRecord } from '../../facts/node/pod-record.js';
import type { ClusterSnapshot } from '../../facts/scrape/snapshot.js';
import type { ApiServerState } from '../report/absence-hints.js';
import type { EvictionReport } from '../report/eviction-report.js';
import type { NodeSources } from '../report/node-report.js';
import type { VerdictInputs } from '../report/verdict-report.js';

/** A pod that the API server knows, with the workloads that it belongs to. */
export type KnownPod = Pick<BoundPod, 'pod' | 'workloads'>;

/** The state of a cluster at one moment. Plain data, but for what is looked up only where it is shown. */
export interface ClusterReading extends NodeSources, VerdictInputs {
  /** Which nodes are measured. */
  readonly scope: Scope;
  /** Time after which a kubelet is scraped again; 0: for each reading. */
  readonly ttlMs: number;
  readonly snapshot: ClusterSnapshot;
  /** All pods in scope, measured or not. Taken one by one on a page: a list of all would hold up others. */
  readonly knownPods: Iterable<KnownPod>;
  /** All nodes that the API server knows. */
  readonly knownNodes: readonly Node[];
  /**
   * Returns what was compared with a limit of a pod over about the last ten minutes, the oldest first. Empty for the limit of a pod
   * as a whole. `fetchedAtMs`: of the last summary.
   */
  readonly limitSamplesOf: (
    nodeName: string,
    pod: PodRecord,
    limit: LimitRatio,
    fetchedAtMs: number,
  ) => readonly UsageSample[];
  readonly apiServer: ApiServerState;
  /** Read by themselves: empty in a command's reading of nodes and pods. The newest first. */
  readonly evictions: readonly EvictionReport[];
  /** What was not read, and why. */
  readonly notes: readonly string[];
}

/** Of a process that has no lists of nodes and pods. */
export const noSnapshot: ClusterSnapshot = {
  nodes: [],
  gone: [],
  workloads: [],
  evictions: noEvictionsSeen,
  unlistedNamespaces: [],
};

/** Of a process that has asked each kubelet once. */
export const noHistory: Pick<ClusterReading, 'lastKnownOf' | 'samplesOf' | 'limitSamplesOf' | 'apiServer'> = {
  lastKnownOf: () => undefined,
  samplesOf: () => [],
  limitSamplesOf: () => [],
  apiServer: { isAway: false, access: 'direct' },
};
