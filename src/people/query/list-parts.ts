import { type Figure, known } from '../../cluster/kubelet/summary.js';
import type { LimitRatio } from '../../facts/node/limit-ratios.js';
import { hasLimits } from '../../facts/node/limits.js';
import type { MeasuredNodeView } from '../../facts/node/node-view.js';
import { derivePod, type PodContext, type PodRecord } from '../../facts/node/pod-record.js';
import { plainVolumes } from '../../facts/node/volume-usage.js';
import type { Lane } from '../../lib/base/lane.js';
import type { Named } from '../../lib/base/maps.js';
import { compareTexts } from '../../lib/base/ranking.js';
import { type ContainerReport, containerReports, type FoundPod } from '../report/pod-report.js';
import { type VolumeReport, volumeReports } from '../report/volume-report.js';
import { type ClusterReading, measuredNodes } from './cluster-reading.js';
import { isOfQuery, matchesPod } from './list-filter.js';
import { type ItemRange, type ListItems, type ListPage, listPage } from './list-page.js';
import type { ListQuery } from './list-query.js';
import { comparePodNames } from './listed-pod.js';
import type { PartValues, SnapshotPods } from './snapshot-pods.js';

/** What pods are made of. Each part of a pod has another name. */
interface PartKind<Part extends PartUsage, Report> {
  readonly partsOf: (record: PodRecord, context: PodContext) => readonly Part[];
  readonly nameOf: (part: Part) => string;
  /** Of the limit that a single part has. */
  readonly rule: LimitRatio['rule'];
  readonly reportsOf: (found: FoundPod) => readonly Report[];
  readonly nameIn: (report: Report) => string;
}

interface PartUsage {
  readonly usedBytes: Figure;
}

type ValuedKind<Part extends PartUsage> = Pick<PartKind<Part, unknown>, 'partsOf' | 'nameOf' | 'rule'>;

interface ListedPart {
  readonly view: MeasuredNodeView;
  readonly record: PodRecord;
  readonly name: string;
  /** The larger the earlier. Below 0: after all that have one. */
  readonly rank: number;
}

/** Lists the containers of pods with data, those that use most first. Yields to the event loop between nodes. */
export async function listContainers(
  reading: ClusterReading,
  query: ListQuery,
  lane: Lane,
): Promise<ListPage<ContainerReport>> {
  return listParts(containers, reading, query, lane);
}

/** Lists the volumes that the kubelets of such pods list, in the same way. */
export async function listVolumes(
  reading: ClusterReading,
  query: ListQuery,
  lane: Lane,
): Promise<ListPage<VolumeReport>> {
  return listParts(volumes, reading, query, lane);
}

const containers: PartKind<PodRecord['containers'][number], ContainerReport> = {
  partsOf: (record) => record.containers,
  nameOf: ({ container }) => container,
  rule: 'container',
  reportsOf: containerReports,
  nameIn: ({ container }) => container,
};

const volumes: PartKind<PartUsage & Named, VolumeReport> = {
  partsOf: (record, context) =>
    (record.bound && plainVolumes(record.summary, record.bound.pod)) ?? context.usageOf(record).volumes,
  nameOf: ({ name }) => name,
  rule: 'emptydir',
  reportsOf: volumeReports,
  nameIn: ({ volume }) => volume,
};

async function listParts<Part extends PartUsage, Report>(
  kind: PartKind<Part, Report>,
  reading: ClusterReading,
  query: ListQuery,
  lane: Lane,
): Promise<ListPage<Report>> {
  const isEachWanted = !hasFilters(query);
  const list = {
    sources: measuredNodes(reading).filter(({ nodeName }) => query.node === undefined || query.node === nodeName),
    addItems: (items: ListItems<ListedPart>, view: MeasuredNodeView) => {
      const pods = reading.podsOf(view.snapshot);
      const { values, ends } = partValues(kind, pods, view, query);
      let start = 0;
      for (const [index, record] of pods.all.entries()) {
        const end = ends[index] ?? start;
        if (isEachWanted || isOfPods(record, query)) addParts(items, kind, { view, record, values, start, end }, query);
        start = end;
      }
    },
    compare: compareParts,
    reportOf: (part: ListedPart) => reportOf(kind, part),
  };
  return listPage(list, query, lane);
}

/** `values`: from `start` up to `end` those of the pod. */
interface PartsOfPod extends Pick<ListedPart, 'view' | 'record'>, Pick<PartValues, 'values'> {
  readonly start: number;
  readonly end: number;
}

