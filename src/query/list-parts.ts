import { largestFirst } from '../base/ranking.js';
import type { Lane } from '../base/scheduler.js';
import type { LimitRule } from '../node/limit-ratios.js';
import { hasLimits } from '../node/limits.js';
import type { MeasuredNodeView } from '../node/node-view.js';
import { deriveMeasured, type PodContext, type PodRecord } from '../node/pod-record.js';
import { plainVolumes } from '../node/volume-usage.js';
import { type ContainerReport, containerReports, type FoundPod } from '../report/pod-report.js';
import { type VolumeReport, volumeReports } from '../report/volume-report.js';
import { type ClusterReading, measuredNodes } from './cluster-reading.js';
import { isOfQuery } from './list-filter.js';
import { type ListItems, type ListPage, listPage } from './list-page.js';
import { type ListQuery, matchesSearch } from './list-query.js';

/** What pods are made of. Each part of a pod has another name. */
interface PartKind<Report> {
  readonly eachPart: (
    record: PodRecord,
    context: PodContext,
    take: (name: string, usedBytes: number | undefined) => void,
  ) => void;
  /** Of the limit that a single part has. */
  readonly rule: LimitRule;
  readonly reportsOf: (found: FoundPod) => readonly Report[];
  readonly nameOf: (report: Report) => string;
}

interface ListedPart {
  readonly view: MeasuredNodeView;
  readonly record: PodRecord;
  readonly name: string;
  /** The larger the earlier. */
  readonly rank: number | undefined;
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

const containers: PartKind<ContainerReport> = {
  eachPart: ({ containers: all }, _context, take) => {
    for (const { container, usedBytes } of all) take(container, usedBytes);
  },
  rule: 'container',
  reportsOf: containerReports,
  nameOf: ({ container }) => container,
};

const volumes: PartKind<VolumeReport> = {
  eachPart: (record, context, take) => {
    const plain = record.bound && plainVolumes(record.summary, record.bound.pod);
    for (const { name, usedBytes } of plain ?? context.usageOf(record)?.volumes ?? []) take(name, usedBytes);
  },
  rule: 'emptydir',
  reportsOf: volumeReports,
  nameOf: ({ volume }) => volume,
};

async function listParts<Report>(
  kind: PartKind<Report>,
  reading: ClusterReading,
  query: ListQuery,
  lane: Lane,
): Promise<ListPage<Report>> {
  const list = {
    sources: measuredNodes(reading).filter(({ nodeName }) => query.node === undefined || query.node === nodeName),
    addItems: (items: ListItems<ListedPart>, view: MeasuredNodeView) => {
      for (const record of view.snapshot.pods) {
        if (isOfPods(record, query)) addParts(items, kind, { view, record }, query);
      }
    },
    compare: largestFirst<ListedPart>(
      ({ rank }) => rank,
      ({ view, record: { summary }, name }) => [summary.namespace, summary.name, name, view.nodeName],
    ),
    reportOf: (part: ListedPart) => reportOf(kind, part),
  };
  return listPage(list, query, lane);
}

function isOfPods(record: PodRecord, query: ListQuery): boolean {
  return (query.namespace === undefined || query.namespace === record.summary.namespace) && isOfQuery(record, query);
}

function addParts(
  items: ListItems<ListedPart>,
  kind: Omit<PartKind<unknown>, 'nameOf'>,
  { view, record }: Pick<ListedPart, 'view' | 'record'>,
  { search, order }: ListQuery,
): void {
  const { namespace, name: pod } = record.summary;
  const { context } = view.snapshot;
  const isLimited = order === 'ratio' && record.bound !== undefined && hasLimits(record.bound.pod);
  const ratios = isLimited ? context.ratiosOf(record) : [];
  const ratioOf = (name: string): number | undefined =>
    ratios.find(({ rule, container, volume }) => rule === kind.rule && (container || volume) === name)?.ratio;
  kind.eachPart(record, context, (name, usedBytes) => {
    if (search.length > 0 && !matchesSearch(search, `${namespace}/${pod}/${name}`)) return;
    items.add({ view, record, name, rank: order === 'used' ? usedBytes : ratioOf(name) });
  });
}

function reportOf<Report>({ reportsOf, nameOf }: PartKind<Report>, { view, record, name }: ListedPart): Report {
  const reports = reportsOf({ node: view, pod: deriveMeasured(record, view.snapshot.context) });
  const found = reports.find((report) => nameOf(report) === name);
  if (found === undefined) throw new Error(`pod ${record.summary.namespace}/${record.summary.name} has no ${name}`);
  return found;
}
