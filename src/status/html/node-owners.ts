import { joinTruncated } from '../../base/text.js';
import { formatBytes } from '../../base/units.js';
import { ownerFixes, ownerNames, ownersAgeText, pruneText } from '../../report/owner-texts.js';
import type { UnattributedReport } from '../../report/unattributed-report.js';
import { dataTable } from './components.js';
import { type Markup, markup } from './markup.js';

/** Whose bytes are neither those of pods nor of images, where they are, and what to do; undefined without an agent on the node. */
export function ownersPart(
  report: UnattributedReport | undefined,
  images: Parameters<typeof pruneText>[1],
): Markup | undefined {
  if (report === undefined) return undefined;
  const rows = report.owners.filter(({ usedBytes }) => usedBytes !== 0).map(ownerRow);
  const prune = report.prune && markup`<p class="small muted">${pruneText(report.prune, images)}</p>`;
  return markup`<h3>Other (not pods, not images) <span class="small muted">${ownersAgeText(report)}</span></h3>
${dataTable('stack dense', 'Owners of what is other', { Owner: 'text', Size: 'number', Largest: 'text', 'What to do': 'text' }, rows)}${prune}`;
}

function ownerRow({ owner, usedBytes, places }: UnattributedReport['owners'][number]): Markup {
  const { count = 0, largest = [] } = places ?? {};
  const where = largest.map(({ path, usedBytes: bytes }) => `${path} (${formatBytes(bytes)})`);
  return markup`<tr role="row"><th scope="row" role="rowheader">${ownerNames[owner]}</th><td role="cell" class="number">${formatBytes(usedBytes)}</td><td role="cell" class="break" data-label="Largest">${where.length === 0 ? '-' : joinTruncated(where, where.length, count)}</td><td role="cell" class="low" data-label="What to do">${ownerFixes[owner]}</td></tr>`;
}
