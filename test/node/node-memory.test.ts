import { describe, expect, it } from 'vitest';

import type { NodeSummary } from '../../src/cluster/kubelet/summary.js';
import { NodeMemory } from '../../src/facts/node/node-memory.js';
import { anFsStats, aNodeSummary, aPodSummary } from '../support/builders.js';
import { aNodeThreshold } from '../support/snapshot-builders.js';

describe('NodeMemory: the layout of one life of a kubelet', () => {
  const fs = (capacityBytes: number) => anFsStats({ capacityBytes, availableBytes: 5, inodes: 9 });
  const shared = aNodeSummary({ nodefs: fs(10), imagefs: fs(10), containerfs: fs(10), kubeletStartedAtMs: 1 });
  const dedicated = aNodeSummary({ nodefs: fs(10), imagefs: fs(20), containerfs: fs(20), kubeletStartedAtMs: 1 });
  const after = (...summaries: readonly NodeSummary[]) => {
    const memory = new NodeMemory();
    for (const summary of summaries) memory.layoutOf('uid', summary);
    return memory;
  };

  it.each([
    ['after a restart of the kubelet', { ...dedicated, kubeletStartedAtMs: 2 }, 'uid'],
    ['on another machine of that name', dedicated, 'other'],
  ])('the layout of a node is decided again %s', (_when, summary, uid) => {
    expect(after(shared).layoutOf(uid, summary).hasDedicatedImagefs).toBe(true);
  });

  it('the layout of a node is completed by later summaries', () => {
    const first = { ...dedicated, containerfs: undefined };
    expect(after(first).layout).toEqual({ hasDedicatedImagefs: true, hasSplitImagefs: undefined });
    expect(after(first, shared).layout).toEqual({ hasDedicatedImagefs: true, hasSplitImagefs: false });
  });

  it('the layout of a node is decided at once where the kubelet never reports its start, and kept', () => {
    const without = { ...dedicated, kubeletStartedAtMs: undefined };
    expect(new NodeMemory().layoutOf('uid', without).hasDedicatedImagefs).toBe(true);
    expect(after(shared).layoutOf('other', without).hasDedicatedImagefs).toBe(true);
    expect(after(without, { ...shared, kubeletStartedAtMs: undefined }).layout?.hasDedicatedImagefs).toBe(true);
  });

  it('a restarted kubelet decides again, and what the last summary before showed counts', () => {
    const at = (timeMs: number, kubeletStartedAtMs: number) => ({
      ...shared,
      kubeletStartedAtMs,
      nodefs: { ...fs(10), timeMs },
      imagefs: { ...fs(10), availableBytes: 6, timeMs },
    });
    expect(after(at(1, 1), at(2, 1), at(3, 2)).layout?.hasDedicatedImagefs).toBe(true);
    expect(after(at(1, 1), at(2, 1), { ...shared, kubeletStartedAtMs: 2 }).layout?.hasDedicatedImagefs).toBe(false);
  });
});

describe('NodeMemory: dangling pods', () => {
  const a = aPodSummary({ uid: 'a' });
  const b = aPodSummary({ uid: 'b' });

  it('dangling pods keep the time at which they were first seen while summaries list them', () => {
    const memory = new NodeMemory();
    memory.countDangling([a], [], { nowMs: 10, sinceMs: 0 });
    const both = [a, b];
    const counts = [10, 11, 21].map((sinceMs) => memory.countDangling(both, [], { nowMs: 20, sinceMs }));
    expect(counts).toEqual([0, 1, 2]);
    memory.countDangling([b], [], { nowMs: 30, sinceMs: 0 });
    expect([21, 40, 41].map((sinceMs) => memory.countDangling(both, [], { nowMs: 40, sinceMs }))).toEqual([1, 1, 2]);
  });

  it('a pod with the UID of a dangling one dangles since it is listed itself', () => {
    const memory = new NodeMemory();
    memory.countDangling([a], [], { nowMs: 10, sinceMs: 0 });
    expect(memory.countDangling([{ ...a, name: 'thief' }], [], { nowMs: 20, sinceMs: 20 })).toBe(0);
  });

  it('pods in namespaces whose pods are not listed are not dangling until they are listed', () => {
    const memory = new NodeMemory();
    const pods = [a, aPodSummary({ uid: 'b', namespace: 'unlisted' })];
    expect(memory.countDangling(pods, ['unlisted'], { nowMs: 10, sinceMs: 11 })).toBe(1);
    expect(memory.countDangling(pods, [], { nowMs: 20, sinceMs: 21 })).toBe(2);
  });
});

