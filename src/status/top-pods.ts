import { Ranking } from '../base/ranking.js';
import { limitFigures } from '../eviction/limit-figures.js';
import type { LimitRatio } from '../eviction/limit-ratios.js';
import { isExemptFromLimits } from '../eviction/limits.js';
import type { PodSnapshot } from '../scrape/snapshot.js';
import { biggestFirst } from './order.js';
import { type LimitStatus, nearRatio, type NodePodStatus, type PodStatus, type Top } from './status.js';

interface FoundPod {
  readonly nodeName: string;
  readonly pod: PodSnapshot;
}

interface FoundLimit extends FoundPod {
  readonly limit: LimitRatio;
}

/** The biggest of the pods, and the limits that they are nearest to; the pods come one by one. */
export class TopPods {
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
      biggestFirst(({ pod }) => pod.usage.usedBytes, namesOf),
    );
    this.#limits = new Ranking(
      limitCount,
      biggestFirst(
        ({ limit }) => ratioOf(limit),
        (found) => [...namesOf(found), found.limit.rule, found.limit.container, found.limit.volume],
      ),
    );
  }

  add(nodeName: string, pod: PodSnapshot): void {
    this.podCount += 1;
    this.usedBytes += pod.usage.usedBytes;
    this.#pods.add({ nodeName, pod });
    for (const limit of pod.ratios) {
      this.#countLimit(ratioOf(limit), pod);
      this.#limits.add({ nodeName, pod, limit });
    }
  }

  pods(): Top<PodStatus> {
    return { items: this.#pods.top().map(podStatus), totalCount: this.podCount };
  }

  limits(): Top<LimitStatus> {
    return { items: this.#limits.top().map(limitStatus), totalCount: this.limitCount };
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

/** The biggest pods of one node. */
export function biggestPods(pods: readonly PodSnapshot[], count: number): readonly NodePodStatus[] {
  const ranking = new Ranking<PodSnapshot>(
    count,
    biggestFirst(
      ({ usage }) => usage.usedBytes,
      ({ namespace, name }) => [namespace, name],
    ),
  );
  for (const pod of pods) ranking.add(pod);
  return ranking.top().map(({ namespace, name, usage, limitBytes }) => ({
    namespace,
    pod: name,
    usedBytes: usage.usedBytes,
    limitBytes,
  }));
}

function ratioOf({ usedBytes, limitBytes }: LimitRatio): number {
  return usedBytes / limitBytes;
}

function namesOf({ nodeName, pod }: FoundPod): readonly string[] {
  return [pod.namespace, pod.name, nodeName];
}

function podStatus({ nodeName, pod }: FoundPod): PodStatus {
  return {
    namespace: pod.namespace,
    pod: pod.name,
    node: nodeName,
    usedBytes: pod.usage.usedBytes,
    components: pod.usage.components,
    limitBytes: pod.limitBytes,
    requestBytes: pod.requestBytes,
    areVolumesPending: pod.usage.volumesPending,
    isKnown: pod.pod !== undefined,
    workloads: pod.workloads.map(({ name }) => name),
  };
}

function limitStatus({ nodeName, pod, limit }: FoundLimit): LimitStatus {
  return {
    namespace: pod.namespace,
    pod: pod.name,
    node: nodeName,
    ...limitFigures(limit),
    isExempt: isExempt(pod),
  };
}

function isExempt({ pod }: PodSnapshot): boolean {
  return pod !== undefined && isExemptFromLimits(pod);
}
