import { fullDisk } from '../../facts/node/full-disks.js';
import type { AbsentNodeView, MeasuredNodeView, NodeSnapshot, NodeView } from '../../facts/node/node-view.js';
import type { PodRecord } from '../../facts/node/pod-record.js';
import { largestFirst, naturalNames, type Ranked, Ranking } from '../../lib/base/ranking.js';
import type { ApiServerState } from './absence-hints.js';
import { filesystemReports, fullestRatio, fullRatio, podBytes } from './filesystem-report.js';
import {
  type AbsentNodeReport,
  absentNodeReport,
  type FailureOf,
  type LastKnown,
  type MeasuredNodeReport,
  measuredNodeReport,
} from './node-report.js';
import type { MeasuredPodReport } from './pod-report.js';
import type { VerdictOf, VerdictReport } from './verdict-report.js';

interface VerdictFacts {
  /** The condition; absent while it is unknown. */
  readonly diskPressure?: boolean | undefined;
  /** Of a node that is below a threshold, close to one, or under DiskPressure; absent of the others. */
  readonly verdict?: VerdictReport | undefined;
}

/** A node with data and the largest of its pods, in brief. */
export interface NodeWithPodsReport extends MeasuredNodeReport, VerdictFacts {
  /** Pods whose volumes are not measured: their bytes are too few. */
  readonly pendingPodCount: number;
  /**
   * The other pods of the summary, whose bytes are on the disk too: out of scope, without a workload where those are
   * hidden, no longer on the node, or without a total.
   */
  readonly otherPodCount: number;
  readonly otherPodsUsedBytes: number;
  readonly largestPods: readonly NodePodReport[];
}

type NodePodReport = Pick<MeasuredPodReport, 'namespace' | 'pod' | 'state' | 'usedBytes' | 'limitBytes'>;

/** A node without data, and what was last known of it. */
export interface SilentNodeReport extends AbsentNodeReport, VerdictFacts {
  readonly lastKnown?: LastKnownNodeReport | undefined;
}

/** Without pods that the API server no longer lists on the node. */
type LastKnownNodeReport = Pick<
  NodeWithPodsReport,
  'dataAgeMs' | 'filesystems' | 'podCount' | 'podsUsedBytes' | 'otherPodCount' | 'otherPodsUsedBytes' | 'largestPods'
>;

export type RankedNodeReport = SilentNodeReport | NodeWithPodsReport;

/** What a report of a node is made of, besides the node. */
export interface NodeSources {
  readonly failureOf: FailureOf;
  readonly apiServer: ApiServerState;
  readonly verdictOf: VerdictOf;
}

interface RankedNode {
  readonly state: NodeView;
  /** Of an absent one. */
  readonly lastKnown: LastKnown | undefined;
  readonly rank: number;
}

const withoutData = 3;
const withData = 1;
const skipped = 0;
const largestPodCount = 10;

/** Nodes without data first, then the fullest. Nodes are added one by one. */
export class RankedNodes {
  readonly #ranking: Ranking<RankedNode>;
  readonly #sources: NodeSources;
  /** See `ClusterSummary`. */
  readonly counts = {
    freshNodeCount: 0,
    staleNodeCount: 0,
    absentNodeCount: 0,
    failedNodeCount: 0,
    skippedNodeCount: 0,
    fullNodeCount: 0,
    noSpaceNodeCount: 0,
    oldestDataAgeMs: undefined as number | undefined,
    expectedPodCount: 0,
    measuredPodCount: 0,
  };

