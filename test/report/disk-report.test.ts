import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { FsStats } from '../../src/cluster/kubelet/summary.js';
import type { NodeImages } from '../../src/facts/node/node-images.js';
import { nodeLayout } from '../../src/facts/node/node-layout.js';
import type { NodeSnapshot } from '../../src/facts/node/node-view.js';
import { diskReports } from '../../src/people/report/disk-report.js';
import {
  aContainerSummary,
  anFsStats,
  aNodeSummary,
  aPod,
  aPodSummary,
  aVolume,
  aVolumeSummary,
} from '../support/builders.js';
import { aMeasuredPod, aNodeSnapshot, aNodeThreshold, aPodUsage, withoutTotal } from '../support/snapshot-builders.js';

const images: NodeImages = {
  sizes: 'unpacked',
  imageCount: 3,
  sizeBytes: 250,
  isCut: false,
  unusedBytes: 60,
  maxCopiesBytes: undefined,
  collection: undefined,
};

/** 10 bytes are reserved: 1,000, of which 690 are used and 300 are free. */
const nodefs = anFsStats({ capacityBytes: 1000, availableBytes: 300, usedBytes: 690 });
const shared = anFsStats({ ...nodefs, usedBytes: 250 });
const own = anFsStats({ capacityBytes: 2000, availableBytes: 1500, usedBytes: 250 });

const summaryOfPod = aPodSummary({
  usedBytes: 130,
  containers: [aContainerSummary({ rootfsBytes: 80, logsBytes: 20 })],
});
const pod = aMeasuredPod({
  summary: summaryOfPod,
  usage: aPodUsage({ usedBytes: 130, components: { rootfs: 80, logs: 20, emptydir: 25, configmap: 0, other: 5 } }),
});

function snapshotOf(
  filesystems: Partial<Record<'nodefs' | 'imagefs' | 'containerfs', FsStats>>,
  overrides: Partial<NodeSnapshot> = {},
): NodeSnapshot {
  const summary = aNodeSummary({ nodefs, ...filesystems, pods: [pod.summary] });
  return aNodeSnapshot({ summary, layout: nodeLayout(summary), pods: [pod], images, ...overrides });
}

const partsOf = (snapshot: NodeSnapshot) =>
  diskReports(snapshot).map(({ filesystem, parts, unknownBytes }) => ({
    filesystem,
    parts: Object.fromEntries(parts.map(({ kind, bytes }) => [kind, bytes])),
    unknownBytes,
  }));

describe('the parts of a disk', () => {
  it('the parts of a shared disk are components, images, what is neither, what is reserved, and what is free', () => {
    expect(partsOf(snapshotOf({ imagefs: shared, containerfs: shared }))).toEqual([
      {
        filesystem: 'nodefs',
        parts: {
          ...{ rootfs: 80, logs: 20, emptydir: 25, other: 5 },
          ...{ images: 170, unattributed: 390, reserved: 10, free: 300 },
        },
        unknownBytes: undefined,
      },
    ]);
  });

  it('images and layers on their own disk are parts of that one', () => {
    expect(partsOf(snapshotOf({ imagefs: own, containerfs: own }))).toEqual([
      {
        filesystem: 'nodefs',
        parts: { logs: 20, emptydir: 25, other: 5, unattributed: 640, reserved: 10, free: 300 },
        unknownBytes: undefined,
      },
      {
        filesystem: 'imagefs',
        parts: { rootfs: 80, images: 170, unattributed: 250, free: 1500 },
        unknownBytes: undefined,
      },
    ]);
  });

  it('what is measured of a pod without a total is among the components', () => {
    const { rootfs, logs, emptydir } = { rootfs: 80, logs: 20, emptydir: 30 };
    const entry = { ...summaryOfPod, usedBytes: undefined, volumes: [aVolumeSummary({ usedBytes: emptydir })] };
    const usage = aPodUsage({ components: { rootfs, logs, emptydir, configmap: 0, other: 0 } });
    const summary = aNodeSummary({ nodefs, imagefs: shared, pods: [entry] });
    const podsOnNode = [aPod({ volumes: [aVolume()] })];
    const listed = { summary, podsOnNode, listedPods: [withoutTotal(aMeasuredPod({ summary: entry, usage }))] };
    expect(partsOf(snapshotOf({}, listed))[0]?.parts).toMatchObject({ rootfs, logs, emptydir });
    expect(partsOf(snapshotOf({}, listed))[0]?.parts).not.toHaveProperty('other');
  });

  it('what the kubelet does not report is a part that is unknown, and what is left is said together', () => {
    const [disk] = partsOf(snapshotOf({}));
    expect(disk?.parts).toMatchObject({ images: undefined, unattributed: undefined, free: 300 });
    expect(disk?.unknownBytes).toBe(1000 - 130 - 10 - 300);
  });

  it.each<readonly [string, NodeImages | undefined]>([
    ['of which all are unused, in compressed sizes', { ...images, sizes: 'compressed', unusedBytes: 60 }],
    ['of which a list has more', { ...images, unusedBytes: 9_000 }],
    ['without a list', undefined],
  ])('images %s are one part: unpacked bytes less other sizes are no bytes in use', (_what, listed) => {
    const [disk] = partsOf(snapshotOf({ imagefs: shared }, { images: listed }));
    expect(Object.entries(disk?.parts ?? {}).filter(([kind]) => kind.startsWith('images'))).toEqual([['images', 170]]);
  });

  it('images that are counted several times leave less than nothing that is neither', () => {
    const twice = anFsStats({ ...nodefs, usedBytes: 950 });
    const [disk] = partsOf(snapshotOf({ imagefs: twice }));
    expect(disk?.parts).toMatchObject({ images: 870, unattributed: -310 });
  });
});

