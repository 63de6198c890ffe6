import { formatAge, formatBytes, formatPercent } from '../../../lib/base/units.js';
import type { Tone } from '../../pens/document.js';
import { dataTable, timePart, toneClass } from '../../pens/html-kit.js';
import { type Markup, markup, type MarkupContent } from '../../pens/markup.js';
import type { LimitExplanation } from '../../query/pod-explanation.js';
import type { EvictionReport } from '../../report/eviction-report.js';
import { canEvict, type LimitReport, limitSubject, limitText } from '../../report/limit-report.js';
import type { WorkloadReference } from '../../report/workload-report.js';
import { bar } from './bar.js';
import type { Links } from './links.js';
import { changeText, isFlat, sparkline, timeAxis } from './sparkline.js';
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

export function limitName({ rule, container, volume }: Pick<LimitReport, 'rule' | 'container' | 'volume'>): Markup {
  if (rule === 'pod') return markup`the pod`;
  return markup`${rule === 'emptydir' ? 'emptyDir' : 'container'} <span class="name">${rule === 'emptydir' ? volume : container}</span>`;
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

/** With `samples` where there are curves. */
type ShownLimit = LimitReport & Partial<Pick<LimitExplanation, 'counted' | 'samples'>>;

/** Bars of one scale; one that does not evict, or whose values are old, has no colour of a state. */
export function limitTable(
  limits: readonly ShownLimit[],
  {
    isOld,
    marked,
    mark = 'binds first',
  }: {
    readonly isOld: boolean;
    /** The one that is said to bind, or what `mark` says. */
    readonly marked: LimitReport | undefined;
    readonly mark?: string;
  },
): Markup {
  const scale = Math.min(2, Math.max(1.1, ...limits.map(({ ratio }) => ratio)));
  const axis = timeAxis(limits.flatMap(({ samples = [] }) => samples));
  const row = (limit: ShownLimit): Markup => {
    const severity = isOld || !canEvict(limit) ? 'unknown' : ratioSeverity(limit);
    const text = `${formatPercent(limit.ratio)} of the limit`;
    const chips = [
      limit === marked ? markup` <span class="chip plain">${mark}</span>` : undefined,
      limit.unenforced === undefined
        ? undefined
        : markup` <span class="chip plain">${unenforcedText(limit.unenforced)}</span>`,
    ];
    return markup`<tr role="row"><th scope="row" role="rowheader">${limitName(limit)}${chips}</th>
<td role="cell" class="wide bar-cell">${bar({
      segments: [{ colour: `${severity}-bar`, label: text, amount: Math.min(limit.ratio, scale) }],
      marks: [{ kind: 'limit', label: `limit ${limitText(limit)}`, amount: 1 }],
      scale,
      text,
    })}</td>
${limit.samples && markup`<td role="cell" class="wide bar-cell">${curve(limit, limit.samples, axis)}</td>`}<td role="cell" class="low number" data-label="Used">${formatBytes(limit.usedBytes)} of ${limitText(limit)}${limit.counted === undefined ? undefined : markup` <span class="muted">${limit.counted}</span>`}</td>
<td role="cell" class="number"><span class="${toneClass(severity)}">${formatPercent(limit.ratio)}</span></td></tr>`;
  };
  const columns: Parameters<typeof dataTable>[2] = {
    'Limit of': 'text',
    'Used; the mark is the limit': 'text',
    ...(limits.some(({ samples }) => samples !== undefined) ? { 'Last measurements': 'text' } : {}),
    Used: 'number',
    Ratio: 'number',
  };
  return dataTable('stack dense', 'Limits', columns, limits.map(row));
}

/** A flat one is a text, as are too few samples for one. */
function curve(limit: LimitReport, samples: LimitExplanation['samples'], axis: ReturnType<typeof timeAxis>): Markup {
  const frame = { limitBytes: limit.limitBytes, axis };
  const line = isFlat(samples) ? undefined : sparkline(samples, limitSubject(limit), frame);
  return markup`${line}<span class="small muted">${changeText(samples) ?? lackText(limit, samples.length)}</span>`;
}

function lackText(limit: LimitReport, count: number): string {
  if (count > 0) return 'measured once';
  if (limit.rule === 'pod') return 'not measured';
  return canEvict(limit) ? 'not kept: below 40 %, and no marked change seen' : 'not kept: it does not evict';
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
