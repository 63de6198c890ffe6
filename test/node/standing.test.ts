import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { EvictionSignal } from '../../src/cluster/kubelet/eviction-signals.js';
import type { LimitRatio } from '../../src/facts/node/limit-ratios.js';
import { isNearPressure } from '../../src/facts/node/node-forecasts.js';
import { nodeStanding } from '../../src/facts/node/node-standing.js';
import type { PodRecord } from '../../src/facts/node/pod-record.js';
import { podStanding, type StandingSource } from '../../src/facts/node/standing.js';
import type { UnenforcedReason } from '../../src/facts/node/unenforced-limits.js';
import { Scheduler } from '../../src/lib/base/scheduler.js';
import { clusterReport } from '../../src/people/query/cluster-report.js';
import { listNamespaces } from '../../src/people/query/list-namespaces.js';
import { listPods } from '../../src/people/query/list-pods.js';
import { parseListQuery } from '../../src/people/query/list-query.js';
import { aContainer, aPod } from '../support/builders.js';
import { ManualClock } from '../support/manual-clock.js';
import {
  aClusterSnapshot,
  aFreshNode,
  aLimitRatio,
  aMeasuredPod,
  anAbsentNode,
  aNodeSnapshot,
  aNodeThreshold,
  aPodUsage,
  aReading,
  noForecasts,
} from '../support/snapshot-builders.js';

const pod = aPod({ containers: [aContainer({ limitBytes: 1 })] });

const limit = (percent: number, unenforced?: UnenforcedReason): LimitRatio =>
  aLimitRatio({ usedBytes: percent, limitBytes: 100, unenforced });

/** Of a pod whose first limit is forecast to be exceeded in `timeMs`, where that is given. */
function forecastsOf(timesMs: readonly (readonly [pod: PodRecord, timeMs: number | undefined])[], stepMs = Infinity) {
  const pods = timesMs.flatMap(([{ summary }, timeMs]) =>
    timeMs === undefined
      ? []
      : [
          [
            summary.uid,
            { rule: 'pod', container: '', volume: '', reachedAtMs: timeMs, endsAtMs: timeMs + stepMs },
          ] as const,
        ],
  );
  return { ...noForecasts, pods: new Map(pods) };
}

function standingOf(ratios: readonly LimitRatio[], timeMs?: number, isPending = false) {
  const record = aMeasuredPod({ pod, ratios, usage: aPodUsage({ volumesPending: isPending }) });
  const snapshot = { forecasts: forecastsOf([[record, timeMs]]) };
  return podStanding({ state: 'fresh', snapshot, ageMs: 0 }, record, ratios);
}

it.each<
  [
    what: string,
    ratios: readonly LimitRatio[],
    timeMs: number | undefined,
    found: readonly [kind: string, percent?: number],
  ]
>([
  ['without a limit', [], undefined, ['unbound']],
  ['below 80 % of a limit', [limit(79)], undefined, ['calm', 79]],
  ['at 80 % of a limit', [limit(79), limit(80)], undefined, ['near', 80]],
  ['exactly at a limit', [limit(100)], undefined, ['near', 100]],
  ['above a limit of 0', [aLimitRatio({ usedBytes: 1, limitBytes: 0 })], undefined, ['above', Infinity]],
  ['above two limits, the first of which evicts it', [limit(101), limit(300)], 0, ['above', 101]],
  ['above a limit that never evicts it', [limit(200, 'exempt')], undefined, ['unbound']],
  ['above one that never evicts it, near another', [limit(200, 'memory_medium'), limit(81)], undefined, ['near', 81]],
  ['near a limit that counts a part of it', [limit(90, 'dedicated_imagefs')], undefined, ['near', 90]],
  ['far from a limit that counts a part of it', [limit(50, 'dedicated_imagefs')], undefined, ['unknown', 50]],
  ['ten minutes before a limit', [limit(50), limit(60)], 600_000, ['near', 50]],
  ['more than ten minutes before a limit', [limit(50)], 600_001, ['growing', 50]],
  ['at 80 % of a limit, hours before it', [limit(80)], 7_200_000, ['near', 80]],
])('the standing of a pod %s', (_what, ratios, timeMs, [kind, percent]) => {
  const found = standingOf(ratios, timeMs);
  expect([found.kind, found.limit?.ratio]).toEqual([kind, percent && percent / 100]);
  expect(found.timeMs).toBe(timeMs);
});

it('a pod whose volumes are not measured has no forecast and no nearest limit, and is calm for nobody', () => {
  const unknown = { kind: 'unknown', limit: undefined, nearest: undefined, timeMs: undefined };
  expect(standingOf([limit(60)], 60_000, true)).toMatchObject(unknown);
  expect(standingOf([limit(90)], 60_000, true)).toMatchObject({ kind: 'near', timeMs: undefined });
  expect(standingOf([limit(101)], 0, true)).toMatchObject({ kind: 'above', timeMs: 0 });
});

