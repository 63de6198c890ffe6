import { type Figure, known } from '../../cluster/kubelet/summary.js';
import type { LimitRatio } from '../../facts/node/limit-ratios.js';
import { hasLimits } from '../../facts/node/limits.js';
import type { MeasuredNodeView } from '../../facts/node/node-view.js';
import { derivePod, type PodContext, type PodRecord } from '../../facts/node/pod-record.js';
import type { VolumeUsage } from '../../facts/node/usage.js';
import { countedComponent, plainVolumes } from '../../facts/node/volume-usage.js';
import type { Lane } from '../../lib/base/lane.js';
import type { Named } from '../../lib/base/maps.js';
import { compareTexts, type Ranking } from '../../lib/base/ranking.js';
import { type ContainerReport, containerReports, type FoundPod } from '../report/pod-report.js';
import { type VolumeReport, volumeReports } from '../report/volume-report.js';
import { type ClusterReading, measuredNodes } from './cluster-reading.js';
import { isOfQuery, isOther, matchesPod } from './list-filter.js';
import { type ListPage, listPage } from './list-page.js';
import type { ListQuery } from './list-query.js';
import { comparePodNames, listedRecords } from './listed-pod.js';

/** What pods are made of. Each part of a pod has another name. */
interface PartKind<Part extends PartUsage, Report> {
  readonly partsOf: (record: PodRecord, context: PodContext) => readonly Part[];
  readonly nameOf: (part: Part) => string;
  /** Whether a part is a part of the pod's total; all are unless it is there. */
  readonly isCounted?: (part: Part, record: PodRecord) => boolean;
  /** Of the limit that a single part has. */
  readonly rule: LimitRatio['rule'];
  readonly reportsOf: (found: FoundPod) => readonly Report[];
  readonly nameIn: (report: Report) => string;
}

interface PartUsage {
  readonly usedBytes: Figure;
}

type ValuedKind<Part extends PartUsage> = Omit<PartKind<Part, unknown>, 'reportsOf' | 'nameIn'>;

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

const volumes: PartKind<PartUsage & Named & Partial<Pick<VolumeUsage, 'type' | 'medium'>>, VolumeReport> = {
  partsOf: (record, context) =>
    (record.bound && plainVolumes(record.summary, record.bound.pod)) ?? context.usageOf(record).volumes,
  nameOf: ({ name }) => name,
  isCounted: ({ name, type, medium = '' }, { bound }) => {
    const spec = type === undefined ? bound?.pod.volumes.find((of) => of.name === name) : { type, medium };
    return spec !== undefined && countedComponent(spec) !== undefined;
  },
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
  const list = {
    sources: measuredNodes(reading).filter(({ nodeName }) => query.node === undefined || query.node === nodeName),
    addItems: (items: Ranking<ListedPart>, view: MeasuredNodeView) => {
      for (const record of listedRecords(view.snapshot))
        if (isOfPods(record, query)) addParts(items, kind, { view, record }, query);
    },
    compare: compareParts,
    ranksOf: ({ rank }: ListedPart) => [rank],
    reportOf: (part: ListedPart) => reportOf(kind, part),
  };
  return listPage(list, query, lane);
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
  const { namespace, name } = record.summary;
  return !isOther(query.name, name) && !isOther(query.namespace, namespace) && isOfQuery(record, query);
}

function addParts<Part extends PartUsage>(
  items: Ranking<ListedPart>,
  kind: ValuedKind<Part>,
  { view, record }: Pick<ListedPart, 'view' | 'record'>,
  query: ListQuery,
): void {
  const { context } = view.snapshot;
  const ratios = query.order === 'ratio' ? ratiosOf(record, kind, context) : [];
  for (const part of kind.partsOf(record, context)) {
    const name = kind.nameOf(part);
    if (!isWanted({ part, name, record }, kind, query)) continue;
    const value = query.order === 'ratio' ? ratioOf(kind, name, ratios) : known(part.usedBytes);
    items.add({ view, record, name, rank: query.order === 'name' ? -1 : (value ?? -1) });
  }
}

function isWanted<Part extends PartUsage>(
  of: { readonly part: Part; readonly name: string; readonly record: PodRecord },
  kind: ValuedKind<Part>,
  { search, isCountedOnly }: ListQuery,
): boolean {
  const { part, name, record } = of;
  if (isCountedOnly && kind.isCounted?.(part, record) === false) return false;
  return matchesPod(search, record.summary, record.bound !== undefined, name);
}

function ratiosOf(
  record: PodRecord,
  { rule }: Pick<PartKind<PartUsage, unknown>, 'rule'>,
  context: PodContext,
): readonly LimitRatio[] {
  return record.bound !== undefined && hasLimits(record.bound.pod) ? context.ratiosOf(record, rule) : [];
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
