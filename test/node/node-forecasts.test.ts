import { describe, expect, it } from 'vitest';

import type { Pod } from '../../src/cluster/kube/objects.js';
import type { LimitRatio } from '../../src/facts/node/limit-ratios.js';
import { NodeMeasurements } from '../../src/facts/node/node-forecasts.js';
import { nextThreshold } from '../../src/facts/node/node-standing.js';
import type { NodeThreshold } from '../../src/facts/node/node-thresholds.js';
import { type NodeForecasts, timeToMs } from '../../src/facts/node/node-view.js';
import type { DerivedPod, PodRecord } from '../../src/facts/node/pod-record.js';
import { ThresholdMeasurements } from '../../src/facts/node/threshold-forecasts.js';
import {
  aContainerFs,
  anFsStats,
  aNodeSummary,
  aPod,
  aPodSummary,
  aVolume,
  aVolumeSummary,
} from '../support/builders.js';
import { aMeasuredPod, aNodeSnapshot, aNodeThreshold } from '../support/snapshot-builders.js';

const second = 1_000;
/** Clocks of nodes are somewhere else than ours. */
const epochMs = 5_000_000;

interface Turn {
  readonly atSeconds: number;
  readonly app?: number;
  readonly sidecar?: number;
  readonly cache?: number;
  /** Of the measurement of the volume; that of the turn without it. */
  readonly cacheAtSeconds?: number;
  readonly available?: number;
}

const ofContainer = (usedBytes: number, container = 'app'): LimitRatio =>
  ratioOf('container', usedBytes, { container });

function ratioOf(
  rule: LimitRatio['rule'],
  usedBytes: number,
  { container = '', volume = '', unenforced }: Partial<Pick<LimitRatio, 'container' | 'volume' | 'unenforced'>> = {},
): LimitRatio {
  return { rule, container, volume, usedBytes, limitBytes: 100, ratio: usedBytes / 100, unenforced };
}

/** Limits of 100 bytes. */
type Ratios = (turn: Turn) => readonly LimitRatio[];

function podAt(turn: Turn, ratiosOf: Ratios, pod = aPod()): PodRecord {
  const { atSeconds, app = 0, sidecar = 0, cache, cacheAtSeconds = atSeconds } = turn;
  const timeMs = epochMs + atSeconds * second;
  const containerOf = (name: string, usedBytes: number) => ({
    name,
    timeMs,
    rootfs: aContainerFs({ usedBytes: usedBytes / 2 }),
    logs: aContainerFs({ usedBytes: usedBytes / 2 }),
  });
  const volumes =
    cache === undefined
      ? undefined
      : [aVolumeSummary({ name: 'cache', usedBytes: cache, timeMs: epochMs + cacheAtSeconds * second })];
  return aMeasuredPod({
    pod,
    summary: aPodSummary({
      uid: 'a',
      usedBytes: app + sidecar + (cache ?? 0),
      containers: [containerOf('app', app), containerOf('sidecar', sidecar)],
      volumes,
    }),
    ratios: ratiosOf(turn),
  });
}

function forecastsOf(
  turns: readonly Turn[],
  ratiosOf: Ratios,
  { pod = aPod(), threshold }: { readonly pod?: Pod; readonly threshold?: Partial<NodeThreshold> } = {},
): NodeForecasts {
  const measurements = new NodeMeasurements();
  let forecasts: NodeForecasts | undefined;
  for (const turn of turns) {
    const pods = [podAt(turn, ratiosOf, pod)];
    const timeMs = epochMs + turn.atSeconds * second;
    const availableBytes = turn.available;
    const nodefs = anFsStats({ timeMs, capacityBytes: 1_000, availableBytes });
    const summary = aNodeSummary({ nodefs, pods: pods.map((each) => each.summary) });
    const headroom = availableBytes === undefined ? undefined : availableBytes - (threshold?.threshold ?? 0);
    const thresholds = threshold === undefined ? [] : [aNodeThreshold({ headroom, ...threshold })];
    const { context } = aNodeSnapshot();
    forecasts = measurements.forecasts({ summary, pods, context, thresholds, ...derivedOf(pods) });
  }
  return forecasts ?? measurements.forecasts({ ...nothing, derived: new Map(), context: aNodeSnapshot().context });
}

const nothing = { summary: aNodeSummary(), pods: [], thresholds: [] };

/** What is derived of new pods. */
function derivedOf(pods: readonly PodRecord[]) {
  return { derived: new Map(pods.map((pod) => [pod, { ...aMeasuredPod(), ...pod }])) };
}

