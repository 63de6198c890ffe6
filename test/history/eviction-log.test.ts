import { beforeEach, describe, expect, it } from 'vitest';

import { EvictionLog, type PodChange } from '../../src/history/eviction-log.js';
import type { EvictionCause, EvictionRecord } from '../../src/history/eviction-record.js';
import type { EvictionContext } from '../../src/history/last-usage.js';
import type { Pod } from '../../src/kube/objects.js';
import { projectPod } from '../../src/kube/projection.js';
import type { EvictionSignal } from '../../src/kubelet/eviction-signals.js';
import type { LastMeasurement } from '../../src/kubelet/lookup.js';
import type { Workload } from '../../src/workload/workload.js';
import {
  aContainer,
  aContainerSummary,
  anFsStats,
  aNode,
  aNodeSummary,
  aPod,
  aPodSummary,
  aVolume,
  aVolumeSummary,
} from '../support/builders.js';
import { anEvictionRecord } from '../support/eviction-builders.js';
import { recordedEvictions } from '../support/eviction-cases.js';
import { retainedBytes } from '../support/heap.js';
import { ManualClock } from '../support/manual-clock.js';
import { aDeployment, aNodeSnapshot, aNodeThreshold } from '../support/snapshot-builders.js';
import { mib } from '../support/units.js';

const hourMs = 3_600_000;
const cart = aDeployment('cart');
const emptyDirMessage = 'Usage of EmptyDir volume "data" exceeds the limit "100Mi". ';

let clock: ManualClock;
let log: EvictionLog;

beforeEach(() => {
  clock = new ManualClock();
  log = new EvictionLog({ retentionMs: hourMs, maxRecords: 3 }, clock);
});

function anEvicted(overrides: Partial<Pod> = {}, message = emptyDirMessage): Pod {
  return aPod({ phase: 'Failed', eviction: { message, atMs: clock.nowMs() }, ...overrides });
}

function aContext(overrides: Partial<EvictionContext> = {}): EvictionContext {
  return {
    node: aNode({ diskPressure: false }),
    layout: { hasDedicatedImagefs: false, hasSplitImagefs: false },
    measurement: undefined,
    snapshot: undefined,
    maxAgeMs: 120_000,
    samplesOf: () => [],
    workloads: [cart],
    attribution: 'measured',
    ...overrides,
  };
}

function see(object: Pod, change: Partial<PodChange> = {}, context = aContext()): void {
  log.podChanged({ object, previous: undefined, isInitial: false, ...change }, () => context);
}

const pressed = aNodeSnapshot({
  thresholds: [
    aNodeThreshold(),
    aNodeThreshold({ signal: 'nodefs.inodesFree', threshold: 100, available: 200, headroom: 100, isCrossed: false }),
  ],
});

function verdictOn(signal: EvictionSignal) {
  return {
    shortage: { signal, state: 'evicting', threshold: 10, available: 4, missing: 6 },
  } as EvictionRecord['nodeVerdict'];
}

const names = (): readonly string[] => log.records.map(({ pod }) => pod);

const snapshot = (workloads: readonly Workload[] = [cart], nodeNames: readonly string[] = ['node-1']) =>
  log.snapshot({ workloads, nodeNames, showsAllPods: true });

const countOf = (cause: EvictionCause): readonly (number | undefined)[] => {
  const { workloads, nodes } = snapshot();
  return [workloads[0]?.counts.get(cause), nodes[0]?.counts.get(cause)];
};

