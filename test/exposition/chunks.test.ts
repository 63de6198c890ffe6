import { setImmediate as nextTurn } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { type Clock, systemClock } from '../../src/base/clock.js';
import { TimeSlicer } from '../../src/base/time-slicer.js';
import { ChunkCache } from '../../src/exposition/chunks.js';
import { detailGroups } from '../../src/exposition/families.js';
import { partsOfNode } from '../../src/exposition/pod-on-node.js';
import { type SourceText, TextMaker, Versions } from '../../src/exposition/source-text.js';
import type { NodeSnapshot } from '../../src/node/node-state.js';
import { ManualClock } from '../support/manual-clock.js';
import { aContainerUsage, aNodeSnapshot, aPodSnapshot, aPodUsage, aVolumeUsage } from '../support/snapshot-builders.js';

const never = new AbortController().signal;
const none: ReadonlySet<number> = new Set();

const groups = detailGroups({ compatibility: 'none', profile: 'full' });

function aCache(clock: Clock = new ManualClock()): ChunkCache<NodeSnapshot> {
  return new ChunkCache({
    maker: new TextMaker(groups, partsOfNode({ compatibility: 'none' }), new Versions()),
    slicer: new TimeSlicer(clock),
    nameOf: ({ nodeName }) => nodeName,
  });
}

function textOf(text: SourceText<NodeSnapshot> | undefined, family: string): string | undefined {
  const families = groups.flatMap(({ group }) => group.families);
  const index = families.findIndex(({ name }) => name === `ephemeral_storage_${family}`);
  return text?.pieces[index]?.chunk.toString();
}

describe('ChunkCache', () => {
  it('keeps the same Buffers for the same snapshot', async () => {
    const cache = aCache();
    const snapshot = aNodeSnapshot();
    const [first] = await cache.prepareAll([snapshot], none, never);
    const [second] = await cache.prepareAll([snapshot], none, never);
    expect(second).toBe(first);
  });

  it('makes those of a new snapshot and keeps those of the others', async () => {
    const cache = aCache();
    const kept = aNodeSnapshot({ nodeName: 'node-1' });
    const before = await cache.prepareAll([kept, aNodeSnapshot({ nodeName: 'node-2' })], none, never);
    const after = await cache.prepareAll([kept, aNodeSnapshot({ nodeName: 'node-2', pods: [] })], none, never);
    expect(after[0]).toBe(before[0]);
    expect(textOf(before[1], 'pod_used_bytes')).not.toBe('');
    expect(textOf(after[1], 'pod_used_bytes')).toBe('');
  });

  it('returns the chunks in the order of the snapshots, whichever were kept', async () => {
    const cache = aCache();
    const [a, b, c] = ['a', 'b', 'c'].map((nodeName) => aNodeSnapshot({ nodeName }));
    if (a === undefined || b === undefined || c === undefined) throw new Error('three snapshots expected');
    await cache.prepareAll([b], none, never);
    const prepared = await cache.prepareAll([c, b, a], none, never);
    expect(prepared.map((chunks) => /node="(\w)"/.exec(textOf(chunks, 'pod_used_bytes') ?? '')?.[1])).toEqual([
      'c',
      'b',
      'a',
    ]);
  });

  it('makes the chunks of a snapshot once for scrapes that run at the same time', async () => {
    const cache = aCache();
    const snapshot = aNodeSnapshot();
    const [[first], [second]] = await Promise.all([
      cache.prepareAll([snapshot], none, never),
      cache.prepareAll([snapshot], none, never),
    ]);
    expect(second).toBe(first);
  });

  it('yields to the event loop while it makes many', async () => {
    // Each look at the clock takes three milliseconds, so two nodes fill a time slice.
    let timeMs = 0;
    const clock: Clock = { ...systemClock, monotonicMs: () => (timeMs += 3) };
    const isDone = new AbortController();
    const prepared = aCache(clock)
      .prepareAll(
        Array.from({ length: 100 }, (_, index) => aNodeSnapshot({ nodeName: `node-${index}` })),
        none,
        never,
      )
      .finally(() => {
        isDone.abort();
      });
    let turnCount = 0;
    while (!isDone.signal.aborted) {
      await nextTurn();
      turnCount += 1;
    }
    expect(await prepared).toHaveLength(100);
    expect(turnCount).toBeGreaterThan(20);
  });

  it('stops when the client has left', async () => {
    const left = AbortSignal.abort(new Error('left'));
    await expect(aCache().prepareAll([aNodeSnapshot()], none, left)).rejects.toThrow('left');
  });

  it('serves what is unknown as no series', async () => {
    const usage = aPodUsage({
      containers: [aContainerUsage({ rootfsBytes: undefined, logsBytes: 0 })],
      volumes: [aVolumeUsage({ usedBytes: undefined })],
    });
    const [chunks] = await aCache().prepareAll([aNodeSnapshot({ pods: [aPodSnapshot({ usage })] })], none, never);
    expect(textOf(chunks, 'container_rootfs_used_bytes')).toBe('');
    expect(textOf(chunks, 'container_logs_used_bytes')).toMatch(/ 0\n$/);
    expect(textOf(chunks, 'volume_used_bytes')).toBe('');
  });

  it('serves that volumes are not measured only while they are not', async () => {
    const pods = [
      aPodSnapshot({ name: 'pending', usage: aPodUsage({ volumesPending: true }) }),
      aPodSnapshot({ name: 'measured' }),
    ];
    const [chunks] = await aCache().prepareAll([aNodeSnapshot({ pods })], none, never);
    expect(textOf(chunks, 'pod_volume_stats_pending')).toBe(
      'ephemeral_storage_pod_volume_stats_pending{namespace="shop",pod="pending",node="node-1"} 1\n',
    );
  });

  it('serves the first of what is listed twice', async () => {
    const twice = aPodUsage({
      containers: [aContainerUsage({ usedBytes: 1 }), aContainerUsage({ usedBytes: 2 })],
      volumes: [aVolumeUsage({ usedBytes: 3, type: 'emptydir' }), aVolumeUsage({ usedBytes: 4, type: 'unknown' })],
    });
    const pods = [
      aPodSnapshot({ usage: twice }),
      aPodSnapshot({ usage: aPodUsage({ usedBytes: 5 }) }),
      aPodSnapshot({ namespace: 'other', usage: aPodUsage({ usedBytes: 6, containers: [], volumes: [] }) }),
    ];
    const [chunks] = await aCache().prepareAll([aNodeSnapshot({ pods })], none, never);
    const valuesOf = (family: string): string[] =>
      (textOf(chunks, family) ?? '')
        .trimEnd()
        .split('\n')
        .map((line) => line.slice(line.lastIndexOf(' ') + 1));
    expect(valuesOf('pod_used_bytes')).toEqual(['4096', '6']);
    expect(valuesOf('container_used_bytes')).toEqual(['1']);
    expect(valuesOf('volume_used_bytes')).toEqual(['3']);
  });
});
