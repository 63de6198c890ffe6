import { describe, expect, it } from 'vitest';

import type { NodeSummary } from '../../src/cluster/kubelet/summary.js';
import { FrozenTimes, judgedFilesystems } from '../../src/facts/node/frozen-statistics.js';
import { aContainerSummary, anFsStats, aNodeSummary, aPodSummary, aVolumeSummary } from '../support/builders.js';

const minute = 60_000;

/** Times in minutes: of nodefs and imagefs, and of the containers of each pod. */
interface Times {
  readonly nodefs?: number;
  readonly imagefs?: number;
  readonly pods?: Readonly<Record<string, readonly (number | undefined)[]>>;
  /** Of a volume of each pod. */
  readonly volumes?: number;
}

function summaryOf({ nodefs, imagefs, pods = {}, volumes }: Times): NodeSummary {
  const fsAt = (time: number | undefined) =>
    time === undefined
      ? undefined
      : anFsStats({ timeMs: time * minute, availableBytes: 1, inodesFree: 1, usedBytes: 1 });
  return aNodeSummary({
    nodefs: fsAt(nodefs),
    imagefs: fsAt(imagefs),
    pods: Object.entries(pods).map(([uid, times]) =>
      aPodSummary({
        uid,
        volumes: volumes === undefined ? undefined : [aVolumeSummary({ timeMs: volumes * minute })],
        containers: times.map((time) => ({
          ...aContainerSummary({}),
          timeMs: time === undefined ? time : time * minute,
        })),
      }),
    ),
  });
}

/** What is frozen after each summary; the key is when it arrived, in minutes. */
function observed(summaries: readonly (readonly [atMinute: number, Times])[]) {
  const times = new FrozenTimes();
  return summaries.map(([atMinute, of]) => {
    const { filesystems, pods, sinceMs } = times.observe(summaryOf(of), atMinute * minute);
    return [[...filesystems, ...pods.keys()].join(' '), sinceMs === undefined ? undefined : sinceMs / minute];
  });
}

describe('frozen statistics', () => {
  it('a time that does not move for five minutes is frozen, until it moves', () => {
    const at = (nodefs: number): Times => ({ nodefs, imagefs: nodefs });
    expect(
      observed([
        [0, at(100)],
        [4.99, { nodefs: 100, imagefs: 104 }],
        [5, { nodefs: 100, imagefs: 105 }],
        [60, { nodefs: 100, imagefs: 160 }],
        [61, at(161)],
      ]),
    ).toEqual([
      ['', undefined],
      ['', undefined],
      ['nodefs', 100],
      ['nodefs', 100],
      ['', undefined],
    ]);
  });

  it('a pod is frozen when the times of all its containers are; those without a time decide nothing', () => {
    const pods = (a: number, b: number) => ({ a: [100, a], b: [100, b], c: [undefined], d: [] });
    expect(
      observed([
        [0, { pods: pods(100, 90) }],
        [5, { pods: pods(105, 90) }],
      ]),
    ).toEqual([
      ['', undefined],
      ['b', 100],
    ]);
  });

  it('at the start, a time that is ten minutes older than the newest one is frozen', () => {
    const start = { nodefs: 90, imagefs: 100, pods: { old: [90], late: [90.01] } };
    expect(observed([[0, start]])).toEqual([['nodefs old', 90]]);
    expect(
      observed([
        [0, start],
        [1, { ...start, nodefs: 91, imagefs: 101 }],
      ])[1],
    ).toEqual(['old', 90]);
  });

  it.each<readonly [string, Times, string]>([
    ['of nodefs ahead of that of volumes', { nodefs: 160, imagefs: 100, pods: { a: [100] }, volumes: 100 }, ''],
    ['of imagefs ahead of that of volumes', { nodefs: 100, imagefs: 110, pods: { a: [100] }, volumes: 100 }, ''],
    ['of pods ahead of that of volumes', { nodefs: 100, pods: { a: [160], b: [100] }, volumes: 100 }, ''],
    ['ahead hides no old one', { nodefs: 160, imagefs: 90, pods: { a: [100] }, volumes: 100 }, 'imagefs'],
    ['a little ahead of that of volumes', { nodefs: 109, imagefs: 99, pods: { a: [100] }, volumes: 100 }, 'imagefs'],
    ['of a pod that is old with all volumes', { nodefs: 160, imagefs: 161, pods: { a: [140] }, volumes: 140 }, 'a'],
    ['of nodefs, and none of imagefs', { nodefs: 160, pods: { a: [140] }, volumes: 140 }, ''],
    ['of a pod ahead hides no old one', { nodefs: 160, imagefs: 160, pods: { a: [140], b: [300] }, volumes: 140 }, 'a'],
    ['of volumes that are old alone', { nodefs: 160, imagefs: 160, pods: { a: [149] }, volumes: 100 }, 'a'],
  ])('at the start, a time %s', (_what, times, frozen) => {
    expect(observed([[0, times]])[0]?.[0]).toBe(frozen);
  });

  it('pods of one UID, and one whose UID is the name or the place of a filesystem, are told apart', () => {
    const times = new FrozenTimes();
    const named = (name: string, imagefs: number): NodeSummary => {
      const { pods, ...rest } = summaryOf({ imagefs, pods: { a: [100], nodefs: [100], '0': [100] } });
      return { ...rest, pods: pods.map((pod) => (pod.uid === 'a' ? { ...pod, name } : pod)) };
    };
    times.observe(named('before', 100), 0);
    const { filesystems, pods } = times.observe(named('after', 105), 5 * minute);
    const heldMs = Object.fromEntries(Array.from(pods, ([uid, frozen]) => [uid, frozen.heldMs]));
    expect([[...filesystems], heldMs]).toEqual([[], { nodefs: 5 * minute, '0': 5 * minute }]);
    expect(times.observe(summaryOf({ nodefs: 100, imagefs: 106 }), 6 * minute).filesystems.size).toBe(0);
  });

  it('the same summary is observed once', () => {
    const times = new FrozenTimes();
    const summary = summaryOf({ nodefs: 1 });
    const first = times.observe(summary, 0);
    expect(times.observe(summary, 10 * minute)).toBe(first);
  });

  it('of a frozen filesystem nothing is known to be free or used, and all else is as it was', () => {
    const summary = summaryOf({ nodefs: 1, imagefs: 1 });
    const judged = judgedFilesystems(summary, { filesystems: new Set(['nodefs'] as const) });
    expect(judged).toEqual({
      ...summary,
      nodefs: { ...summary.nodefs, availableBytes: undefined, inodesFree: undefined, usedBytes: undefined },
    });
    expect(judgedFilesystems(summary, { filesystems: new Set() })).toBe(summary);
  });
});