describe('an eviction', () => {
  it('an eviction is recorded with what the status names', () => {
    see(anEvicted({ labels: { app: 'cart' } }));
    expect(log.records).toEqual([
      {
        cause: 'emptydir_limit',
        container: '',
        volume: 'data',
        limitBytes: 100 * mib,
        namespace: 'shop',
        pod: 'cart-0',
        uid: 'uid-shop-cart-0',
        node: 'node-1',
        labels: { app: 'cart' },
        workloads: [cart],
        message: emptyDirMessage,
        evictedAtMs: clock.nowMs(),
        seenAtMs: clock.nowMs(),
        wasSeenLive: true,
        diskPressure: false,
        lastUsage: 'not_measured',
      } satisfies EvictionRecord,
    ]);
    expect(countOf('emptydir_limit')).toEqual([1, 1]);
  });

  it('an eviction has the time at which it was seen when the status shows none', () => {
    see(anEvicted({ eviction: { message: emptyDirMessage, atMs: undefined } }));
    expect(log.records[0]?.evictedAtMs).toBe(clock.nowMs());
  });

  it.each<readonly [string, string, boolean, EvictionRecord['nodeVerdict']]>([
    ['a shortage of bytes', 'ephemeral-storage', false, verdictOn('nodefs.available')],
    ['a shortage of inodes', 'inodes', false, verdictOn('nodefs.inodesFree')],
    ['a shortage before the first list', 'ephemeral-storage', true, undefined],
  ])(
    'an eviction for %s has the verdict of its node, which had DiskPressure whatever the API server has',
    (_what, resource, isInitial, verdict) => {
      const message = `The node was low on resource: ${resource}. Threshold quantity: 10, available: 4. `;
      see(anEvicted({}, message), { isInitial }, aContext({ snapshot: pressed }));
      expect(log.records[0]?.diskPressure).toBe(true);
      if (verdict === undefined) expect(log.records[0]?.nodeVerdict).toBeUndefined();
      else expect(log.records[0]?.nodeVerdict).toMatchObject(verdict);
    },
  );

  it('the evictions of one shortage name the same pod first, though it is gone', () => {
    const message = 'The node was low on resource: ephemeral-storage. Threshold quantity: 10, available: 4. ';
    const of = (name: string, usedBytes: number) => {
      const containers = [aContainerSummary({ rootfsBytes: usedBytes, logsBytes: 0 })];
      return { pod: aPod({ name }), summary: aPodSummary({ name, usedBytes, containers }) };
    };
    const amounts = { pods: 90, images: 0, other: 0 };
    const disk = {
      filesystem: 'nodefs',
      ofInodes: false,
      atMs: 0,
      capacity: 100,
      available: 5,
      durationMs: 1,
    } as const;
    const fills = [{ ...disk, held: amounts, grown: amounts, fallen: 0, cause: 'pods', calmAtMs: -Infinity } as const];
    for (const [name, pods] of [
      ['filler', [of('filler', 60), of('web', 30)]],
      ['web', [of('web', 30)]],
    ] as const) {
      const summary = aNodeSummary({ pods: pods.map((each) => each.summary) });
      const snapshotOfPods = { ...pressed, summary, podsOnNode: pods.map(({ pod }) => pod), fills };
      see(anEvicted({ name, uid: name }, message), { previous: aPod() }, aContext({ snapshot: snapshotOfPods }));
    }
    expect(log.records.map(({ nodeVerdict }) => nodeVerdict?.first?.pod.name)).toEqual(['filler', 'filler']);
  });

  it.each([
    [0, 120_000, 120_000],
    [0, 120_001, undefined],
    [30_000, 140_000, 110_000],
    [200_000, 140_000, 0],
  ])(
    'an eviction seen %i ms late is explained by a summary of up to two minutes before it',
    async (lateMs, ageMs, found) => {
      const message = 'The node was low on resource: inodes. Threshold quantity: 10, available: 4. ';
      const arrived = { ...pressed, arrivedAtMs: clock.monotonicMs() };
      await clock.advance(ageMs);
      const eviction = { message, atMs: clock.nowMs() - lateMs };
      see(anEvicted({ eviction }), { previous: aPod() }, aContext({ snapshot: arrived }));
      expect(log.records[0]?.nodeVerdict?.ageMs).toBe(found);
    },
  );

  it('an eviction at admission has the verdict of its node as it is, and one for a limit has none', () => {
    see(
      anEvicted({ uid: 'u1' }, 'Pod was rejected: The node had condition: [DiskPressure]. '),
      {},
      aContext({ snapshot: pressed }),
    );
    see(anEvicted({ uid: 'u2' }), {}, aContext({ snapshot: pressed }));
    const verdicts = new Map(log.records.map(({ cause, nodeVerdict }) => [cause, nodeVerdict?.shortage?.missing]));
    expect(verdicts).toEqual(
      new Map([
        ['node_admission', 1],
        ['emptydir_limit', undefined],
      ]),
    );
  });

  it('an eviction counts once for a pod, whatever the number of events', () => {
    const evicted = anEvicted();
    see(evicted, { previous: aPod() });
    see(anEvicted({ resourceVersion: '2' }), { previous: evicted });
    see(anEvicted({ resourceVersion: '3' }), { previous: evicted });
    see(anEvicted({ resourceVersion: '3' }));
    expect(names()).toEqual(['cart-0']);
    expect(countOf('emptydir_limit')).toEqual([1, 1]);
  });

  it('an eviction counts when only the deletion of the pod shows it', () => {
    see(anEvicted(), { previous: aPod() });
    expect(countOf('emptydir_limit')).toEqual([1, 1]);
  });

  it('an eviction counts again for another pod of the same name', () => {
    see(anEvicted({ uid: 'first' }));
    see(anEvicted({ uid: 'second' }));
    expect(log.records.map(({ uid }) => uid)).toEqual(['second', 'first']);
    expect(countOf('emptydir_limit')).toEqual([2, 2]);
  });

  it('an eviction before the first list is recorded and never counted', () => {
    const evicted = anEvicted();
    see(evicted, { isInitial: true });
    see(anEvicted({ resourceVersion: '2' }), { previous: evicted });
    see(evicted, { previous: evicted });
    expect(log.records.map(({ lastUsage }) => lastUsage)).toEqual(['before_start']);
    expect(countOf('emptydir_limit')).toEqual([0, 0]);
  });

  it('an eviction of a pod that has come into scope is counted only when it happened since the start', () => {
    const message = emptyDirMessage;
    const startedAtMs = clock.nowMs();
    see(anEvicted({ name: 'old', eviction: { message, atMs: startedAtMs - 61_000 } }));
    expect([names(), countOf('emptydir_limit')]).toEqual([['old'], [0, 0]]);
    see(anEvicted({ name: 'new', eviction: { message, atMs: startedAtMs - 1_000 } }));
    expect(countOf('emptydir_limit')).toEqual([1, 1]);
  });

  it('an eviction counts when the first list of a new source has it before the event of the former source', () => {
    see(anEvicted(), { isInitial: true });
    see(anEvicted(), { previous: aPod() });
    see(anEvicted(), { previous: aPod() });
    expect(names()).toEqual(['cart-0']);
    expect(countOf('emptydir_limit')).toEqual([1, 1]);
  });

  it('an eviction counts for the workloads of its record, whatever they are since', () => {
    see(anEvicted(), { isInitial: true });
    see(anEvicted(), { previous: aPod() }, aContext({ workloads: [aDeployment('renamed')] }));
    expect(countOf('emptydir_limit')).toEqual([1, 1]);
    expect(snapshot([]).workloads.map(({ of: { name } }) => name)).toEqual(['cart']);
  });

  it.each(['Preempted in order to admit critical pod', 'The node was low on resource: memory. '])(
    'an eviction for another reason is not counted: %s',
    (message) => {
      see(anEvicted({}, message));
      expect(names()).toEqual([]);
    },
  );
});

