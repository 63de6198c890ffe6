import { largestFirst, Ranking } from '../base/ranking.js';
import type { Lane } from '../base/scheduler.js';
import { matchesSelector } from '../kube/selector.js';
import { nearestRatio } from '../node/limit-ratios.js';
import { hasLimits } from '../node/limits.js';
import type { BoundPod } from '../node/node-objects.js';
import { type NodeView, unenforcedOn } from '../node/node-view.js';
import { deriveMeasured, type PodContext, type PodRecord } from '../node/pod-record.js';
import { soonMs } from '../report/limit-report.js';
import { measuredPodReport, podForecast, type PodReport, type PodSource } from '../report/pod-report.js';
import type { Workload } from '../workload/workload.js';
import type { ClusterReading } from './cluster-reading.js';
import { type ListPage, listPage } from './list-page.js';
import { type Condition, type ListQuery, matchesSearch } from './list-query.js';
import { knownPodState } from './pod-explanation.js';

/** A pod as it is listed: `measured` where there are figures of it, the last known ones of a silent node too. */
interface ListedPod {
  readonly namespace: string;
  readonly pod: string;
  readonly node: string;
  readonly workloads: readonly Workload[];
  readonly bound: BoundPod | undefined;
  readonly measured:
    { readonly source: PodSource; readonly record: PodRecord; readonly context: PodContext } | undefined;
}

/** The pods that are near a limit first, then the largest; those without figures last. Yields to the event loop between nodes. */
export async function listPods(reading: ClusterReading, query: ListQuery, lane: Lane): Promise<ListPage<PodReport>> {
  const ranking = new Ranking<RankedItem>(query.offset + query.limit, itemOrder(query.order));
  await lane.each(nodesOf(reading, query), (view) => {
    for (const pod of podsOf(view, reading)) {
      if (isWanted(pod, view, query)) ranking.add(rankedItem(pod, query.order));
    }
  });
  return listPage(ranking, query, ({ pod }) => reportOf(pod, reading));
}

/** Pods of nodes that are in the cluster. */
function nodesOf({ snapshot }: ClusterReading, { node }: ListQuery): readonly NodeView[] {
  return node === undefined ? snapshot.nodes : snapshot.nodes.filter(({ nodeName }) => nodeName === node);
}

function* podsOf(view: NodeView, reading: ClusterReading): Iterable<ListedPod> {
  const last = view.state === 'absent' ? reading.lastKnownOf(view) : { snapshot: view.snapshot, ageMs: view.ageMs };
  const shown = new Set<string>();
  if (last !== undefined) {
    const { pods, context } = last.snapshot;
    const source = { ...view, ageMs: last.ageMs };
    for (const record of pods) {
      const { summary, bound, workloads } = record;
      if (bound !== undefined) shown.add(bound.pod.uid);
      const place = { namespace: summary.namespace, pod: summary.name, node: view.nodeName };
      yield { ...place, workloads, bound, measured: { source, record, context } };
    }
  }
  for (const bound of view.unmeasured) {
    const { pod, workloads } = bound;
    if (shown.has(pod.uid)) continue;
    yield { namespace: pod.namespace, pod: pod.name, node: view.nodeName, workloads, bound, measured: undefined };
  }
}

function isWanted(pod: ListedPod, view: NodeView, query: ListQuery): boolean {
  const { search, namespace } = query;
  if (namespace !== undefined && namespace !== pod.namespace) return false;
  if (search.length > 0 && !matchesSearch(search, `${pod.namespace}/${pod.pod}`)) return false;
  return belongs(pod, query) && meetsCondition(pod, view, query) && hasRule(pod, query);
}

function belongs({ workloads, bound }: ListedPod, { workload, selector }: ListQuery): boolean {
  if (workload !== undefined && !workloads.some((of) => workloadPath(of) === workload)) return false;
  return selector.length === 0 || (bound !== undefined && matchesSelector(selector, bound.pod.labels));
}

