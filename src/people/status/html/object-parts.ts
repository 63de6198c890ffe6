import { formatAge, formatPercent } from '../../../lib/base/units.js';
import type { Tone } from '../../pens/document.js';
import { timePart, toneClass } from '../../pens/html-kit.js';
import { type Markup, markup, type MarkupContent } from '../../pens/markup.js';
import type { EvictionReport } from '../../report/eviction-report.js';
import { canEvict, type LimitReport, limitText } from '../../report/limit-report.js';
import type { WorkloadReference } from '../../report/workload-report.js';
import type { Links } from './links.js';
import { ratioSeverity, unenforcedText } from './texts.js';

/** What is to be known of a thing first, in one sentence, and what to do next. */
export function verdictPart(
  { text, commands }: { readonly text: string; readonly commands: readonly string[] },
  severity: Tone,
): Markup {
  return markup`<section id="part-verdict" data-part class="banner ${severity} verdict" aria-label="Verdict"><p><strong>${text}</strong></p>${commandList(commands)}</section>`;
}

function commandList(commands: readonly string[]): Markup | undefined {
  if (commands.length === 0) return undefined;
  return markup`<ul class="commands small">${commands.map((command) => markup`<li><code>${command}</code></li>`)}</ul>`;
}

/** Names and values side by side. Those without a value are left out. */
export function factList(facts: Readonly<Record<string, MarkupContent>>): Markup {
  const known = Object.entries(facts).filter(([, value]) => value !== undefined);
  return markup`<dl class="facts small">${known.map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

export function workloadLinks(workloads: readonly WorkloadReference[], links: Links): MarkupContent {
  if (workloads.length === 0) return 'none';
  return workloads.map((of, index) => markup`${index === 0 ? '' : ', '}${of.workloadType} ${links.workload(of)}`);
}

/** Shows a ratio in the colour of its state, unless the values are old. `what`: whose limit it is. */
export function limitRatioPart(
  limit: LimitReport,
  { isOld, what }: { readonly isOld: boolean; readonly what: string } = { isOld: false, what: '' },
): Markup {
  const severity = isOld || !canEvict(limit) ? 'unknown' : ratioSeverity(limit);
  const mark = limit.unenforced === undefined ? '' : `, ${unenforcedText(limit.unenforced)}`;
  const text = `of ${limitText(limit)}${what === '' ? '' : ` ${what}`}${mark}`;
  return markup`<span class="${toneClass(severity)}">${formatPercent(limit.ratio)}</span> <span class="small muted">${text}</span>`;
}

/** Each with a link to its own page. */
export function evictionItems(
  evictions: readonly (EvictionReport & { readonly ageMs: number })[],
  links: Links,
): Markup {
  return markup`<ul class="lines small">${evictions.map(
    (of) =>
      markup`<li>${links.eviction(of.uid, timePart(of.evictedAtMs))} <span class="muted">${formatAge(of.ageMs)} ago</span> ${links.pod(of)} <span class="muted">on</span> ${links.node(of.node)}<br>${of.verdict?.text ?? of.message.trim()}</li>`,
  )}</ul>`;
}
