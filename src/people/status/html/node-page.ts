import { groupBy } from '../../../lib/base/maps.js';
import { formatCount } from '../../../lib/base/text.js';
import { formatAge, formatBytes } from '../../../lib/base/units.js';
import { absenceCommands } from '../../report/absence-commands.js';
import { enforcementText, unknownHeadroomText } from '../../report/enforcement-report.js';
import type { FindingReport } from '../../report/finding-report.js';
import type { NodeFailure } from '../../report/node-report.js';
import type { Status } from '../status.js';
import type { NodeObject, PageView } from '../views.js';
import { dataTable, emptyText, panel } from './components.js';
import { findingTitles } from './findings-section.js';
import type { Links } from './links.js';
import { podList } from './list-pages.js';
import { type Markup, markup, type MarkupContent } from './markup.js';
import { nodeDisk } from './node-disk.js';
import { nodeEvictions } from './node-evictions.js';
import { conditionMarks, stateChips } from './node-state.js';
import { objectLinkList } from './object-links.js';
import { countText, moreText, timePart } from './texts.js';

/** What fills the disk of one node, and whom its kubelet evicts for it. */
export function nodePage({ data, query }: PageView & { readonly kind: 'node' }, links: Links, status: Status): Markup {
  const { node, pods } = data;
  return markup`<h1>Node ${links.nodeText(node.node)}</h1>
${objectLinkList(status.links, { cluster: status.clusterName, node: node.node })}
${verdictPart(data)}
${facts(data)}
${nodeDisk(data)}${nodeEvictions(data, links)}
<section class="panel" aria-labelledby="pods-title"><h2 id="pods-title">Pods</h2>
${podList({ page: pods, query, links, fixed: ['node'] })}</section>
<div class="pair">${images(data)}${findings(data, links)}</div>
${evictions(data, links)}`;
}

/** What is the matter in one sentence, and the next command. Nothing is in the colour of health without data. */
function verdictPart({ node }: NodeObject): Markup {
  const { severity } = conditionMarks[node.condition];
  const { verdict, enforcement = [] } = node;
  const reason =
    node.state === 'absent'
      ? markup`<p><strong>No data.</strong> ${node.hint}</p>${pendingText(node.expectedPodCount)}`
      : undefined;
  const sentence =
    verdict === undefined
      ? reason === undefined
        ? markup`<p><strong>${wellText(node)}</strong></p>`
        : undefined
      : markup`<p><strong>${verdict.text}</strong></p>`;
  const ofAbsence = node.state === 'absent' ? absenceCommands(node.reason, node.node, node.failure) : [];
  const commands = [...new Set([...ofAbsence, ...(verdict?.commands ?? [])])];
  return markup`<section id="part-verdict" data-part class="banner verdict ${severity}" aria-label="Verdict">${reason}${sentence}${enforcement.map((kind) => markup`<p class="t-warning">${capitalised(enforcementText(kind, node))}.</p>`)}${
    commands.length === 0
      ? undefined
      : markup`<ul class="commands small">${commands.map((command) => markup`<li><code>${command}</code></li>`)}</ul>`
  }</section>`;
}

function pendingText(count: number): Markup | undefined {
  return count === 0 ? undefined : markup`<p>${countText(count, 'running pod', 'running pods')} not measured.</p>`;
}

function wellText(node: NodeObject['node']): string {
  const { condition } = node;
  const { text } = conditionMarks[condition];
  if (condition === 'unknown' && node.state !== 'absent')
    return unknownHeadroomText(node.filesystems, node.enforcement);
  return condition === 'ok' ? 'Not close to evicting pods.' : `${capitalised(text)}; not close to evicting pods.`;
}

