import type { KubeletFailure } from '../../cluster/kubelet/cached-request.js';
import type { NodeImages } from '../../facts/node/node-images.js';
import type {
  AbsenceReason,
  AbsentNodeView,
  MeasuredNodeView,
  NodeSnapshot,
  NodeView,
} from '../../facts/node/node-view.js';
import type { FailureReason } from '../../lib/base/errors.js';
import { type ApiServerState, nodeHint } from './absence-hints.js';
import { type EnforcementFacts, type EnforcementKind, enforcementKinds, signalsOf } from './enforcement-report.js';
import { type FilesystemReport, filesystemReports, type PodBytes } from './filesystem-report.js';

interface NodeFacts extends EnforcementFacts {
  readonly node: string;
  readonly allocatableBytes?: number | undefined;
  readonly expectedPodCount: number;
  readonly measuredPodCount: number;
  /** Limits and thresholds that do not do what they seem to do; left out without any. */
  readonly enforcement?: readonly EnforcementKind[] | undefined;
  /** The last request to its kubelet, when it failed. */
  readonly failure?: NodeFailure | undefined;
}

export interface NodeFailure {
  readonly reason: FailureReason;
  readonly message: string;
  readonly ageMs: number;
}

export interface MeasuredNodeReport extends NodeFacts {
  readonly state: MeasuredNodeView['state'];
  readonly dataAgeMs: number;
  readonly filesystems: readonly FilesystemReport[];
  /** Absent where the status of the node has none. */
  readonly images?: NodeImages | undefined;
  /** Pods with data, and their bytes. */
  readonly podCount: number;
  readonly podsUsedBytes: number;
  readonly podsRequestedBytes: number;
  /** See `node_pods_missing` and `node_pods_dangling`. */
  readonly missingPodCount: number;
  readonly danglingPodCount: number;
}

export interface AbsentNodeReport extends NodeFacts {
  readonly state: 'absent';
  readonly reason: AbsenceReason;
  /** What to do about it. */
  readonly hint: string;
}

export type NodeReport = MeasuredNodeReport | AbsentNodeReport;

export function nodeFailure({ reason, message, atMs }: KubeletFailure, nowMs: number): NodeFailure {
  return { reason, message, ageMs: Math.round(nowMs - atMs) };
}

/** What was last known of a node that has no data. */
export interface LastKnown {
  readonly snapshot: NodeSnapshot;
  readonly ageMs: number;
}

/** The last request to a node's kubelet; undefined when it succeeded. */
export type FailureOf = (nodeName: string) => NodeFailure | undefined;

/** `pods`: the pods that count here, in bytes. */
export function nodeReport(state: NodeView, pods: PodBytes, failure: NodeFailure | undefined): NodeReport {
  return state.state === 'absent' ? absentNodeReport(state, failure) : measuredNodeReport(state, pods, failure);
}

export function absentNodeReport(
  state: AbsentNodeView,
  failure: NodeFailure | undefined,
  apiServer?: ApiServerState,
): AbsentNodeReport {
  const { reason } = state;
  return { ...factsOf(state, failure), state: 'absent', reason, hint: nodeHint(reason, failure, apiServer) };
}

export function measuredNodeReport(
  state: MeasuredNodeView,
  pods: PodBytes,
  failure: NodeFailure | undefined,
): MeasuredNodeReport {
  return {
    ...factsOf(state, failure),
    state: state.state,
    dataAgeMs: Math.round(state.ageMs),
    filesystems: filesystemReports(state.snapshot),
    images: state.snapshot.images,
    podCount: pods.podCount,
    podsUsedBytes: pods.usedBytes,
    podsRequestedBytes: pods.requestedBytes,
    missingPodCount: state.missingPods,
    danglingPodCount: state.danglingPods,
  };
}

function factsOf(state: NodeView, failure: NodeFailure | undefined): NodeFacts {
  const enforcement = enforcementKinds(state);
  return {
    node: state.nodeName,
    allocatableBytes: state.node?.allocatableBytes,
    expectedPodCount: state.expectedPods,
    measuredPodCount: state.measuredPods,
    enforcement: enforcement.length === 0 ? undefined : enforcement,
    unsetSignals: enforcement.includes('threshold_unset') ? signalsOf('threshold_unset', state) : undefined,
    frozenSinceMs: state.state === 'absent' ? undefined : state.snapshot.frozen.sinceMs,
    failure,
  };
}
