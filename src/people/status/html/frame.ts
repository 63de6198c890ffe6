import { createHash } from 'node:crypto';

import { type LinkPlaceholder, placeholderForm, placeholdersIn } from '../../../config/link-placeholders.js';
import { apiPrefix, exporterPath, listKinds } from '../../../config/served-paths.js';
import { capitalised, formatCount } from '../../../lib/base/text.js';
import { formatAge } from '../../../lib/base/units.js';
import { statusTone } from '../../answers/figures.js';
import { type HtmlPlace, linksFrom, timePart } from '../../pens/html-line.js';
import { type Markup, markup, type MarkupContent, trusted } from '../../pens/markup.js';
import type { Status } from '../../query/status.js';
import { script, style } from '../page-files.js';

/** What all pages have around their content. */
export interface PageFrame {
  readonly status: Status;
  /** Of the page, as it was asked for, without its query. */
  readonly path: string;
  /** With `?`; '' without a query. */
  readonly search: string;
  /** Begins with `/`. */
  readonly metricsPath: string;
  readonly documentationUrl: string;
}

/** Only the page's own style, script (by their hashes) and icon, forms and requests to its own origin. */
export const pagePolicy = [
  "default-src 'none'",
  `style-src '${hashOf(style)}'`,
  `script-src '${hashOf(script)}'`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** A whole page; complete without JavaScript. `title`: undefined for the page at `/`. */
export function renderFrame(
  frame: PageFrame,
  { title, body }: { readonly title: string | undefined; readonly body: MarkupContent },
): string {
  const links = linksFrom(frame.path);
  const page = markup`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${titleText(frame.status, title)}</title>
<link rel="icon" href="${icon(frame.status)}" data-unknown="${unknownIcon}">
<style>${trusted(style)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<div class="wrap">
${header(frame, links)}
<main id="main">
${body}
</main>
${footer(frame, links)}
</div>
<script type="module">${trusted(script)}</script>
</body>
</html>
`.text;
  return withDescribedWords(page);
}

/** Names the meaning of each word for programs that read the page aloud: a word may occur many times. */
function withDescribedWords(page: string): string {
  let count = 0;
  return page.replaceAll(/<dfn (tabindex="0">[^<]*<span class="tip")/g, (_, start: string) => {
    count += 1;
    return `<dfn aria-describedby="tip-${count}" ${start} id="tip-${count}"`;
  });
}

/** The number of problems first: tabs are narrow. */
function titleText({ problems, clusterName }: Status, title: string | undefined): string {
  const count = problems.length === 0 ? '' : `(${formatCount(problems.length)}) `;
  const what = title === undefined ? '' : `${title} - `;
  return `${count}${what}${clusterName} - Ephemeral Storage Exporter`;
}

const iconColours = { ok: '#2e9150', unknown: '#6b7785', warning: '#cf8200', critical: '#d5382d' } as const;

/** A disk that is nearly full, in the colour of the worst problem. */
function icon(status: Status): string {
  const colour = iconColours[statusTone(status)];
  return iconOf(`<rect x="5" y="6" width="6" height="6" fill="${colour}"/>`);
}

function iconOf(content: string): string {
  return `data:image/svg+xml,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#2f6fc4"/><rect x="4" y="3" width="8" height="10" rx="1.5" fill="#fff"/>${content}</svg>`,
  )}`;
}

/** A question mark on the disk, which page.js shows while refreshes fail. */
const unknownIcon = iconOf(
  '<text x="8" y="11.5" text-anchor="middle" font-family="sans-serif" font-size="10" font-weight="700" fill="#18212c">?</text>',
);

/** Lists of what pods are made of: tabs of that of the pods. */
export const podParts: readonly string[] = ['containers', 'volumes'];

const navigation = [
  ['', 'Overview'],
  ...listKinds.filter((kind) => !podParts.includes(kind)).map((kind) => [kind, capitalised(kind)]),
  ['exporter', 'Exporter'],
] as const;

function header({ status, path }: PageFrame, links: HtmlPlace): Markup {
  const { version, clusterName, scope, uptimeMs, generatedAtMs, cluster } = status;
  const isAwaiting = cluster?.absences.some(({ isAwaited }) => isAwaited) === true;
  const [, list = ''] = path.split('/');
  const current = podParts.includes(list) ? 'pods' : list;
  return markup`<header>