function capitalised(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

function facts(data: NodeObject): Markup {
  const { node } = data;
  const { kubeletVersion, operatingSystem, ready, readyChangedAtMs, diskPressure, allocatableBytes, failure } = node;
  const all: Readonly<Record<string, MarkupContent>> = {
    State: stateChips(node),
    Kubelet: kubeletVersion ?? 'unknown',
    'Operating system': operatingSystem ?? 'unknown',
    Ready: markup`${flagText(ready)}${readyChangedAtMs === undefined ? undefined : markup` <span class="muted">since ${timePart(readyChangedAtMs)}</span>`}`,
    DiskPressure: flagText(diskPressure),
    'Disk layout': node.layout ?? 'unknown',
    Allocatable: formatBytes(allocatableBytes),
    'Pods measured': podsText(node),
    ...(failure === undefined ? {} : { 'Last request': failureText(failure) }),
  };
  return markup`<dl id="part-facts" data-part class="facts small">${Object.entries(all).map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function flagText(flag: boolean | undefined): string {
  if (flag === undefined) return 'unknown';
  return flag ? 'true' : 'false';
}

function failureText({ ageMs, message }: NodeFailure): Markup {
  return markup`<span class="t-warning">failed ${formatAge(ageMs)} ago</span>: ${message}`;
}

function podsText(node: NodeObject['node']): MarkupContent {
  const { measuredPodCount, expectedPodCount } = node;
  const measured = `${formatCount(measuredPodCount)} of ${formatCount(expectedPodCount)}`;
  if (node.state === 'absent') return measured;
  const { missingPodCount, danglingPodCount, pendingPodCount, podsUsedBytes, otherPodCount, otherPodsUsedBytes } = node;
  const deviations = [
    ...(missingPodCount > 0 ? [`${formatCount(missingPodCount)} missing from the summary`] : []),
    ...(danglingPodCount > 0 ? [`${formatCount(danglingPodCount)} unknown to the API server`] : []),
    ...(pendingPodCount > 0 ? [`volumes of ${formatCount(pendingPodCount)} not measured`] : []),
  ];
  const others =
    otherPodsUsedBytes === 0
      ? ''
      : `, ${formatBytes(otherPodsUsedBytes)} by ${countText(otherPodCount, 'other pod', 'other pods')} (not in scope, or not known to the API server here)`;
  return markup`${measured}, ${pendingPodCount > 0 ? 'at least ' : ''}${formatBytes(podsUsedBytes)}${others}${deviations.length === 0 ? undefined : markup`; <span class="t-warning">${deviations.join(', ')}</span>`}`;
}

const shownImageCount = 10;

function images({ node: { listedImages } }: NodeObject): Markup {
  const shown = listedImages.slice(0, shownImageCount);
  const use = (isUnused: boolean | undefined): string =>
    isUnused === undefined ? 'not known' : isUnused ? 'unused' : 'in use';
  const body =
    shown.length === 0
      ? emptyText('The status of the node lists no images.')
      : markup`${dataTable(
          'stack dense',
          'Largest images',
          { Image: 'text', Size: 'number', Use: 'text' },
          shown.map(
            ({ name, sizeBytes, isUnused }) =>
              markup`<tr role="row"><th scope="row" role="rowheader" class="break">${name ?? 'without a name'}</th><td role="cell" class="number">${formatBytes(sizeBytes)}</td><td role="cell" class="low" data-label="Use">${use(isUnused)}</td></tr>`,
          ),
        )}${moreText({ items: shown, totalCount: listedImages.length }, 'images')}`;
  return panel({ id: 'images', title: 'Largest images', body });
}

/** Of each kind. */
const shownFindingCount = 5;

function findings({ node }: NodeObject, links: Links): Markup {
  const kinds = [...groupBy(node.findings, ({ kind }) => kind).values()];
  const body =
    kinds.length === 0
      ? emptyText(node.state !== 'absent' || node.lastKnown ? 'Nothing was found.' : 'The specs of its pods show none.')
      : kinds.map((found) => findingPart(found, links));
  return panel({ id: 'findings', title: 'Warnings', body: markup`${findingsNote(node)}${body}` });
}

function findingsNote(node: NodeObject['node']): Markup | undefined {
  if (node.state !== 'absent') return undefined;
  return node.lastKnown === undefined
    ? markup`<p class="small muted">No data: by the specs of its pods alone.</p>`
    : markup`<p class="t-warning">Last known, ${formatAge(node.lastKnown.dataAgeMs)} ago.</p>`;
}

function findingPart(found: readonly [FindingReport, ...FindingReport[]], links: Links): Markup {
  const [{ kind, fix }] = found;
  const shown = found.slice(0, shownFindingCount);
  return markup`<h3>${findingTitles[kind]}</h3><p class="small muted">${fix}</p>
<ul class="small">${shown.map(({ namespace, pod, what }) => markup`<li>${links.pod({ namespace, pod })}: ${what}</li>`)}</ul>${moreText({ items: shown, totalCount: found.length }, 'findings')}`;
}

function evictions({ node, evictions: seen }: NodeObject, links: Links): Markup {
  const body =
    seen.length === 0
      ? emptyText('No eviction on this node is remembered.')
      : markup`<ul class="lines small">${seen.map(
          (of) =>
            markup`<li>${links.eviction(of.uid, timePart(of.evictedAtMs))} ${links.pod(of)} ${of.verdict?.text ?? of.message.trim()}</li>`,
        )}</ul>`;
  return panel({
    id: 'evictions',
    title: 'Evictions',
    aside: links.list('evictions', { node: node.node }, 'all evictions of the node'),
    body,
  });
}