function hasFilters({ namespace, workload, selector }: ListQuery): boolean {
  return namespace !== undefined || workload !== undefined || selector.length > 0;
}

function compareParts(a: ListedPart, b: ListedPart): number {
  if (a.rank !== b.rank) return a.rank > b.rank ? -1 : 1; // two of them may be infinite
  return (
    comparePodNames(a.record.summary, b.record.summary) ||
    compareTexts(a.name, b.name) ||
    compareTexts(a.view.nodeName, b.view.nodeName)
  );
}

function isOfPods(record: PodRecord, query: ListQuery): boolean {
  return (query.namespace === undefined || query.namespace === record.summary.namespace) && isOfQuery(record, query);
}

function partValues<Part extends PartUsage>(
  kind: ValuedKind<Part>,
  pods: SnapshotPods,
  { snapshot: { context } }: MeasuredNodeView,
  { order }: ListQuery,
): PartValues {
  const isByRatio = order === 'ratio';
  return pods.partValues(`${kind.rule} ${isByRatio ? 'ratio' : 'used'}`, (record) => {
    const parts = kind.partsOf(record, context);
    if (!isByRatio) return parts.map(({ usedBytes }) => known(usedBytes));
    const isLimited = record.bound !== undefined && hasLimits(record.bound.pod);
    const ratios = isLimited ? context.ratiosOf(record, kind.rule) : [];
    return parts.map((part) => ratioOf(kind, kind.nameOf(part), ratios));
  });
}

function addParts<Part extends PartUsage>(
  items: ListItems<ListedPart>,
  kind: ValuedKind<Part>,
  { view, record, values, start, end }: PartsOfPod,
  { search, order }: ListQuery,
): void {
  const isEachFound = search.length === 0;
  const sideOf = isEachFound ? sideOfRange(items.range, record) : () => undefined;
  let parts: readonly Part[] | undefined;
  for (let at = start; at < end; at += 1) {
    const rank = order === 'name' ? -1 : Number(values[at]);
    const side = sideOf(rank);
    if (side === 'behind') items.addBehind(1);
    else if (side === 'before') items.addBefore(1);
    else {
      parts ??= kind.partsOf(record, view.snapshot.context);
      const name = nameAt(parts, at - start, kind);
      const isFound = isEachFound || matchesPod(search, record.summary, record.bound !== undefined, name);
      if (isFound) items.add({ view, record, name, rank });
    }
  }
}

function nameAt<Part extends PartUsage>(parts: readonly Part[], index: number, { nameOf }: ValuedKind<Part>): string {
  const part = parts[index];
  return part === undefined ? '' : nameOf(part);
}

/** Returns what tells of a rank, without the names of the parts, whether those of the pod that have it are known not to be on the page. */
function sideOfRange(
  { first, last }: ItemRange<ListedPart>,
  { summary }: PodRecord,
): (rank: number) => 'before' | 'behind' | undefined {
  const isAfterLast = comparesOnce(() => last && comparePodNames(summary, last.record.summary));
  const isBeforeFirst = comparesOnce(() => first && comparePodNames(first.record.summary, summary));
  return (rank) => {
    if (last !== undefined && (rank === last.rank ? isAfterLast() : rank < last.rank)) return 'behind';
    if (first !== undefined && (rank === first.rank ? isBeforeFirst() : rank > first.rank)) return 'before';
    return undefined;
  };
}

/** Pods are compared when it is asked for: as a rule their ranks decide. */
function comparesOnce(compare: () => number | undefined): () => boolean {
  let isAfter: boolean | undefined;
  return () => (isAfter ??= (compare() ?? 0) > 0);
}

function ratioOf(
  { rule: ofPart }: Pick<PartKind<PartUsage, unknown>, 'rule'>,
  name: string,
  ratios: readonly LimitRatio[],
): number | undefined {
  for (const { rule, container, volume, ratio } of ratios)
    if (rule === ofPart && (container || volume) === name) return ratio;
  return undefined;
}

function reportOf<Part extends PartUsage, Report>(
  { reportsOf, nameIn }: PartKind<Part, Report>,
  { view, record, name }: ListedPart,
): Report {
  const reports = reportsOf({ node: view, pod: derivePod(record, view.snapshot.context) });
  const found = reports.find((report) => nameIn(report) === name);
  if (found === undefined) throw new Error(`pod ${record.summary.namespace}/${record.summary.name} has no ${name}`);
  return found;
}
