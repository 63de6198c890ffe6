import { formatAge, formatBytes } from '../../base/units.js';
import { causeText, unknownUsageText } from '../../report/eviction-cause-text.js';
import type { EvictionReport, LastUsageReport } from '../../report/eviction-report.js';
import type { ShownEviction, ShownEvictions, Status } from '../status.js';
import { bytesScale, componentBar, dataTable, emptyText, panel } from './components.js';
import { type Markup, markup } from './markup.js';
import { countText, moreText, timeText } from './texts.js';

/** The pods that were evicted for local storage, and what they used before; `allHref`: all of them, as JSON. */
export function evictions({ evictions: seen }: Status, allHref: string): Markup {
  return panel({
    id: 'evictions',
    title: 'Evictions',
    aside: markup`<p class="small muted">pods that kubelets evicted for local storage, the newest first</p>`,
    body: seen === undefined ? undefined : bodyOf(seen, allHref),
  });
}

function bodyOf(seen: ShownEvictions, allHref: string): Markup {
  const refused =
    seen.refusedCount === 0
      ? undefined
      : markup`<p class="more">Besides, ${countText(seen.refusedCount, 'pod was', 'pods were')} refused: their node was under disk pressure.</p>`;
  if (seen.items.length === 0)
    return markup`${emptyText('No eviction of a running pod for local storage was seen.')}${refused}`;
  const scale = bytesScale(seen.items.map(({ lastUsage }) => ({ usedBytes: lastUsage?.usedBytes })));
  const table = dataTable(
    'stack',
    'Evicted pods',
    { Pod: 'text', 'Evicted for': 'text', 'Last measured, by component': 'text', 'Growth before': 'text' },
    seen.items.map((eviction) => row(eviction, scale)),
  );
  return markup`${table}
${moreText(seen, 'evictions', allOf(allHref))}${refused}`;
}

function allOf(href: string): Markup {
  return markup`: all <a href="${href}" data-key="all-evictions">as JSON</a>, or by top evictions -A`;
}

function row(eviction: ShownEviction, scale: number): Markup {
  const { namespace, pod, node, workloads, evictedAtMs, ageMs, message, lastUsage } = eviction;
  const of = workloads.map(({ workload, workloadType }) => `${workloadType} ${workload}`).join(', ');
  return markup`<tr role="row"><th scope="row" role="rowheader"><span class="name">${namespace}/${pod}</span> <span class="small muted">${node}${of === '' ? '' : `; ${of}`}</span></th>
<td role="cell" class="low" data-label="Evicted for"><strong title="${message.trim()}">${causeText(eviction)}</strong>${nodeVerdict(eviction)}<br> <span class="small muted"><time title="${timeText(evictedAtMs)}">${formatAge(ageMs)} ago</time></span></td>
<td role="cell" class="wide">${lastUsage === undefined ? markup`<span class="small muted">${unknownUsageText(eviction)}</span>` : usage(lastUsage, eviction, scale)}</td>
${lastUsage === undefined ? markup`<td role="cell"></td>` : markup`<td role="cell" class="low" data-label="Growth before">${growth(lastUsage)}</td>`}</tr>`;
}

/** Of a limit, the cause has it all. */
function nodeVerdict({ cause, verdict }: ShownEviction): Markup | undefined {
  const isOfNode = cause === 'node_bytes' || cause === 'node_inodes';
  return isOfNode && verdict !== undefined ? markup`<br> <span class="small">${verdict.text}</span>` : undefined;
}

function usage(
  { components, usedBytes, ageMs }: LastUsageReport,
  { cause, limitBytes }: EvictionReport,
  scale: number,
): Markup {
  const age = markup`<span class="small muted">${formatAge(ageMs)} before</span>`;
  if (components === undefined || usedBytes === undefined)
    return markup`<span class="small muted">no total</span> ${age}`;
  return markup`<strong>${formatBytes(usedBytes)}</strong> ${age}${componentBar(components, { usedBytes, limitBytes: cause === 'pod_limit' ? limitBytes : undefined }, scale)}`;
}

function growth({
  growthBytesPerSecond: rate,
  limitForAnHourBytes: limit,
  samples,
}: LastUsageReport): Markup | undefined {
  if (rate === undefined) return markup`<span class="small muted">measured once</span>`;
  const text = rate > 0 ? `${formatBytes(Math.round(rate * 60))}/min` : 'none';
  const hint =
    limit === undefined
      ? undefined
      : markup`<br> <span class="small muted">limit for an hour more: ${formatBytes(limit)}</span>`;
  return markup`${sparkline(samples, `Total over ${samples.length} measurements`)} ${text}${hint}`;
}

const width = 72;
const height = 20;

/** The samples as a line above zero; at least two. */
function sparkline(samples: readonly { readonly atMs: number; readonly usedBytes: number }[], text: string): Markup {
  const startMs = samples[0]?.atMs ?? 0;
  const spanMs = Math.max(1, (samples.at(-1)?.atMs ?? startMs) - startMs);
  const highestBytes = Math.max(1, ...samples.map(({ usedBytes }) => usedBytes));
  const points = samples.map(({ atMs, usedBytes }) => {
    const x = ((atMs - startMs) / spanMs) * width;
    const y = height - (usedBytes / highestBytes) * (height - 2) - 1;
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  return markup`<svg class="spark" width="${width}" height="${height}" role="img" aria-label="${text}"><polyline points="${points.join(' ')}"/></svg>`;
}