const ofNodefs = aNodeThreshold({ threshold: 100, headroom: 200, isCrossed: false });
const ofImages = aNodeThreshold({ ...ofNodefs, signal: 'imagefs.available', threshold: 150, headroom: 150 });
const others = [
  aNodeThreshold({ ...ofNodefs, gracePeriodMs: 60_000, threshold: 500, headroom: -200 }),
  aNodeThreshold({ ...ofNodefs, signal: 'nodefs.inodesFree', threshold: 900, headroom: -600 }),
];

it.each([
  ['a shared one is the higher of both', { imagefs: shared }, [[150, 150]]],
  [
    'each of two is its own',
    { imagefs: own },
    [
      [100, 200],
      [150, 150],
    ],
  ],
])('the hard threshold in bytes of %s', (_case, filesystems, expected) => {
  const snapshot = snapshotOf(filesystems, { thresholds: [ofNodefs, ofImages, ...others] });
  expect(diskReports(snapshot).map(({ thresholdBytes, headroomBytes }) => [thresholdBytes, headroomBytes])).toEqual(
    expected,
  );
});

describe('any summary', () => {
  const bytes = fc.option(
    fc.maxSafeNat().map((value) => value % 2 ** 45),
    { nil: undefined },
  );
  const stats = fc.option(
    fc.record({ capacityBytes: bytes, availableBytes: bytes, usedBytes: bytes }).map((values) => anFsStats(values)),
    { nil: undefined },
  );
  const size = fc.nat(2 ** 31 - 1);
  const pods = fc.array(
    fc.record({ usedBytes: bytes, rootfsBytes: size, logsBytes: size, emptydir: size, configmap: size }),
    { maxLength: 6 },
  );
  const filesystems = fc.record({ nodefs: stats, imagefs: stats, containerfs: stats });
  /** Also one disk under two names. */
  const disks = fc.oneof(
    filesystems,
    filesystems.map((found) => ({ ...found, imagefs: found.nodefs, containerfs: found.nodefs })),
    filesystems.map((found) => ({ ...found, containerfs: found.imagefs })),
  );

  it('the parts of every filesystem add up to its capacity, to the byte', () => {
    fc.assert(
      fc.property(disks, pods, bytes, (found, sizes, unusedBytes) => {
        const measured = sizes.map(({ usedBytes, rootfsBytes, logsBytes, emptydir, configmap }, index) => {
          const name = `p-${index}`;
          const summary = aPodSummary({ name, usedBytes, containers: [aContainerSummary({ rootfsBytes, logsBytes })] });
          const other = (usedBytes ?? 0) - rootfsBytes - logsBytes - emptydir - configmap;
          const components = { rootfs: rootfsBytes, logs: logsBytes, emptydir, configmap, other };
          return { ...aMeasuredPod({ name, usage: aPodUsage({ components }) }), summary };
        });
        const summary = aNodeSummary({ ...found, pods: measured.map((of) => of.summary) });
        const snapshot = aNodeSnapshot({
          summary,
          layout: nodeLayout(summary),
          pods: measured,
          images: unusedBytes === undefined ? undefined : { ...images, unusedBytes },
        });
        for (const { parts, unknownBytes, capacityBytes } of diskReports(snapshot)) {
          const known = parts.flatMap((part) => (part.bytes === undefined ? [] : [part.bytes]));
          const sum = known.reduce((total, part) => total + part, 0) + (unknownBytes ?? 0);
          const hasUnknown = known.length < parts.length;
          expect(unknownBytes !== undefined).toBe(hasUnknown && capacityBytes !== undefined);
          if (capacityBytes !== undefined) expect(sum).toBe(capacityBytes);
        }
      }),
      { numRuns: 500 },
    );
  });
});
