import { Ranking } from '../base/ranking.js';
import { largestFirst } from '../base/ranking.js';
import type { LimitRatio } from '../eviction/limit-ratios.js';
import type { PodSnapshot } from '../scrape/snapshot.js';
import { type LimitReport, limitReport, nearRatio } from './limit-report.js';
import {
  type FoundPod,
  isExempt,
  type MeasuredPodReport,
  measuredPodReport,
  type PodPlace,
  podPlace,
} from './pod-report.js';
import type { Ranked } from './ranked.js';

export interface PodLimitReport extends PodPlace, LimitReport {
  readonly isExempt: boolean;
}

interface FoundLimit extends FoundPod {
  readonly limit: LimitRatio;
}

/** The largest pods, and the limits with the highest ratios. Pods are added one by one. */
export class RankedPods {
  readonly #pods: Ranking<FoundPod>;
  readonly #limits: Ranking<FoundLimit>;
  podCount = 0;
  usedBytes = 0;
  limitCount = 0;
  nearLimitCount = 0;
  reachedLimitCount = 0;
  evictableLimitCount = 0;

  constructor({ podCount, limitCount }: { readonly podCount: number; readonly limitCount: number }) {
    this.#pods = new Ranking(
      podCount,
      largestFirst(({ pod }) => pod.usage.usedBytes, namesOf),
    );
    this.#limits = new Ranking(
      limitCount,
      largestFirst(
        ({ limit }) => limit.ratio,
        (found) => [...namesOf(found), found.limit.rule, found.limit.container, found.limit.volume],
      ),
    );
  }

  add(found: FoundPod): void {
    const { pod } = found;
    this.podCount += 1;
    this.usedBytes += pod.usage.usedBytes;
    this.#pods.add(found);
    for (const limit of pod.ratios) {
      this.#countLimit(limit.ratio, pod);
      this.#limits.add({ ...found, limit });
    }
  }

  pods(): Ranked<MeasuredPodReport> {
    return { items: this.#pods.top().map(measuredPodReport), totalCount: this.podCount };
  }

  limits(): Ranked<PodLimitReport> {
    return { items: this.#limits.top().map(podLimitReport), totalCount: this.limitCount };
  }

  #countLimit(ratio: number, pod: PodSnapshot): void {
    this.limitCount += 1;
    if (ratio >= 1) {
      this.reachedLimitCount += 1;
      if (!isExempt(pod)) this.evictableLimitCount += 1;
    } else if (ratio >= nearRatio) {
      this.nearLimitCount += 1;
    }
  }
}

function namesOf({ node, pod }: FoundPod): readonly string[] {
  return [pod.namespace, pod.name, node.nodeName];
}

function podLimitReport({ limit, ...found }: FoundLimit): PodLimitReport {
  return { ...podPlace(found), ...limitReport(limit), isExempt: isExempt(found.pod) };
}
