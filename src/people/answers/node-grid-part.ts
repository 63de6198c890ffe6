import { countedText, formatCount } from '../../lib/base/text.js';
import { type BlockOf, type DocumentPart, type GridTile, share } from '../pens/document.js';
import { conditionMarks, type NodeCondition, nodeConditions } from '../report/node-condition.js';
import type { NodeGridReport, NodePoolReport, NodeTileReport } from '../report/node-grid.js';
import { section, text } from './parts.js';

/** A tile for each node, by pool, the worst first. */
export function nodeGridPart(grid: NodeGridReport): DocumentPart {
  const none = 'No nodes are in scope. Check cluster.nodeSelector. With more shards than nodes, some shards have none.';
  return section({ id: 'nodes', title: 'Nodes', note: { path: ['nodes'], shown: 'all nodes' } }, [
    grid.nodeCount === 0 ? text(none) : gridBlock(grid),
  ]);
}

function gridBlock(grid: NodeGridReport): BlockOf<'grid'> {
  const { pools, nodeCount, conditions } = grid;
  const moreCount = nodeCount - pools.reduce((sum, { nodes }) => sum + nodes.length, 0);
  const present = nodeConditions.filter((condition) => conditions[condition] !== undefined);
  return {
    is: 'grid',
    legend: present.map((condition) => ({
      ...markOf(condition),
      text: `${formatCount(conditions[condition])} ${conditionMarks[condition].text}`,
    })),
    groups: pools.map((pool) => groupOf(pool, grid)),
    ...(moreCount > 0 && { more: { path: ['nodes'], shown: `and ${formatCount(moreCount)} more` } }),
  };
}

function markOf(condition: NodeCondition): Pick<GridTile, 'letter' | 'tone' | 'isMissing'> {
  const { letter, severity } = conditionMarks[condition];
  return { letter, tone: severity, isMissing: condition === 'silent' };
}

function groupOf({ pool, isRest, nodeCount, nodes }: NodePoolReport, { poolCount }: NodeGridReport) {
  const name = isRest === true ? 'other pools' : (pool ?? 'without a pool');
  return {
    name: `Nodes of ${name}`,
    ...(poolCount > 1 || pool !== undefined ? { title: `${name}, ${countedText(nodeCount, ['node', 'nodes'])}` } : {}),
    tiles: nodes.map(tileOf),
  };
}

function tileOf({ node, condition, fullRatio }: NodeTileReport): GridTile {
  return {
    ...markOf(condition),
    name: node,
    path: ['nodes', node],
    state: conditionMarks[condition].text,
    full: share(fullRatio),
  };
}