it.each<
  [
    what: string,
    source: Pick<StandingSource, 'state' | 'ageMs'>,
    reachedAtMs: number,
    found: readonly [kind: string, timeMs?: number | undefined, urgency?: number],
  ]
>([
  ['new data refutes', { state: 'fresh', ageMs: 180_001 }, 120_000, ['calm']],
  ['data that is old does not refute', { state: 'stale', ageMs: 240_000 }, 120_000, ['near', 0, 3]],
  ['is as much sooner as the data is old', { state: 'stale', ageMs: 240_000 }, 720_000, ['near', 480_000]],
  [
    'was about to come when its node fell silent',
    { state: 'absent', ageMs: 240_000 },
    720_000,
    ['near', undefined, 0.6],
  ],
  ['has passed since its node fell silent', { state: 'absent', ageMs: 86_400_000 }, 120_000, ['near', undefined, 0.6]],
  ['was to come later than its node fell silent', { state: 'absent', ageMs: 86_400_000 }, 1_200_001, ['calm']],
])('the standing of a pod whose limit %s', (_what, source, reachedAtMs, [kind, timeMs, urgency]) => {
  const ratios = [limit(60)];
  const record = aMeasuredPod({ pod, ratios });
  const forecasts = forecastsOf([[record, reachedAtMs]], 60_000);
  const found = podStanding({ ...source, snapshot: { forecasts } }, record, ratios);
  expect([found.kind, found.timeMs]).toEqual([kind, timeMs]);
  if (urgency !== undefined) expect(found.urgency).toBe(urgency);
});

it('pods above a limit are the most urgent, then those that reach one, then those near one', () => {
  const of = (percent: number, timeMs?: number) => standingOf([limit(percent)], timeMs).urgency;
  const above = aLimitRatio({ usedBytes: 1, limitBytes: 0 });
  const ordered = [
    standingOf([above]).urgency,
    ...[of(200, 0), of(101)],
    ...[of(60, 0), of(99, 59_999), of(50, 60_000), of(50, 86_399_999)],
    ...[of(100), of(80)],
  ];
  expect(ordered).toEqual([...new Set(ordered)].toSorted((a = -1, b = -1) => b - a));
  expect(ordered.every(Number.isFinite)).toBe(true);
  expect(of(79)).toBeUndefined();
});

/** Forecasts speak from half of a limit on that evicts. Of a silent node, the last values count. */
it('tile, problems, list and namespaces count the same pods near a limit, and no other is unknown', async () => {
  const lane = new Scheduler(new ManualClock()).newLane();
  const sketch = fc.record({
    percent: fc.constantFrom(50, 60, 79, 80, 99, 100, 101, 500),
    timeMs: fc.constantFrom(undefined, 0, 599_999, 600_000, 600_001, 80_000_000),
    isPending: fc.boolean(),
    unenforced: fc.constantFrom(undefined, 'exempt', 'dedicated_imagefs'),
    evictionMs: fc.constantFrom(undefined, 60_000),
    isSilent: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(sketch, { maxLength: 8 }), async (all) => {
      const pods = all.map(({ percent, unenforced, isPending, evictionMs }, index) =>
        aMeasuredPod({
          name: `cart-${index}`,
          pod: { ...pod, name: `cart-${index}`, uid: `uid-${index}` },
          workloads: [],
          usage: aPodUsage({ volumesPending: isPending }),
          ratios: [limit(percent, unenforced)],
          evictionMs,
        }),
      );
      const timeOf = (of: (typeof all)[number] | undefined) => (of?.unenforced === 'exempt' ? undefined : of?.timeMs);
      const forecasts = forecastsOf(pods.map((record, index) => [record, timeOf(all[index])]));
      const snapshotOf = (nodeName: string, isSilent: boolean) =>
        aNodeSnapshot({ nodeName, pods: pods.filter((_, index) => all[index]?.isSilent === isSilent), forecasts });
      const lastKnown = { snapshot: snapshotOf('silent', true), ageMs: 1 };
      const silent = anAbsentNode('silent', 'timeout');
      const unmeasured = lastKnown.snapshot.pods.flatMap(({ bound }) => bound ?? []);
      const nodes = [aFreshNode(snapshotOf('fresh', false), 0), { ...silent, unmeasured }];
      const reading = aReading({ snapshot: aClusterSnapshot({ nodes }), lastKnownOf: () => lastKnown });
      const { summary, nearPods } = await clusterReport(reading, {
        ...{ isPartial: false, hidesPodsWithoutWorkload: false, lane },
      });
      const { nearLimitPodCount: near, reachedLimitPodCount: reached } = summary;

      const list = await listPods(reading, parseListQuery('pods', { only: 'near', limit: '99' }), lane);
      expect(list.totalCount).toBe(near + reached);
      const listed = new Set(list.items.map((item) => item.pod));
      const isUnknown = ({ isSilent, isPending }: (typeof all)[number], index: number): boolean =>
        (isSilent || isPending) && !listed.has(`cart-${index}`);
      expect(summary.unknownLimitPodCount).toBe(all.filter(isUnknown).length);
      const namespaces = await listNamespaces(reading, parseListQuery('namespaces', {}), lane);
      expect(namespaces.items.reduce((sum, { nearLimitPodCount }) => sum + nearLimitPodCount, 0)).toBe(near + reached);
      expect(nearPods.items.filter(({ standing }) => standing === 'above')).toHaveLength(reached);
      expect(nearPods).toEqual({ items: list.items, totalCount: list.totalCount });
    }),
    { numRuns: 150 },
  );
});

