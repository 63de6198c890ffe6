import { createHash } from 'node:crypto';

import { formatAge } from '../../base/units.js';
import { script, style } from '../page-files.js';
import type { Status } from '../status.js';
import { banner } from './banner.js';
import { evictions } from './evictions-section.js';
import { findings } from './findings-section.js';
import { lines, type Markup, markup, trusted } from './markup.js';
import { nextEvictions } from './next-evictions-section.js';
import { nodes } from './nodes-section.js';
import { panel } from './panel.js';
import { pods } from './pods-section.js';
import { timeText } from './texts.js';
import { tiles } from './tiles.js';
import { trust } from './trust-section.js';
import { workloads } from './workloads-section.js';

export interface PageLink {
  /** Relative to the page, which may be served below an unknown prefix. */
  readonly href: string;
  readonly text: string;
}

/** Only the page's own style and script, by their hashes, and requests to its own origin. */
export const pagePolicy = [
  "default-src 'none'",
  `style-src '${hashOf(style)}'`,
  `script-src '${hashOf(script)}'`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The status for people; complete without JavaScript. */
export function renderPage(status: Status, links: readonly PageLink[]): string {
  const { cluster } = status;
  return markup`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Ephemeral Storage Exporter</title>
<style>${trusted(style)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<div class="wrap">
${header(status)}
<main id="main">
${banner(status)}
${tiles(cluster)}
${nextEvictions(cluster)}${evictions(status)}
<div class="pair">
${workloads(cluster)}${pods(cluster)}</div>
${findings(cluster)}${nodes(cluster)}${trust(status)}${configuration(status)}</main>
${footer(links)}
</div>
<script type="module">${trusted(script)}</script>
</body>
</html>
`.text;
}

function header({ version, scope, uptimeMs, generatedAtMs }: Status): Markup {
  return markup`<header>
<div><h1>Ephemeral Storage Exporter</h1>
<p id="part-about" data-part class="small muted">version ${version} · <strong>${scope}</strong> · running for ${formatAge(uptimeMs)} · as of ${timeText(generatedAtMs)}</p></div>
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

function footer(links: readonly PageLink[]): Markup {
  return markup`<footer><nav aria-label="Other pages"><ul>${links.map(({ href, text }) => markup`<li><a href="${href}">${text}</a></li>`)}</ul></nav></footer>`;
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
