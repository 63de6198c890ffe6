import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { MeasuredDisk, OwnerBytes, UnattributedOwner } from '../../src/node/agent-disk.js';
import type { NodeImages } from '../../src/node/node-images.js';
import type { NodeLayout } from '../../src/node/node-layout.js';
import { partOwners, unattributedReport } from '../../src/report/unattributed-report.js';
import { measuredDiskOf } from '../../src/scrape/snapshot.js';
import { aNode, aPod } from '../support/builders.js';
import { aNodeDisk } from '../support/disk-owners.js';
import { aNodeSnapshot } from '../support/snapshot-builders.js';

const shared: NodeLayout = { hasDedicatedImagefs: false, hasSplitImagefs: false };
const dedicated: NodeLayout = { hasDedicatedImagefs: true, hasSplitImagefs: false };

const rows = (bytes: Partial<Record<UnattributedOwner, number>>): readonly OwnerBytes[] =>
  Object.entries(bytes).map(([owner, usedBytes]) => ({ owner: owner as UnattributedOwner, usedBytes }));

const all = { image_copies: 60, orphaned_pods: 5, logs: 20, runtime_volumes: 0, orphaned_snapshots: 3 };
const diskOf = (bytes: Partial<Record<UnattributedOwner, number>>, disk: Partial<MeasuredDisk> = {}) =>
  aNodeDisk({ ageMs: 7_000, owners: rows(bytes), ...disk });

const split = (bytes: number, disk: MeasuredDisk | undefined, layout = shared, filesystem = 'nodefs' as const) =>
  partOwners(bytes, filesystem, { disk, layout })?.map(({ owner, bytes: ofOwner }) => `${owner} ${ofOwner}`);

describe('the owners of the unattributed bytes of a filesystem', () => {
  it('are the largest first, without those that have none, and the rest', () => {
    expect(split(100, diskOf({ ...all, other: 12 }))).toEqual([
      'image_copies 60',
      'logs 20',
      'orphaned_pods 5',
      'orphaned_snapshots 3',
      'other 12',
    ]);
  });

  it('have a rest below 0 where more was measured than is there now', () => {
    expect(split(70, diskOf(all))).toEqual([
      'image_copies 60',
      'logs 20',
      'orphaned_pods 5',
      'orphaned_snapshots 3',
      'other -18',
    ]);
  });

  it('name a rest that may be of owners that are not measured', () => {
    const { logs, orphaned_pods: pods } = all;
    expect(split(100, diskOf({ logs, orphaned_pods: pods }))).toEqual(['logs 20', 'orphaned_pods 5', 'unmeasured 75']);
  });

  it('are those of the runtime where its images are, and the others on nodefs', () => {
    const disk = diskOf(all);
    expect(split(100, disk, dedicated)).toEqual(['logs 20', 'orphaned_pods 5', 'other 75']);
    expect(partOwners(100, 'imagefs', { disk, layout: dedicated })).toEqual([
      { owner: 'image_copies', bytes: 60 },
      { owner: 'orphaned_snapshots', bytes: 3 },
      { owner: 'other', bytes: 37 },
    ]);
    expect(partOwners(100, 'containerfs', { disk, layout: dedicated })).toBeUndefined();
  });

  it.each([
    ['without an agent', undefined],
    ['before the first measurement', diskOf({ runtime_volumes: 0 }, { ageMs: undefined })],
    ['while none of them is measured as a whole', diskOf({})],
  ])('are not known %s', (_case, disk) => {
    expect(split(100, disk)).toBeUndefined();
    expect(unattributedReport(disk, aNodeSnapshot())).toBeUndefined();
  });

  it('always add up, whatever is measured', () => {
    const amount = fc.integer({ min: 0, max: 2 ** 40 });
    const measured = fc.record(
      Object.fromEntries(Object.keys(all).map((owner) => [owner, amount])) as Record<
        keyof typeof all,
        fc.Arbitrary<number>
      >,
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.integer({ min: -(2 ** 40), max: 2 ** 42 }), measured, (bytes, owners) => {
        const parts = partOwners(bytes, 'nodefs', { disk: diskOf(owners), layout: shared });
        expect(parts?.reduce((sum, part) => sum + part.bytes, 0) ?? bytes).toBe(bytes);
      }),
    );
  });
});

const images: NodeImages = {
  sizes: 'compressed',
  imageCount: 3,
  sizeBytes: 100,
  isCut: false,
  unusedBytes: 10,
  maxCopiesBytes: 100,
  collection: undefined,
};
const image = (sizeBytes: number, ...keys: readonly string[]) => ({ name: keys[0], keys, sizeBytes });
/** The second one has no name: it may be in use. */
const node = aNode({ images: [image(10, 'old'), image(30), image(60, 'app')] });
const snapshotOf = (changed: Partial<NodeImages> = {}) =>
  aNodeSnapshot({ node, images: { ...images, ...changed }, podsOnNode: [aPod({ images: ['app'], phase: 'Running' })] });

describe('the unattributed bytes of a node', () => {
  it('have their owners, the largest first and the rest last, and the age of the measurement', () => {
    const report = unattributedReport(diskOf({ logs: 20, other: 500, image_copies: 60 }), snapshotOf());
    expect(report).toMatchObject({ ageMs: 7_000 });
    expect(report?.owners.map(({ owner }) => owner)).toEqual(['image_copies', 'logs', 'other']);
  });

  it.each<
    [what: string, bytes: Partial<Record<UnattributedOwner, number>>, images: Partial<NodeImages>, copies?: number]
  >([
    ['those of images that may be unused, also one without a name', { image_copies: 60 }, {}, 40],
    ['no more than there are on the disk', { image_copies: 25 }, {}, 25],
    ['not known where copies are not measured', { logs: 1 }, {}],
    ['not known where the list of images is cut', { image_copies: 60 }, { isCut: true }],
    ['not known where not all pods are read', { image_copies: 60 }, { unusedBytes: undefined }],
    ['not known of a runtime that lists unpacked sizes', { image_copies: 60 }, { sizes: 'unpacked' }],
  ])('have what pruning images frees at most; the copies are %s', (_what, bytes, changed, copiesBytes) => {
    const disk = diskOf(bytes, { unusedLayersBytes: 33 });
    expect(unattributedReport(disk, snapshotOf(changed))?.prune).toEqual({ layersBytes: 33, copiesBytes });
  });

  it('have nothing to prune while layers are not measured', () => {
    expect(unattributedReport(diskOf(all), snapshotOf())?.prune).toBeUndefined();
  });

  it('are measured by the agent of that node alone', () => {
    const disk = diskOf(all);
    const cluster = { agent: { pods: [], disk } };
    expect(measuredDiskOf(cluster, 'node-1')).toBe(disk);
    expect(measuredDiskOf(cluster, 'node-2')).toBeUndefined();
    expect(measuredDiskOf({}, 'node-1')).toBeUndefined();
  });
});