describe('nodes close to evicting pods', () => {
  const soonMs = 600_000;
  const none = { pods: 0, images: 0, other: 0 };
  const disk = { filesystem: 'nodefs', ofInodes: false, atMs: 0, capacity: 1, available: 1, held: none } as const;
  const fill = { ...disk, grown: none, durationMs: 0, fallen: 0, cause: undefined, calmAtMs: 0 };

  interface Sketch {
    readonly signal?: EvictionSignal;
    readonly threshold?: number;
    readonly headroom?: number | undefined;
    readonly timeMs?: number | undefined;
    readonly endsInMs?: number;
    readonly isWarned?: boolean;
  }
  const snapshotOf = (all: readonly Sketch[]) => {
    const thresholds = all.map(({ signal = 'nodefs.available', headroom, threshold = 100 }) =>
      aNodeThreshold({ signal, threshold, headroom, available: headroom, isCrossed: (headroom ?? 0) < 0 }),
    );
    const forecasts = thresholds.flatMap(({ signal, headroom, threshold, isAssumed }, index) => {
      const { timeMs, endsInMs = Infinity } = all[index] ?? {};
      const isForecast = timeMs !== undefined && headroom !== undefined && threshold !== 0;
      return isForecast ? [{ signal, isAssumed, reachedAtMs: timeMs, endsAtMs: timeMs + endsInMs }] : [];
    });
    const fills = thresholds.flatMap(({ signal }, index) =>
      all[index]?.isWarned === true ? [{ ...fill, warnedOf: signal }] : [],
    );
    return aNodeSnapshot({ thresholds, forecasts: { ...noForecasts, thresholds: forecasts }, fills });
  };
  const sketches = fc.record<Sketch>({
    signal: fc.constantFrom('nodefs.available', 'imagefs.available', 'nodefs.inodesFree', 'containerfs.available'),
    threshold: fc.constantFrom(0, 100),
    headroom: fc.constantFrom(undefined, -1, 0, 24, 25, 1_000),
    timeMs: fc.constantFrom(undefined, -1, 0, soonMs, soonMs + 1),
    endsInMs: fc.constantFrom(0, Infinity),
    isWarned: fc.boolean(),
  });

  it('are close on pages wherever they are in series, and beside them only where a warning of the disk lasts', () => {
    fc.assert(
      fc.property(fc.array(sketches, { maxLength: 4 }), (all) => {
        const snapshot = snapshotOf(all);
        const { isClose } = nodeStanding({ state: 'fresh' }, snapshot);
        const differs = isClose !== isNearPressure(snapshot);
        expect(differs ? [isClose, snapshot.fills.length > 0] : [true, true]).toEqual([true, true]);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(['stale', 'absent'] as const)('are what they were about to be: only new data refutes it (%s)', (state) => {
    const snapshot = snapshotOf([{ headroom: 1_000, timeMs: 240_000, endsInMs: 60_000 }]);
    const standings = [299_000, 301_000, 900_000].map((ageMs) => nodeStanding({ state, ageMs }, snapshot));
    expect(standings.map(({ isClose }) => isClose)).toEqual([true, true, true]);
    expect(nodeStanding({ state: 'fresh', ageMs: 301_000 }, snapshot).isClose).toBe(false);
  });

  it.each<[string, Sketch, ageMs: number, isClose: boolean]>([
    ['in the pause of a pull of images, after a warning', { isWarned: true }, 0, true],
    ['once the forecast has come within ten minutes', { timeMs: soonMs + 30_000 }, 30_000, true],
    ['not once the forecast has ended', { timeMs: 1_000, endsInMs: 0 }, 2_000, false],
  ])('are those of the moment on pages, and of the summary in series: %s', (_case, of, ageMs, isClose) => {
    const snapshot = snapshotOf([{ headroom: 1_000, ...of }]);
    expect(nodeStanding({ state: 'fresh', ageMs }, snapshot).isClose).toBe(isClose);
    expect(isNearPressure(snapshot)).toBe(!isClose);
  });
});