/** Seconds from the last turn on, and of which limit. */
function leftOf(forecasts: NodeForecasts): readonly unknown[] | undefined {
  const forecast = forecasts.pods.get('a');
  const leftMs = forecast && timeToMs(forecast, forecasts, 0);
  return forecast && [forecast.rule, forecast.container || forecast.volume, Math.round((leftMs ?? NaN) / second)];
}

const ramp = [50, 55, 60, 65].map((app, index): Turn => ({ atSeconds: 10 * index, app }));

it('a pod with the UID of another is not forecast from the measurements of that one', () => {
  const measurements = new NodeMeasurements();
  const { context } = aNodeSnapshot();
  const forecasts = ramp.map((turn, index) => {
    const pod = podAt(turn, ({ app = 0 }) => [ofContainer(app)]);
    const pods = [index < 3 ? pod : { ...pod, summary: { ...pod.summary, name: 'thief' } }];
    const summary = aNodeSummary({ nodefs: anFsStats({ timeMs: epochMs + turn.atSeconds * second }) });
    return measurements.forecasts({ summary, pods, context, thresholds: [], ...derivedOf(pods) });
  });
  expect(forecasts.at(-1)?.pods.size).toBe(0);
});

it('measurements are kept from two fifths of the limit on', () => {
  const ratios: Ratios = ({ app = 0 }) => [ofContainer(app)];
  const steep = [39, 49, 55, 61].map((app, index): Turn => ({ atSeconds: 10 * index, app }));
  expect(leftOf(forecastsOf(steep, ratios))).toBeUndefined();
  expect(
    leftOf(forecastsOf([...steep.slice(0, 1), { atSeconds: 5, app: 40 }, ...steep.slice(1)], ratios)),
  ).toBeDefined();
});

it('a pod is forecast from the growth of its parts, since a volume looks flat between two measurements', () => {
  const turns: readonly Turn[] = [0, 10, 20, 30, 40].map((atSeconds) => ({
    atSeconds,
    app: 20 + atSeconds / 10,
    sidecar: 8,
    cache: atSeconds < 30 ? 20 : 35,
    cacheAtSeconds: atSeconds < 30 ? 0 : 30,
  }));
  const pod = aPod({ volumes: [aVolume({ name: 'cache' })] });
  const ratios: Ratios = ({ app = 0, sidecar = 0, cache = 0 }) => [ratioOf('pod', app + sidecar + cache)];
  // 24 + 8 + 35 + 5 (ten seconds of the volume) after 40 s, and 0.1 + 0.5 in a second.
  expect(leftOf(forecastsOf(turns, ratios, { pod }))).toEqual(['pod', '', 47]);
});

/** What is kept of the turns, by limit: seconds before `fetchedAtMs`, and amounts. */
function keptOf(turns: readonly Turn[], ratiosOf: Ratios): readonly (readonly (readonly [number, number])[])[] {
  const measurements = new NodeMeasurements();
  const { context } = aNodeSnapshot();
  let known = new Map<string, PodRecord>();
  let last: PodRecord | undefined;
  for (const turn of turns) {
    const pods = [podAt(turn, ratiosOf)];
    const summary = aNodeSummary({
      nodefs: anFsStats({ timeMs: epochMs + turn.atSeconds * second }),
      pods: pods.map((pod) => pod.summary),
    });
    measurements.forecasts({ summary, pods, known, context, thresholds: [], ...derivedOf(pods) });
    known = new Map(pods.map((pod) => [pod.summary.uid, pod]));
    [last] = pods;
  }
  const lastTurn = turns.at(-1);
  if (last === undefined || lastTurn === undefined) return [];
  const of = last;
  return ratiosOf(lastTurn).map((limit) =>
    measurements.ofLimit(of, limit, 0).map(({ atMs, usedBytes }) => [atMs / second, usedBytes] as const),
  );
}

