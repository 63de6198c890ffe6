import type { NodeView } from '../../facts/node/node-view.js';
import { getOrAdd } from '../../lib/base/maps.js';
import { largestFirst, naturalNames, Ranking } from '../../lib/base/ranking.js';
import { fullestRatio } from './filesystem-report.js';
import { type NodeCondition, nodeCondition, nodeConditions } from './node-condition.js';
import type { PressedNode } from './pressure-report.js';

/** All nodes at a glance. */
export interface NodeGridReport {
  /** Those with the worst nodes first. */
  readonly pools: readonly NodePoolReport[];
  /** Of all pools, those of which no node is here too. */
  readonly poolCount: number;
  readonly nodeCount: number;
  /** How many nodes have each condition; those that none has are left out. */
  readonly conditions: Readonly<Partial<Record<NodeCondition, number>>>;
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

interface RankedTile extends NodeTileReport {
  readonly pool: string | undefined;
}

/** The pools of all nodes, and the worst nodes. Nodes are added one by one. */
export class NodeGrid {
  readonly #worst: Ranking<RankedTile>;
  readonly #failureOf;
  readonly #poolCounts = new Map<string | undefined, { nodeCount: number }>();
  readonly #conditions: Partial<Record<NodeCondition, number>> = {};
  #suffix: string | undefined;

  /** `failureOf`: see {@link nodeCondition}. */
  constructor(count: number, failureOf: (nodeName: string) => object | undefined) {
    this.#failureOf = failureOf;
    this.#worst = new Ranking(
      count,
      largestFirst(
        (tile) => tileRank(tile),
        ({ node }) => naturalNames(node),
      ),
    );
  }

  /** `pressed`: see {@link nodeCondition}. */
  add(view: NodeView, pressed: PressedNode | undefined): void {
    const { nodeName, node } = view;
    const pool = poolLabels.map((label) => node?.labels[label]).find((name) => name !== undefined && name !== '');
    const condition = nodeCondition(view, pressed, this.#failureOf(nodeName));
    const fullRatio = view.state === 'absent' ? undefined : fullestRatio(view.snapshot);
    getOrAdd(this.#poolCounts, pool, () => ({ nodeCount: 0 })).nodeCount += 1;
    this.#conditions[condition] = (this.#conditions[condition] ?? 0) + 1;
    this.#suffix = this.#suffix === undefined ? nodeName : commonSuffix(this.#suffix, nodeName);
    this.#worst.add({ node: nodeName, condition, fullRatio, pool });
  }

  report(): NodeGridReport {
    return {
      pools: this.#pools(),
      poolCount: this.#poolCounts.size,
      nodeCount: this.#worst.addedCount,
      conditions: this.#conditions,
      commonSuffix: this.#worst.addedCount > 1 ? (this.#suffix ?? '') : '',
    };
  }

  #pools(): readonly NodePoolReport[] {
    const byPool = new Map<string | undefined, NodeTileReport[]>();
    for (const { pool, ...tile } of this.#worst.top()) getOrAdd(byPool, pool, () => []).push(tile);
    const pools = Array.from(byPool, ([pool, nodes]): NodePoolReport => ({
      pool,
      nodeCount: this.#countOf(pool),
      nodes,
    }));
    const rest = pools.splice(maxPoolCount);
    if (rest.length === 0) return pools;
    const restCount = rest.reduce((sum, { nodeCount }) => sum + nodeCount, 0);
    return [...pools, { isRest: true, nodeCount: restCount, nodes: rest.flatMap(({ nodes }) => nodes) }];
  }

  #countOf(pool: string | undefined): number {
    return this.#poolCounts.get(pool)?.nodeCount ?? 0;
  }
}

/** In steps of a tenth, so that tiles keep their places while disks fill. */
function tileRank({ condition, fullRatio = 0 }: NodeTileReport): number {
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