describe('records', () => {
  it('records are the newest ones', async () => {
    for (const name of ['a', 'b', 'c', 'd']) {
      see(anEvicted({ name }));
      await clock.advance(1_000);
    }
    see(anEvicted({ name: 'late', eviction: { message: emptyDirMessage, atMs: clock.nowMs() - 1_500 } }));
    expect(names()).toEqual(['d', 'late', 'c']);
    log.configure({ retentionMs: hourMs, maxRecords: 1 });
    expect(names()).toEqual(['d']);
  });

  it('records of one namespace push out no last one of another, and the oldest of the largest goes first', async () => {
    for (const [name, namespace] of [
      ['victim', 'shop'],
      ['old', 'ops'],
      ...Array.from({ length: 9 }, (_, index) => [`t${index}`, 'tenant']),
      ['new', 'ops'],
    ] as [string, string][]) {
      see(anEvicted({ name, namespace }));
      await clock.advance(1_000);
    }
    expect(names()).toEqual(['new', 't8', 'victim']);
    see(anEvicted({ name: 't9', namespace: 'tenant' }));
    expect(names()).toEqual(['t9', 'new', 'victim']);
    log.configure({ retentionMs: hourMs, maxRecords: 4 });
    see(
      anEvicted({ name: 'refused', namespace: 'else' }, 'Pod was rejected: The node had condition: [DiskPressure]. '),
    );
    see(anEvicted({ name: 'u0', namespace: 'tenant' }));
    expect(names().toSorted()).toEqual(['new', 't9', 'u0', 'victim']);
  });

  it('records of running pods outlast refusals at admission, of which a loop makes many', async () => {
    see(anEvicted({ name: 'evicted' }));
    for (const name of ['r1', 'r2', 'r3', 'r4']) {
      await clock.advance(1_000);
      see(anEvicted({ name }, 'Pod was rejected: The node had condition: [DiskPressure]. '));
    }
    expect(names()).toEqual(['r4', 'r3', 'evicted']);
  });

  it.each([
    ['behind', -2 * hourMs, -2 * hourMs],
    ['ahead', 2 * hourMs, 0],
  ])('records are kept for their time when the clock of the node is %s', async (_where, offsetMs, shownOffsetMs) => {
    const startMs = clock.nowMs();
    const evicted = anEvicted({ eviction: { message: emptyDirMessage, atMs: startMs + offsetMs } });
    see(evicted, { previous: aPod() });
    expect(log.records.map(({ evictedAtMs }) => evictedAtMs - startMs)).toEqual([shownOffsetMs]);
    await clock.advance(hourMs);
    expect(names()).toEqual([]);
  });

  it.each([
    ['set back by an hour', -hourMs],
    ['set forward by a day', 24 * hourMs],
  ])('records are kept for the retention time when the wall clock is %s', async (_case, jumpMs) => {
    const startMs = clock.nowMs();
    see(anEvicted({ name: 'before' }), { previous: aPod() });
    see(anEvicted({ name: 'found' }), { isInitial: true });
    clock.jumpWallTime(jumpMs);
    const eviction = { message: emptyDirMessage, atMs: clock.steadyNowMs() };
    see(anEvicted({ name: 'after', eviction }), { previous: aPod() });
    expect(log.records.map(({ evictedAtMs }) => evictedAtMs - startMs)).toEqual([0, 0, 0]);
    await clock.advance(hourMs - 1);
    expect(names()).toHaveLength(3);
    await clock.advance(1);
    expect(names()).toEqual([]);
  });

  describe('records of pods that were found', () => {
    /** Of an eviction whose true age is `minutes`. */
    const found = (name: string, nowMs: number, minutes: number): void => {
      const eviction = { message: emptyDirMessage, atMs: nowMs - minutes * 60_000 };
      see(anEvicted({ name, eviction }), { isInitial: true });
    };

    it.each([
      ['the steady clock is behind', 2 * hourMs],
      ['the wall clock is behind', -2 * hourMs],
      ['both are right', 0],
    ])('records of pods that were found are kept for the rest of the retention time when %s', async (_case, jumpMs) => {
      clock.jumpWallTime(jumpMs);
      const nowMs = Math.max(clock.nowMs(), clock.steadyNowMs());
      found('old', nowMs, 90);
      found('young', nowMs, 30);
      expect(log.records.map(({ pod, evictedAtMs }) => [pod, evictedAtMs])).toEqual([['young', nowMs - hourMs / 2]]);
      await clock.advance(hourMs / 2 - 1);
      expect(names()).toEqual(['young']);
      await clock.advance(1);
      expect(names()).toEqual([]);
    });

    it('records of pods that were found are kept when the wall clock is set forward afterwards', async () => {
      found('a', clock.nowMs(), 30);
      clock.jumpWallTime(24 * hourMs);
      await clock.advance(hourMs / 2 - 1);
      expect(names()).toEqual(['a']);
    });

    it('old records of pods that have come into scope are not counted when the steady clock is behind', () => {
      clock.jumpWallTime(2 * hourMs);
      log = new EvictionLog({ retentionMs: hourMs, maxRecords: 3 }, clock);
      const eviction = { message: emptyDirMessage, atMs: clock.nowMs() - hourMs / 2 };
      see(anEvicted({ name: 'selected', eviction }));
      expect([names(), countOf('emptydir_limit')]).toEqual([['selected'], [0, 0]]);
    });
  });

  it('records are forgotten when the retention time is over, and counters stay', async () => {
    see(anEvicted());
    await clock.advance(hourMs - 1);
    expect(names()).toEqual(['cart-0']);
    await clock.advance(1);
    expect(names()).toEqual([]);
    expect(countOf('emptydir_limit')).toEqual([1, 1]);
  });

  it('no records are made of evictions from before the first list and the retention time', async () => {
    const old = anEvicted();
    await clock.advance(hourMs);
    see(old, { isInitial: true });
    expect(names()).toEqual([]);
  });

  it('records have series for an hour at most, however long they are listed', async () => {
    log.configure({ retentionMs: 24 * hourMs, maxRecords: 3 });
    see(anEvicted({ name: 'old' }));
    await clock.advance(hourMs / 2);
    see(anEvicted({ name: 'young' }));
    const listed = snapshot().records;
    expect(listed.map(({ pod }) => pod)).toEqual(['young', 'old']);
    await clock.advance(hourMs / 2 - 1);
    expect(snapshot().records).toBe(listed);
    await clock.advance(1);
    expect(snapshot().records.map(({ pod }) => pod)).toEqual(['young']);
    expect(snapshot().records).toBe(snapshot().records);
    expect(names()).toEqual(['young', 'old']);
  });

  it('records are the same array until they change', () => {
    see(anEvicted());
    const { records } = snapshot();
    expect(snapshot().records).toBe(records);
    see(anEvicted({ name: 'b' }));
    expect(snapshot().records).not.toBe(records);
  });

  it('records of pods without a workload are not shown when those pods are not', () => {
    see(anEvicted(), {}, aContext({ workloads: [] }));
    see(anEvicted({ name: 'b' }));
    const shown = (showsAllPods: boolean) => log.snapshot({ workloads: [], nodeNames: [], showsAllPods }).records;
    expect(shown(true).map(({ pod }) => pod)).toEqual(['b', 'cart-0']);
    expect(shown(false).map(({ pod }) => pod)).toEqual(['b']);
    expect(shown(false)).toBe(shown(false));
  });

  it('records out of scope are forgotten', () => {
    see(anEvicted());
    see(anEvicted({ namespace: 'other' }));
    log.retain(({ namespace }) => namespace === 'shop');
    expect(log.records.map(({ namespace }) => namespace)).toEqual(['shop']);
  });

  it('records are made again when a pod comes back into scope that is still there, and count no more', () => {
    see(anEvicted({ name: 'counted' }), { previous: aPod() });
    see(anEvicted({ name: 'found' }), { isInitial: true });
    log.retain(() => false);
    for (const name of ['counted', 'found']) see(anEvicted({ name }), { previous: anEvicted({ name }) });
    expect(names()).toEqual([]);
    for (const name of ['counted', 'found', 'found']) see(anEvicted({ name }), { isInitial: true });
    expect([...names()].sort()).toEqual(['counted', 'found']);
    see(anEvicted({ name: 'counted' }));
    expect(countOf('emptydir_limit')).toEqual([1, 1]);
  });

  it.each([
    ['a', 'b'],
    ['b', 'a'],
  ])('records of one second are in the order of the names, seen as %s and %s', (...seen) => {
    for (const name of seen) see(anEvicted({ name }));
    expect(names()).toEqual(['a', 'b']);
    log.configure({ retentionMs: hourMs, maxRecords: 1 });
    expect(names()).toEqual(['a']);
  });

  it('records cost at most 20 MB for 1,000 pods with ten samples', () => {
    const bytes = retainedBytes(() => {
      const big = new EvictionLog({ retentionMs: hourMs, maxRecords: 1_000 }, clock);
      for (let index = 0; index < 1_500; index += 1) {
        const names = Array.from({ length: 4 }, (_, part) => `part-${part}`);
        const pod = anEvicted({
          name: `cart-${index}`,
          containers: names.map((name) => aContainer({ name, limitBytes: 10 * mib })),
          volumes: names.map((name) => aVolume({ name, sizeLimitBytes: 10 * mib })),
        });
        const samples = Array.from({ length: 10 }, (_, sample) => ({ atMs: sample + 0.5, usedBytes: index + 0.5 }));
        const summary = aPodSummary({
          name: pod.name,
          containers: names.map((name) => aContainerSummary({ name, rootfsBytes: index, logsBytes: index })),
          volumes: names.map((name) => aVolumeSummary({ name, usedBytes: index })),
        });
        const change = { object: pod, previous: undefined, isInitial: false };
        big.podChanged(change, () => aContext({ measurement: { summary, fetchedAtMs: index, samples } }));
      }
      expect(big.records.length).toBe(1_000);
      return big;
    });
    expect(bytes).toBeLessThanOrEqual(20e6);
  });
});