/** Returns what names a workload in addresses: `NAMESPACE/TYPE/NAME`, with `-` for one that may span namespaces. */
export function workloadPath({ namespace, type, name }: Pick<Workload, 'namespace' | 'type' | 'name'>): string {
  return `${namespace || '-'}/${type}/${name}`;
}

function meetsCondition(pod: ListedPod, view: NodeView, { only }: ListQuery): boolean {
  return only === undefined || conditionsOf[only](pod, view);
}

const conditionsOf: Readonly<Record<Condition, (pod: ListedPod, view: NodeView) => boolean>> = {
  near: ({ measured }) => measured !== undefined && (measured.record.evictionMs !== undefined || isSoon(measured)),
  unknown: ({ measured }, { state }) => measured === undefined || measured.record.isPending || state === 'absent',
  unenforced: ({ measured, bound }, view) =>
    measured?.record.unenforced !== undefined || (hasAnyLimit(bound) && unenforcedOn(view) !== undefined),
};

function hasAnyLimit(bound: BoundPod | undefined): boolean {
  return bound !== undefined && hasLimits(bound.pod);
}

function isSoon(measured: NonNullable<ListedPod['measured']>): boolean {
  return (timeOf(measured) ?? Infinity) <= soonMs;
}

function timeOf({ source, record }: NonNullable<ListedPod['measured']>): number | undefined {
  return podForecast({ node: source, pod: record })?.timeToLimitMs;
}

function hasRule({ measured }: ListedPod, { rule }: ListQuery): boolean {
  if (rule === undefined) return true;
  return measured !== undefined && nearestRatio(measured.context.ratiosOf(measured.record))?.rule === rule;
}

interface RankedItem {
  readonly pod: ListedPod;
  /** The larger the earlier; undefined: last. */
  readonly rank: number | undefined;
  readonly usedBytes: number | undefined;
}

function rankedItem(pod: ListedPod, order: string): RankedItem {
  const { measured } = pod;
  const usedBytes = measured?.record.summary.usedBytes;
  if (measured === undefined || order === 'used' || order === 'name') return { pod, rank: undefined, usedBytes };
  return { pod, rank: order === 'ratio' ? ratioOf(measured) : urgencyOf(measured), usedBytes };
}

function ratioOf({ context, record }: NonNullable<ListedPod['measured']>): number | undefined {
  return nearestRatio(context.ratiosOf(record))?.ratio;
}

/** Above a limit first, then by the time until it is reached, then by the ratio of those that are near without growth. */
function urgencyOf(measured: NonNullable<ListedPod['measured']>): number | undefined {
  const { evictionMs } = measured.record;
  if (evictionMs === 0) return 3 + (ratioOf(measured) ?? 0);
  const timeMs = timeOf(measured);
  if (timeMs !== undefined) return 2 + 1 / (1 + timeMs);
  return evictionMs === undefined ? undefined : Math.min(1, ratioOf(measured) ?? 0);
}

function itemOrder(order: string): (a: RankedItem, b: RankedItem) => number {
  const namesOf = ({ pod: { namespace, pod, node } }: RankedItem): readonly string[] => [namespace, pod, node];
  if (order === 'name') return largestFirst(() => undefined, namesOf);
  const byUsage = largestFirst<RankedItem>(({ usedBytes }) => usedBytes, namesOf);
  return (a, b) => (a.rank === b.rank ? byUsage(a, b) : (b.rank ?? -1) - (a.rank ?? -1) || byUsage(a, b));
}

function reportOf({ measured, bound }: ListedPod, reading: ClusterReading): PodReport {
  if (measured !== undefined) {
    const { source, record, context } = measured;
    return measuredPodReport({ node: source, pod: deriveMeasured(record, context) });
  }
  if (bound === undefined) throw new Error('a pod is listed that neither server knows');
  return knownPodState(bound, reading).report;
}
