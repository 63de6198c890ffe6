import { describe, expect, it } from 'vitest';

import { DiskFills } from '../../src/facts/node/disk-fill.js';
import { evictionVerdict, nodeVerdict } from '../../src/facts/node/disk-verdict.js';
import type { NodeLayout } from '../../src/facts/node/node-layout.js';
import { nodeThresholds } from '../../src/facts/node/node-thresholds.js';
import type { NodeSnapshot } from '../../src/facts/node/node-view.js';
import { aContainerSummary, anFsStats, aNodeSummary, aPod, aPodSummary, aThreshold } from '../support/builders.js';
import { aMeasuredPod, aNodeSnapshot } from '../support/snapshot-builders.js';

const minuteMs = 60_000;
const shared: NodeLayout = { hasDedicatedImagefs: false, hasSplitImagefs: false };

/** Of a disk of 1,000 with a threshold of 100 and a minimum reclaim of 20, at a minute. */
interface Look {
  readonly minute: number;
  readonly pods?: number;
  readonly images?: number;
  readonly other?: number;
}

const at = (minute: number, held: Omit<Look, 'minute'>): Look => ({ minute, ...held });

function statsOf(free: number, ofInodes: boolean) {
  return ofInodes
    ? anFsStats({ capacityBytes: 1e6, availableBytes: 9e5, usedBytes: 1e5, inodes: 1_000, inodesFree: free })
    : anFsStats({
        capacityBytes: 1_000,
        availableBytes: free,
        usedBytes: 1_000 - free,
        inodes: 1_000,
        inodesFree: 900,
      });
}

function snapshotsOf(
  looks: readonly Look[],
  {
    ofInodes = false,
    unusedBytes = 0,
    minReclaim = 20,
    soonAtMinute = -1,
    imagesThresholds = [] as readonly number[],
  } = {},
): readonly NodeSnapshot[] {
  const fills = new DiskFills();
  return looks.map(({ minute, pods = 0, images = 0, other = 0 }) => {
    const free = 1_000 - pods - images - other;
    const stats = statsOf(free, ofInodes);
    const container = aContainerSummary({ rootfsBytes: ofInodes ? 0 : pods, logsBytes: 0 });
    const rootfs = container.rootfs && { ...container.rootfs, inodesUsed: pods };
    const entry = aPodSummary({
      usedBytes: ofInodes ? 0 : pods,
      inodesUsed: ofInodes ? pods : 0,
      containers: [{ ...container, rootfs }],
    });
    const summary = aNodeSummary({
      nodefs: stats,
      imagefs: { ...stats, usedBytes: ofInodes ? 0 : images + pods },
      pods: [entry],
    });
    const signal = ofInodes ? 'nodefs.inodesFree' : 'nodefs.available';
    const configured = [
      aThreshold({ signal, value: { amount: 100 }, minReclaim: { amount: minReclaim } }),
      ...imagesThresholds.map((amount) => aThreshold({ signal: 'imagefs.available', value: { amount } })),
    ];
    const thresholds = nodeThresholds({
      kubeletVersion: 'v1.37.1',
      operatingSystem: 'linux',
      summary,
      layout: 'shared',
      thresholds: configured,
    });
    const sources = { summary, layout: shared, arrivedAtMs: minute * minuteMs, thresholds };
    return aNodeSnapshot({
      ...sources,
      podsOnNode: [aPod()],
      pods: [aMeasuredPod({ summary: entry })],
      images: {
        sizes: 'unpacked',
        imageCount: 1,
        sizeBytes: images,
        isCut: false,
        unusedBytes,
        maxCopiesBytes: undefined,
        collection: undefined,
      },
      fills: fills.of(
        sources,
        ([signal] as const).filter(() => minute === soonAtMinute),
      ),
    });
  });
}

const sources = { samplesOf: () => [] };

function evictionOf(snapshot: NodeSnapshot, available = 98, ofInodes = false) {
  return evictionVerdict(snapshot, { ofInodes, named: { threshold: 100, available } }, sources);
}

/** A pod of 270 is evicted, and listed no longer. */
const ended = [at(0, { other: 600, pods: 120 }), at(2, { other: 600, pods: 290 }), at(2.5, { other: 870, pods: 20 })];
const deleted = at(3, { other: 600, pods: 20 });

