import { formatCount } from '../../../lib/base/text.js';
import { type Markup, markup } from '../../pens/markup.js';
import type { Problem, Status } from '../status.js';
import { evictions } from './evictions-section.js';
import type { Links } from './links.js';
import { nextEvictions } from './next-evictions-section.js';
import { nodeGrid } from './node-grid-section.js';
import { problemLink } from './problem-link.js';
import { countText, moreText } from './texts.js';
import { statusSeverity, tiles } from './tiles.js';

/** All that matters on one screen: problems, disks, what is evicted next, what was evicted, and all nodes. */
export function overviewBody(status: Status, links: Links): Markup {
  const { cluster } = status;
  return markup`<h1 class="visually-hidden">Overview</h1>
${banner(status, links)}
${tiles(cluster)}
<div class="pair"><div>${nextEvictions(cluster, links)}</div>
<div>${nodeGrid(cluster, links)}${evictions(status, links)}</div></div>`;
}

const symbols = { ok: '✓', unknown: '?', warning: '!', critical: '✕' } as const;

/** With many namespaces, all checks may fail for the same reason. */
const shownCheckCount = 5;

/** The others are on their own page. */
const shownProblemCount = 4;

/** The worst problems, with what to do about the first one, and failing checks, which before the first lists are that one. */
function banner(status: Status, links: Links): Markup {
  const { problems, readinessChecks, notListed } = status;
  const severity = statusSeverity(status);
  const title = severity === 'unknown' ? 'No known problems' : 'No problems';
  const missing = notListed === undefined ? readinessChecks.filter(({ isOk }) => !isOk) : [];
  const shown = missing.slice(0, shownCheckCount);
  return markup`<section id="part-banner" data-part class="banner ${severity}" aria-labelledby="banner-title">
<h2 id="banner-title"><span aria-hidden="true">${symbols[severity]}</span> ${problems.length === 0 ? title : countText(problems.length, 'problem', 'problems')}</h2>
${problems.length === 0 ? markup`<span class="what">${wellText(status)}</span>` : problemItems(problems, links)}
${shown.map(({ name, message = '' }) => markup`<p class="message"><strong>${name}</strong>: ${message}</p>`)}
${moreText({ items: shown, totalCount: missing.length }, 'failing checks')}
${status.cluster?.isPartial === true ? markup`<p>Some nodes had not responded when this page was made. Those with recent data are shown with it.</p>` : undefined}
</section>`;
}

function problemItems(problems: Status['problems'], links: Links): Markup {
  const moreCount = problems.length - shownProblemCount;
  const more = moreCount > 0 ? `and ${formatCount(moreCount)} more, with what to do` : 'what to do';
  return markup`<ul class="small">${problems.slice(0, shownProblemCount).map((problem, index) => problemItem(problem, links, index > 0 && moreCount <= 0))}<li>${links.list('problems', {}, more)}</li></ul>${firstText(problems[0], links)}`;
}

/** What is known of the worst one, and what to do about it. */
function firstText(problem: Problem | undefined, links: Links): Markup | undefined {
  if (problem === undefined) return undefined;
  const { detail, hint } = problem;
  const known = detail === undefined ? undefined : markup`${links.shortened(detail).replace(/[^.]$/, '$&.')} `;
  return markup`<p class="small">${known}<span class="muted">${hint}</span></p>`;
}

/** What problems of these are about is below. */
const sectionsBelow: readonly Problem['section'][] = ['next-evictions', 'nodes', 'evictions'];

/** `hasDetail`: of several, the first one has it below, and where some are not shown, the others take no more room. */
function problemItem(problem: Problem, links: Links, hasDetail: boolean): Markup {
  const { severity, detail, section } = problem;
  const isShown = hasDetail && !sectionsBelow.includes(section);
  const names = detail === undefined || !isShown ? undefined : links.shortened(detail);
  const prefix = severity === 'critical' ? undefined : markup`<span class="visually-hidden">warning: </span>`;
  const colour = severity === 'warning' ? markup` class="t-warning"` : undefined;
  return markup`<li${colour}>${prefix}${problemLink(problem, links)}${names === undefined ? undefined : markup` <span class="what">${names}</span>`}</li>`;
}

function wellText({ cluster }: Status): string {
  if (cluster === undefined) return '';
  const { freshNodeCount, podCount, limitCount, unenforcedLimitCount, unknownLimitPodCount } = cluster.summary;
  const { absentNodeCount } = cluster.summary;
  const unknown =
    unknownLimitPodCount === 0
      ? []
      : [`usage of ${countText(unknownLimitPodCount, 'pod', 'pods')} with limits not known`];
  const bindingCount = limitCount - unenforcedLimitCount;
  const none = unknown.length === 0 && podCount > 0 ? ['no limits are declared'] : []; // of pods that were read
  const limits = [
    ...(limitCount === 0
      ? none
      : bindingCount === 0
        ? []
        : [`none of ${countText(bindingCount, 'limit', 'limits')} is near`]),
    ...(unenforcedLimitCount === 0 ? [] : [`${countText(unenforcedLimitCount, 'limit', 'limits')} not enforced`]),
    ...unknown,
  ].map((text) => `, ${text}`);
  const silent = absentNodeCount === 0 ? '' : ` (${formatCount(absentNodeCount)} not responded yet)`;
  return `${countText(freshNodeCount, 'node', 'nodes')} with fresh data${silent}, ${countText(podCount, 'pod', 'pods')} measured${limits.join('')}`;
}
