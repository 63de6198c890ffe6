import { largestFirst, Ranking } from '../base/ranking.js';
import type { LimitRatio } from '../eviction/limit-ratios.js';
import { timeToLimitMs } from '../history/usage-growth.js';
import type { UsageSample } from '../kubelet/pod-history.js';
import type { ListedPod } from '../scrape/snapshot.js';
import { type LimitReport, limitReport, limitThresholds, nearestRatio } from './limit-report.js';
import {
  dataFacts,
  type FoundListedPod,
  type FoundPod,
  isExempt,
  type MeasuredPodReport,
  measuredPodReport,
  type PodPlace,
  podPlace,
  type PodSource,
} from './pod-report.js';
import type { Ranked } from './ranked.js';

/** The limit that a pod is nearest to. */
export interface PodLimitReport
  extends PodPlace, LimitReport, Pick<MeasuredPodReport, 'dataState' | 'dataAgeMs' | 'absenceReason'> {
  readonly isExempt: boolean;
  /** Until the limit is reached at the growth of the last summaries: within an hour, and of the pod's own limit only. */
  readonly timeToLimitMs?: number | undefined;
}

/** The totals of a pod in the last summaries of its node, the oldest first. `uid`: as the kubelet reports it. */
export type SamplesOf = (nodeName: string, uid: string) => readonly UsageSample[];

/** Below it, a pod is not among those that may be evicted next. */
export const shownRatio = 0.5;

export interface RankedPodsOptions {
  readonly podCount: number;
  readonly limitCount: number;
  readonly samplesOf: SamplesOf;
}

/** Of pods with data; see `ClusterSummary`. */
export interface PodCounts {
  podCount: number;
  podsUsedBytes: number;
  limitCount: number;
  nearLimitCount: number;
  reachedLimitCount: number;
  evictableLimitCount: number;
  limitedPodCount: number;
  nearLimitPodCount: number;
  reachedLimitPodCount: number;
}

interface LimitedPod extends FoundListedPod<PodSource> {
  readonly limit: LimitRatio;
  readonly timeToLimitMs: number | undefined;
}

/**
 * The largest pods, and the pods that are nearest to a limit of theirs. Pods are added one by one. Those of nodes without
 * data are ranked by what was last known of them, and count nowhere else.
 */
export class RankedPods {
  readonly #samplesOf: SamplesOf;
  readonly #pods: Ranking<FoundPod<PodSource>>;
  readonly #limited: Ranking<LimitedPod>;
  #limitedPodCount = 0;
  #lastKnownPodCount = 0;
  readonly counts: PodCounts = {
    podCount: 0,
    podsUsedBytes: 0,
    limitCount: 0,
    nearLimitCount: 0,
    reachedLimitCount: 0,
    evictableLimitCount: 0,
    limitedPodCount: 0,
    nearLimitPodCount: 0,
    reachedLimitPodCount: 0,
  };

  constructor({ podCount, limitCount, samplesOf }: RankedPodsOptions) {
    this.#samplesOf = samplesOf;
    this.#pods = new Ranking(
      podCount,
      largestFirst<FoundPod<PodSource>>(({ pod }) => pod.usage.usedBytes, namesOf),
    );
    this.#limited = new Ranking(limitCount, largestFirst<LimitedPod>(urgency, namesOf));
  }

  add(found: FoundPod<PodSource>): void {
    if (found.node.state === 'absent') {
      this.#lastKnownPodCount += 1;
    } else {
      this.counts.podCount += 1;
      this.counts.podsUsedBytes += found.pod.usage.usedBytes;
    }
    this.#pods.add(found);
    this.addLimits(found);
  }

  /** Also of a pod without a total. */
  addLimits(found: FoundListedPod<PodSource>): void {
    const limit = nearestRatio(found.pod.ratios);
    if (limit === undefined) return;
    if (found.node.state !== 'absent') this.#count(found.pod, limit);
    if (limit.ratio < shownRatio) return;
    this.#limitedPodCount += 1;
    this.#limited.add({ ...found, limit, timeToLimitMs: this.#timeToLimitMs(found, limit) });
  }

  pods(): Ranked<MeasuredPodReport> {
    return {
      items: this.#pods.top().map(measuredPodReport),
      totalCount: this.counts.podCount + this.#lastKnownPodCount,
    };
  }

  /** One for each pod from half of its limit on. */
  limits(): Ranked<PodLimitReport> {
    return { items: this.#limited.top().map(podLimitReport), totalCount: this.#limitedPodCount };
  }

  /** Samples are totals: how fast a container or a volume grows is not known. */
  #timeToLimitMs({ node, pod }: FoundListedPod<PodSource>, { rule, limitBytes }: LimitRatio): number | undefined {
    if (rule !== 'pod' || node.state === 'absent') return undefined;
    const timeMs = timeToLimitMs(this.#samplesOf(node.nodeName, pod.summary.uid), limitBytes);
    return timeMs && Math.max(0, Math.round(timeMs - node.ageMs));
  }

  #count(pod: ListedPod, { ratio: highestRatio }: LimitRatio): void {
    const { counts } = this;
    counts.limitedPodCount += 1;
    if (highestRatio >= limitThresholds.reached) counts.reachedLimitPodCount += 1;
    else if (highestRatio >= limitThresholds.near) counts.nearLimitPodCount += 1;
    for (const { ratio } of pod.ratios) this.#countLimit(ratio, pod);
  }

  #countLimit(ratio: number, pod: ListedPod): void {
    const { counts } = this;
    counts.limitCount += 1;
    if (ratio >= limitThresholds.reached) {
      counts.reachedLimitCount += 1;
      if (!isExempt(pod)) counts.evictableLimitCount += 1;
    } else if (ratio >= limitThresholds.near) {
      counts.nearLimitCount += 1;
    }
  }
}

/** Above the limit first, then by the time until it is reached, where that is known, then by the ratio. */
function urgency({ limit: { ratio }, timeToLimitMs: timeMs }: LimitedPod): number {
  if (ratio >= limitThresholds.reached) return 2 + ratio;
  return timeMs === undefined ? ratio : 1 + 1 / (1 + timeMs);
}

function namesOf({ node, pod }: FoundListedPod<PodSource>): readonly string[] {
  return [pod.namespace, pod.name, node.nodeName];
}

function podLimitReport({ limit, timeToLimitMs: timeMs, ...found }: LimitedPod): PodLimitReport {
  return {
    ...podPlace(found),
    ...limitReport(limit),
    isExempt: isExempt(found.pod),
    ...dataFacts(found.node),
    timeToLimitMs: timeMs,
  };
}
