import { beforeEach, describe, expect, it } from 'vitest';

import { PodHistory } from '../../src/cluster/kubelet/pod-history.js';
import type { PodSummary } from '../../src/cluster/kubelet/summary.js';
import { anFsStats, aNodeSummary, aPodSummary, aVolumeSummary } from '../support/builders.js';
import { retainedBytes } from '../support/heap.js';
import { ManualClock } from '../support/manual-clock.js';

let clock: ManualClock;
let history: PodHistory;

beforeEach(() => {
  clock = new ManualClock();
  history = new PodHistory({ clock, keepDepartedMs: () => 100 });
});

const aPod = (uid: string, usedBytes: number | undefined): PodSummary => aPodSummary({ uid, name: uid, usedBytes });

function add(fetchedAtMs: number, ...pods: readonly PodSummary[]): void {
  history.add(aNodeSummary({ pods }), fetchedAtMs, fetchedAtMs);
}

const findUid = (uid: string) => history.find(aPod(uid, 0));

const samplesOf = (uid: string): string | undefined =>
  findUid(uid)
    ?.samples.map(({ atMs, usedBytes }) => `${atMs}:${usedBytes}`)
    .join(' ');

it('the history has the samples of each pod, whatever the order of the summaries', () => {
  add(10, aPod('a', 1), aPod('b', 100));
  add(20, aPod('b', 200), aPod('a', 2));
  add(30, aPod('c', 7), aPod('a', 3), aPod('b', 300));
  expect([samplesOf('a'), samplesOf('b'), samplesOf('c'), samplesOf('d')]).toEqual([
    '10:1 20:2 30:3',
    '10:100 20:200 30:300',
    '30:7',
    undefined,
  ]);
  expect(findUid('a')).toMatchObject({ fetchedAtMs: 30, summary: { uid: 'a', usedBytes: 3 } });
});

const timesOf = (uid: string): readonly number[] | undefined => findUid(uid)?.samples.map(({ atMs }) => atMs / 1_000);

it.each([{ name: 'thief' }, { namespace: 'evil' }])(
  'a pod with the UID of another has a history of its own: %j',
  (other) => {
    const volumes = [aVolumeSummary({ name: 'data', usedBytes: 3 })];
    const forged = { ...aPod('a', 9), ...other };
    add(10, { ...aPod('a', 1), volumes });
    add(20, forged);
    expect(samplesOf('a')).toBe('10:1');
    expect(history.find(forged)?.samples).toEqual([{ atMs: 20, usedBytes: 9 }]);
    add(30);
    expect(history.find(aPod('a', 1))).toBeUndefined();
  },
);

it('of a node that is scraped often, older samples are apart, each with the total of its time', () => {
  for (let second = 10; second <= 600; second += 10) add(1_000 * second, aPod('b', 1), aPod('a', second));
  const times = timesOf('a') ?? [];
  expect(times).toEqual([310, 360, 410, 460, 510, 560, 570, 580, 590, 600]);
  expect(findUid('a')?.samples.map(({ usedBytes }) => usedBytes)).toEqual(times);
});

it('the history has no sample where the kubelet reported no total', () => {
  add(1, aPod('a', undefined));
  add(2, aPod('a', 0));
  add(3, aPod('a', undefined));
  expect(samplesOf('a')).toBe('2:0');
  expect(findUid('a')?.summary.usedBytes).toBeUndefined();
});

it('a pod has the growth since the last total, or since its start', () => {
  const growthOf = (): Record<string, number> =>
    Object.fromEntries([...history.growth()].map(([{ uid }, bytesPerSecond]) => [uid, bytesPerSecond]));
  add(10_000, { ...aPod('new', 900), startTimeMs: 1_000 }, { ...aPod('ahead', 7), startTimeMs: 60_000 });
  expect(growthOf()).toEqual({ new: 100, ahead: 7 });
  add(20_000, aPod('new', 400), aPod('gap', 100), aPod('unknown', undefined));
  expect(growthOf()).toEqual({ new: -50, gap: 5 });
  add(30_000, aPod('new', 400), aPod('gap', undefined), { ...aPod('undated', 1), startTimeMs: undefined });
  expect(growthOf()).toEqual({ new: 0 });
  add(40_000, aPod('gap', 500));
  expect(growthOf()).toEqual({ gap: 20 });
});

