import type { NodeImages } from '../../facts/node/node-images.js';
import { type NodeStanding, nodeStanding, nodeUrgency } from '../../facts/node/node-standing.js';
import { isKnownThreshold } from '../../facts/node/node-thresholds.js';
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
import { type FilesystemReport, filesystemReports, fullestRatio, podBytes } from './filesystem-report.js';
import { type DiskTrouble, diskTrouble, type NodeCondition, nodeCondition } from './node-condition.js';
import type { PodSource } from './pod-report.js';
import { type NodePressureReport, type PressedNode, pressedNode, pressureReport } from './pressure-report.js';
import { nodeVerdictReport, type VerdictInputs, type VerdictReport } from './verdict-report.js';

interface NodeFacts extends EnforcementFacts {
  readonly node: string;
  readonly allocatableBytes?: number | undefined;
  readonly expectedPodCount: number;
  readonly measuredPodCount: number;
  /** Limits and thresholds that do not do what they seem to do; left out without any. */
  readonly enforcement?: readonly EnforcementKind[] | undefined;
  /** The last request to its kubelet, when it failed. */
  readonly failure?: NodeFailure | undefined;
  /** The condition; absent while it is unknown. */
  readonly diskPressure?: boolean | undefined;
  /** Of a node that is below a threshold, close to one, or under DiskPressure; absent of the others. */
  readonly verdict?: VerdictReport | undefined;
  readonly condition: NodeCondition;
  /** The larger, the sooner it needs somebody: what the order `urgency` goes by. Absent of one that is skipped. */
  readonly urgency?: number | undefined;
  /** The threshold that it is nearest to, or furthest below; absent where none is known. */
  readonly threshold?: NodeThresholdReport | undefined;
  /** Absent of a node that is not close to evicting pods. */
  readonly pressure?: NodePressureReport | undefined;
}

interface NodeThresholdReport extends Pick<NodePressureReport, 'signal' | 'isAssumed' | 'timeToEvictionMs'> {
  /** What is left above it, in bytes or inodes; below 0 the kubelet evicts. */
  readonly headroom: number;
}

export interface NodeFailure {
  readonly reason: FailureReason;
  readonly message: string;
  readonly ageMs: number;
}

/** A node with data. */
export interface NodeWithPodsReport extends NodeFacts {
  readonly state: MeasuredNodeView['state'];
  readonly dataAgeMs: number;
  readonly filesystems: readonly FilesystemReport[];
  /** Absent where the status of the node has none. */
  readonly images?: NodeImages | undefined;
  /** Of pods with data. */
  readonly podsUsedBytes: number;
  readonly podsRequestedBytes: number;
  /** See `node_pods_missing` and `node_pods_dangling`. */
  readonly missingPodCount: number;
  readonly danglingPodCount: number;
  /** Pods whose volumes are not measured: their bytes are too few. */
  readonly pendingPodCount: number;
  /**
   * The other pods of the summary, whose bytes are on the disk too: out of scope, without a workload where those are
   * hidden, no longer on the node, or without a total.
   */
  readonly otherPodCount: number;
  readonly otherPodsUsedBytes: number;
}

/** A node without data, and what was last known of it. */
export interface SilentNodeReport extends NodeFacts {
  readonly state: 'absent';
  readonly reason: AbsenceReason;
  /** What to do about it. */
  readonly hint: string;
  readonly lastKnown?: LastKnownNodeReport | undefined;
}

/** Without pods that the API server no longer lists on the node. */
type LastKnownNodeReport = Pick<
  NodeWithPodsReport,
  'dataAgeMs' | 'filesystems' | 'podsUsedBytes' | 'otherPodCount' | 'otherPodsUsedBytes'
>;

/** A node, and how near it is to evicting pods. */
export type ListedNodeReport = SilentNodeReport | NodeWithPodsReport;

/** What was last known of a node that has no data. */
export interface LastKnown {
  readonly snapshot: NodeSnapshot;
  readonly ageMs: number;
}

/** What is known of nodes besides their views. */
export interface NodeSources {
  /** The last requests to kubelets that failed, by node. */
  readonly failures: ReadonlyMap<string, NodeFailure>;
  /** Of a node without data; undefined for one that never had any. */
  readonly lastKnownOf: (view: AbsentNodeView) => LastKnown | undefined;
}

/** What is known of a node, and where it comes from; of a silent one, the last values. */
export interface NodeData {
  readonly snapshot: NodeSnapshot;
  readonly source: PodSource;
}

