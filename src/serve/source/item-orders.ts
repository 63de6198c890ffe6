import { byNames, largestFirst, naturalNames } from '../../lib/base/ranking.js';
import type { ListedNodeReport } from '../../people/query/list-nodes.js';
import { ordersOf } from '../../people/query/list-query.js';
import type { PodReport } from '../../people/report/pod-report.js';
import type { WorkloadReport } from '../../people/report/workload-report.js';
import type { CommandList, ItemOf } from './view-source.js';

type Compare<Item> = (a: Item, b: Item) => number;

/** Returns the order of a list as the API has it, as far as reports show it; `order`: undefined for the usual one. */
export function compareBy<Kind extends CommandList>(kind: Kind, order: string | undefined): Compare<ItemOf<Kind>> {
  const [usual] = ordersOf[kind];
  const compares = itemOrders[kind] as Readonly<Record<string, Compare<ItemOf<Kind>>>>;
  const compare = compares[order ?? usual];
  if (compare === undefined) throw new Error(`the list of ${kind} has no order ${order}`);
  return compare;
}

const podNames = ({ namespace, pod, node = '' }: PodReport): readonly string[] => [namespace, pod, node];
const workloadNames = (of: WorkloadReport): readonly string[] => [of.workloadNamespace, of.workload, of.workloadType];

const itemOrders: {
  readonly [Kind in CommandList]: Readonly<Record<(typeof ordersOf)[Kind][number], Compare<ItemOf<Kind>>>>;
} = {
  nodes: {
    urgency: largestFirst(({ urgency }) => urgency, nodeNames),
    used: largestFirst((node) => nodefsOf(node)?.usedBytes, nodeNames),
    full: largestFirst(fullOf, nodeNames),
    name: byNames(nodeNames),
  },
  pods: {
    urgency: (a, b) => {
      const [first, second] = [a.urgency ?? -1, b.urgency ?? -1];
      return first === second ? byUsage(a, b) : second - first;
    },
    used: (a, b) => byUsage(a, b),
    ratio: (a, b) => {
      const [first, second] = [a.nearestLimit?.ratio ?? -1, b.nearestLimit?.ratio ?? -1];
      return first === second ? byUsage(a, b) : second - first;
    },
    name: byNames(podNames),
  },
  containers: {
    used: largestFirst(
      ({ usedBytes }) => usedBytes,
      ({ namespace, pod, container, node = '' }) => [namespace, pod, container, node],
    ),
    ratio: largestFirst(
      ({ nearestLimit }) => nearestLimit?.ratio,
      ({ namespace, pod, container, node = '' }) => [namespace, pod, container, node],
    ),
    name: byNames(({ namespace, pod, container, node = '' }) => [namespace, pod, container, node]),
  },
  volumes: {
    used: largestFirst(
      ({ usedBytes }) => usedBytes,
      ({ namespace, pod, volume, node = '' }) => [namespace, pod, volume, node],
    ),
    ratio: largestFirst(
      ({ nearestLimit }) => nearestLimit?.ratio,
      ({ namespace, pod, volume, node = '' }) => [namespace, pod, volume, node],
    ),
    name: byNames(({ namespace, pod, volume, node = '' }) => [namespace, pod, volume, node]),
  },
  workloads: {
    used: largestFirst(({ usedBytes }) => usedBytes, workloadNames),
    largest: largestFirst(({ podMaxUsedBytes }) => podMaxUsedBytes, workloadNames),
    pods: largestFirst(({ expectedPodCount }) => expectedPodCount, workloadNames),
    name: byNames(workloadNames),
  },
  namespaces: {
    used: largestFirst(
      ({ usedBytes }) => usedBytes,
      ({ namespace }) => [namespace],
    ),
    pods: largestFirst(
      ({ measuredPodCount, unmeasuredPodCount }) => measuredPodCount + unmeasuredPodCount,
      ({ namespace }) => [namespace],
    ),
    name: byNames(({ namespace }) => [namespace]),
  },
  evictions: {
    newest: largestFirst(
      ({ evictedAtMs }) => evictedAtMs,
      ({ namespace, pod }) => [namespace, pod],
    ),
    name: byNames(({ namespace, pod }) => [namespace, pod]),
  },
};

const byUsage = largestFirst<PodReport>((pod) => (pod.state === 'unmeasured' ? undefined : pod.usedBytes), podNames);

function nodeNames({ node }: ListedNodeReport): readonly string[] {
  return naturalNames(node);
}

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
