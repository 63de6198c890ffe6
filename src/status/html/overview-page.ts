import type { Problem, Status } from '../status.js';
import { panel } from './components.js';
import { evictions } from './evictions-section.js';
import { findings } from './findings-section.js';
import type { Links } from './links.js';
import { lines, type Markup, markup } from './markup.js';
import { nextEvictions } from './next-evictions-section.js';
import { nodes } from './nodes-section.js';
import { pods } from './pods-section.js';
import { countText, moreText } from './texts.js';
import { tiles } from './tiles.js';
import { trust } from './trust-section.js';
import { workloads } from './workloads-section.js';

/** The most urgent first: problems, disks, what is evicted next. */
export function overviewBody(status: Status, links: Links): Markup {
  const { cluster } = status;
  return markup`<h1 class="visually-hidden">Overview</h1>
${banner(status)}
${tiles(cluster)}
${nextEvictions(cluster)}${evictions(status, `${links.root}evictions`)}
<div class="pair">
${workloads(cluster)}${pods(cluster)}</div>
${findings(cluster)}${nodes(cluster)}${trust(status)}${configuration(status)}`;
}

function configuration({ configuration: text }: Status): Markup {
  return panel({
    id: 'configuration',
    title: 'Configuration',
    body: markup`<details id="settings"><summary data-key="settings">All settings as YAML, including defaults</summary><pre tabindex="0" role="region" aria-label="Settings" data-key="settings-text">${lines(text)}</pre></details>`,
  });
}

const symbols = { ok: '✓', warning: '!', critical: '✕' } as const;

/** With many namespaces, all checks may fail for the same reason. */
const shownCheckCount = 5;

/** The current problems, a line for each; before the first lists, the failing checks. */
function banner(status: Status): Markup {
  const { problems, readinessChecks } = status;
  const severity = problems[0]?.severity ?? 'ok';
  const missing = readinessChecks.filter(({ isOk }) => !isOk);
  const shown = missing.slice(0, shownCheckCount);
  return markup`<section id="part-banner" data-part class="banner ${severity}" aria-labelledby="banner-title">
<h2 id="banner-title"><span aria-hidden="true">${symbols[severity]}</span> ${severity === 'ok' ? 'No problems' : countText(problems.length, 'problem', 'problems')}</h2>
${severity === 'ok' ? markup`<span class="what">${wellText(status)}</span>` : markup`<ul>${problems.map(problemItem)}</ul>`}
${shown.map(({ name, message = '' }) => markup`<p class="message"><strong>${name}</strong>: ${message}</p>`)}
${moreText({ items: shown, totalCount: missing.length }, 'failing checks')}
${status.cluster?.isPartial === true ? markup`<p>Some nodes had not responded when this page was made. Those with recent data are shown with it.</p>` : undefined}
</section>`;
}

function problemItem({ severity, text, detail, hint, section }: Problem): Markup {
  const prefix = severity === 'critical' ? undefined : markup`<span class="visually-hidden">warning: </span>`;
  return markup`<li>${prefix}<a href="#${section}" data-key="problem-${text}">${text}</a>${detail === undefined ? undefined : markup` <span class="what">${detail}</span>`}${hint === undefined ? undefined : markup` <span class="what muted">${hint}</span>`}</li>`;
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
