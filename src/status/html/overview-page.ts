import { worstSeverity } from '../problems.js';
import type { Status } from '../status.js';
import { evictions } from './evictions-section.js';
import type { Links } from './links.js';
import { type Markup, markup } from './markup.js';
import { nextEvictions } from './next-evictions-section.js';
import { nodeGrid } from './node-grid-section.js';
import { problemLink } from './problem-link.js';
import { countText, moreText } from './texts.js';
import { tiles } from './tiles.js';

/** All that matters on one screen: problems, disks, what is evicted next, what was evicted, and all nodes. */
export function overviewBody(status: Status, links: Links): Markup {
  const { cluster } = status;
  const seen = evictions(status, links);
  const isShortGrid = (cluster?.grid.nodeCount ?? 0) <= shortGridCount;
  return markup`<h1 class="visually-hidden">Overview</h1>
${banner(status, links)}
${tiles(cluster)}
<div class="pair"><div>${nextEvictions(cluster, links)}${isShortGrid ? undefined : seen}</div>
<div>${nodeGrid(cluster, links)}${isShortGrid ? seen : undefined}</div></div>`;
}

/** Up to here the tiles of nodes leave room below them. */
const shortGridCount = 500;

const symbols = { ok: '✓', warning: '!', critical: '✕' } as const;

/** With many namespaces, all checks may fail for the same reason. */
const shownCheckCount = 5;

/** The others are on their own page. */
const shownProblemCount = 4;

/** The worst problems, a line for each; before the first lists, the failing checks. */
function banner(status: Status, links: Links): Markup {
  const { problems, readinessChecks } = status;
  const severity = worstSeverity(problems);
  const missing = readinessChecks.filter(({ isOk }) => !isOk);
  const shown = missing.slice(0, shownCheckCount);
  return markup`<section id="part-banner" data-part class="banner ${severity}" aria-labelledby="banner-title">
<h2 id="banner-title"><span aria-hidden="true">${symbols[severity]}</span> ${severity === 'ok' ? 'No problems' : countText(problems.length, 'problem', 'problems')}</h2>
${severity === 'ok' ? markup`<span class="what">${wellText(status)}</span>` : problemItems(problems, links)}
${shown.map(({ name, message = '' }) => markup`<p class="message"><strong>${name}</strong>: ${message}</p>`)}
${moreText({ items: shown, totalCount: missing.length }, 'failing checks')}
${status.cluster?.isPartial === true ? markup`<p>Some nodes had not responded when this page was made. Those with recent data are shown with it.</p>` : undefined}
</section>`;
}

function problemItems(problems: Status['problems'], links: Links): Markup {
  const moreCount = problems.length - shownProblemCount;
  const more = moreCount > 0 ? `and ${moreCount} more, with what to do` : 'what to do';
  return markup`<span class="small">${links.list('problems', {}, more)}</span><ul class="small">${problems.slice(0, shownProblemCount).map((problem, index) => problemItem(problem, links, index === 0))}</ul>`;
}

/** The first one with what to do about it: the others lead there. */
function problemItem(problem: Status['problems'][number], links: Links, isFirst: boolean): Markup {
  const { severity, detail } = problem;
  const hint = isFirst ? problem.hint : undefined;
  const prefix = severity === 'critical' ? undefined : markup`<span class="visually-hidden">warning: </span>`;
  return markup`<li>${prefix}${problemLink(problem, links)}${detail === undefined ? undefined : markup` <span class="what">${links.shortened(detail)}</span>`}${hint === undefined ? undefined : markup` <span class="what muted">${hint}</span>`}</li>`;
}

function wellText({ cluster }: Status): string {
  if (cluster === undefined) return '';
  const { freshNodeCount, podCount, limitCount, unenforcedLimitCount, unknownLimitPodCount } = cluster.summary;
  const unknown =
    unknownLimitPodCount === 0 ? [] : [`limits of ${countText(unknownLimitPodCount, 'pod', 'pods')} unknown`];
  const bindingCount = limitCount - unenforcedLimitCount;
  const none = unknown.length === 0 ? ['no limits are declared'] : [];
  const limits = [
    ...(limitCount === 0
      ? none
      : bindingCount === 0
        ? []
        : [`none of ${countText(bindingCount, 'limit', 'limits')} is near`]),
    ...(unenforcedLimitCount === 0 ? [] : [`${countText(unenforcedLimitCount, 'limit', 'limits')} not enforced`]),
    ...unknown,
  ].join(', ');
  return `${countText(freshNodeCount, 'node', 'nodes')} with fresh data, ${countText(podCount, 'pod', 'pods')} measured, ${limits}`;
}
