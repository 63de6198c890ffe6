import { hasUnknownUsage, type LimitRatio, nearestRatio } from '../../facts/node/limit-ratios.js';
import { hasLimits, isActive } from '../../facts/node/limits.js';
import type { NodeSnapshot } from '../../facts/node/node-view.js';
import type { PodContext, PodRecord } from '../../facts/node/pod-record.js';
import { isNear, type PodStanding, podStanding } from '../../facts/node/standing.js';
import { canBind } from '../../facts/node/unenforced-limits.js';
import { mostSpecific, type Workload, workloadKey } from '../../facts/workload/workload.js';
import { largestFirst, type Ranked, Ranking } from '../../lib/base/ranking.js';
import { type LimitReport, limitReport, limitThresholds } from './limit-report.js';
import {
  type DataFacts,
  dataFacts,
  type FoundPod,
  type MeasuredPodReport,
  type PodPlace,
  podPlace,
  type PodSource,
} from './pod-report.js';
import { type WorkloadReference, workloadReference } from './workload-report.js';

/** The limit that a pod is nearest to, of those that the kubelet evicts it for. */
export interface PodLimitReport extends PodPlace, LimitReport, DataFacts {
  /** `pending`: the pod's volumes are not measured, so usage at present may be higher. */
  readonly state: MeasuredPodReport['state'];
  readonly standing: PodStanding['kind'];
  /** Until the limit is exceeded if the pod goes on to grow as measured; 0 above it. Absent while no growth is known, and from a day on. */
  readonly timeToLimitMs?: number | undefined;
  /** The workload that it is counted with; absent for a pod without one. */
  readonly workload?: WorkloadReference | undefined;
  /** Pods of the workload from half of a limit on, this one included; of nodes with data, or of those without. */
  readonly podCount: number;
}

/** Below it, a pod is not among those that may be evicted next. */
export const shownRatio = 0.5;

interface LimitedPod extends FoundPod<PodRecord, PodSource> {
  readonly standing: PodStanding;
  readonly limit: LimitRatio;
  readonly isPending: boolean;
  readonly podCount: number;
}

/** Those that are neither near nor forecast come last, by their ratio. */
const soonestFirst = largestFirst<LimitedPod>(({ standing, limit }) => standing.urgency ?? limit.ratio, namesOf);

/**
 * The pods that are nearest to a limit of theirs. Pods are added one by one. Those of nodes without data are ranked by what was last
 * known of them, and count where that is near a limit, and nowhere else.
 */
export class RankedPods {
  /** Pods without a workload. */
  readonly #limited: Ranking<LimitedPod>;
  /** The soonest pod of each workload, by its key and whether its node has data. */
  readonly #groups = new Map<string, LimitedPod>();
  /** See `ClusterSummary`. */
  readonly counts = {
    podCount: 0,
    podsUsedBytes: 0,
    pendingPodCount: 0,
    unknownLimitPodCount: 0,
    limitCount: 0,
    unenforcedLimitCount: 0,
    limitedPodCount: 0,
    nearLimitPodCount: 0,
    reachedLimitPodCount: 0,
    unenforcedReachedPodCount: 0,
  };

  /** `count`: how many limits are reported. */
  constructor(count: number) {
    this.#limited = new Ranking(count, soonestFirst);
  }

  /** `former`: of a pod whose volumes are pending. */
  add(found: FoundPod<PodRecord, PodSource>, context: PodContext, former?: FormerPod): void {
    if (found.node.state !== 'absent') {
      this.counts.podCount += 1;
      this.counts.podsUsedBytes += found.pod.summary.usedBytes ?? 0;
      if (found.pod.isPending) this.counts.pendingPodCount += 1;
    }
    this.#addLimits(found, context, former);
  }

  addWithoutTotal(found: FoundPod<PodRecord, PodSource>, context: PodContext): void {
    this.#addLimits(found, context);
  }

