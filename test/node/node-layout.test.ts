import { describe, expect, it } from 'vitest';

import { evictionSignals } from '../../src/cluster/kubelet/eviction-signals.js';
import type { NodeSummary } from '../../src/cluster/kubelet/summary.js';
import { signalPlace } from '../../src/facts/node/filesystem-owners.js';
import {
  type LayoutEvidence,
  layoutEvidence,
  layoutFrom,
  nodeLayout,
  sameFilesystem,
} from '../../src/facts/node/node-layout.js';
import { anFsStats, aNodeSummary } from '../support/builders.js';

const disk = anFsStats({ capacityBytes: 100_000, availableBytes: 60_000, inodes: 5000 });

it('the layout of a node is split when writable layers lie apart from the images', () => {
  const images = { ...disk, capacityBytes: 500_000 };
  expect(nodeLayout(aNodeSummary({ nodefs: disk, imagefs: images, containerfs: disk }))).toEqual({
    hasDedicatedImagefs: true,
    hasSplitImagefs: true,
  });
  const nodefs = { ...disk, capacityBytes: undefined };
  expect(nodeLayout(aNodeSummary({ nodefs, imagefs: images, containerfs: disk })).hasDedicatedImagefs).toBe(true);
});

describe('layoutEvidence: filesystems of one size', () => {
  const nodefs = { ...disk, usedBytes: 50, inodesUsed: 26 };
  type Stats = Partial<typeof nodefs>;
  /** Of imagefs and nodefs, as differences to `nodefs`; summaries are a minute apart. */
  type Looks = readonly (readonly [imagefs: Stats, nodefs?: Stats])[];
  const layoutAfter = (looks: Looks) => {
    let evidence: LayoutEvidence | undefined;
    for (const [index, [images, node]] of looks.entries()) {
      const imagefs = { ...nodefs, timeMs: index, ...images };
      const summary = aNodeSummary({ nodefs: { ...nodefs, timeMs: index, ...node }, imagefs, containerfs: imagefs });
      evidence = layoutEvidence(summary, evidence);
    }
    return evidence && layoutFrom(evidence).hasDedicatedImagefs;
  };
  const free: Stats = { availableBytes: 61_001 };
  const inodes: Stats = { inodes: 5051 };
  const more: Stats = { usedBytes: 51, inodesUsed: 27 };
  const moved: Stats = { availableBytes: 59_000 };
  const nothing: Stats = { inodes: 0, inodesUsed: 0 };
  const twice = (look: Looks[number]): Looks => [look, look];
  const timeless: Stats = { capacityBytes: 200_000, timeMs: undefined };

  it.each<readonly [string, Looks, boolean]>([
    ['more free bytes twice', [[free], [free]], true],
    ['another number of inodes twice', [[inodes], [inodes]], true],
    ['more bytes and inodes of the runtime than on nodefs twice', [[more], [more]], true],
    ['one sign of two and then another', [[free], [more]], true],
    ['a sign of two and none in between', [[free], [{}], [free]], false],
    ['free bytes a hundredth of the size apart', [[{ availableBytes: 61_000 }], [{ availableBytes: 61_000 }]], false],
    ['inodes a hundredth apart', twice([{ inodes: 10_000 }, { inodes: 9_900 }]), false],
    ['inodes of one alone', [[{ inodes: 0 }], [{ inodes: 0 }]], false],
    ['the same measurements twice', [[free], [{ ...free, timeMs: 0 }, { timeMs: 0 }]], false],
    ['one figure that is frozen', [[free], [{ ...free, timeMs: 0 }], [{ ...free, timeMs: 0 }]], false],
    ['more bytes of the runtime only: it may count layers twice', [[{ usedBytes: 51 }], [{ usedBytes: 51 }]], false],
    ['more inodes of the runtime only', [[{ inodesUsed: 27 }], [{ inodesUsed: 27 }]], false],
    ['no number of inodes', twice([{ ...more, inodes: 0 }, nothing]), false],
    ['free bytes that move by the same amount', [[more], [{ ...more, ...moved }, moved], [more]], false],
    ['free bytes that stand still', [[more], [more], [more]], true],
    ['two contrary summaries once two are decided', [[free], [free], [{}], [{}]], true],
    ['three contrary summaries once two are decided', [[free], [free], [{}], [{}], [{}]], false],
    ['two contrary summaries once one is decided', [[{}], [free], [free]], false],
    ['three contrary summaries once one is decided', [[{}], [free], [free], [free]], true],
    ['three contrary summaries with several signs', [[{}], [free], [{ capacityBytes: 200_000 }], [free]], true],
    ['two once there are figures to compare', [[{ capacityBytes: undefined }], [{ capacityBytes: 200_000 }]], true],
    [
      'figures to compare at last, without times',
      [[{ ...timeless, capacityBytes: undefined }], [timeless, { timeMs: undefined }]],
      true,
    ],
    ['three, one of which says nothing', [[{}], [free], [{ capacityBytes: undefined }], [free], [free]], true],
  ])('the filesystems are two, or one, with %s', (_what, looks, expected) => {
    expect(layoutAfter(looks)).toBe(expected);
  });

  it.each<readonly [string, Partial<NodeSummary>, readonly string[]]>([
    ['are undecided', { nodefs: { ...disk, capacityBytes: undefined }, imagefs: disk, containerfs: disk }, ['nodefs']],
    ['are undecided', { nodefs: disk, imagefs: disk, containerfs: { ...disk, availableBytes: undefined } }, ['nodefs']],
    ['are not all reported', { nodefs: undefined, imagefs: disk, containerfs: disk }, ['imagefs']],
    ['are not all reported', { nodefs: disk, containerfs: { ...disk, capacityBytes: undefined } }, ['nodefs']],
    [
      'are of another size',
      { nodefs: disk, imagefs: { ...disk, capacityBytes: 7 }, containerfs: disk },
      ['nodefs', 'imagefs'],
    ],
    ['are of another size', { nodefs: disk, containerfs: { ...disk, capacityBytes: 7 } }, ['nodefs', 'containerfs']],
  ])('each filesystem has one name where they %s: %j', (_what, parts, expected) => {
    const summary = aNodeSummary({ nodefs: undefined, imagefs: undefined, ...parts });
    const names = (['nodefs', 'imagefs', 'containerfs'] as const).filter((name) => summary[name] !== undefined);
    expect(names.filter((name) => sameFilesystem(name, summary, nodeLayout(summary)) === undefined)).toEqual(expected);
    const oneDisk = { hasDedicatedImagefs: false, hasSplitImagefs: false };
    expect(sameFilesystem('imagefs', { ...summary, nodefs: undefined }, oneDisk)).toBeUndefined();
    const places = evictionSignals.map((signal) => signalPlace(signal, { summary, layout: nodeLayout(summary) }));
    expect(expected).toEqual(expect.arrayContaining(places.filter((name) => summary[name] !== undefined)));
  });
});