/** Undefined for a silent node of which nothing is known. */
export function dataOf(view: NodeView, { lastKnownOf }: Pick<NodeSources, 'lastKnownOf'>): NodeData | undefined {
  const last = view.state === 'absent' ? lastKnownOf(view) : view;
  return last && { snapshot: last.snapshot, source: { ...view, ageMs: last.ageMs, snapshot: last.snapshot } };
}

/** A node as it is judged and compared with others. Without data where nothing is known of it. */
export interface ListedNode extends Partial<NodeData> {
  readonly view: NodeView;
  /** Of the last request to its kubelet, when it failed. */
  readonly failure: NodeFailure | undefined;
  /** By its data, as the following ones. */
  readonly standing: NodeStanding | undefined;
  /** Undefined of one that is not close to evicting pods, too. */
  readonly pressed: PressedNode | undefined;
  readonly fullRatio: number | undefined;
  readonly urgency: number | undefined;
  readonly condition: NodeCondition;
  readonly trouble: DiskTrouble | undefined;
}

export function listedNode(view: NodeView, sources: NodeSources): ListedNode {
  const failure = sources.failures.get(view.nodeName);
  const data = dataOf(view, sources);
  const standing = data && nodeStanding(data.source, data.snapshot);
  const pressed = data && pressedNode(data.source, data.snapshot, standing);
  const fullRatio = data && fullestRatio(data.snapshot);
  const urgency = nodeUrgency(view, data?.snapshot, pressed, fullRatio);
  const trouble = diskTrouble(view, data?.snapshot, pressed, fullRatio);
  const condition = nodeCondition(view, trouble, failure);
  return { view, failure, ...data, standing, pressed, fullRatio, urgency, condition, trouble };
}

export function listedNodeReport(
  node: ListedNode,
  inputs: VerdictInputs & { readonly apiServer: ApiServerState },
): ListedNodeReport {
  const { apiServer } = inputs;
  const { view, failure, source, snapshot } = node;
  const facts = factsOf(node, nodeVerdictReport(source ?? view, snapshot, inputs), apiServer.isAway);
  if (view.state === 'absent') {
    const { state, reason } = view;
    const lastKnown = source && snapshot && lastKnownReport({ snapshot, ageMs: source.ageMs });
    return { ...facts, state, reason, hint: nodeHint(reason, failure, apiServer), lastKnown };
  }
  const { pods, images } = view.snapshot;
  return {
    ...facts,
    state: view.state,
    ...lastKnownReport(view),
    images,
    podsRequestedBytes: podBytes(pods).requestedBytes,
    missingPodCount: view.missingPods,
    danglingPodCount: view.danglingPods,
    pendingPodCount: pods.filter(({ isPending }) => isPending).length,
  };
}

function factsOf(
  { view, failure, condition, urgency, standing, pressed }: ListedNode,
  verdict: VerdictReport | undefined,
  isApiServerAway: boolean,
): NodeFacts {
  const enforcement = enforcementKinds(view);
  return {
    node: view.nodeName,
    allocatableBytes: view.node?.allocatableBytes,
    expectedPodCount: view.expectedPods,
    measuredPodCount: view.measuredPods,
    enforcement: enforcement.length === 0 ? undefined : enforcement,
    unsetSignals: enforcement.includes('threshold_unset') ? signalsOf('threshold_unset', view) : undefined,
    frozenSinceMs: view.state === 'absent' ? undefined : view.snapshot.frozen.sinceMs,
    failure,
    diskPressure: view.node?.diskPressure,
    verdict,
    condition,
    urgency,
    threshold: thresholdReport(standing),
    pressure: pressed && { ...pressureReport(pressed, isApiServerAway), verdict },
  };
}

function thresholdReport({ nearest, timeMs }: Partial<NodeStanding> = {}): NodeThresholdReport | undefined {
  if (!isKnownThreshold(nearest)) return undefined;
  const { signal, headroom, isAssumed } = nearest;
  return { signal, headroom, isAssumed, timeToEvictionMs: timeMs && Math.round(timeMs) };
}

/** Of a node with data, what is known now. */
function lastKnownReport({ snapshot, ageMs }: LastKnown): LastKnownNodeReport {
  const { pods, summary } = snapshot;
  const reported = new Set(pods.map((pod) => pod.summary));
  const others = summary.pods.filter((pod) => !reported.has(pod));
  return {
    dataAgeMs: Math.round(ageMs),
    filesystems: filesystemReports(snapshot),
    podsUsedBytes: podBytes(pods).usedBytes,
    otherPodCount: others.length,
    otherPodsUsedBytes: others.reduce((sum, { usedBytes = 0 }) => sum + usedBytes, 0),
  };
}
