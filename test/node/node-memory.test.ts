import { describe, expect, it } from 'vitest';

import type { NodeSummary } from '../../src/kubelet/summary.js';
import { NodeMemory } from '../../src/node/node-memory.js';
import { anFsStats, aNodeSummary, aPodSummary } from '../support/builders.js';

describe('NodeMemory: the layout of one life of a kubelet', () => {
  const fs = (capacityBytes: number) => anFsStats({ capacityBytes, availableBytes: 5, inodes: 9 });
  const shared = aNodeSummary({ nodefs: fs(10), imagefs: fs(10), containerfs: fs(10), kubeletStartedAtMs: 1 });
  const dedicated = aNodeSummary({ nodefs: fs(10), imagefs: fs(20), containerfs: fs(20), kubeletStartedAtMs: 1 });
  const after = (...summaries: readonly NodeSummary[]) => {
    const memory = new NodeMemory();
    for (const summary of summaries) memory.layoutOf('uid', summary);
    return memory;
  };

  it('the layout of a node is that of the first summary of its kubelet', () => {
    const expected = { hasDedicatedImagefs: false, hasSplitImagefs: false };
    expect(after(shared).layoutOf('uid', dedicated)).toEqual(expected);
    expect(after(shared, dedicated).layout).toEqual(expected);
  });

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

  it('the layout of a node outlasts a summary that does not report the start', () => {
    const without = { ...dedicated, kubeletStartedAtMs: undefined };
    expect(after(shared, without, dedicated).layout?.hasDedicatedImagefs).toBe(false);
  });

  it('the layout of a node is that of each summary where the kubelet never reports its start', () => {
    const without = { ...dedicated, kubeletStartedAtMs: undefined };
    expect(new NodeMemory().layoutOf('uid', without).hasDedicatedImagefs).toBe(true);
    const other = after(shared);
    expect(other.layoutOf('other', without).hasDedicatedImagefs).toBe(true);
    expect(other.layout).toBeUndefined();
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

  it('pods in namespaces whose pods are not listed are not dangling until they are listed', () => {
    const memory = new NodeMemory();
    const pods = [a, aPodSummary({ uid: 'b', namespace: 'unlisted' })];
    expect(memory.countDangling(pods, ['unlisted'], { nowMs: 10, sinceMs: 11 })).toBe(1);
    expect(memory.countDangling(pods, [], { nowMs: 20, sinceMs: 21 })).toBe(2);
  });
});
