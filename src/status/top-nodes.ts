import { Ranking } from '../base/ranking.js';
import type { AbsentNodeState, MeasuredNodeState, NodeState } from '../scrape/snapshot.js';
import { adviceFor } from './advice.js';
import { filesystemsOf, fullestRatio, type PodBytes } from './filesystems.js';
import { biggestFirst } from './order.js';
import { fullRatio, type NodeFailure, type NodeStatus, type Top } from './status.js';
import { biggestPods } from './top-pods.js';

/** What is known of the last request to a node's kubelet, when it failed. */
export type FailureOf = (nodeName: string) => NodeFailure | undefined;

export interface NodeCounts {
  freshNodeCount: number;
  staleNodeCount: number;
  absentNodeCount: number;
  failedNodeCount: number;
  skippedNodeCount: number;
  fullNodeCount: number;
  oldestSummaryAgeMs: number | undefined;
  expectedPodCount: number;
  measuredPodCount: number;
}

interface RankedNode {
  readonly state: NodeState;
  readonly pods: PodBytes;
  readonly rank: number;
}

const withoutData = 3;
const withData = 1;
const skipped = 0;
const biggestPodCount = 10;

/** The nodes that need a look, those without data first, then the fullest; they come one by one. */
export class TopNodes {
  readonly #ranking: Ranking<RankedNode>;
  readonly #failureOf: FailureOf;
  #totalCount = 0;
  readonly counts: NodeCounts = {
    freshNodeCount: 0,
    staleNodeCount: 0,
    absentNodeCount: 0,
    failedNodeCount: 0,
    skippedNodeCount: 0,
    fullNodeCount: 0,
    oldestSummaryAgeMs: undefined,
    expectedPodCount: 0,
    measuredPodCount: 0,
  };

  constructor({ count, failureOf }: { readonly count: number; readonly failureOf: FailureOf }) {
    this.#failureOf = failureOf;
    this.#ranking = new Ranking(
      count,
      biggestFirst(
        ({ rank }) => rank,
        ({ state }) => [state.nodeName],
      ),
    );
  }

  add(state: NodeState, pods: PodBytes): void {
    this.#totalCount += 1;
    this.counts.expectedPodCount += state.expectedPods;
    this.counts.measuredPodCount += state.measuredPods;
    this.#ranking.add({
      state,
      pods,
      rank: state.state === 'absent' ? this.#countAbsent(state) : this.#countMeasured(state),
    });
  }

  status(): Top<NodeStatus> {
    const items = this.#ranking.top().map(({ state, pods }) => this.#statusOf(state, pods));
    return { items, totalCount: this.#totalCount };
  }

  #countAbsent({ nodeName, reason }: AbsentNodeState): number {
    if (reason === 'skipped') {
      this.counts.skippedNodeCount += 1;
      return skipped;
    }
    this.counts.absentNodeCount += 1;
    if (this.#failureOf(nodeName) !== undefined) this.counts.failedNodeCount += 1;
    return withoutData;
  }

  #countMeasured({ state, ageMs, snapshot }: MeasuredNodeState): number {
    const { counts } = this;
    if (state === 'fresh') counts.freshNodeCount += 1;
    else counts.staleNodeCount += 1;
    counts.oldestSummaryAgeMs = Math.max(counts.oldestSummaryAgeMs ?? 0, Math.round(ageMs));
    const ratio = fullestRatio(snapshot) ?? 0;
    if (ratio >= fullRatio) counts.fullNodeCount += 1;
    return withData + ratio;
  }

  #statusOf(state: NodeState, pods: PodBytes): NodeStatus {
    const common = {
      node: state.nodeName,
      allocatableBytes: state.allocatableBytes,
      expectedPodCount: state.expectedPods,
      measuredPodCount: state.measuredPods,
      failure: this.#failureOf(state.nodeName),
    };
    if (state.state === 'absent') {
      return { ...common, state: 'absent', reason: state.reason, advice: adviceFor(state.reason) };
    }
    return {
      ...common,
      state: state.state,
      summaryAgeMs: Math.round(state.ageMs),
      filesystems: filesystemsOf(state.snapshot, pods),
      podCount: state.snapshot.pods.length,
      podsUsedBytes: pods.usedBytes,
      missingPodCount: state.missingPods,
      danglingPodCount: state.danglingPods,
      biggestPods: biggestPods(state.snapshot.pods, biggestPodCount),
    };
  }
}
