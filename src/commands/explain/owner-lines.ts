import { formatBytes } from '../../base/units.js';
import type { OwnerBytes } from '../../node/agent-disk.js';
import type { NodeImages } from '../../node/node-images.js';
import { ownerFixes, ownerNames, ownersAgeText, pruneText } from '../../report/owner-texts.js';
import type { UnattributedReport } from '../../report/unattributed-report.js';
import { type Column, tableLines } from '../text/table.js';
import { wrap, wrapped } from '../text/terminal-text.js';

/** Whose bytes are neither those of pods nor of images, with what to do about the largest; none without an agent on the node. */
export function ownerLines(
  unattributed: UnattributedReport | undefined,
  images: NodeImages | undefined,
  width: number,
): readonly string[] {
  if (unattributed === undefined) return [];
  const { owners, prune } = unattributed;
  const shown = owners.filter(({ usedBytes }) => usedBytes !== 0);
  const fixes = shown.slice(0, 1).map(({ owner }) => ownerFixes[owner]);
  return [
    ...wrap(`Other (not pods, not images), ${ownersAgeText(unattributed)}:`, width),
    ...tableLines(ownerColumns, shown, width),
    ...wrapped([...fixes, ...(prune === undefined ? [] : [pruneText(prune, images)])], width),
  ];
}

const ownerColumns: readonly Column<OwnerBytes>[] = [
  { header: 'OWNER', text: ({ owner }) => ownerNames[owner] },
  { header: 'SIZE', text: ({ usedBytes }) => formatBytes(usedBytes), align: 'right' },
  { header: 'PLACES', text: ({ places }) => String(places?.count ?? '-'), align: 'right', dropRank: 2 },
  { header: 'LARGEST', text: ({ places }) => places?.largest[0]?.path ?? '-', minWidth: 20, dropRank: 1 },
];
