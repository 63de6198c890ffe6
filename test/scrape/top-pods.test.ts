import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { type Clock, systemClock } from '../../src/base/clock.js';
import { Scheduler } from '../../src/base/scheduler.js';
import type { BoundPod } from '../../src/node/node-objects.js';
import type { NodeSnapshot, NodeView } from '../../src/node/node-view.js';
import type { PodRecord } from '../../src/node/pod-record.js';
import type { CollectOptions } from '../../src/scrape/collector.js';
import { allObjects, type ClusterSnapshot } from '../../src/scrape/snapshot.js';
import { TopPods } from '../../src/scrape/top-pods.js';
import { aPod } from '../support/builders.js';
import { atOnce } from '../support/lanes.js';
import {
  aBoundPod,
  aClusterSnapshot,
  aFreshNode,
  aMeasuredPod,
  anAbsentNode,
  aNodeSnapshot,
  aPodUsage,
  aWorkload,
  aWorkloadSnapshot,
  someNodeObjects,
} from '../support/snapshot-builders.js';

const never = new AbortController().signal;

interface PodModel {
  readonly name: string;
  readonly usedBytes: number;
  readonly workloads: readonly string[];
  readonly namespace?: string;
}

function pod({ name, usedBytes, workloads, namespace = 'shop' }: PodModel): PodRecord {
  return aMeasuredPod({
    namespace,
    name,
    usage: aPodUsage({ usedBytes }),
    workloads: workloads.map((workload) => aWorkload({ name: workload })),
  });
}

function aNode(nodeName: string, pods: readonly PodModel[]): NodeSnapshot {
  return aNodeSnapshot({ nodeName, pods: pods.map(pod) });
}

/** Gives what it is told to. */
class FakeSource {
  snapshot: ClusterSnapshot | undefined;
  readonly asked: CollectOptions[] = [];

  setNodes(...nodes: readonly NodeSnapshot[]): void {
    this.snapshot = aClusterSnapshot({ nodes: nodes.map((node) => aFreshNode(node)) });
  }

  collect(_signal: AbortSignal, options: CollectOptions = {}): Promise<ClusterSnapshot | undefined> {
    this.asked.push(options);
    for (const node of this.snapshot?.nodes ?? []) {
      options.onView?.(node, new Map());
    }
    return Promise.resolve(this.snapshot);
  }
}

function snapshotsOf(cluster: ClusterSnapshot | undefined): readonly NodeSnapshot[] {
  return (cluster?.nodes ?? []).flatMap((node) => (node.state === 'absent' ? [] : [node.snapshot]));
}

function shownIn(cluster: ClusterSnapshot | undefined): readonly (readonly string[])[] {
  return snapshotsOf(cluster).map(({ pods }) => pods.map(({ summary }) => summary.name));
}

async function shown(
  count: number,
  ...nodes: readonly (readonly PodModel[])[]
): Promise<readonly (readonly string[])[]> {
  const source = new FakeSource();
  source.setNodes(...nodes.map((pods, index) => aNode(`node-${index}`, pods)));
  return shownIn(await new TopPods({ source, count, lane: atOnce }).collect(never));
}

