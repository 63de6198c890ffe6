import { formatCount } from '../../../lib/base/text.js';
import { formatPercent } from '../../../lib/base/units.js';
import { conditionMarks } from '../../answers/node-state.js';
import { emptyText, panel } from '../../pens/html-kit.js';
import { type Markup, markup, type MarkupContent } from '../../pens/markup.js';
import type { ClusterReport } from '../../report/cluster-report.js';
import { type NodeCondition, nodeConditions } from '../../report/node-condition.js';
import type { NodeGridReport, NodePoolReport, NodeTileReport } from '../../report/node-grid.js';
import type { Links } from './links.js';
import { countText } from './texts.js';

/** Up to here tiles have names. */
const namedCount = 60;

/** A tile for each node, by pool, the worst first. */
export function nodeGrid(cluster: ClusterReport | undefined, links: Links): Markup {
  return panel({
    id: 'nodes',
    title: 'Nodes',
    aside: links.list('nodes', {}, 'all nodes'),
    body: cluster === undefined ? undefined : bodyOf(cluster.grid, links),
  });
}

function bodyOf(grid: NodeGridReport, links: Links): Markup {
  const { pools, nodeCount } = grid;
  if (nodeCount === 0)
    return emptyText(
      'No nodes are in scope. Check cluster.nodeSelector. With more shards than nodes, some shards have none.',
    );
  const isNamed = nodeCount <= namedCount;
  const moreCount = nodeCount - pools.reduce((sum, { nodes }) => sum + nodes.length, 0);
  const more =
    moreCount > 0
      ? markup`<p class="more">${links.list('nodes', {}, `and ${formatCount(moreCount)} more`)}</p>`
      : undefined;
  return markup`${legend(grid)}${pools.map((pool) => poolPart(pool, grid, { isNamed, links }))}${more}`;
}

/** How many nodes are how: also what the letters mean. */
function legend({ conditions }: NodeGridReport): Markup {
  const present = nodeConditions.filter((condition) => conditions[condition] !== undefined);
  return markup`<ul class="legend" aria-label="Conditions of nodes">${present.map(
    (condition) =>
      markup`<li><span class="tile ${tileClass(condition)}" aria-hidden="true">${conditionMarks[condition].letter}</span>${formatCount(conditions[condition])} ${conditionMarks[condition].text}</li>`,
  )}</ul>`;
}

interface Shown {
  readonly isNamed: boolean;
  readonly links: Links;
}

function poolPart(pool: NodePoolReport, { poolCount }: NodeGridReport, shown: Shown): Markup {
  const count = countText(pool.nodeCount, 'node', 'nodes');
  const name = pool.isRest === true ? 'other pools' : (pool.pool ?? 'without a pool');
  const title =
    poolCount === 1 && pool.pool === undefined
      ? undefined
      : markup`<h3>${name} <span class="small muted">${count}</span></h3>`;
  return markup`${title}<ul class="grid${shown.isNamed ? ' named' : ''}" aria-label="Nodes of ${name}">${pool.nodes.map((node) => markup`<li>${tile(node, shown)}</li>`)}</ul>`;
}

/** Named by what is seen on it, so that it can be asked for, and by what a letter means. */
function tile({ node, condition, fullRatio }: NodeTileReport, { isNamed, links }: Shown): Markup {
  const { letter, text } = conditionMarks[condition];
  const percent = fullRatio === undefined ? undefined : formatPercent(fullRatio);
  const label = `${node}: ${text}${percent === undefined ? '' : `, ${percent} full`}`;
  const shown: MarkupContent = isNamed
    ? markup`<span class="tile-name">${links.nodeText(node)}</span><span>${letter} ${percent}<span class="visually-hidden"> ${percent === undefined ? '' : 'full, '}${text}</span></span>`
    : letter;
  const name = isNamed ? undefined : markup` aria-label="${label}"`;
  return markup`<a class="tile ${tileClass(condition)} d${Math.min(10, Math.floor((fullRatio ?? 0) * 10))}" href="${links.nodeHref(node)}" data-key="tile-${node}"${name} title="${label}">${shown}</a>`;
}

function tileClass(condition: NodeCondition): string {
  return condition === 'silent' ? 'silent' : conditionMarks[condition].severity;
}
