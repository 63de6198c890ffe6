import { createHash } from 'node:crypto';

import { formatAge } from '../../base/units.js';
import { script, style } from '../page-files.js';
import type { Problem, Status } from '../status.js';
import { panel } from './components.js';
import { evictions } from './evictions-section.js';
import { findings } from './findings-section.js';
import { lines, type Markup, markup, trusted } from './markup.js';
import { nextEvictions } from './next-evictions-section.js';
import { nodes } from './nodes-section.js';
import { pods } from './pods-section.js';
import { countText, moreText, timeText } from './texts.js';
import { tiles } from './tiles.js';
import { trust } from './trust-section.js';
import { workloads } from './workloads-section.js';

/** What the page links to. */
export interface PageLinks {
  /** All evictions, as JSON. */
  readonly evictionsHref: string;
  readonly footer: readonly {
    /** Relative to the page, which may be served below an unknown prefix, or a page elsewhere. */
    readonly href: string;
    readonly text: string;
  }[];
}

/** Only the page's own style, script (by their hashes) and icon, and requests to its own origin. */
export const pagePolicy = [
  "default-src 'none'",
  `style-src '${hashOf(style)}'`,
  `script-src '${hashOf(script)}'`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The status for people; complete without JavaScript. */
export function renderPage(status: Status, links: PageLinks): string {
  const { cluster } = status;
  return markup`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title(status)}</title>
<link rel="icon" href="${icon}">
<style>${trusted(style)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<div class="wrap">
${header(status)}
<main id="main">
${banner(status)}
${tiles(cluster)}
${nextEvictions(cluster)}${evictions(status, links.evictionsHref)}
<div class="pair">
${workloads(cluster)}${pods(cluster)}</div>
${findings(cluster)}${nodes(cluster)}${trust(status)}${configuration(status)}</main>
${footer([...links.footer, ...status.links.map(({ name, url }) => ({ href: url, text: name }))])}
</div>
<script type="module">${trusted(script)}</script>
</body>
</html>
`.text;
}

/** A disk that is nearly full. */
const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#2f6fc4"/><rect x="4" y="3" width="8" height="10" rx="1.5" fill="#fff"/><rect x="5" y="6" width="6" height="6" fill="#cf8200"/></svg>',
)}`;

/** The number of problems first: tabs are narrow. */
function title({ problems, clusterName }: Status): string {
  const count = problems.length === 0 ? '' : `(${problems.length}) `;
  return `${count}${clusterName} - Ephemeral Storage Exporter`;
}

function header({ version, clusterName, scope, uptimeMs, generatedAtMs }: Status): Markup {
  return markup`<header>
<div><h1>Ephemeral Storage Exporter</h1>
<p id="part-about" data-part class="small muted">cluster <strong>${clusterName}</strong> · <strong>${scope}</strong> · version ${version} · running for ${formatAge(uptimeMs)} · as of ${timeText(generatedAtMs)}</p></div>
<div class="controls"><p id="fault" class="t-critical" role="status" hidden></p><p id="state" class="t-warning" role="status"></p>
<div id="live" class="controls" hidden><span class="muted">refreshed <span id="age"></span></span><button type="button" id="refresh">Refresh</button><button type="button" id="pause">Pause</button></div>
<noscript><p class="muted">Without JavaScript, reload the page for newer data.</p></noscript></div>
</header>`;
}

function configuration({ configuration: text }: Status): Markup {
  return panel({
    id: 'configuration',
    title: 'Configuration',
    body: markup`<details id="settings"><summary data-key="settings">All settings as YAML, including defaults</summary><pre tabindex="0" role="region" aria-label="Settings" data-key="settings-text">${lines(text)}</pre></details>`,
  });
}

function footer(links: PageLinks['footer']): Markup {
  return markup`<footer><nav aria-label="Other pages"><ul>${links.map(({ href, text }) => markup`<li><a href="${href}">${text}</a></li>`)}</ul></nav></footer>`;
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
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