<div class="top"><p class="brand"><a href="${links.root}">Ephemeral Storage Exporter</a></p>
<nav aria-label="Pages"><ul>${navigation.map(
    ([name, text]) =>
      markup`<li><a href="${links.root}${name}"${name === current ? markup` aria-current="${name === list ? 'page' : 'true'}"` : undefined}>${text}</a></li>`,
  )}</ul></nav>
<form class="search" role="search" action="${links.root}search" method="get"><label class="visually-hidden" for="search">Search</label><input id="search" name="search" type="search" placeholder="Search (press /)" maxlength="253" autocomplete="off"></form></div>
<div class="about"><p id="part-about" data-part class="small muted"${isAwaiting ? markup` data-awaiting` : undefined}>cluster <strong>${clusterName}</strong> · <strong>${scope}</strong> · version ${version} · running for ${formatAge(uptimeMs)} · as of ${timePart(generatedAtMs)}</p>
<div class="controls"><p id="fault" class="t-critical" role="status" hidden></p><p id="state" class="t-warning" role="status"></p>
<div id="live" class="controls" hidden><span class="muted"><span class="word">refreshed </span><span id="age"></span></span><button type="button" id="refresh">Refresh</button><button type="button" id="pause">Pause</button></div>
<noscript><p class="muted">Without JavaScript, reload the page for newer data.</p></noscript></div></div>
${['/', '/problems'].includes(path) ? undefined : worst(status, links)}</header>`;
}

/** The worst problem, on each page but those that have several: what is shown below may be old for it. */
function worst({ problems: [first, ...others] }: Status, { root }: HtmlPlace): Markup {
  const more =
    others.length === 0 ? undefined : markup` <a href="${root}problems">and ${formatCount(others.length)} more</a>`;
  const text = first && markup`<a href="${root}problems" class="t-${first.severity}">${first.text}</a>${more}`;
  return markup`<p id="part-worst" data-part class="small"${first === undefined ? markup` hidden` : undefined}>${text}</p>`;
}

function footer({ status, path, search, metricsPath, documentationUrl }: PageFrame, { root }: HtmlPlace): Markup {
  const others = [
    { href: root + metricsPath.slice(1), text: 'Metrics' },
    {
      href: root + apiPrefix.slice(1) + (['/', exporterPath].includes(path) ? '/status' : path) + search,
      text: 'This page as JSON',
    },
    { href: `${root}readyz?verbose`, text: 'Readiness' },
    { href: `${root}livez`, text: 'Liveness' },
    { href: documentationUrl, text: 'Documentation' },
    ...footerLinks(status).map(({ name, url }) => ({ href: url, text: name })),
  ];
  return markup`<footer><nav aria-label="Other pages"><ul>${others.map(({ href, text }) => markup`<li><a href="${href}">${text}</a></li>`)}</ul></nav></footer>`;
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

export type LinkValues = Readonly<Partial<Record<LinkPlaceholder, string | undefined>>>;

/** Returns the links to pages elsewhere about what `values` name: those with placeholders all of which have a value. */
export function objectLinks(links: Status['links'], values: LinkValues): Status['links'] {
  return links.filter(isOfObject).flatMap((link) => filled(link, values));
}

/** The same as a list; undefined without any. */
export function objectLinkList(links: Status['links'], values: LinkValues): Markup | undefined {
  const found = objectLinks(links, values);
  if (found.length === 0) return undefined;
  return markup`<ul class="elsewhere small" aria-label="Elsewhere">${found.map(({ name, url }) => markup`<li><a href="${url}">${name}</a></li>`)}</ul>`;
}

/** Returns those that are the same on all pages. */
export function footerLinks({ links, clusterName }: Pick<Status, 'links' | 'clusterName'>): Status['links'] {
  return links.filter((link) => !isOfObject(link)).flatMap((link) => filled(link, { cluster: clusterName }));
}

/** The cluster is the same on all pages. */
function isOfObject({ url }: Status['links'][number]): boolean {
  return placeholdersIn(url).some((name) => name !== 'cluster');
}

function filled({ name, url }: Status['links'][number], values: LinkValues): Status['links'] {
  const valueOf = (placeholder: string): string | undefined => values[placeholder as LinkPlaceholder];
  if (placeholdersIn(url).some((placeholder) => !valueOf(placeholder))) return [];
  const filledUrl = url.replaceAll(placeholderForm, (_, placeholder: string) =>
    encodeURIComponent((valueOf(placeholder) ?? '').toWellFormed()),
  );
  return [{ name, url: filledUrl }];
}
