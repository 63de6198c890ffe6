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
import type { ClusterReading } from './cluster-reading.js';
import { type ListPage, listPage } from './list-page.js';
import { comparePodNames, isOfQuery, listedRecords, matchesPod } from './list-pods.js';
import { isOther, type ListQuery } from './list-query.js';

/** What pods are made of. Each part of a pod has another name. */
interface PartKind<Report> {
  readonly partsOf: (record: PodRecord, context: PodContext) => readonly PartUsage[];
  /** Of the limit that a single part has. */
  readonly rule: LimitRatio['rule'];
  readonly reportsOf: (found: FoundPod) => readonly Report[];
  readonly nameIn: (report: Report) => string;
}

/** `type` and `medium`: of a volume, where they are known without its pod. */
type PartUsage = Named & { readonly usedBytes: Figure } & Partial<Pick<VolumeUsage, 'type' | 'medium'>>;

interface ListedPart {
  readonly view: MeasuredNodeView;
  readonly record: PodRecord;
  readonly name: string;
  /** The larger the earlier. Below 0: after all that have one. */
  readonly rank: number;
}

/** Lists the containers of pods with data, those that use most first. Yields to the event loop between nodes. */
export const listContainers = partLister<ContainerReport>({
  partsOf: (record) => record.containers.map(({ container: name, usedBytes }) => ({ name, usedBytes })),
  rule: 'container',
  reportsOf: containerReports,
  nameIn: ({ container }) => container,
});

/** Lists the volumes that the kubelets of such pods list, in the same way. */
export const listVolumes = partLister<VolumeReport>({
  partsOf: (record, context) =>
    (record.bound && plainVolumes(record.summary, record.bound.pod)) ?? context.usageOf(record).volumes,
  rule: 'emptydir',
  reportsOf: volumeReports,
  nameIn: ({ volume }) => volume,
});

/** Whether a volume is a part of the pod's total. */
function isCounted({ name, type, medium = '' }: PartUsage, { bound }: PodRecord): boolean {
  const spec = type === undefined ? bound?.pod.volumes.find((of) => of.name === name) : { type, medium };
  return spec !== undefined && countedComponent(spec) !== undefined;
}

function partLister<Report>(kind: PartKind<Report>) {
  return (reading: ClusterReading, query: ListQuery, lane: Lane): Promise<ListPage<Report>> => {
    const list = {
      sources: reading.snapshot.nodes
        .filter((of) => of.state !== 'absent')
        .filter((of) => !isOther(query.node, of.nodeName)),
      addItems: (items: Ranking<ListedPart>, view: MeasuredNodeView) => {
        for (const record of listedRecords(view.snapshot))
          if (isOfPods(record, query)) addParts(items, kind, { view, record }, query);
      },
      compare: compareParts,
      ranksOf: ({ rank }: ListedPart) => [rank],
      reportOf: (part: ListedPart) => reportOf(kind, part),
    };
    return listPage(list, query, lane);
  };
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

function addParts(
  items: Ranking<ListedPart>,
  { rule, partsOf }: Pick<PartKind<unknown>, 'rule' | 'partsOf'>,
  { view, record }: Pick<ListedPart, 'view' | 'record'>,
  { order, search, isCountedOnly }: ListQuery,
): void {
  const { context } = view.snapshot;
  const ratios = order === 'ratio' ? ratiosOf(record, rule, context) : [];
  for (const part of partsOf(record, context)) {
    const { name, usedBytes } = part;
    if (isCountedOnly && !isCounted(part, record)) continue;
    if (!matchesPod(search, record.summary, record.bound !== undefined, name)) continue;
    const own = ratios.find((of) => of.rule === rule && (of.container || of.volume) === name);
    const value = order === 'ratio' ? own?.ratio : known(usedBytes);
    items.add({ view, record, name, rank: order === 'name' ? -1 : (value ?? -1) });
  }
}

function ratiosOf(record: PodRecord, rule: LimitRatio['rule'], context: PodContext): readonly LimitRatio[] {
  return record.bound !== undefined && hasLimits(record.bound.pod) ? context.ratiosOf(record, rule) : [];
}

function reportOf<Report>({ reportsOf, nameIn }: PartKind<Report>, { view, record, name }: ListedPart): Report {
  const reports = reportsOf({ node: view, pod: derivePod(record, view.snapshot.context) });
  const found = reports.find((report) => nameIn(report) === name);
  if (found === undefined) throw new Error(`pod ${record.summary.namespace}/${record.summary.name} has no ${name}`);
  return found;
}
