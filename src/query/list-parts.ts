import { largestFirst } from '../base/ranking.js';
import type { Lane } from '../base/scheduler.js';
import type { LimitRule } from '../node/limit-ratios.js';
import { hasLimits } from '../node/limits.js';
import type { MeasuredNodeView } from '../node/node-view.js';
import { deriveMeasured, type PodContext, type PodRecord } from '../node/pod-record.js';
import { type ContainerReport, containerReports, type FoundPod } from '../report/pod-report.js';
import { type VolumeReport, volumeReports } from '../report/volume-report.js';
import { type ClusterReading, measuredNodes } from './cluster-reading.js';
import { isOfQuery } from './list-filter.js';
import { ListItems, type ListPage } from './list-page.js';
import { type ListQuery, matchesSearch } from './list-query.js';

/** A container or a volume, by its name. */
interface PodPart {
  readonly name: string;
  readonly usedBytes: number | undefined;
}

/** What pods are made of. Each part of a pod has another name. */
interface PartKind<Report> {
  readonly partsOf: (record: PodRecord, context: PodContext) => readonly PodPart[];
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
  partsOf: (record) => record.containers.map(({ container, usedBytes }) => ({ name: container, usedBytes })),
  rule: 'container',
  reportsOf: containerReports,
  nameOf: ({ container }) => container,
};

const volumes: PartKind<VolumeReport> = {
  partsOf: (record, context) => context.usageOf(record)?.volumes ?? [],
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
  const items = new ListItems<ListedPart>(
    query,
    largestFirst(
      ({ rank }) => rank,
      ({ view, record: { summary }, name }) => [summary.namespace, summary.name, name, view.nodeName],
    ),
  );
  await lane.each(measuredNodes(reading), (view) => {
    if (query.node !== undefined && query.node !== view.nodeName) return;
    for (const record of view.snapshot.pods) {
      if (isOfPods(record, query)) addParts(items, kind, { view, record }, query);
    }
  });
  return items.page((part) => reportOf(kind, part), lane);
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
  const ratioOf = order === 'ratio' ? ratiosByName(kind, record, view.snapshot.context) : undefined;
  for (const { name, usedBytes } of kind.partsOf(record, view.snapshot.context)) {
    if (search.length > 0 && !matchesSearch(search, `${namespace}/${pod}/${name}`)) continue;
    items.add({ view, record, name, rank: order === 'used' ? usedBytes : ratioOf?.get(name) });
  }
}

/** Returns the ratios to the limits that single parts have. */
function ratiosByName(
  { rule }: Pick<PartKind<unknown>, 'rule'>,
  record: PodRecord,
  context: PodContext,
): ReadonlyMap<string, number> | undefined {
  if (record.bound === undefined || !hasLimits(record.bound.pod)) return undefined;
  const ofRule = context.ratiosOf(record).filter((ratio) => ratio.rule === rule);
  return new Map(ofRule.map((ratio) => [ratio.container || ratio.volume, ratio.ratio]));
}

function reportOf<Report>({ reportsOf, nameOf }: PartKind<Report>, { view, record, name }: ListedPart): Report {
  const reports = reportsOf({ node: view, pod: deriveMeasured(record, view.snapshot.context) });
  const found = reports.find((report) => nameOf(report) === name);
  if (found === undefined) throw new Error(`pod ${record.summary.namespace}/${record.summary.name} has no ${name}`);
  return found;
}
