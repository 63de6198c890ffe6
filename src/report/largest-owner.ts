import { countedText, escapeInvisible, shellWord } from '../base/text.js';
import { formatAge, formatBytes } from '../base/units.js';
import { countsInodes } from '../kubelet/eviction-signals.js';
import type { MeasuredDisk, OwnerBytes, UnattributedOwner } from '../node/agent-disk.js';
import type { DiskVerdict, Shortage } from '../node/disk-verdict.js';
import { filesystemOwners } from '../node/filesystem-owners.js';
import type { NodeSnapshot } from '../node/node-view.js';
import { partOwners } from './unattributed-report.js';

/** Whose bytes most of the unattributed ones are, where it is no rest. */
export interface LargestOwner extends OwnerBytes {
  readonly owner: Exclude<UnattributedOwner, 'other'>;
  /** Of the measurement. */
  readonly ageMs: number;
}

/** Of the unattributed bytes, and of the capacity: less explains no shortage. */
const leastShares = { ofUnattributed: 0.25, ofCapacity: 0.05 };

/**
 * Returns the owner that a verdict is to name; undefined where the unattributed bytes are not the matter, where none explains much, or
 * where it has more than there is now, since it was measured before something was deleted.
 */
export function largestOwner(
  verdict: DiskVerdict,
  snapshot: NodeSnapshot,
  disk: MeasuredDisk | undefined,
): LargestOwner | undefined {
  const { shortage } = verdict;
  if (disk?.ageMs === undefined || shortage === undefined || !isOfUnattributed(verdict, shortage)) return undefined;
  const { filesystem } = shortage;
  const bytes = filesystemOwners(snapshot).find((of) => of.filesystem === filesystem)?.unattributedBytes ?? 0;
  const [first] = partOwners(bytes, filesystem, { disk, layout: snapshot.layout }) ?? [];
  const found = disk.owners.filter(isNamed).find(({ owner }) => owner === first?.owner);
  return found !== undefined && explains(found, bytes, shortage) ? { ...found, ageMs: disk.ageMs } : undefined;
}

function explains({ usedBytes }: OwnerBytes, unattributedBytes: number, { capacity = 0 }: Shortage): boolean {
  const least = Math.max(leastShares.ofUnattributed * unattributedBytes, leastShares.ofCapacity * capacity);
  return usedBytes >= least && usedBytes <= unattributedBytes;
}

function isOfUnattributed({ kind, remainder }: DiskVerdict, { signal }: Shortage): boolean {
  return !countsInodes(signal) && (kind === 'no_space' || (kind === 'other' && remainder?.holder === 'other'));
}

function isNamed(found: OwnerBytes): found is OwnerBytes & Pick<LargestOwner, 'owner'> {
  return found.owner !== 'other';
}

const texts: Readonly<Record<LargestOwner['owner'], (owner: LargestOwner) => string>> = {
  image_copies: () => 'compressed copies of images, which containerd keeps unless discard_unpacked_layers is set',
  orphaned_pods: ({ places }) =>
    `${countedText(places?.count ?? 0, ['directory', 'directories'])} under /var/lib/kubelet/pods of pods that the API server does not know`,
  orphaned_snapshots: () => 'snapshots that containerd has forgotten',
  logs: ({ places }) => `logs on the node${largestText(places)}`,
  runtime_volumes: ({ places }) =>
    `VOLUME data of the images of ${countedText(places?.count ?? 0, ['container', 'containers'])}, which is no emptyDir`,
};

function largestText(places: OwnerBytes['places']): string {
  const [first] = places?.largest ?? [];
  return first === undefined ? '' : `, most of them ${formatBytes(first.usedBytes)} in ${escapeInvisible(first.path)}`;
}

/** `40Gi of it compressed copies of images (measured 3h ago)`. `of`: what the bytes are part of. */
export function largestOwnerText(largest: LargestOwner, of = 'of it'): string {
  const { owner, usedBytes, ageMs } = largest;
  return `${formatBytes(usedBytes)} ${of} ${texts[owner](largest)} (measured ${formatAge(ageMs)} ago)`;
}

const showLargest = 'sort -h | tail -20';

const commands: Readonly<Record<LargestOwner['owner'], (paths: readonly string[]) => readonly string[]>> = {
  image_copies: () => ['crictl rmi --prune', 'containerd config dump | grep discard_unpacked_layers'],
  orphaned_pods: (paths) => [
    'journalctl -u kubelet --since -10min | grep -i "orphaned pod" | tail -3',
    `du -xhd3 ${paths.join(' ')} | ${showLargest}`,
  ],
  orphaned_snapshots: () => ['ctr -n k8s.io snapshots usage', 'crictl rmi --prune'],
  logs: () => ['journalctl --disk-usage', `du -xah /var/log | ${showLargest}`],
  runtime_volumes: (paths) => [
    ...paths.slice(0, 1).flatMap((path) => containerCommands(path)),
    `du -xhd1 ${paths.join(' ')} | ${showLargest}`,
  ],
};

/** Which pod the container of the volumes belongs to. */
function containerCommands(path: string): readonly string[] {
  const id = /\/containers\/([^/]+)\//.exec(path)?.[1];
  return id === undefined ? [] : [`crictl ps -a --id ${shellWord(id)}`];
}

/** To run on the node. */
export function largestOwnerCommands(largest: LargestOwner | undefined): readonly string[] {
  const paths = (largest?.places?.largest ?? []).map(({ path }) => shellWord(path));
  return largest === undefined ? [] : commands[largest.owner](paths);
}
