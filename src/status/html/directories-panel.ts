import { formatAge, formatBytes, formatPercent } from '../../base/units.js';
import type { MeasuredDirectories } from '../../query/measured-directories.js';
import { partName, partNote, problemsOf, summaryText, sumText } from '../../report/directory-texts.js';
import { directoriesCommand } from '../../report/pod-commands.js';
import { type EntryReport, hasFound, type PartReport, type PodDirectories } from '../../report/pod-directories.js';
import type { PodPlace } from '../../report/pod-report.js';
import type { PageView } from '../views.js';
import { dataTable, emptyText, panel } from './components.js';
import type { Links } from './links.js';
import { type Markup, markup } from './markup.js';

type ShownPlace = Pick<PodPlace, 'namespace' | 'pod'> & { readonly spec?: { readonly phase: string } | undefined };

/** The page that has the pod measured. */
export function directoriesPage({ data }: PageView & { readonly kind: 'directories' }, links: Links): Markup {
  return markup`<h1>Directories of pod ${links.pod(data)}</h1>
${directoriesPanel(data, data, links)}`;
}

/** `measured`: undefined without an agent on its node. */
export function directoriesPanel(pod: ShownPlace, measured: MeasuredDirectories | undefined, links: Links): Markup {
  return panel({ id: 'directories', title: 'Directories', body: body(pod, measured, links) });
}

const shownCount = 20;

function body(pod: ShownPlace, measured: MeasuredDirectories | undefined, links: Links): Markup {
  if (measured === undefined) {
    if (pod.spec?.phase !== 'Running') return emptyText('Not measured: none of its containers is known to run.');
    return withoutAgent('No agent on its node measures them. This lists them by commands', pod);
  }
  const { directories, ageMs = 0 } = measured;
  return markup`${stateText(pod, measured, links)}
${directories === undefined ? undefined : found(directories, ageMs)}`;
}

function withoutAgent(text: string, pod: ShownPlace): Markup {
  return markup`${emptyText(`${text} in its containers, with your own permissions:`)}
<ul class="commands small"><li><code>${directoriesCommand(pod)}</code></li></ul>`;
}

function stateText(pod: ShownPlace, { state, directories }: MeasuredDirectories, links: Links): Markup | undefined {
  if (state === 'measured') return undefined;
  if (state === 'measuring') return emptyText('It is measured now, or waits for others: this page shows the result.');
  if (state === 'failed') return withoutAgent('Nothing could be measured. This lists them by commands', pod);
  return markup`<p class="small">${links.directories(pod, directories === undefined ? 'Measure the directories' : 'Measure again')} <span class="muted">with du on its node: for a minute at most, at the lowest priority, at most once in ten minutes.</span></p>`;
}

function found(directories: PodDirectories, ageMs: number): Markup {
  const problems = problemsOf(directories);
  const reasons =
    problems.length === 0
      ? undefined
      : markup`<ul class="lines small">${problems.map(({ text }) => markup`<li>${text}</li>`)}</ul>`;
  const table = dataTable('stack dense', 'Parts', partColumns, directories.parts.map(partRow));
  const age = formatAge(ageMs);
  const summary = summaryText(directories);
  if (!hasFound(directories)) {
    const rest = summary === undefined ? undefined : ` ${summary}`;
    return markup`<p>Nothing could be measured ${age} ago.${rest}</p>
${reasons}
${table}`;
  }
  return markup`<p>Measured ${age} ago: <strong>${sumText(directories)}.</strong>${summary === undefined ? undefined : ` ${summary}`}</p>
${table}
${largestTable(directories)}
${reasons}`;
}

function largestTable({ largest }: PodDirectories): Markup {
  if (largest.length === 0) return emptyText('No directory or file was found that is large enough to be listed.');
  return dataTable(
    'stack dense',
    'Largest directories and files',
    entryColumns,
    largest.slice(0, shownCount).map(entryRow),
  );
}

const partColumns = {
  Part: 'text',
  Found: 'number',
  Summary: 'number',
  Difference: 'number',
  Share: 'number',
} as const;

function partRow(part: PartReport): Markup {
  const { foundBytes, summaryBytes, differenceBytes, ratio } = part;
  const note = partNote(part);
  return markup`<tr role="row"><th scope="row" role="rowheader"><span class="name">${partName(part)}</span>${note === '' ? undefined : markup` <span class="small muted">${note}</span>`}</th>
<td role="cell" class="number" data-label="Found">${formatBytes(foundBytes)}</td>
<td role="cell" class="low number" data-label="Summary">${formatBytes(summaryBytes)}</td>
<td role="cell" class="low number" data-label="Difference">${formatBytes(differenceBytes)}</td>
<td role="cell" class="number" data-label="Share">${formatPercent(ratio)}</td></tr>`;
}

const entryColumns = { Path: 'text', Type: 'text', In: 'text', Used: 'number', Share: 'number' } as const;

function entryRow(entry: EntryReport): Markup {
  const { path, isDirectory, bytes, ratio } = entry;
  return markup`<tr role="row"><th scope="row" role="rowheader"><span class="name">${path}</span></th>
<td role="cell" class="low" data-label="Type">${isDirectory ? 'directory' : 'file'}</td>
<td role="cell" class="low" data-label="In">${partName(entry)}</td>
<td role="cell" class="number" data-label="Used">${formatBytes(bytes)}</td>
<td role="cell" class="number" data-label="Share">${formatPercent(ratio)}</td></tr>`;
}