describe('records of a former process', () => {
  const minuteMs = 60_000;
  const former = (pod: string, minutes: number, overrides: Partial<EvictionRecord> = {}): EvictionRecord =>
    anEvictionRecord({
      pod,
      evictedAtMs: clock.nowMs() - minutes * minuteMs,
      seenAtMs: clock.nowMs() - minutes * minuteMs,
      ...overrides,
    });

  it('records of a former process are listed, the newest first, and not counted', () => {
    log.restore([former('b', 30), former('a', 10)]);
    expect(names()).toEqual(['a', 'b']);
    expect(countOf('emptydir_limit')).toEqual([0, 0]);
    expect(snapshot([], []).workloads).toEqual([]);
  });

  it.each([
    ['the first list', true],
    ['a change', false],
  ])(
    'records of a former process stay as they are when %s shows the same pod, which is not counted',
    (_by, isInitial) => {
      const record = former('cart-0', 10);
      log.restore([record]);
      const object = anEvicted({ uid: record.uid });
      see(object, { isInitial });
      expect(log.records).toEqual([record]);
      expect(countOf('emptydir_limit')).toEqual([0, 0]);
    },
  );

  it('records of a former process that had found the pod do not keep it from being counted', () => {
    const record = former('cart-0', 10, { wasSeenLive: false });
    log.restore([record]);
    see(anEvicted({ uid: record.uid }), { previous: aPod() });
    expect(log.records).toEqual([record]);
    expect(countOf('emptydir_limit')).toEqual([1, 1]);
  });

  it.each([
    ['seen live are kept from when it was seen, whatever the clock of the node', { wasSeenLive: true }, 30],
    ['found are kept from when it was evicted', { wasSeenLive: false }, 10],
  ])('records of a former process that were %s', async (_what, overrides, leftMinutes) => {
    log.restore([former('a', 50, { seenAtMs: clock.nowMs() - 30 * minuteMs, ...overrides })]);
    await clock.advance(leftMinutes * minuteMs - 1);
    expect(names()).toEqual(['a']);
    await clock.advance(1);
    expect(names()).toEqual([]);
  });

  it.each([
    ['the wall clock is behind', -2 * hourMs],
    ['the steady clock is behind', 2 * hourMs],
  ])('records of a former process are kept for the rest of their time when %s', async (_case, jumpMs) => {
    clock.jumpWallTime(jumpMs);
    const seenAtMs = Math.max(clock.nowMs(), clock.steadyNowMs()) - 30 * minuteMs;
    log.restore([former('a', 0, { evictedAtMs: seenAtMs, seenAtMs })]);
    await clock.advance(30 * minuteMs - 1);
    expect(names()).toEqual(['a']);
    await clock.advance(1);
    expect(names()).toEqual([]);
  });

  it('records of a former process are the newest ones, and none of those whose time is over', () => {
    log.restore([former('old', 60), ...['d', 'c', 'b', 'a'].map((pod, index) => former(pod, 40 - index))]);
    expect(names()).toEqual(['a', 'b', 'c']);
  });
});