describe('NodeMemory: assumed thresholds', () => {
  const crossed = [aNodeThreshold({ isAssumed: true })];
  const uncrossed = [aNodeThreshold({ isAssumed: true, isCrossed: false })];
  const known = [aNodeThreshold()];
  interface Look {
    readonly thresholds: typeof crossed;
    readonly diskPressure: boolean | undefined;
    readonly arrivedAtMs: number;
    readonly seenAtMs: number;
  }
  /** Crossed, without DiskPressure, unless `more` says otherwise. */
  const at = (arrivedAtMs: number, seenAtMs = arrivedAtMs, more: Partial<Look> = {}): Look => {
    return { thresholds: crossed, diskPressure: false, arrivedAtMs, seenAtMs, ...more };
  };
  const pressed = (atMs: number): Look => at(atMs, atMs, { diskPressure: true });
  const undecided = (atMs: number): Look => at(atMs, atMs, { diskPressure: undefined });
  const clear = (atMs: number): Look => at(atMs, atMs, { thresholds: uncrossed });
  const read = (atMs: number): Look => at(atMs, atMs, { thresholds: known });
  const after = (...looks: readonly Look[]) => {
    const memory = new NodeMemory();
    return looks
      .map(({ thresholds, diskPressure, ...times }) => memory.refutedSignals(thresholds, diskPressure, times).join())
      .at(-1);
  };
  const start = at(1_000);
  const minuteLater = at(61_000);

  it.each<[string, readonly Look[]]>([
    ['crossed for a minute', [start, minuteLater]],
    ['crossed for a minute before and after the API server came back', [at(100_000, 0), at(120_000), at(160_000)]],
    ['no longer crossed, once refuted', [start, minuteLater, clear(70_000)]],
    ['crossed for a minute that a bookmark ends', [start, at(90_000, 61_000)]],
    ['crossed for 90 s until a bookmark', [start, at(91_000)]],
    [
      'crossed for a minute in two parts, before and after the API server was away',
      [start, at(31_000), at(200_000, 31_000), at(201_000), at(231_000)],
    ],
    ['refuted before the API server was away', [start, minuteLater, at(70_000, 61_000)]],
  ])('a threshold %s is refuted', (_case, looks) => {
    expect(after(...looks)).toBe('nodefs.available');
  });

  it.each<[string, readonly Look[]]>([
    ['crossed for less than a minute', [start, at(60_999)]],
    ['crossed by one summary, however long it is served', [start, at(1_000, 61_000)]],
    ['not crossed in between', [start, clear(30_000), minuteLater]],
    ['crossed under pressure', [pressed(1_000), pressed(61_000)]],
    ['crossed while the condition is unknown', [undecided(1_000), undecided(61_000)]],
    ['crossed since before the condition turned', [pressed(1_000), minuteLater]],
    ['read from the kubelet', [read(1_000), read(61_000)]],
    ['crossed for a minute of an API server that is away', [start, at(61_000, 1_000)]],
    ['crossed for an hour of one that was away before', [at(1_000, 0), at(3_600_000, 0)]],
    ['crossed for a minute whose last second is not seen', [start, at(90_000, 60_999)]],
    ['crossed while the API server was away for longer', [start, at(91_001)]],
    [
      'crossed for less in two parts, before and after the API server was away',
      [start, at(31_000), at(201_000), at(230_999)],
    ],
    ['refuted before the condition was unknown', [start, minuteLater, undecided(62_000), at(63_000)]],
    ['refuted and then read', [start, minuteLater, read(62_000)]],
    ['refuted before the condition turned', [start, minuteLater, pressed(62_000)]],
    ['refuted before the condition turned and turned back', [start, minuteLater, pressed(62_000), at(63_000)]],
  ])('a threshold %s is not refuted', (_case, looks) => {
    expect(after(...looks)).toBe('');
  });

  it('a new life of the kubelet ends what was refuted, counted and measured', () => {
    const memory = new NodeMemory();
    const summary = (kubeletStartedAtMs: number) => aNodeSummary({ kubeletStartedAtMs });
    const refutedAt = (arrivedAtMs: number) =>
      memory.refutedSignals(crossed, false, { arrivedAtMs, seenAtMs: arrivedAtMs });
    memory.layoutOf('uid', summary(1));
    const { measurements } = memory;
    expect([refutedAt(0), refutedAt(60_000)]).toEqual([[], ['nodefs.available']]);
    memory.layoutOf('uid', summary(1));
    expect(memory.measurements).toBe(measurements);
    memory.layoutOf('uid', summary(2));
    expect(memory.measurements).not.toBe(measurements);
    expect([refutedAt(70_000), refutedAt(129_999)]).toEqual([[], []]);
  });
});