describe('the cause of an eviction', () => {
  it.each<readonly [string, readonly Look[], string]>([
    [
      'is other data that grew, though any pod frees what is missing',
      [at(0, { other: 600, pods: 120 }), at(2, { other: 770, pods: 120 })],
      'other',
    ],
    ['is pods that grew', [at(0, { other: 600, pods: 120 }), at(2, { other: 600, pods: 290 })], 'pods'],
    ['is images that grew', [at(0, { images: 300, other: 400 }), at(2, { images: 500, other: 400 })], 'images'],
    [
      'is who holds most where nobody grew much',
      [at(0, { images: 500, pods: 300, other: 95 }), at(10, { images: 500, pods: 309, other: 95 })],
      'images',
    ],
    [
      'is who grew by 1 % of the disk in ten minutes',
      [at(0, { images: 500, pods: 300, other: 95 }), at(10, { images: 500, pods: 310, other: 95 })],
      'pods',
    ],
    [
      'is who grew since headroom began to fall',
      [
        at(0, { pods: 100, images: 650 }),
        at(1, { pods: 250, images: 400 }),
        at(2, { pods: 300, images: 400, other: 150 }),
      ],
      'other',
    ],
    [
      'is who grew in the last minutes',
      [at(0, { pods: 100 }), at(10, { pods: 500 }), at(20, { pods: 501 }), at(30, { pods: 501, other: 350 })],
      'other',
    ],
    [
      'is who grew over up to twenty minutes',
      [at(0, { pods: 100 }), at(9, { pods: 500 }), at(18, { pods: 501, other: 350 })],
      'pods',
    ],
    ['is pods that ended, whose files are not deleted yet', [...ended, at(3, { other: 876, pods: 20 })], 'pods'],
    ['is who grew after their files were deleted', [...ended, deleted, at(5, { other: 880, pods: 20 })], 'other'],
    [
      'is who grew after a part of their files was deleted',
      [...ended, at(3, { other: 610, pods: 20 }), at(4, { other: 660, pods: 20, images: 250 })],
      'images',
    ],
    [
      'is pods whose volumes were not listed for a moment',
      [at(0, { other: 600, pods: 120 }), at(1, { other: 720 }), at(2, { other: 600, pods: 290 })],
      'pods',
    ],
  ])('the cause %s', (_what, looks, filler) => {
    const snapshot = snapshotsOf(looks).at(-1);
    expect(snapshot && evictionOf(snapshot)).toMatchObject({ kind: filler, cause: { filler } });
  });

  it('what ended pods left is theirs until as much is deleted', () => {
    const otherBytes = (...looks: readonly Look[]) => snapshotsOf([...ended, ...looks]).at(-1)?.fills[0]?.held.other;
    const half = at(3, { other: 735, pods: 20 });
    expect(otherBytes(at(3, { other: 870, pods: 60 }))).toBe(600);
    const grown = [half, at(5, { other: 880 })];
    const added = at(4, { other: 605 });
    expect([otherBytes(), otherBytes(half), otherBytes(deleted), otherBytes(...grown)]).toEqual([600, 600, 600, 725]);
    expect(otherBytes(deleted, at(3.5, { other: 600, pods: 290 }), added)).toBe(600);
  });

  it('inodes of no pod are other', () => {
    const inodes = [at(0, { pods: 700, other: 210 }), at(0, { pods: 210, other: 700 })];
    const found = inodes.flatMap((look) => snapshotsOf([look], { ofInodes: true }));
    expect(found.map((each) => evictionOf(each, 98, true))).toMatchObject([
      { kind: 'inodes' },
      { kind: 'other', remainder: { holder: 'other', bytes: 700 } },
    ]);
  });

  it('pods that grew are the cause from a tenth of what is missing on, others where they hold all of it', () => {
    const [before, grown] = snapshotsOf([at(0, { other: 5 }), at(1, { other: 5, pods: 11 })]);
    const [still] = snapshotsOf([at(0, { other: 5, pods: 11 })]);
    if (before === undefined || grown === undefined || still === undefined) return expect.unreachable();
    const causeFor = (snapshot: NodeSnapshot, missing: number) => evictionOf(snapshot, 120 - missing)?.cause?.filler;
    expect([causeFor(grown, 110), causeFor(grown, 111)]).toEqual(['pods', undefined]);
    expect([causeFor(still, 11), causeFor(still, 12)]).toEqual(['pods', undefined]);
  });
});

describe('the early warning of a disk that fills up in pulses', () => {
  const warnedAt = (looks: readonly Look[], soonAtMinute = 1) =>
    snapshotsOf(looks, { soonAtMinute }).map(({ fills }) => fills[0]?.warnedOf !== undefined);
  const first = at(0, { images: 200, other: 200 });
  const pulled = at(1, { images: 300, other: 200 });

  it.each<readonly [string, Look, boolean]>([
    ['stays between two pulls', at(2, { images: 300, other: 200 }), true],
    [
      'stays while the fall since it began reaches the threshold within ten minutes',
      at(2.5, { images: 300, other: 200 }),
      true,
    ],
    ['ends when that would take longer', at(2.51, { images: 300, other: 200 }), false],
    ['ends when what was pulled is deleted', at(2, { images: 200, other: 200 }), false],
    ['ends when the fall is far shorter than the way to the threshold', at(2, { images: 299, other: 200 }), false],
  ])('the warning %s', (_what, look, isWarned) => {
    expect(warnedAt([first, pulled, look])).toEqual([false, true, isWarned]);
    expect(warnedAt([first, pulled, look], -1)).toEqual([false, false, false]);
  });

  it('is of the threshold of the disk that comes first, and stays as long as that would be reached', () => {
    const looks = [first, pulled, at(2.6, { images: 300, other: 200 })];
    const warned = snapshotsOf(looks, { soonAtMinute: 1, imagesThresholds: [150] }).map(
      ({ fills }) => fills[0]?.warnedOf,
    );
    expect(warned).toEqual([undefined, 'imagefs.available', 'imagefs.available']);
  });
});