describe('counters', () => {
  it('counters are 0 for each cause but `other` before the first eviction, and the same objects until then', () => {
    const { workloads, nodes } = snapshot([cart], ['node-1', 'node-2']);
    const zeros = {
      emptydir_limit: 0,
      pod_limit: 0,
      container_limit: 0,
      node_bytes: 0,
      node_inodes: 0,
      node_admission: 0,
    };
    expect(workloads.map(({ of, counts }) => [of, Object.fromEntries(counts)])).toEqual([[cart, zeros]]);
    expect(nodes.map(({ of, counts }) => [of, Object.fromEntries(counts)])).toEqual([
      ['node-1', zeros],
      ['node-2', zeros],
    ]);
    expect(snapshot([cart], ['node-1']).workloads[0]).toBe(workloads[0]);
    see(anEvicted({}, 'The image filesystem of the node is full'));
    expect(countOf('other')).toEqual([1, 1]);
  });

  it('counters of a workload that is gone stay as long as a record of it', async () => {
    see(anEvicted());
    const listed = () => snapshot([], []).workloads.map(({ of, counts }) => [of.name, counts.get('emptydir_limit')]);
    expect(listed()).toEqual([['cart', 1]]);
    await clock.advance(hourMs);
    expect(listed()).toEqual([]);
    expect(countOf('emptydir_limit')).toEqual([0, 0]);
  });

  it('counters of a workload that is gone do not stay longer than series of its pods', async () => {
    log.configure({ retentionMs: 24 * hourMs, maxRecords: 3 });
    see(anEvicted());
    await clock.advance(hourMs);
    expect([names(), snapshot([], []).workloads]).toEqual([['cart-0'], []]);
  });
});

