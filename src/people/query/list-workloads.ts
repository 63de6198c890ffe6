import { formatSelector, matchesSelector } from '../../cluster/kube/selector.js';
import { type Workload, type WorkloadDefinition, workloadKey, workloadPath } from '../../facts/workload/workload.js';
import { isNamed } from '../../facts/workload/workload-names.js';
import { emptyPartial, type WorkloadSnapshot } from '../../facts/workload/workload-partial.js';
import type { Lane } from '../../lib/base/lane.js';
import type { Named } from '../../lib/base/maps.js';
import { largestFirst, type Ranking } from '../../lib/base/ranking.js';
import type { ShownEviction } from '../report/eviction-report.js';
import type { PodReport } from '../report/pod-report.js';
import type { WorkloadVerdictReport } from '../report/pod-verdict.js';
import { type OriginReport, workloadOf, type WorkloadReport, workloadReport } from '../report/workload-report.js';
import type { ClusterReading } from './cluster-reading.js';
import { type ListPage, listPage } from './list-page.js';
import { type ListQuery, matchesSearch } from './list-query.js';

/** What the pods of a workload add up to, and how they were found: plain data with exact numbers. */
export interface WorkloadObject {
  readonly workload: WorkloadReport & { readonly verdict: WorkloadVerdictReport };
  readonly pods: ListPage<PodReport>;
  /** Those that are not measured, or only in part, and why. */
  readonly missing: ListPage<PodReport>;
  readonly evictions: readonly ShownEviction[];
}

/**
 * Lists workloads. With a namespace: those in it and those that may span namespaces; with a selector: those that have such
 * pods, with the values of all their pods. With a name: those that are called so, with all that is known.
 */
export async function listWorkloads(
  reading: ClusterReading,
  query: ListQuery,
  lane: Lane,
  definitions: readonly WorkloadDefinition[] = [],
): Promise<ListPage<WorkloadReport>> {
  const { order, name } = query;
  const keys = query.selector.length === 0 ? undefined : await keysOfPods(reading, query, lane);
  const list = {
    sources: name === undefined ? reading.snapshot.workloads : await namedWorkloads(reading, { ...query, name }, lane),
    addItems: (items: Ranking<WorkloadReport>, found: WorkloadSnapshot) => {
      const { workload } = found;
      if (!isWanted(workload, query) || keys?.has(workloadKey(workload)) === false) return;
      items.add(name === undefined ? workloadReport(found) : workloadFacts(found, definitions));
    },
    compare: workloadOrder(order),
    reportOf: (of: WorkloadReport) => of,
  };
  return listPage(list, query, lane);
}

function isWanted(workload: Workload, { search, name, namespace }: ListQuery): boolean {
  if (name !== undefined) return isNamed(workload, name, namespace);
  if (namespace !== undefined && !['', namespace].includes(workload.namespace)) return false;
  return search.length === 0 || matchesSearch(search, workloadPath(workload));
}

/** Returns those of the name, also those none of whose pods runs, of pods that have ended or that were evicted. */
async function namedWorkloads(
  { snapshot, evictions, knownPods }: ClusterReading,
  { name, namespace }: Pick<ListQuery, 'namespace'> & Named,
  lane: Lane,
): Promise<readonly WorkloadSnapshot[]> {
  const found = new Map<string, WorkloadSnapshot>();
  const add = (workload: Workload, of?: WorkloadSnapshot): void => {
    const key = workloadKey(workload);
    if (isNamed(workload, name, namespace) && !found.has(key)) found.set(key, of ?? notCollected(workload));
  };
  await lane.each(snapshot.workloads, (of) => {
    add(of.workload, of);
  });
  await lane.each(knownPods, ({ workloads }) => {
    for (const workload of workloads) add(workload);
  });
  for (const { workloads } of evictions) for (const of of workloads) add(workloadOf(of));
  return [...found.values()];
}

/** Returns the keys of the workloads of pods that the query names. */
async function keysOfPods(
  { knownPods }: ClusterReading,
  { namespace, selector }: ListQuery,
  lane: Lane,
): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  await lane.each(knownPods, ({ pod, workloads }) => {
    if ((namespace !== undefined && namespace !== pod.namespace) || !matchesSelector(selector, pod.labels)) return;
    for (const workload of workloads) keys.add(workloadKey(workload));
  });
  return keys;
}

export function workloadOrder(order: string): (a: WorkloadReport, b: WorkloadReport) => number {
  return largestFirst(
    (of) => ranks[order]?.(of),
    ({ workloadNamespace, workload, workloadType }) => [workloadNamespace, workload, workloadType],
  );
}

const ranks: Readonly<Record<string, (of: WorkloadReport) => number | undefined>> = {
  used: ({ usedBytes }) => usedBytes,
  largest: ({ podMaxUsedBytes }) => podMaxUsedBytes,
  pods: ({ expectedPodCount }) => expectedPodCount,
  limit: ({ limitBytes }) => limitBytes,
};

/** Makes the report of a workload that was asked for by its name. */
function workloadFacts(snapshot: WorkloadSnapshot, definitions: readonly WorkloadDefinition[]): WorkloadReport {
  return {
    ...workloadReport(snapshot),
    origin: originReport(snapshot.workload, definitions),
    containers: snapshot.usage?.containers,
  };
}

/** A workload none of whose pods is expected or measured. */
function notCollected(workload: Workload): WorkloadSnapshot {
  const counts = { ...emptyPartial(workload), podsOnAbsentNodes: 0 };
  return { ...counts, complete: false, mayHaveUnlistedPods: false, backoffMs: 0, usage: undefined };
}

function originReport({ origin, name }: Workload, definitions: readonly WorkloadDefinition[]): OriginReport {
  if (origin.source !== 'configured') return origin;
  const { selector = [], namespaces = [] } = definitions.find((definition) => definition.name === name) ?? {};
  return { source: 'configured', selector: formatSelector(selector), namespaces };
}