describe('what is kept of a limit', () => {
  const ofApp: Ratios = ({ app = 0 }) => [ofContainer(app)];
  const appAt = (...amounts: readonly number[]): readonly Turn[] =>
    amounts.map((app, index) => ({ atSeconds: 60 * index, app }));

  it('near it, what the kubelet measured, by its own times', () => {
    expect(keptOf(appAt(40, 41, 42), ofApp)).toEqual([
      [
        [-120, 40],
        [-60, 41],
        [0, 42],
      ],
    ]);
  });

  it.each<readonly [string, readonly number[], number]>([
    ['far below it and steady, nothing', [10, 11, 12, 12], 0],
    ['far below it, what follows a rise by more than 2 % of it', [10, 13, 13], 2],
    ['far below it, what follows a fall', [30, 10, 10], 2],
    ['ten minutes after the last such change, nothing', [10, 20, ...Array.from({ length: 10 }, () => 20)], 0],
    ['until then, all of it', [10, 20, ...Array.from({ length: 9 }, () => 20)], 10],
    ['once near it, far below too', [41, 10, ...Array.from({ length: 20 }, () => 10)], 11],
  ])('%s', (_case, amounts, count) => {
    expect(keptOf(appAt(...amounts), ofApp)[0]).toHaveLength(count);
  });

  it('nothing of a pod that is never evicted, nor of a pod as a whole: its parts are kept', () => {
    const turns = appAt(80, 85);
    const exempt = { unenforced: 'exempt' } as const;
    const ofExempt: Ratios = ({ app = 0 }) => [
      ratioOf('pod', app, exempt),
      ratioOf('container', app, { container: 'app', ...exempt }),
    ];
    expect(keptOf(turns, ofExempt)).toEqual([[], []]);
    expect(keptOf(turns, ({ app = 0 }) => [ratioOf('pod', app)])).toEqual([[]]);
  });
});

it('a pod whose sizes stay the same ends its forecast, though nothing of it is derived again', () => {
  const measurements = new NodeMeasurements();
  const { context } = aNodeSnapshot();
  const turns = [...ramp, { atSeconds: 40, app: 65 }];
  const found = turns.map((turn, index) => {
    const pods = [podAt(turn, ({ app = 0 }) => [ofContainer(app)])];
    const summary = aNodeSummary({ pods: pods.map((pod) => pod.summary) });
    const { derived } = index < 4 ? derivedOf(pods) : { derived: new Map<PodRecord, DerivedPod>() };
    return leftOf(measurements.forecasts({ summary, pods, derived, context, thresholds: [] }));
  });
  expect(found).toEqual([undefined, undefined, undefined, ['container', 'app', 70], undefined]);
});

it('a disk that fills steadily is forecast from its fourth summary on, and near as it fills', () => {
  const available = [2708, 2354, 2006, 1712, 1364, 1016, 662];
  const found = available.map((_, index) => {
    const turns = available
      .slice(0, index + 1)
      .map((mebibytes, turn): Turn => ({ atSeconds: 59 * turn, available: mebibytes }));
    const forecasts = forecastsOf(turns, () => [], { threshold: { threshold: 443 } });
    return [forecasts.crossesInMs, nextThreshold(forecasts, { state: 'fresh', ageMs: 0 })?.timeMs].map(
      (ms) => ms && Math.round(ms / second),
    );
  });
  expect(found).toEqual([
    [undefined, undefined],
    [319, undefined],
    [265, undefined],
    [255, 551],
    [156, 165],
    [97, 102],
    [37, 38],
  ]);
});

it('the disk that is crossed first is ahead of the others', () => {
  const measurements = new ThresholdMeasurements();
  const [far, near] = [
    aNodeThreshold({ headroom: 400 }),
    aNodeThreshold({ signal: 'imagefs.available', headroom: 40 }),
  ];
  const [, crossesInMs] = [500, 490].map((availableBytes, index) => {
    const disk = anFsStats({ availableBytes, timeMs: index * second });
    return measurements.forecasts([far, near], { nodefs: disk, imagefs: disk, containerfs: undefined }, index * second)
      .crossesInMs;
  });
  expect(crossesInMs).toBe(4 * second);
});

it.each([
  [16, 'container'],
  [17, undefined],
])(
  'of a pod with %d limits the fullest sixteen are followed: their author decides how many there are',
  (count, rule) => {
    const measurements = new NodeMeasurements();
    const { context } = aNodeSnapshot();
    const found = ramp.map((turn) => {
      const others = Array.from({ length: count - 1 }, (_, index) => ofContainer(70, `c${index}`));
      const pods = [podAt(turn, ({ app = 0 }) => [ofContainer(app), ...others])];
      const summary = aNodeSummary({ pods: pods.map((pod) => pod.summary) });
      return measurements.forecasts({ summary, pods, context, thresholds: [], ...derivedOf(pods) }).pods.get('a')?.rule;
    });
    expect(found.at(-1)).toBe(rule);
  },
);