describe('the last usage', () => {
  const pod = anEvictedWithVolume();

  function anEvictedWithVolume(): Pod {
    return aPod({
      phase: 'Failed',
      eviction: { message: emptyDirMessage, atMs: 0 },
      containers: [aContainer({ mounts: [{ volumeName: 'data', path: '/data' }] })],
      volumes: [aVolume({ sizeLimitBytes: 100 * mib })],
    });
  }

  function aMeasurement(...usedMib: readonly number[]): LastMeasurement {
    const usedBytes = (usedMib.at(-1) ?? 0) * mib;
    return {
      summary: aPodSummary({ usedBytes, volumes: [aVolumeSummary({ usedBytes })] }),
      fetchedAtMs: clock.nowMs() - 20_000,
      samples: usedMib.map((used, index) => ({ atMs: index * 10_000, usedBytes: used * mib })),
    };
  }

  const usageAfter = (...usedMib: readonly number[]) => usageIn({ measurement: aMeasurement(...usedMib) });

  const usageIn = (context: Parameters<typeof aContext>[0], evicted: Pod = pod, message = emptyDirMessage) => {
    see({ ...evicted, eviction: { message, atMs: clock.nowMs() } }, {}, aContext(context));
    const { lastUsage } = log.records[0] ?? {};
    if (typeof lastUsage !== 'object') throw new Error('no usage');
    return lastUsage;
  };

  it('the last usage is that before the eviction, with the limits that were enforced then', () => {
    expect(usageAfter(60, 90)).toMatchObject({
      fetchedAtMs: clock.nowMs() - 20_000,
      usage: { usedBytes: 90 * mib, components: { emptydir: 90 * mib } },
      ratios: [{ rule: 'emptydir', volume: 'data', usedBytes: 90 * mib, limitBytes: 100 * mib, ratio: 0.9 }],
    });
  });

  it('the last usage of a pod with very many volumes and labels is bounded, and has the volume that was too large', () => {
    const names = ['data', ...Array.from({ length: 40 }, (_, index) => `v-${index}`)];
    const summary = aPodSummary({
      volumes: names.map((name) => aVolumeSummary({ name, usedBytes: name === 'data' ? 1 : mib })),
    });
    const large = anEvicted({
      labels: Object.fromEntries(names.map((name) => [name, 'x'.repeat(1_000)])),
      containers: [aContainer({ mounts: names.map((volumeName) => ({ volumeName, path: `/${volumeName}` })) })],
      volumes: names.map((name) => aVolume({ name, sizeLimitBytes: 100 * mib })),
    });
    see(large, {}, aContext({ measurement: { summary, fetchedAtMs: clock.nowMs(), samples: [] } }));
    const [record] = log.records;
    if (typeof record?.lastUsage !== 'object') throw new Error('no usage');
    const { usage, ratios } = record.lastUsage;
    expect([usage?.volumes.length, ratios.length, Object.keys(record.labels).length]).toEqual([21, 20, 8]);
    expect([usage?.volumes[0]?.name, ratios[0]?.volume]).toEqual(['data', 'data']);
  });

  it('the last usage shows the limit that would have been enough for an hour more', () => {
    // 1.5 MiB a minute for an hour above the limit: 190 MiB, rounded up to a multiple of 8 MiB.
    expect(usageAfter(89.75, 90)).toMatchObject({ growthBytesPerSecond: mib / 40, limitForAnHourBytes: 192 * mib });
  });

  it.each([
    [89.725, 200 * mib],
    [89.7, undefined],
  ])('the last usage shows no limit of more than twice the peak: after %d MiB %j', (before, bytes) => {
    expect(usageAfter(before, 90).limitForAnHourBytes).toBe(bytes);
  });

  it.each([
    [120_000, 192 * mib],
    [121_000, undefined],
  ])(
    'growth that was measured %i ms before the eviction gives a limit for an hour more of %j bytes',
    (ageMs, bytes) => {
      const measurement = { ...aMeasurement(89.75, 90), fetchedAtMs: clock.nowMs() - ageMs };
      expect(usageIn({ measurement }).limitForAnHourBytes).toBe(bytes);
    },
  );

  it.each([
    ['shrank', [90, 80], -mib],
    ['stood still', [90, 90], 0],
    ['was measured once', [90], undefined],
    ['grew faster than it had before, from far below', [9, 10], mib / 10],
  ])('the last usage shows no limit for an hour more of a pod that %s', (_what, usedMib, growthBytesPerSecond) => {
    expect(usageAfter(...usedMib)).toMatchObject({ growthBytesPerSecond, limitForAnHourBytes: undefined });
  });

  it.each([
    [1_920, 192 * mib],
    [1_919, undefined],
  ])('a node of %i MiB has room for a limit of %j bytes for an hour more', (capacityMib, limitForAnHourBytes) => {
    const nodeCapacityBytes = capacityMib * mib;
    const summary = aNodeSummary({ nodefs: anFsStats({ capacityBytes: nodeCapacityBytes }) });
    const found = usageIn({ measurement: aMeasurement(89.75, 90), snapshot: aNodeSnapshot({ summary }) });
    expect(found).toMatchObject({ nodeCapacityBytes, limitForAnHourBytes });
  });

  it.each([
    ['files', { rootfsBytes: 60 * mib, logsBytes: 30 * mib }, 192 * mib],
    ['logs', { rootfsBytes: 30 * mib, logsBytes: 60 * mib }, undefined],
  ])('of a container with more %s, the limit for an hour more is %j', (_what, bytes, limitForAnHourBytes) => {
    const logger = aPod({ phase: 'Failed', containers: [aContainer({ name: 'main', limitBytes: 100 * mib })] });
    const summary = aPodSummary({ usedBytes: 90 * mib, containers: [aContainerSummary({ name: 'main', ...bytes })] });
    const measurement = { ...aMeasurement(89.75, 90), summary };
    const message = 'Container main exceeded its local ephemeral storage limit "100Mi". ';
    expect(usageIn({ measurement }, logger, message).limitForAnHourBytes).toBe(limitForAnHourBytes);
  });
});

describe('recorded evictions', () => {
  it.each(recordedEvictions())('the recorded eviction $name is counted', ({ podBefore, podAtEviction, podLast }) => {
    const [before, atEviction, last] = [podBefore, podAtEviction, podLast].map(({ object }) =>
      projectPod(object, (text) => text),
    );
    if (before === undefined || atEviction === undefined || last === undefined) throw new Error('incomplete');
    clock = new ManualClock({ nowMs: atEviction.eviction?.atMs ?? 0 });
    log = new EvictionLog({ retentionMs: hourMs, maxRecords: 3 }, clock);
    see(before, { isInitial: true });
    see(atEviction, { previous: before });
    see(last, { previous: atEviction });
    const total = snapshot()
      .nodes.flatMap(({ counts }) => [...counts.values()])
      .reduce((sum, count) => sum + count, 0);
    const expected = atEviction.eviction === undefined ? [] : [before.uid];
    expect(log.records.map(({ uid }) => uid)).toEqual(expected);
    expect(total).toBe(expected.length);
  });
});
