import type { Problem, Status } from '../status.js';
import { type Markup, markup } from './markup.js';
import { countText, moreText } from './texts.js';

const symbols = { ok: '✓', warning: '!', critical: '✕' } as const;

/** With many namespaces, all checks may fail for the same reason. */
const shownCheckCount = 5;

/** The current problems, a line for each; before the first lists, the failing checks. */
export function banner(status: Status): Markup {
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
  const { freshNodeCount, podCount, limitCount, unknownLimitPodCount } = cluster.summary;
  const unknown =
    unknownLimitPodCount === 0 ? [] : [`limits of ${countText(unknownLimitPodCount, 'pod', 'pods')} unknown`];
  const none = unknown.length === 0 ? ['no limits are declared'] : [];
  const limits = [
    ...(limitCount === 0 ? none : [`none of ${countText(limitCount, 'limit', 'limits')} is near`]),
    ...unknown,
  ].join(', ');
  return `${countText(freshNodeCount, 'node', 'nodes')} with fresh data, ${countText(podCount, 'pod', 'pods')} measured, ${limits}`;
}