  constructor(count: number, sources: NodeSources) {
    this.#sources = sources;
    this.#ranking = new Ranking(
      count,
      largestFirst(
        ({ rank }) => rank,
        ({ state }) => naturalNames(state.nodeName),
      ),
    );
  }

  /** `lastKnown`: of an absent one. */
  add(state: NodeView, lastKnown?: LastKnown): void {
    this.counts.expectedPodCount += state.expectedPods;
    this.counts.measuredPodCount += state.measuredPods;
    this.#ranking.add({
      state,
      lastKnown,
      rank: state.state === 'absent' ? this.#countAbsent(state) : this.#countMeasured(state),
    });
  }

  nodes(): Ranked<RankedNodeReport> {
    return this.#ranking.ranked(({ state, lastKnown }) => rankedNodeReport(state, lastKnown, this.#sources));
  }

  #countAbsent({ nodeName, reason }: AbsentNodeView): number {
    if (reason === 'skipped') {
      this.counts.skippedNodeCount += 1;
      return skipped;
    }
    this.counts.absentNodeCount += 1;
    if (this.#sources.failureOf(nodeName) !== undefined) this.counts.failedNodeCount += 1;
    return withoutData;
  }

  #countMeasured({ state, ageMs, snapshot }: MeasuredNodeView): number {
    const { counts } = this;
    if (state === 'fresh') counts.freshNodeCount += 1;
    else counts.staleNodeCount += 1;
    counts.oldestDataAgeMs = Math.max(counts.oldestDataAgeMs ?? 0, Math.round(ageMs));
    const ratio = fullestRatio(snapshot) ?? 0;
    const isOutOfSpace = fullDisk(snapshot) !== undefined;
    if (isOutOfSpace || ratio >= fullRatio) counts.fullNodeCount += 1;
    if (isOutOfSpace) counts.noSpaceNodeCount += 1;
    return withData + ratio;
  }
}

/** `lastKnown`: of an absent node. */
export function rankedNodeReport(
  state: NodeView,
  lastKnown: LastKnown | undefined,
  { failureOf, apiServer, verdictOf }: NodeSources,
): RankedNodeReport {
  const failure = failureOf(state.nodeName);
  if (state.state === 'absent') {
    return {
      ...absentNodeReport(state, failure, apiServer),
      diskPressure: state.node?.diskPressure,
      verdict: verdictOf({ ...state, ageMs: lastKnown?.ageMs }, lastKnown?.snapshot),
      lastKnown: lastKnown && lastKnownReport(lastKnown),
    };
  }
  const { pods } = state.snapshot;
  return {
    ...measuredNodeReport(state, podBytes(pods), failure),
    diskPressure: state.node?.diskPressure,
    verdict: verdictOf(state, state.snapshot),
    pendingPodCount: pods.filter(({ isPending }) => isPending).length,
    ...otherPods(state.snapshot),
    largestPods: largestPods(pods),
  };
}

function lastKnownReport({ snapshot, ageMs }: LastKnown): LastKnownNodeReport {
  const { podCount, usedBytes } = podBytes(snapshot.pods);
  return {
    dataAgeMs: Math.round(ageMs),
    filesystems: filesystemReports(snapshot),
    podCount,
    podsUsedBytes: usedBytes,
    ...otherPods(snapshot),
    largestPods: largestPods(snapshot.pods),
  };
}

function otherPods({ summary, pods }: NodeSnapshot): Pick<NodeWithPodsReport, 'otherPodCount' | 'otherPodsUsedBytes'> {
  const reported = new Set(pods.map((pod) => pod.summary));
  const others = summary.pods.filter((pod) => !reported.has(pod));
  return {
    otherPodCount: others.length,
    otherPodsUsedBytes: others.reduce((sum, { usedBytes = 0 }) => sum + usedBytes, 0),
  };
}

function largestPods(pods: readonly PodRecord[]): readonly NodePodReport[] {
  const ranking = new Ranking<PodRecord>(
    largestPodCount,
    largestFirst(
      ({ summary }) => summary.usedBytes,
      ({ summary: { namespace, name } }) => [namespace, name],
    ),
  );
  for (const pod of pods) ranking.add(pod);
  return ranking.top().map(({ summary: { namespace, name, usedBytes = 0 }, bound, isPending }) => ({
    namespace,
    pod: name,
    state: isPending ? 'pending' : 'measured',
    usedBytes,
    limitBytes: bound?.limitBytes,
  }));
}