  #addLimits({ node, pod }: FoundPod<PodRecord, PodSource>, context: PodContext, former?: FormerPod): void {
    const ratios = context.ratiosOf(pod);
    const limit = nearestRatio(ratios);
    const now = podStanding(node, pod, ratios);
    this.#countPod(now.kind);
    if (node.state !== 'absent') this.#count({ node, pod }, ratios, { nearest: limit, kind: now.kind });
    const nearest = nearestLimitOf(node, limit, former, context);
    if (nearest === undefined || nearest.limit.ratio < shownRatio || !canBind(nearest.limit)) return;
    const isOfBefore = former !== undefined && nearest.limit !== limit;
    const standing = isOfBefore ? podStanding({ ageMs: 0 }, former.pod, context.ratiosOf(former.pod)) : now;
    this.#addLimited({
      pod,
      ...nearest,
      limit: standing.limit ?? nearest.limit,
      standing,
      isPending: pod.isPending,
      podCount: 1,
    });
  }

  #addLimited(limited: LimitedPod): void {
    const workload = groupOf(limited);
    if (workload === undefined) {
      this.#limited.add(limited);
      return;
    }
    const key = `${String(limited.node.state === 'absent')} ${workloadKey(workload)}`;
    const other = this.#groups.get(key);
    if (other === undefined) {
      this.#groups.set(key, limited);
      return;
    }
    const soonest = soonestFirst(limited, other) < 0 ? limited : other;
    this.#groups.set(key, { ...soonest, podCount: other.podCount + 1 });
  }

  /** One for each workload, and each pod without one, from half of a limit on. To be called once, at the end. */
  limits(): Ranked<PodLimitReport> {
    for (const group of this.#groups.values()) this.#limited.add(group);
    return this.#limited.ranked(podLimitReport);
  }

  /** The same pods as lists of those near a limit have. */
  #countPod(kind: PodStanding['kind']): void {
    if (!isNear(kind)) return;
    this.counts.limitedPodCount += 1;
    this.counts[kind === 'above' ? 'reachedLimitPodCount' : 'nearLimitPodCount'] += 1;
  }

  #count(
    { node, pod }: FoundPod<PodRecord, PodSource>,
    ratios: readonly LimitRatio[],
    { nearest, kind }: { readonly nearest: LimitRatio | undefined; readonly kind: PodStanding['kind'] },
  ): void {
    const { counts } = this;
    if (!isNear(kind) && isUncertain(pod)) {
      if (mayHaveRatios(node, pod)) counts.unknownLimitPodCount += 1;
      return;
    }
    for (const limit of ratios) this.#countLimit(limit);
    if (isNear(kind)) return;
    if (nearest !== undefined && canBind(nearest)) counts.limitedPodCount += 1;
    else if (ratios.some(isAbove)) counts.unenforcedReachedPodCount += 1;
  }

  /** A low ratio is no good sign where only a part is compared. */
  #countLimit(limit: LimitRatio): void {
    const { counts } = this;
    const { ratio, unenforced } = limit;
    counts.limitCount += 1;
    if (!canBind(limit) || (unenforced !== undefined && ratio < limitThresholds.near)) counts.unenforcedLimitCount += 1;
  }
}

/** Undefined for a pod that is counted alone. */
function groupOf({ pod: { workloads } }: LimitedPod): Workload | undefined {
  const workload = mostSpecific(workloads);
  return workload?.origin.source === 'controller' && workload.origin.kind === 'Pod' ? undefined : workload;
}

/** Usage without volumes is a lower bound, and what is unknown may be any: what the rest does not reach may be reached. */
function isUncertain({ isPending, summary, bound }: PodRecord): boolean {
  return isPending || (bound !== undefined && hasUnknownUsage(summary, bound.pod));
}

/** At the limit itself, a kubelet evicts nobody. */
function isAbove({ ratio }: LimitRatio): boolean {
  return ratio > 1;
}

function namesOf({ node, pod: { summary } }: FoundPod<PodRecord, PodSource>): readonly string[] {
  return [summary.namespace, summary.name, node.nodeName];
}

/** Whether the kubelet enforces limits of the pod once all is measured. */
function mayHaveRatios({ node }: PodSource, { bound }: PodRecord): boolean {
  if (bound === undefined || node?.enforcesStorageLimits === false) return false;
  return isActive(bound.pod) && hasLimits(bound.pod);
}

function stateOf(isPending: boolean): MeasuredPodReport['state'] {
  return isPending ? 'pending' : 'measured';
}

function podLimitReport(limited: LimitedPod): PodLimitReport {
  const { standing, limit, isPending, podCount, ...found } = limited;
  const workload = groupOf(limited);
  return {
    ...podPlace(found),
    ...limitReport(limit),
    state: stateOf(isPending),
    standing: standing.kind,
    ...dataFacts(found.node),
    timeToLimitMs: standing.timeMs,
    workload: workload && workloadReference(workload),
    podCount,
  };
}

/** What was last measured of a pod before its kubelet had to measure its volumes again. */
export interface FormerPod {
  readonly pod: PodRecord;
  /** How much older than the last summary of the node. */
  readonly olderByMs: number;
}

/** Of those pods of a node whose volumes are pending and were measured before: by UID as the kubelet reports it. */
export type FormerPodsOf = (snapshot: NodeSnapshot) => ReadonlyMap<string, FormerPod>;

/**
 * The limit with the highest ratio, and where its usage comes from: the last one with volumes, or the present one if it is higher, as the shipped rules do.
 * @param limit the nearest one at present
 * @param context of both
 */
function nearestLimitOf(
  node: PodSource,
  limit: LimitRatio | undefined,
  former: FormerPod | undefined,
  context: PodContext,
): { readonly node: PodSource; readonly limit: LimitRatio } | undefined {
  const last = former && nearestRatio(context.ratiosOf(former.pod));
  if (former !== undefined && last !== undefined && last.ratio > (limit?.ratio ?? -1))
    return { node: formerSource(node, former), limit: last };
  return limit && { node, limit };
}

/** Without data, that is why the values are old. */
function formerSource(node: PodSource, { olderByMs }: FormerPod): PodSource {
  return { ...node, state: node.state === 'absent' ? 'absent' : 'pending', ageMs: node.ageMs + olderByMs };
}
