import { beforeEach, describe, expect, it } from 'vitest';

import type { Pod } from '../../src/cluster/kube/objects.js';
import { projectPod } from '../../src/cluster/kube/projection.js';
import type { LastMeasurement } from '../../src/cluster/kubelet/lookup.js';
import { EvictionLog, type PodChange } from '../../src/facts/history/eviction-log.js';
import type { EvictionRecord } from '../../src/facts/history/eviction-record.js';
import type { EvictionCause } from '../../src/facts/history/eviction-snapshot.js';
import type { Workload } from '../../src/facts/workload/workload.js';
import {
  aContainer,
  aContainerSummary,
  anFsStats,
  aNodeSummary,
  aPod,
  aPodSummary,
  aVolume,
  aVolumeSummary,
} from '../support/builders.js';
import { anEvictionContext, anEvictionRecord } from '../support/eviction-builders.js';
import { recordedEvictions } from '../support/eviction-cases.js';
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

function see(object: Pod, change: Partial<PodChange> = {}, context = anEvictionContext()): void {
  log.podChanged({ object, previous: undefined, isInitial: false, ...change }, () => context);
}

const pressed = aNodeSnapshot({
  thresholds: [
    aNodeThreshold(),
    aNodeThreshold({ signal: 'nodefs.inodesFree', threshold: 100, available: 200, headroom: 100, isCrossed: false }),
  ],
});

const names = (): readonly string[] => log.records.map(({ pod }) => pod);

const snapshot = (workloads: readonly Workload[] = [cart], nodeNames: readonly string[] = ['node-1']) =>
  log.snapshot({ workloads, nodeNames, showsAllPods: true });

const countOf = (cause: EvictionCause): readonly (number | undefined)[] => {
  const { workloads, nodes } = snapshot();
  return [workloads[0]?.counts.get(cause), nodes[0]?.counts.get(cause)];
};

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
    see(anEvicted({ name, uid: name }, message), { previous: aPod() }, anEvictionContext({ snapshot: snapshotOfPods }));
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
    see(anEvicted({ eviction }), { previous: aPod() }, anEvictionContext({ snapshot: arrived }));
    expect(log.records[0]?.nodeVerdict?.ageMs).toBe(found);
  },
);

it('an eviction counts for the workloads of its record, whatever they are since', () => {
  see(anEvicted(), { isInitial: true });
  see(anEvicted(), { previous: aPod() }, anEvictionContext({ workloads: [aDeployment('renamed')] }));
  expect(countOf('emptydir_limit')).toEqual([1, 1]);
  expect(snapshot([]).workloads.map(({ of: { name } }) => name)).toEqual(['cart']);
});

describe('records', () => {
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

  it('records of pods without a workload are not shown when those pods are not', () => {
    see(anEvicted(), {}, anEvictionContext({ workloads: [] }));
    see(anEvicted({ name: 'b' }));
    const shown = (showsAllPods: boolean) => log.snapshot({ workloads: [], nodeNames: [], showsAllPods }).records;
    expect(shown(true).map(({ pod }) => pod)).toEqual(['b', 'cart-0']);
    expect(shown(false).map(({ pod }) => pod)).toEqual(['b']);
    expect(shown(false)).toBe(shown(false));
  });

  it.each([{ isInitial: true }, { isInitial: false }])(
    'a pod that is new to a reader again is listed again, and not counted twice: %o',
    (change) => {
      see(anEvicted());
      log.retain(() => false);
      see(anEvicted(), { previous: anEvicted() });
      expect(names()).toEqual([]);
      for (const each of [change, {}]) see(anEvicted(), each);
      expect(log.records).toMatchObject([{ pod: 'cart-0', wasSeenLive: false }]);
      expect(countOf('emptydir_limit')).toEqual([1, 1]);
    },
  );

  it.each([
    ['a', 'b'],
    ['b', 'a'],
  ])('records of one second are in the order of the names, seen as %s and %s', (...seen) => {
    for (const name of seen) see(anEvicted({ name }));
    expect(names()).toEqual(['a', 'b']);
    log.configure({ retentionMs: hourMs, maxRecords: 1 });
    expect(names()).toEqual(['a']);
  });
});

