import { byNames, naturalNames } from '../../lib/base/ranking.js';
import type { ListedNodeReport } from '../../people/query/list-nodes.js';
import { ordersOf } from '../../people/query/list-query.js';
import type { PodReport } from '../../people/report/pod-report.js';
import type { CommandList, ItemOf } from './view-source.js';

type Compare<Item> = (a: Item, b: Item) => number;
type Names<Item> = (item: Item) => readonly string[];
/** The larger the earlier, undefined last; of equal ones the next decides, at last the names. */
type Ranks<Item> = readonly ((item: Item) => number | undefined)[];

/** Returns the order of a list as the API has it, as far as reports show it; `order`: undefined for the usual one. */
export function compareBy<Kind extends CommandList>(kind: Kind, order: string | undefined): Compare<ItemOf<Kind>> {
  const [usual] = ordersOf[kind];
  const orders = ranksOf[kind] as Readonly<Record<string, Ranks<ItemOf<Kind>>>>;
  const ranks = orders[order ?? usual];
  if (ranks === undefined) throw new Error(`the list of ${kind} has no order ${order}`);
  return ranks.reduceRight<Compare<ItemOf<Kind>>>(
    (next, rankOf) => (a, b) => {
      const [first, second] = [rankOf(a) ?? -1, rankOf(b) ?? -1];
      return first === second ? next(a, b) : second - first;
    },
    byNames(namesOf[kind]),
  );
}

const namesOf: { readonly [Kind in CommandList]: Names<ItemOf<Kind>> } = {
  nodes: ({ node }) => naturalNames(node),
  pods: ({ namespace, pod, node = '' }) => [namespace, pod, node],
  containers: ({ namespace, pod, container, node = '' }) => [namespace, pod, container, node],
  volumes: ({ namespace, pod, volume, node = '' }) => [namespace, pod, volume, node],
  workloads: ({ workloadNamespace, workload, workloadType }) => [workloadNamespace, workload, workloadType],
  namespaces: ({ namespace }) => [namespace],
  evictions: ({ namespace, pod }) => [namespace, pod],
};

const usedOf = ({ usedBytes }: { readonly usedBytes?: number | undefined }): number | undefined => usedBytes;
const ratioOf = ({ nearestLimit }: Partial<Pick<PodReport, 'nearestLimit'>>): number | undefined => nearestLimit?.ratio;
const usedByPod = (pod: PodReport): number | undefined => (pod.state === 'unmeasured' ? undefined : pod.usedBytes);
const partRanks = { used: [usedOf], ratio: [ratioOf], name: [] };

const ranksOf: {
  readonly [Kind in CommandList]: Readonly<Record<(typeof ordersOf)[Kind][number], Ranks<ItemOf<Kind>>>>;
} = {
  nodes: {
    urgency: [({ urgency }) => urgency],
    used: [(node) => nodefsOf(node)?.usedBytes],
    full: [fullOf],
    name: [],
  },
  pods: { urgency: [({ urgency }) => urgency, usedByPod], used: [usedByPod], ratio: [ratioOf, usedByPod], name: [] },
  containers: partRanks,
  volumes: partRanks,
  workloads: {
    used: [usedOf],
    largest: [({ podMaxUsedBytes }) => podMaxUsedBytes],
    pods: [({ expectedPodCount }) => expectedPodCount],
    name: [],
  },
  namespaces: {
    used: [usedOf],
    pods: [({ measuredPodCount, unmeasuredPodCount }) => measuredPodCount + unmeasuredPodCount],
    name: [],
  },
  evictions: { newest: [({ evictedAtMs }) => evictedAtMs], name: [] },
};

function nodefsOf(node: ListedNodeReport) {
  const filesystems = node.state === 'absent' ? node.lastKnown?.filesystems : node.filesystems;
  return filesystems?.find(({ filesystem }) => filesystem === 'nodefs');
}

function fullOf(node: ListedNodeReport): number | undefined {
  const filesystems = (node.state === 'absent' ? node.lastKnown?.filesystems : node.filesystems) ?? [];
  const ratios = filesystems.flatMap(({ fullRatio, inodesFullRatio }) => [fullRatio, inodesFullRatio]);
  const known = ratios.filter((ratio) => ratio !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}
