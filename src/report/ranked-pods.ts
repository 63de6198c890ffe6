import { largestFirst, Ranking } from '../base/ranking.js';
import type { LimitRatio } from '../eviction/limit-ratios.js';
import type { ListedPod } from '../scrape/snapshot.js';
import { type LimitReport, limitReport, nearestRatio, nearRatio } from './limit-report.js';
import {
  type FoundListedPod,
  type FoundPod,
  isExempt,
  type MeasuredPodReport,
  measuredPodReport,
  type PodPlace,
  podPlace,
} from './pod-report.js';
import type { Ranked } from './ranked.js';

/** The limit that a pod is nearest to. */
export interface PodLimitReport extends PodPlace, LimitReport {
  readonly isExempt: boolean;
}

/** Below it, a pod is not among those that may be evicted next. */
export const shownRatio = 0.5;

interface LimitedPod extends FoundListedPod {
  readonly limit: LimitRatio;
}

/** The largest pods, and the pods that are nearest to a limit of theirs. Pods are added one by one. */
export class RankedPods {
  readonly #pods: Ranking<FoundPod>;
  readonly #limited: Ranking<LimitedPod>;
  #limitedPodCount = 0;
  podCount = 0;
  usedBytes = 0;
  limitCount = 0;
  nearLimitCount = 0;
  reachedLimitCount = 0;
  evictableLimitCount = 0;

  constructor({ podCount, limitCount }: { readonly podCount: number; readonly limitCount: number }) {
    this.#pods = new Ranking(
      podCount,
      largestFirst<FoundPod>(({ pod }) => pod.usage.usedBytes, namesOf),
    );
    this.#limited = new Ranking(
      limitCount,
      largestFirst<LimitedPod>(({ limit }) => limit.ratio, namesOf),
    );
  }

  add(found: FoundPod): void {
    this.podCount += 1;
    this.usedBytes += found.pod.usage.usedBytes;
    this.#pods.add(found);
    this.addLimits(found);
  }

  /** Also of a pod without a total. */
  addLimits(found: FoundListedPod): void {
    for (const { ratio } of found.pod.ratios) this.#countLimit(ratio, found.pod);
    const limit = nearestRatio(found.pod.ratios);
    if (limit === undefined || limit.ratio < shownRatio) return;
    this.#limitedPodCount += 1;
    this.#limited.add({ ...found, limit });
  }

  pods(): Ranked<MeasuredPodReport> {
    return { items: this.#pods.top().map(measuredPodReport), totalCount: this.podCount };
  }

  /** One for each pod from half of its limit on. */
  limits(): Ranked<PodLimitReport> {
    return { items: this.#limited.top().map(podLimitReport), totalCount: this.#limitedPodCount };
  }

  #countLimit(ratio: number, pod: ListedPod): void {
    this.limitCount += 1;
    if (ratio >= 1) {
      this.reachedLimitCount += 1;
      if (!isExempt(pod)) this.evictableLimitCount += 1;
    } else if (ratio >= nearRatio) {
      this.nearLimitCount += 1;
    }
  }
}

function namesOf({ node, pod }: FoundListedPod): readonly string[] {
  return [pod.namespace, pod.name, node.nodeName];
}

function podLimitReport({ limit, ...found }: LimitedPod): PodLimitReport {
  return { ...podPlace(found), ...limitReport(limit), isExempt: isExempt(found.pod) };
}
