import { formatCount } from '../../../lib/base/text.js';
import { formatAge } from '../../../lib/base/units.js';
import { panel } from '../../pens/html-kit.js';
import { type Markup, markup, type MarkupContent } from '../../pens/markup.js';
import type { HealthReport, StoreHealthReport } from '../../report/health-report.js';
import type { Status } from '../status.js';
import { countText } from './texts.js';

/** How far the data can be trusted. */
export function trust({ health }: Status): Markup {
  return panel({
    id: 'trust',
    title: 'Data quality',
    aside: markup`<p class="small muted">counts since the start</p>`,
    body: markup`<div class="trust">${stores(health)}${counts('Kubelet requests', health.kubeletRequests)}${counts('Scrapes', health.scrapes)}${expositionAndSettings(health)}</div>`,
  });
}

function stores({ stores: all, unlisted }: HealthReport): Markup {
  return markup`<div><h3>Watches of the API server</h3><table class="small tight"><caption class="visually-hidden">Watches of the API server</caption>
<thead><tr><th scope="col">Resource</th><th scope="col">State</th><th scope="col" class="number">Last event</th><th scope="col" class="number">Objects</th></tr></thead>
<tbody>${all.map((store) => storeRow(store, unlisted.filter(({ resource }) => resource === store.resource).length))}</tbody></table></div>`;
}

function storeRow(
  { resource, isConnected, isPolled, objectCount, lastProgressAgeMs }: StoreHealthReport,
  unlistedCount: number,
): Markup {
  const watch = isPolled ? polled : isConnected ? connected : notConnected;
  const [text, severity] = lastProgressAgeMs === undefined ? notListed : stateOf(unlistedCount, watch);
  return markup`<tr><th scope="row">${resource}</th><td><span class="chip ${severity}">${text}</span></td><td class="number">${lastProgressAgeMs === undefined ? 'never' : `${formatAge(lastProgressAgeMs)} ago`}</td><td class="number">${formatCount(objectCount)}</td></tr>`;
}

type Chip = readonly [text: string, severity: string];

const notListed: Chip = ['not listed', 'critical'];
const connected: Chip = ['connected', 'ok'];
const notConnected: Chip = ['not connected', 'warning'];
const polled: Chip = ['listed each minute', 'warning'];

function stateOf(unlistedCount: number, watch: Chip): Chip {
  if (unlistedCount > 0) return [`${countText(unlistedCount, 'namespace', 'namespaces')} not listed`, 'critical'];
  return watch;
}

/** Successes, and the results that have occurred. */
function counts(title: string, byResult: Readonly<Record<string, number>>): Markup {
  const shown = Object.entries(byResult).filter(([result, count]) => result === 'success' || count > 0);
  return list(
    title,
    shown.map(([result, count]) => [
      result.replaceAll('_', ' '),
      formatCount(count),
      result !== 'success' ? 'warning' : '',
    ]),
  );
}

function expositionAndSettings(health: HealthReport): Markup {
  const { seriesCount, droppedSeriesCount, workloadNameClashCount, settingsAgeMs } = health;
  return list('Exposition and settings', [
    ['series in the last scrape', seriesCount === undefined ? 'none yet' : formatCount(seriesCount), ''],
    ['series dropped', formatCount(droppedSeriesCount), droppedSeriesCount > 0 ? 'warning' : ''],
    ['workload name clashes', formatCount(workloadNameClashCount), workloadNameClashCount > 0 ? 'warning' : ''],
    ['settings loaded', settingsAgeMs === undefined ? 'never' : `${formatAge(settingsAgeMs)} ago`, ''],
    ...(health.isLastReloadSuccessful === false ? [['last reload', 'failed: see the log', 'warning'] as const] : []),
    ...(health.isKubeletTlsUnverified ? [['kubelet certificates', 'not verified', 'warning'] as const] : []),
  ]);
}

function list(
  title: string,
  rows: readonly (readonly [term: string, value: MarkupContent, severity: string])[],
): Markup {
  return markup`<div><h3>${title}</h3><dl class="counts small">${rows.map(
    ([term, value, severity]) =>
      markup`<dt class="muted">${term}</dt><dd class="${severity === '' ? '' : `t-${severity}`}">${value}</dd>`,
  )}</dl></div>`;
}