describe('the verdict of a node in one outage', () => {
  const images = at(0, { images: 500, pods: 390, other: 20 });
  const causes = (looks: readonly Look[]) =>
    snapshotsOf(looks).map((each) => nodeVerdict(each, sources)?.cause?.filler);

  it.each<readonly [string, readonly Look[], string | undefined]>([
    ['a little above the threshold', [at(1, { images: 500, pods: 375, other: 20 })], 'images'],
    ['with less than half as much again from another', [at(1, { images: 500, pods: 405, other: 20 })], 'images'],
    ['with more than half as much again from another', [at(1, { images: 500, pods: 406, other: 20 })], 'pods'],
    ['when what filled it is deleted', [at(1, { images: 480, pods: 405, other: 20 })], 'images'],
    ['when it is calm', [at(1, { images: 500, pods: 355, other: 20 })], undefined],
    [
      'when it is calm and filled again',
      [at(1, { images: 500, pods: 355, other: 20 }), at(2, { images: 500, pods: 370, other: 50 })],
      'other',
    ],
  ])('the verdict of a node %s', (_what, looks, filler) => {
    expect(causes([images, ...looks]).at(-1)).toBe(filler);
  });

  it('a shortage lasts until the minimum reclaim is free too', () => {
    const looks = [images, at(1, { images: 500, pods: 354, other: 20 })];
    const causeWith = (minReclaim: number) => snapshotsOf(looks, { minReclaim }).at(-1)?.fills[0]?.cause;
    expect([causeWith(26), causeWith(27)]).toEqual([undefined, 'images']);
    expect(
      snapshotsOf([images, at(1, { images: 500, pods: 356, other: 20 })], { minReclaim: 0 }).at(-1)?.fills[0]?.cause,
    ).toBe('images');
  });

  it('what an evicted pod leaves to be deleted is no other cause', () => {
    expect(
      causes([
        at(0, { pods: 100, other: 300 }),
        at(2, { pods: 620, other: 300 }),
        at(3, { pods: 10, other: 300, images: 600 }),
      ]),
    ).toEqual([undefined, 'pods', 'pods']);
  });

  it('images that are enough can be collected before an eviction, unless another grew', () => {
    const of = (looks: readonly Look[]) => {
      const last = snapshotsOf(looks, { unusedBytes: 30 }).at(-1);
      return last && [nodeVerdict(last, sources), evictionOf(last)].map((verdict) => verdict?.kind);
    };
    expect(of([at(0, { images: 100, other: 810 })])).toEqual(['images', 'other']);
    expect(of([at(0, { images: 100, other: 710 }), at(1, { images: 100, other: 810 })])).toEqual(['other', 'other']);
  });

  it('a pod that was evicted for it stays the first', () => {
    const [before, now] = snapshotsOf([at(0, { pods: 500, other: 100 }), at(2, { pods: 820, other: 100 })]);
    if (before === undefined || now === undefined) return expect.unreachable();
    const found = evictionOf(now);
    if (found === undefined) return expect.unreachable();
    const filler = {
      workload: undefined,
      pod: { namespace: 'np', name: 'filler', isExempt: false },
      amount: 700,
      growth: undefined,
    };
    const nameAfter = (evictedAtMs: number, amount = 700) => {
      const verdict = { ...found, first: { ...filler, amount } };
      return evictionVerdict(
        now,
        { ofInodes: false, named: { threshold: 100, available: 98 }, earlier: { evictedAtMs, verdict } },
        {
          samplesOf: () => [
            { atMs: 0, usedBytes: 0 },
            { atMs: minuteMs, usedBytes: 300 },
          ],
        },
      )?.first?.pod.name;
    };
    expect([nameAfter(0), nameAfter(-1), nameAfter(0, 200), nameAfter(0, 199)]).toEqual([
      'filler',
      'cart-0',
      'filler',
      'cart-0',
    ]);
  });
});

it('a fill knows how much less is available than when it began, and begins again where as much is', () => {
  const looks = [at(0, { other: 100 }), at(1, { other: 150 }), at(2, { other: 140, pods: 30 }), at(3, { other: 100 })];
  expect(snapshotsOf(looks).map(({ fills: [of] }) => [of?.fallen, of?.durationMs])).toEqual([
    [0, 0],
    [50, minuteMs],
    [70, 2 * minuteMs],
    [0, 0],
  ]);
});

it('a fill keeps its cause while no threshold is known', () => {
  const [{ summary, thresholds } = aNodeSnapshot()] = snapshotsOf([at(0, { other: 950 })]);
  const fills = new DiskFills();
  const common = { summary, layout: shared };
  const causes = [thresholds, []].map(
    (known, minute) => fills.of({ ...common, arrivedAtMs: minute * minuteMs, thresholds: known })[0]?.cause,
  );
  expect(causes).toEqual(['other', 'other']);
});
