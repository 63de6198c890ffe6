import { nameStem, type Workload, workloadKey } from '../../facts/workload/workload.js';
import type { WorkloadSnapshot } from '../../facts/workload/workload-partial.js';
import { byNames } from '../../lib/base/ranking.js';
import { joined, type Link, type Piece } from '../pens/document.js';

/** What names a workload: the labels `workload`, `workload_type` and `namespace` of the metrics. */
export interface WorkloadReference {
  readonly workload: string;
  readonly workloadType: string;
  /** '' for a workload that may span namespaces. */
  readonly workloadNamespace: string;
}

export interface WorkloadReport extends WorkloadReference {
  readonly source: Workload['origin']['source'];
  readonly expectedPodCount: number;
  readonly measuredPodCount: number;
  readonly isComplete: boolean;
  /** Time until it is collected again; 0 unless it is backing off. */
  readonly backoffMs: number;
  /** Absent when it could not be collected, as `podMaxUsedBytes`. */
  readonly usedBytes?: number | undefined;
  readonly podMaxUsedBytes?: number | undefined;
  /** Sums over the expected pods that declare one, measured or not. */
  readonly limitBytes?: number | undefined;
  readonly requestBytes?: number | undefined;
  /** Of one that was asked for by its name. */
  readonly origin?: OriginReport | undefined;
  /** The same; absent when it could not be collected. */
  readonly containers?: NonNullable<WorkloadSnapshot['usage']>['containers'] | undefined;
}

export type OriginReport =
  | { readonly source: 'configured'; readonly selector: string; readonly namespaces: readonly string[] }
  | { readonly source: 'labels'; readonly labels: Readonly<Record<string, string>> }
  | { readonly source: 'controller'; readonly kind: string };

export function workloadReferences(workloads: readonly Workload[]): readonly WorkloadReference[] {
  return workloads.map(({ namespace, name, type }) => {
    return { workload: name, workloadType: type, workloadNamespace: namespace };
  });
}

export function workloadLink(of: WorkloadReference): Link {
  return {
    path: ['workloads', of.workloadNamespace || '-', of.workloadType, of.workload],
    shown: of.workloadNamespace === '' ? of.workload : `${of.workloadType}/${of.workload}`,
  };
}

export function workloadLine(workloads: readonly WorkloadReference[]): readonly Piece[] {
  if (workloads.length === 0) return ['none'];
  return joined(
    workloads.map((of) => [workloadLink(of)]),
    ', ',
  );
}

/** As `explain workload` takes it: `shop/cart`, or the bare name of one that may span namespaces. */
export function referenceName({ workload, workloadNamespace }: WorkloadReference): string {
  return workloadNamespace === '' ? workload : `${workloadNamespace}/${workload}`;
}

/** `shop/deployment/cart`, or the bare name of one that may span namespaces. */
export function shownName({ workload, workloadType, workloadNamespace }: WorkloadReference): string {
  return workloadNamespace === '' ? workload : `${workloadNamespace}/${workloadType}/${workload}`;
}

/** The workload that a report names. */
export function workloadOf({ workload, workloadType, workloadNamespace }: WorkloadReference): Workload {
  const isOfController = workloadType !== 'selector' && workloadType !== 'labels';
  const origin = isOfController
    ? ({ source: 'controller', kind: workloadType } as const)
    : ({ source: 'configured' } as const);
  return { namespace: workloadNamespace, name: workload, type: workloadType, origin };
}

/** Names each field: made for every workload of a cluster, and a spread takes many times as long. */
export function workloadReport(snapshot: WorkloadSnapshot): WorkloadReport {
  const { workload, usage, complete, backoffMs, expectedPods, measuredPods } = snapshot;
  return {
    workload: workload.name,
    workloadType: workload.type,
    workloadNamespace: workload.namespace,
    source: workload.origin.source,
    expectedPodCount: expectedPods,
    measuredPodCount: measuredPods,
    isComplete: complete,
    backoffMs: Math.ceil(backoffMs),
    usedBytes: usage?.usedBytes,
    podMaxUsedBytes: usage?.podMaxUsedBytes,
    limitBytes: snapshot.limitBytes,
    requestBytes: snapshot.requestBytes,
  };
}

/** Explains owners of one pod each, whose names differ in their random end alone; undefined without two of them. */
export function onePodNote(reports: readonly WorkloadReport[]): string | undefined {
  const stems = new Set<string>();
  for (const { workload, workloadType: type, workloadNamespace, expectedPodCount } of reports) {
    const stem = expectedPodCount > 1 ? undefined : nameStem({ type, name: workload });
    if (stem === undefined) continue;
    const key = `${workloadNamespace}/${type}/${stem}`;
    if (stems.has(key))
      return `Owners of one pod each, such as ${stem}-*: workloads.labels groups them by labels of their pods.`;
    stems.add(key);
  }
  return undefined;
}

export interface AffectedWorkloadsReport {
  /** Workloads whose sums lack these pods, or volumes of them. */
  readonly incompleteWorkloadCount: number;
  /** The first of them by name. */
  readonly exampleWorkloads: readonly WorkloadReference[];
}

/** How many of what is affected are named. */
export const exampleCount = 3;

/** Incomplete workloads by their keys. */
export type IncompleteWorkloads = ReadonlyMap<string, Workload>;

/** Returns those of the workloads that are incomplete, each once. */
export function incompleteOf(workloads: Iterable<Workload>, incomplete: IncompleteWorkloads): IncompleteWorkloads {
  const found = new Map<string, Workload>();
  for (const workload of workloads) {
    const known = incomplete.get(workloadKey(workload));
    if (known !== undefined) found.set(workloadKey(workload), known);
  }
  return found;
}

/** Returns the report of all of them together, each workload once. */
export function affectedReport(affected: readonly IncompleteWorkloads[]): AffectedWorkloadsReport {
  const all = new Map<string, Workload>();
  for (const workloads of affected) for (const [key, workload] of workloads) all.set(key, workload);
  const sorted = [...all.values()].sort(byNames(({ namespace, name, type }) => [namespace, name, type]));
  return {
    incompleteWorkloadCount: sorted.length,
    exampleWorkloads: workloadReferences(sorted.slice(0, exampleCount)),
  };
}
