import { describe, expect, it } from 'vitest';

import { nodeLayout } from '../../src/node/node-layout.js';
import { anFsStats, aNodeSummary } from '../support/builders.js';

const disk = anFsStats({ capacityBytes: 100_000, availableBytes: 60_000, inodes: 5000 });

describe('nodeLayout', () => {
  it.each([
    ['the same figures', disk, false],
    ['a little more free space, measured later', { ...disk, availableBytes: 60_999 }, false],
    ['another size', { ...disk, capacityBytes: 200_000 }, true],
    ['as many bytes and other inodes', { ...disk, inodes: 7000 }, true],
    ['the same size and far more free space', { ...disk, availableBytes: 61_001 }, true],
    ['another size and no free space reported', { ...disk, capacityBytes: 200_000, availableBytes: undefined }, true],
    ['no free space reported', { ...disk, availableBytes: undefined }, undefined],
    ['no inodes reported', { ...disk, inodes: undefined }, false],
    ['no size reported', { ...disk, capacityBytes: undefined }, undefined],
    ['nothing reported', undefined, undefined],
  ])('a node has a dedicated image filesystem, or not, with %s', (_what, imagefs, expected) => {
    expect(nodeLayout(aNodeSummary({ nodefs: disk, imagefs })).hasDedicatedImagefs).toBe(expected);
  });

  it('the layout of a node is split when writable layers lie apart from the images', () => {
    const images = { ...disk, capacityBytes: 500_000 };
    expect(nodeLayout(aNodeSummary({ nodefs: disk, imagefs: images, containerfs: disk }))).toEqual({
      hasDedicatedImagefs: true,
      hasSplitImagefs: true,
    });
  });

  it('the layout of a node is not split when the kubelet repeats the image filesystem, or has no other', () => {
    expect(nodeLayout(aNodeSummary({ nodefs: disk, imagefs: disk, containerfs: disk })).hasSplitImagefs).toBe(false);
    expect(nodeLayout(aNodeSummary({ nodefs: disk, imagefs: disk })).hasSplitImagefs).toBeUndefined();
  });
});

describe('nodeLayout: two disks of one size that are about equally empty', () => {
  const nodefs = { ...disk, usedBytes: 50, inodesUsed: 26 };
  const layoutOf = (imagefs: typeof nodefs) => nodeLayout(aNodeSummary({ nodefs, imagefs, containerfs: imagefs }));

  it('similar disks are two where the runtime has more bytes and inodes than there are on nodefs', () => {
    expect(layoutOf({ ...nodefs, usedBytes: 51, inodesUsed: 27 }).hasDedicatedImagefs).toBe(true);
  });

  it.each([
    ['bytes', { usedBytes: 51, inodesUsed: 26 }],
    ['inodes', { usedBytes: 50, inodesUsed: 27 }],
  ])('similar disks are one where the runtime has more %s only: it may count layers twice', (_what, stats) => {
    expect(layoutOf({ ...nodefs, ...stats }).hasDedicatedImagefs).toBe(false);
  });
});
