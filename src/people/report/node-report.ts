import { fullDisk, isHeadroomUnknown } from '../../facts/node/full-disks.js';
import { exemptionOf, isActive } from '../../facts/node/limits.js';
import type { NodeImages } from '../../facts/node/node-images.js';
import { type NodeStanding, nodeStanding } from '../../facts/node/node-standing.js';
import type { AbsenceReason, MeasuredNodeView, NodeSnapshot, NodeView } from '../../facts/node/node-view.js';
import type { FailureReason } from '../../lib/base/errors.js';
import { type ApiServerState, nodeHint } from './absence-hints.js';
import { type EnforcementFacts, type EnforcementKind, enforcementKinds, signalsOf } from './enforcement-report.js';
import { type FilesystemReport, filesystemReports, fullestRatio, fullRatio, podBytes } from './filesystem-report.js';
import { type NodeCondition, nodeCondition } from './node-condition.js';
import type { PodSource } from './pod-report.js';
import { type PressedNode, pressedNode } from './pressure-report.js';
import type { VerdictOf, VerdictReport } from './verdict-report.js';

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
}

export interface NodeFailure {
  readonly reason: FailureReason;
  readonly message: string;
  readonly ageMs: number;
}

/** A node with data, in brief. */
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

export type RankedNodeReport = SilentNodeReport | NodeWithPodsReport;

/** What was last known of a node that has no data. */
export interface LastKnown {
  readonly snapshot: NodeSnapshot;
  readonly ageMs: number;
}

/** A node as it is judged and compared with others. */
export interface ListedNode {
  readonly view: NodeView;
  /** Of the last request to its kubelet, when it failed. */
  readonly failure: NodeFailure | undefined;
  /** Of one without data. */
  readonly lastKnown: LastKnown | undefined;
  /** Of one without data, the last known; undefined where nothing is known of it, as the following ones. */
  readonly snapshot: NodeSnapshot | undefined;
  readonly source: PodSource | undefined;
  readonly standing: NodeStanding | undefined;
  /** Undefined of one that is not close to evicting pods, too. */
  readonly pressed: PressedNode | undefined;
  readonly fullRatio: number | undefined;
  readonly condition: NodeCondition;
}

export function listedNode(
  view: NodeView,
  { lastKnown, failure }: Pick<ListedNode, 'lastKnown' | 'failure'>,
): ListedNode {
  const source = view.state === 'absent' ? lastKnown && { ...view, ageMs: lastKnown.ageMs } : view;
  const snapshot = view.state === 'absent' ? lastKnown?.snapshot : view.snapshot;
  const standing = source && snapshot && nodeStanding(source, snapshot);
  const pressed = source && snapshot && pressedNode(source, snapshot, standing);
  return {
    view,
    failure,
    lastKnown,
    snapshot,
    source,
    standing,
    pressed,
    fullRatio: snapshot && fullestRatio(snapshot),
    condition: nodeCondition(view, pressed, failure),
  };
}

export function nodeReport(
  { view, failure, lastKnown }: Pick<ListedNode, 'view' | 'failure' | 'lastKnown'>,
  { apiServer, verdictOf }: { readonly apiServer: ApiServerState; readonly verdictOf: VerdictOf },
): RankedNodeReport {
  const facts = factsOf(view, failure);
  const diskPressure = view.node?.diskPressure;
  if (view.state === 'absent') {
    return {
      ...facts,
      state: view.state,
      reason: view.reason,
      hint: nodeHint(view.reason, failure, apiServer),
      diskPressure,
      verdict: verdictOf({ ...view, ageMs: lastKnown?.ageMs }, lastKnown?.snapshot),
      lastKnown: lastKnown && lastKnownReport(lastKnown),
    };
  }
  const { snapshot } = view;
  return {
    ...facts,
    state: view.state,
    ...lastKnownReport(view),
    images: snapshot.images,
    podsRequestedBytes: podBytes(snapshot.pods).requestedBytes,
    missingPodCount: view.missingPods,
    danglingPodCount: view.danglingPods,
    diskPressure,
    verdict: verdictOf(view, snapshot),
    pendingPodCount: snapshot.pods.filter(({ isPending }) => isPending).length,
  };
}

function factsOf(view: NodeView, failure: NodeFailure | undefined): NodeFacts {
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
  };
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

/** Counts nodes for a `ClusterSummary`. */
export function nodeCounts(nodes: readonly ListedNode[]) {
  const count = (of: readonly ListedNode[], isCounted: (node: ListedNode) => boolean): number =>
    of.filter(isCounted).length;
  const absent = nodes.filter(({ view }) => view.state === 'absent' && view.reason !== 'skipped');
  const measured = nodes.filter(({ view }) => view.state !== 'absent');
  const crossed = measured.filter(({ pressed }) => pressed?.nearest.isCrossed === true);
  const ages = measured.map(({ view }) => Math.round((view as MeasuredNodeView).ageMs));
  return {
    freshNodeCount: count(measured, ({ view }) => view.state === 'fresh'),
    staleNodeCount: count(measured, ({ view }) => view.state === 'stale'),
    absentNodeCount: absent.length,
    failedNodeCount: count(absent, ({ failure }) => failure !== undefined),
    skippedNodeCount: nodes.length - absent.length - measured.length,
    fullNodeCount: count(measured, (node) => hasNoSpace(node) || isFull(node)),
    noSpaceNodeCount: count(measured, hasNoSpace),
    oldestDataAgeMs: ages.length === 0 ? undefined : ages.reduce((a, b) => Math.max(a, b)),
    expectedPodCount: nodes.reduce((sum, { view }) => sum + view.expectedPods, 0),
    measuredPodCount: nodes.reduce((sum, { view }) => sum + view.measuredPods, 0),
    pressedNodeCount: crossed.length,
    pressedEmptyNodeCount: count(crossed, ({ snapshot }) => snapshot !== undefined && !mayEvict(snapshot)),
    pressedFullNodeCount: count(crossed, isFull),
    nearPressureNodeCount: count(measured, ({ pressed }) => pressed?.nearest.isCrossed === false),
    unknownPressureNodeCount: count(
      measured,
      ({ snapshot, pressed }) =>
        pressed?.nearest.isCrossed !== true && snapshot !== undefined && isHeadroomUnknown(snapshot),
    ),
  };
}

function hasNoSpace({ snapshot }: ListedNode): boolean {
  return snapshot !== undefined && fullDisk(snapshot) !== undefined;
}

function isFull({ fullRatio: ratio = 0 }: ListedNode): boolean {
  return ratio >= fullRatio;
}

/** Returns whether there is a pod, or may be one that is not read, that the kubelet does not pass over. */
function mayEvict({ unreadPodCount, podsOnNode }: NodeSnapshot): boolean {
  return unreadPodCount !== undefined || podsOnNode.some((pod) => isActive(pod) && exemptionOf(pod) === undefined);
}
