import { groupBy } from '../../lib/base/maps.js';
import { largestFirst, naturalNames, rankedOf } from '../../lib/base/ranking.js';
import { type DiskTrouble, isLastTrouble, type NodeCondition, nodeConditions } from './node-condition.js';
import type { ListedNode } from './node-report.js';

/** All nodes at a glance. */
export interface NodeGridReport {
  /** Those with the worst nodes first. */
  readonly pools: readonly NodePoolReport[];
  /** Of all pools, those of which no node is here too. */
  readonly poolCount: number;
  readonly nodeCount: number;
  /** How many nodes have each condition; those that none has are left out. */
  readonly conditions: Readonly<Partial<Record<NodeCondition, number>>>;
  /** How many nodes have their disks in trouble, in the same way. */
  readonly troubles: Readonly<Partial<Record<DiskTrouble, number>>>;
  /** What the names of all nodes end with, from a dot on; '' for nothing, or a single node. */
  readonly commonSuffix: string;
}

export interface NodePoolReport {
  /** Absent for nodes without a label of a pool. */
  readonly pool?: string | undefined;
  /** Present for all further pools together. */
  readonly isRest?: true;
  readonly nodeCount: number;
  /** The worst first. */
  readonly nodes: readonly NodeTileReport[];
}

export interface NodeTileReport {
  readonly node: string;
  readonly condition: NodeCondition;
  /** Present where the condition is that of its disks when it fell silent. */
  readonly isLastKnown?: true | undefined;
  /** Of its fullest filesystem, in bytes or inodes; absent without data. */
  readonly fullRatio?: number | undefined;
}

/** In the order in which they decide: a cluster of one provider may have those of another tool. */
const poolLabels = [
  'karpenter.sh/nodepool',
  'eks.amazonaws.com/nodegroup',
  'cloud.google.com/gke-nodepool',
  'kubernetes.azure.com/agentpool',
  'agentpool',
] as const;

/** Each takes a line of the page, and anybody who may label nodes makes more. */
const maxPoolCount = 12;

/** Returns the pools of all nodes, with the `count` worst nodes. */
export function nodeGrid(nodes: readonly ListedNode[], count: number): NodeGridReport {
  const names = nodes.map(({ view }) => view.nodeName);
  const byPool = groupBy(nodes, poolOf);
  const worst = rankedOf(nodes, count, worstFirst, (node) => node).items;
  const pools = Array.from(groupBy(worst, poolOf), ([pool, shown]): NodePoolReport => ({
    pool,
    nodeCount: byPool.get(pool)?.length ?? 0,
    nodes: shown.map(tileReport),
  }));
  const rest = pools.splice(maxPoolCount);
  if (rest.length > 0) {
    const nodeCount = rest.reduce((sum, of) => sum + of.nodeCount, 0);
    pools.push({ isRest: true, nodeCount, nodes: rest.flatMap((of) => of.nodes) });
  }
  return {
    pools,
    poolCount: byPool.size,
    nodeCount: nodes.length,
    conditions: countsOf(nodes.map(({ condition }) => condition)),
    troubles: countsOf(nodes.flatMap(({ trouble }) => trouble ?? [])),
    commonSuffix: names.length > 1 ? names.reduce(commonSuffix) : '',
  };
}

function countsOf<Name extends string>(names: readonly Name[]): Partial<Record<Name, number>> {
  const counts: Partial<Record<Name, number>> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function poolOf({ view: { node } }: ListedNode): string | undefined {
  return poolLabels.map((label) => node?.labels[label]).find((name) => name !== undefined && name !== '');
}

function tileReport({ view, condition, fullRatio }: ListedNode): NodeTileReport {
  const isLastKnown = isLastTrouble(view, condition) || undefined;
  return { node: view.nodeName, condition, isLastKnown, fullRatio: view.state === 'absent' ? undefined : fullRatio };
}

const worstFirst = largestFirst<ListedNode>(tileRank, ({ view }) => naturalNames(view.nodeName));

/** In steps of a tenth, so that tiles keep their places while disks fill. */
function tileRank(node: ListedNode): number {
  const { condition, fullRatio = 0 } = tileReport(node);
  return nodeConditions.length - nodeConditions.indexOf(condition) + Math.min(9, Math.floor(fullRatio * 10)) / 10;
}

/** Returns the longest end of both that begins with a dot and is not all of one; '' without one, or of addresses. */
function commonSuffix(a: string, b: string): string {
  for (let start = a.indexOf('.'); start >= 0; start = a.indexOf('.', start + 1)) {
    const suffix = a.slice(start);
    if (b.length > suffix.length && b.endsWith(suffix)) return /[a-z]/i.test(suffix) ? suffix : '';
  }
  return '';
}