const minuteMs = 60_000;
const former = (pod: string, minutes: number, overrides: Partial<EvictionRecord> = {}): EvictionRecord =>
  anEvictionRecord({
    pod,
    evictedAtMs: clock.nowMs() - minutes * minuteMs,
    seenAtMs: clock.nowMs() - minutes * minuteMs,
    ...overrides,
  });

it('records of a former process that had found the pod do not keep it from being counted', () => {
  const record = former('cart-0', 10, { wasSeenLive: false });
  log.restore([record]);
  see(anEvicted({ uid: record.uid }), { previous: aPod() });
  expect(log.records).toEqual([record]);
  expect(countOf('emptydir_limit')).toEqual([1, 1]);
});

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

it('counters of what has no pods are kept for as long as its records have series', async () => {
  see(anEvicted());
  await clock.advance(59 * 60_000);
  expect(snapshot([], [])).toMatchObject({ workloads: [{}], nodes: [{}] });
  await clock.advance(60_000);
  expect(snapshot([], [])).toMatchObject({ workloads: [], nodes: [] });
  expect(countOf('emptydir_limit')).toEqual([0, 0]);
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

  const usageIn = (context: Parameters<typeof anEvictionContext>[0], evicted: Pod = pod, message = emptyDirMessage) => {
    see({ ...evicted, eviction: { message, atMs: clock.nowMs() } }, {}, anEvictionContext(context));
    const { lastUsage } = log.records[0] ?? {};
    if (typeof lastUsage !== 'object') throw new Error('no usage');
    return lastUsage;
  };

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

const causes: Readonly<Record<string, string>> = {
  'limit-container': 'container_limit',
  'limit-sidecar': 'container_limit',
  'limit-sidecar-logs': 'container_limit',
  'limit-emptydir': 'emptydir_limit',
  'limit-job-emptydir': 'emptydir_limit',
  'limit-daemonset': 'pod_limit',
  'limit-pod': 'pod_limit',
  'limit-pod-by-init-container': 'pod_limit',
  'limit-pod-by-sidecar-without-limit': 'pod_limit',
  'limit-zero': 'pod_limit',
  'pressure-imagefs': 'node_bytes',
  'pressure-nodefs-daemonset': 'node_bytes',
  'pressure-inodes': 'node_inodes',
  'rejected-diskpressure-daemonset': 'node_admission',
};

it.each(recordedEvictions())('the recorded eviction $name is counted', ({ name, ...recorded }) => {
  const { podBefore, podAtEviction, podLast } = recorded;
  const [before, atEviction, last] = [podBefore, podAtEviction, podLast].map(({ object }) =>
    projectPod(object, (text) => text),
  );
  if (before === undefined || atEviction === undefined || last === undefined) throw new Error('incomplete');
  expect([before.eviction, last.eviction]).toEqual([undefined, atEviction.eviction]);
  const seenAtMs = Date.parse(`2026-11-22T${podAtEviction.t}00Z`);
  clock = new ManualClock({ nowMs: seenAtMs });
  log = new EvictionLog({ retentionMs: hourMs, maxRecords: 3 }, clock);
  see(before, { isInitial: true });
  see(atEviction, { previous: before });
  see(last, { previous: atEviction });
  const total = snapshot()
    .nodes.flatMap(({ counts }) => [...counts.values()])
    .reduce((sum, count) => sum + count, 0);
  const expected = atEviction.eviction === undefined ? [] : [{ uid: before.uid, cause: causes[name] }];
  expect(log.records).toMatchObject(expected);
  expect([log.records.length, total]).toEqual([expected.length, expected.length]);
  const { eviction } = atEviction;
  const lateMs = seenAtMs - (eviction === undefined ? seenAtMs : (eviction.atMs ?? 0));
  expect(lateMs).toBeGreaterThanOrEqual(0);
  expect(lateMs).toBeLessThan(3_000);
});