it('a pod has the growth since its start by the later of two clocks: one of them may be behind', () => {
  const pod = { ...aPod('new', 900_000), startTimeMs: 1_800_000 };
  history.add(aNodeSummary({ pods: [pod] }), 10_000, 1_860_000);
  expect([...history.growth().values()]).toEqual([15_000]);
  history.add(aNodeSummary({ pods: [{ ...pod, usedBytes: 900_100 }] }), 20_000, 1_870_000);
  expect([...history.growth().values()]).toEqual([10]);
});

it('a pod that is no longer listed is remembered for a time', async () => {
  add(1, aPod('a', 1), aPod('b', 10));
  add(2, aPod('a', 2), aPod('b', 20));
  add(3, aPod('b', 30));
  await clock.advance(99);
  add(4, aPod('b', 40));
  expect(samplesOf('a')).toBe('1:1 2:2');
  expect(findUid('a')?.fetchedAtMs).toBe(2);
  expect(samplesOf('b')).toBe('1:10 2:20 3:30 4:40');
  await clock.advance(1);
  expect(samplesOf('a')).toBeUndefined();
});

describe('a pod whose volumes are not measured', () => {
  const volumes = [{ ...anFsStats({ usedBytes: 90 }), name: 'data', hasClaim: false }];
  const whole = (uid: string, usedBytes: number): PodSummary => ({ ...aPod(uid, usedBytes), volumes });

  it('a total without the volumes is no sample: it would look like a drop, and then like growth', () => {
    add(1, whole('a', 100), aPod('new', 5));
    add(2, aPod('a', 10), aPod('new', 6));
    expect([samplesOf('a'), samplesOf('new')]).toEqual(['1:100', '1:5 2:6']);
    add(3, aPod('a', 10), aPod('new', 7));
    add(4, whole('a', 110), whole('new', 70));
    add(5, whole('a', 120), whole('new', 71));
    expect([samplesOf('a'), samplesOf('new')]).toEqual(['1:100 4:110 5:120', '4:70 5:71']);
  });

  it('a pod that one summary lacks before its volumes are not measured has no sample of that time', () => {
    add(1, whole('a', 100), whole('b', 200));
    add(2);
    add(3, aPod('a', 10), aPod('b', 20));
    add(4, aPod('a', 10));
    expect(samplesOf('a')).toBe('');
    add(5, whole('a', 130), whole('b', 230));
    add(6, whole('a', 140), whole('b', 240));
    expect([samplesOf('a'), samplesOf('b')]).toEqual(['5:130 6:140', '5:230 6:240']);
  });
});

it('the number of pods that are no longer listed is bounded', () => {
  add(1, ...Array.from({ length: 600 }, (_, index) => aPod(`p${index}`, index)));
  add(2);
  expect([samplesOf('p299'), samplesOf('p300'), samplesOf('p599')]).toEqual([undefined, '1:300', '1:599']);
});

it('a pod that is no longer listed keeps what is shown of one in detail, and its sums', () => {
  const volumes = Array.from({ length: 120 }, (_, index) => aVolumeSummary({ name: `v${index}`, usedBytes: 2 }));
  const small = { ...aPod('small', 1), volumes: volumes.slice(20) };
  add(1, { ...aPod('large', 7_000), volumes }, small);
  add(2);
  expect(findUid('small')?.summary).toBe(small);
  const { summary } = findUid('large') ?? {};
  expect(summary).toMatchObject({ usedBytes: 7_000, others: { containerCount: 0, volumeCount: 20 } });
  expect(summary?.volumes).toHaveLength(101);
  expect(summary?.volumes?.at(-1)).toMatchObject({ name: '(others)', usedBytes: 40 });
});

it('a pod costs at most 100 bytes beyond the last summary', () => {
  const [nodeCount, podsPerNode] = [5_000, 30];
  const summaries = Array.from({ length: nodeCount }, (_, node) =>
    aNodeSummary({ pods: Array.from({ length: podsPerNode }, (_, pod) => aPod(`uid-${node}-${pod}`, pod)) }),
  );
  const bytes = retainedBytes(() =>
    summaries.map((summary) => {
      const ofNode = new PodHistory({ clock, keepDepartedMs: () => 100 });
      for (let fetch = 0; fetch < 12; fetch += 1) ofNode.add(summary, 60_000 * fetch + 0.5, fetch + 0.5);
      return ofNode;
    }),
  );
  expect(bytes / (nodeCount * podsPerNode)).toBeLessThanOrEqual(100);
});