describe('TopPods: the pods that are shown', () => {
  it('the biggest pods of each workload over all nodes are shown', async () => {
    const first = [
      { name: 'a', usedBytes: 5, workloads: ['cart'] },
      { name: 'b', usedBytes: 1, workloads: ['cart'] },
      { name: 'x', usedBytes: 2, workloads: ['mail'] },
    ];
    const second = [
      { name: 'c', usedBytes: 3, workloads: ['cart'] },
      { name: 'd', usedBytes: 4, workloads: ['cart'] },
    ];
    expect(await shown(2, first, second)).toEqual([['a', 'x'], ['d']]);
  });

  it('pods that are among the biggest of any of their workloads are shown', async () => {
    const pods = [
      { name: 'big', usedBytes: 9, workloads: ['all'] },
      { name: 'small', usedBytes: 1, workloads: ['all', 'mail'] },
      { name: 'medium', usedBytes: 5, workloads: ['all'] },
    ];
    expect(await shown(1, pods)).toEqual([['big', 'small']]);
  });

  it('the first by namespace and name of equal pods are shown', async () => {
    const usedBytes = 7;
    const workloads = ['cart'];
    expect(
      await shown(
        2,
        [
          { namespace: 'b', name: 'a', usedBytes, workloads },
          { namespace: 'a', name: 'z', usedBytes, workloads },
        ],
        [
          { namespace: 'a-b', name: 'a', usedBytes, workloads },
          { namespace: 'a', name: 'c', usedBytes, workloads },
        ],
      ),
    ).toEqual([['z'], ['c']]);
  });

  it('the biggest of the pods without workload are shown', async () => {
    const pods = [
      { name: 'a', usedBytes: 1, workloads: [] },
      { name: 'b', usedBytes: 2, workloads: [] },
      { name: 'c', usedBytes: 0, workloads: ['cart'] },
    ];
    expect(await shown(1, pods)).toEqual([['b', 'c']]);
  });

  it('the pods that are shown are those that sorting everything would give', async () => {
    const models = fc.array(
      fc.record({
        usedBytes: fc.nat(6),
        workloads: fc.uniqueArray(fc.constantFrom<string>('a', 'b', 'c')),
        node: fc.nat(3),
      }),
      { maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(models, fc.integer({ min: 1, max: 9 }), async (drawn, count) => {
        const pods = drawn.map((model, index) => ({ ...model, name: `pod-${String(index).padStart(3, '0')}` }));
        const groups = ['a', 'b', 'c', undefined].map((name) =>
          pods
            .filter(({ workloads }) => (name === undefined ? workloads.length === 0 : workloads.includes(name)))
            .sort((a, b) => b.usedBytes - a.usedBytes || (a.name < b.name ? -1 : 1))
            .slice(0, count),
        );
        const expected = new Set(groups.flat().map(({ name }) => name));
        const nodes = [0, 1, 2, 3].map((index) => pods.filter(({ node }) => node === index));
        expect(await shown(count, ...nodes)).toEqual(
          nodes.map((onNode) => onNode.map(({ name }) => name).filter((name) => expected.has(name))),
        );
      }),
    );
  });
});

describe('TopPods', () => {
  const a = { name: 'a', usedBytes: 3, workloads: ['cart'] };
  const b = { name: 'b', usedBytes: 2, workloads: ['cart'] };
  const c = { name: 'c', usedBytes: 1, workloads: ['cart'] };

  it('the pods that are left out count as skipped, beside the others', async () => {
    const source = new FakeSource();
    source.setNodes({ ...aNode('node-1', [a, b, c]), skippedPods: new Map([['no_usage', 4] as const]) });
    const [node] = snapshotsOf(await new TopPods({ source, count: 1, lane: atOnce }).collect(never));
    expect(node?.skippedPods).toEqual(
      new Map([
        ['no_usage', 4],
        ['top', 2],
      ]),
    );
  });

  it('workloads, nodes without data and nodes whose pods are all shown stay as they are', async () => {
    const source = new FakeSource();
    const whole = aFreshNode(aNode('node-1', [a]));
    const absent = anAbsentNode('node-2', 'timeout');
    const workloads = [aWorkloadSnapshot()];
    source.snapshot = aClusterSnapshot({ nodes: [whole, absent], workloads });
    const trimmed = await new TopPods({ source, count: 1, lane: atOnce }).collect(never);
    expect(trimmed?.nodes[0]).toEqual(whole);
    expect(snapshotsOf(trimmed)[0]).toBe(whole.snapshot);
    expect(trimmed?.nodes[1]).toBe(absent);
    expect(trimmed?.workloads).toBe(workloads);
  });

  it('the snapshot of a node is the same as long as the same of its pods are shown', async () => {
    const source = new FakeSource();
    const top = new TopPods({ source, count: 2, lane: atOnce });
    const first = aNode('node-1', [a, b, c]);
    source.setNodes(first, aNode('node-2', []));
    const [before] = snapshotsOf(await top.collect(never));
    source.setNodes(first, aNode('node-2', [{ ...c, name: 'small' }]));
    const [same] = snapshotsOf(await top.collect(never));
    expect(same).toBe(before);
    source.setNodes(first, aNode('node-2', [{ ...c, name: 'huge', usedBytes: 9 }]));
    const [other] = snapshotsOf(await top.collect(never));
    expect(other?.pods.map(({ summary }) => summary.name)).toEqual(['a']);
    source.setNodes(aNode('node-1', [a, b, c]), aNode('node-2', []));
    const [anew] = snapshotsOf(await top.collect(never));
    expect(anew).not.toBe(before);
    expect(anew?.pods.map(({ summary }) => summary.name)).toEqual(['a', 'b']);
  });

  it('what a reader asks for is passed on, and no whole node, of which text would be made', async () => {
    const source = new FakeSource();
    source.setNodes(aNode('node-1', [a, b]));
    const top = new TopPods({ source, count: 1, lane: atOnce });
    const passed: string[] = [];
    const onView = ({ nodeName }: NodeView): void => void passed.push(nodeName);
    await top.collect(never, { onView, recordsFailures: false });
    await top.collect(never, { waitsForAll: true });
    expect(source.asked).toMatchObject([{ recordsFailures: false }, { waitsForAll: true }]);
    expect(source.asked.map((options) => options.onView !== undefined)).toEqual([true, false]);
    expect(passed).toEqual([]);
  });

  it('there are no top pods while the source has nothing', async () => {
    const top = new TopPods({ source: new FakeSource(), count: 1, lane: atOnce });
    expect(await top.collect(never)).toBeUndefined();
  });

  it('the event loop turns while top pods are found', async () => {
    // Each look at the clock takes five milliseconds: every piece of work fills a time slice.
    let timeMs = 0;
    const clock: Clock = { ...systemClock, monotonicMs: () => (timeMs += 5) };
    const source = new FakeSource();
    source.setNodes(...Array.from({ length: 1_000 }, (_, index) => aNode(`node-${index}`, [a, b])));
    const turns = { count: 0, isCounting: true };
    const countTurn = (): void => {
      turns.count += 1;
      if (turns.isCounting) setImmediate(countTurn);
    };
    setImmediate(countTurn);
    await new TopPods({ source, count: 1, lane: new Scheduler(clock).newLane() }).collect(never);
    turns.isCounting = false;
    expect(turns.count).toBeGreaterThan(50);
  });
});

describe('TopPods: pods that are not measured', () => {
  const bound = (name: string, workload = 'cart'): BoundPod =>
    aBoundPod({ pod: aPod({ name }), workloads: [aWorkload({ name: workload })] });

  async function shownObjects(count: number, measured: readonly PodModel[], unmeasured: readonly BoundPod[]) {
    const source = new FakeSource();
    const snapshot = aNode('node-1', measured);
    const known = measured.map(({ name, workloads: [workload] }) => bound(name, workload));
    source.snapshot = aClusterSnapshot({
      nodes: [
        { ...aFreshNode(snapshot), objects: someNodeObjects({ nodeName: 'node-1', pods: known }) },
        { ...anAbsentNode('node-2', 'timeout'), objects: someNodeObjects({ nodeName: 'node-2', pods: unmeasured }) },
      ],
    });
    const top = new TopPods({ source, count, lane: atOnce });
    const [first, second] = [await top.collect(never), await top.collect(never)];
    const [objects, again] = [first, second].map((cluster) => (cluster === undefined ? [] : allObjects(cluster)));
    expect(again).toEqual(objects);
    objects?.forEach((each, index) => {
      expect(again?.[index]).toBe(each);
    });
    return objects?.map(({ pods }) => pods.map(({ pod: { name } }) => name));
  }

  const measured = [
    { name: 'big', usedBytes: 9, workloads: ['cart'] },
    { name: 'small', usedBytes: 0, workloads: ['cart'] },
  ];

  it.each([
    [1, [['big'], []]],
    [2, [['big', 'small'], []]],
    [3, [['big', 'small'], ['x']]],
    [
      4,
      [
        ['big', 'small'],
        ['x', 'y'],
      ],
    ],
  ])('pods that are not measured come after those that are: %i', async (count, expected) => {
    expect(await shownObjects(count, measured, [bound('x'), bound('y')])).toEqual(expected);
  });

  it('pods that are not measured are shown as the only ones of their workload', async () => {
    expect(await shownObjects(1, measured, [bound('x', 'mail'), bound('y', 'mail')])).toEqual([['big'], ['x']]);
  });
});
