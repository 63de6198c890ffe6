import { setImmediate as nextTurn } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import type { NodeSnapshot } from '../../src/facts/node/node-view.js';
import type { ClusterSnapshot } from '../../src/facts/scrape/snapshot.js';
import { type Clock, systemClock } from '../../src/lib/base/clock.js';
import { Scheduler } from '../../src/lib/base/scheduler.js';
import { detailGroups } from '../../src/metrics/exposition/families.js';
import { chunkIds, FamilyRenderer } from '../../src/metrics/exposition/incremental-text.js';
import { nodeDivision } from '../../src/metrics/exposition/pod-on-node.js';
import { type FamilyBlock, TextCache } from '../../src/metrics/exposition/text-cache.js';
import { ManualClock } from '../support/manual-clock.js';
import {
  aClusterSnapshot,
  aContainerUsage,
  aFreshNode,
  aMeasuredPod,
  aNodeSnapshot,
  aPodUsage,
  aVolumeUsage,
} from '../support/snapshot-builders.js';

const never = new AbortController().signal;
const wholeTable = { isRequested: () => true, leftOut: new Set<never>() };

const groups = detailGroups({ compatibility: 'none', profile: 'full' });

type CachedBlocks = (nodes: readonly NodeSnapshot[], signal?: AbortSignal) => Promise<readonly FamilyBlock[]>;

function aTextCache(clock: Clock): TextCache<NodeSnapshot> {
  return new TextCache<NodeSnapshot>({
    renderer: new FamilyRenderer(groups, nodeDivision({ compatibility: 'none', showsSizesAlone: false }), chunkIds()),
    lane: new Scheduler(clock).newLane(),
    sourcesOf: ({ nodes }) => nodes.flatMap((node) => (node.state === 'absent' ? [] : [node.snapshot])),
    nameOf: ({ nodeName }) => nodeName,
  });
}

function clusterOf(...nodes: readonly NodeSnapshot[]): ClusterSnapshot {
  return aClusterSnapshot({ nodes: nodes.map((snapshot) => aFreshNode(snapshot)) });
}

function aCache(clock: Clock = new ManualClock()): CachedBlocks {
  const cache = aTextCache(clock);
  return (nodes, signal = never) => cache.blocks(clusterOf(...nodes), wholeTable, signal);
}

function chunksOf(blocks: readonly FamilyBlock[], family: string): readonly Buffer[] {
  const block = blocks.find(({ header }) => header.name === `ephemeral_storage_${family}`);
  return block?.pieces.map(({ chunk }) => chunk) ?? [];
}

function textOf(blocks: readonly FamilyBlock[], family: string): string {
  return chunksOf(blocks, family).map(String).join('');
}

describe('TextCache: the text of nodes', () => {
  it('the event loop turns while the text of many nodes is made', async () => {
    // Each look at the clock takes three milliseconds, so two nodes fill a time slice.
    let timeMs = 0;
    const clock: Clock = { ...systemClock, monotonicMs: () => (timeMs += 3) };
    const isDone = new AbortController();
    const nodes = Array.from({ length: 100 }, (_, index) => aNodeSnapshot({ nodeName: `node-${index}` }));
    const blocks = aCache(clock)(nodes).finally(() => {
      isDone.abort();
    });
    let turnCount = 0;
    while (!isDone.signal.aborted) {
      await nextTurn();
      turnCount += 1;
    }
    expect(chunksOf(await blocks, 'pod_used_bytes')).toHaveLength(100);
    expect(turnCount).toBeGreaterThan(20);
  });

  it('the first of what is listed twice is served', async () => {
    const twice = aPodUsage({
      containers: [aContainerUsage({ usedBytes: 1 }), aContainerUsage({ usedBytes: 2 })],
      volumes: [aVolumeUsage({ usedBytes: 3, type: 'emptydir' }), aVolumeUsage({ usedBytes: 4, type: 'unknown' })],
    });
    const pods = [
      aMeasuredPod({ usage: twice }),
      aMeasuredPod({ usage: aPodUsage({ usedBytes: 5 }) }),
      aMeasuredPod({ namespace: 'other', usage: aPodUsage({ usedBytes: 6, containers: [], volumes: [] }) }),
    ];
    const blocks = await aCache()([aNodeSnapshot({ pods })]);
    const valuesOf = (family: string): string[] =>
      textOf(blocks, family)
        .trimEnd()
        .split('\n')
        .map((line) => line.slice(line.lastIndexOf(' ') + 1));
    expect(valuesOf('pod_used_bytes')).toEqual(['4096', '6']);
    expect(valuesOf('container_used_bytes')).toEqual(['1']);
    expect(valuesOf('volume_used_bytes')).toEqual(['3']);
  });
});

describe('TextCache: what is kept of nodes', () => {
  const [one, other] = [aNodeSnapshot({ nodeName: 'one' }), aNodeSnapshot({ nodeName: 'other' })];
  const sumOf = ({ ofFamilies }: TextCache<NodeSnapshot>): number => ofFamilies.reduce((sum, count) => sum + count, 0);

  it('the series of the nodes that are there are counted, each as it is now', async () => {
    const cache = aTextCache(new ManualClock());
    const countOf = async (...nodes: readonly NodeSnapshot[]): Promise<number> => {
      await cache.update(clusterOf(...nodes), () => wholeTable, never);
      return sumOf(cache);
    };
    const ofOne = await countOf(one);
    expect(ofOne).toBeGreaterThan(0);
    expect(await countOf(one, other)).toBe(2 * ofOne);
    const ofEmpty = (await countOf(one, aNodeSnapshot({ nodeName: 'other', pods: [] }))) - ofOne;
    expect(ofEmpty).toBeLessThan(ofOne);
    expect(await countOf(one)).toBe(ofOne);
    expect(await countOf()).toBe(0);
  });

  it('series that a large pod has too many of are counted as left out', async () => {
    const cache = aTextCache(new ManualClock());
    const containers = Array.from({ length: 1_000 }, (_, index) => aContainerUsage({ name: `c${index}` }));
    const large = aNodeSnapshot({ pods: [aMeasuredPod({ usage: aPodUsage({ containers }) })] });
    await cache.update(clusterOf(large), () => wholeTable, never);
    expect(cache.leftOutCount).toBeGreaterThanOrEqual(1_000);
    await cache.update(clusterOf(one), () => wholeTable, never);
    expect(cache.leftOutCount).toBe(0);
  });

  it('one text is kept for scrapes that leave out different families', async () => {
    const cache = aTextCache(new ManualClock());
    const without = async (name: string): Promise<Buffer | undefined> => {
      const leftOut = new Set(cache.families.filter((family) => family.name === `ephemeral_storage_${name}`));
      expect(leftOut.size).toBe(1);
      const blocks = await cache.blocks(clusterOf(one), { isRequested: () => true, leftOut }, never);
      return chunksOf(blocks, 'pod_used_bytes')[0];
    };
    await without('container_used_bytes');
    const text = await without('volume_used_bytes');
    expect(text?.length).toBeGreaterThan(0);
    expect(await without('container_used_bytes')).toBe(text);
  });
});
