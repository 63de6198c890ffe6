import { expect, it } from 'vitest';

import { NodeFaults } from '../../src/facts/node/node-faults.js';
import type { NodeForecasts, NodeView, ThresholdForecast } from '../../src/facts/node/node-view.js';
import { silentLogger } from '../../src/lib/base/logger.js';
import { evictionRankGroups } from '../../src/metrics/exposition/eviction-families.js';
import {
  nodeForecastGroups,
  nodeForecasts,
  podForecastGroups,
  podForecasts,
} from '../../src/metrics/exposition/forecast-families.js';
import { SampleLines } from '../../src/metrics/exposition/render.js';
import type { Pager } from '../../src/metrics/exposition/stable-pages.js';
import { aPod, aPodSummary } from '../support/builders.js';
import {
  aClusterSnapshot,
  aFreshNode,
  aMeasuredPod,
  anAbsentNode,
  aNodeSnapshot,
  aNodeThreshold,
} from '../support/snapshot-builders.js';

const second = 1_000;

function textOf<Source>(
  { families, write }: { readonly families: readonly { readonly name: string }[]; write: Writer<Source> },
  source: Source,
): readonly string[] {
  const lines = new SampleLines(families[0]?.name ?? '');
  write(source, [lines], 0);
  const bytes = Buffer.alloc(lines.byteCount);
  lines.copyTo(bytes);
  return bytes.toString().split('\n').slice(0, -1);
}

type Writer<Source> = (source: Source, lines: readonly SampleLines[], first: number) => void;

const forecast = { rule: 'container', container: 'app', volume: '', endsAtMs: 90 * second } as const;

function nodeWith(forecasts: Partial<NodeForecasts>) {
  const pods = ['a', 'b', 'c'].map((name) => aMeasuredPod({ name, summary: aPodSummary({ name, uid: name }) }));
  return aNodeSnapshot({ pods, forecasts: { measuredAtMs: 0, pods: new Map(), thresholds: [], ...forecasts } });
}

function pagesOf<Page>(pager: Pager<Page>, ...nodes: readonly NodeView[]): readonly Page[] {
  return pager(aClusterSnapshot({ nodes }), new NodeFaults(silentLogger));
}

const [podGroup] = podForecastGroups;
const [nodeGroup] = nodeForecastGroups;

it('a pod has the time to the limit that it exceeds first, which goes on while its kubelet is silent', () => {
  const pods = new Map([['b', { ...forecast, reachedAtMs: 60.4 * second }]]);
  const snapshot = nodeWith({ pods });
  const series = (ageMs: number) =>
    podGroup && textOf(podGroup, pagesOf(podForecasts(), aFreshNode(snapshot, ageMs)).flat());
  const labels = '{namespace="shop",pod="b",node="node-1",rule="container",container="app"}';
  expect(series(0)).toEqual([`ephemeral_storage_pod_time_to_limit_seconds${labels} 60`]);
  expect(series(50 * second)).toEqual([`ephemeral_storage_pod_time_to_limit_seconds${labels} 10`]);
  expect(series(80 * second)).toEqual([`ephemeral_storage_pod_time_to_limit_seconds${labels} 0`]);
  expect(series(91 * second)).toEqual([]);
});

it('a node has the soonest forecast for each signal, with where the threshold is from', () => {
  const of = (signal: ThresholdForecast['signal'], isAssumed: boolean, seconds: number): ThresholdForecast => ({
    signal,
    isAssumed,
    reachedAtMs: seconds * second,
    endsAtMs: Infinity,
  });
  const thresholds = [
    of('nodefs.available', false, 90),
    of('nodefs.available', false, 30),
    of('nodefs.available', false, 60),
    of('imagefs.available', true, 100),
    of('nodefs.inodesFree', true, 90_000),
  ];
  const found = pagesOf(nodeForecasts(), aFreshNode(nodeWith({ thresholds }), 10 * second)).flat();
  expect(nodeGroup && textOf(nodeGroup, found)).toEqual([
    'ephemeral_storage_node_time_to_eviction_seconds{node="node-1",signal="nodefs.available",threshold="configured"} 20',
    'ephemeral_storage_node_time_to_eviction_seconds{node="node-1",signal="imagefs.available",threshold="assumed"} 90',
  ]);
});

it('a page of forecasts stays the same one until a time is another one; nodes without data have none', () => {
  const pager = podForecasts();
  const snapshot = nodeWith({ pods: new Map([['b', { ...forecast, reachedAtMs: 60 * second }]]) });
  const pagesAt = (ageMs: number) => pagesOf(pager, aFreshNode(snapshot, ageMs), anAbsentNode('node-2', 'timeout'));
  const [first] = pagesAt(0);
  expect(pagesAt(100)[0]).toBe(first);
  expect(pagesAt(1_000)[0]).not.toBe(first);
  expect(pagesOf(pager, anAbsentNode('node-1', 'timeout'))).toEqual([]);
});

it.each([
  { headroom: -1, isNear: true },
  { headroom: 24, isNear: true },
  { headroom: 25, isNear: false },
  { headroom: 25, reachedAtMs: 600 * second, isNear: true },
  { headroom: 25, reachedAtMs: 601 * second, isNear: false },
  { headroom: undefined, isNear: false },
])(
  'the order of eviction has series $headroom bytes above a threshold of 100, reached at $reachedAtMs: $isNear',
  (of) => {
    const { headroom, reachedAtMs = Infinity, isNear } = of;
    const thresholds = [aNodeThreshold({ threshold: 100, headroom })];
    const ahead = { signal: 'nodefs.available', isAssumed: false, reachedAtMs, endsAtMs: Infinity } as const;
    const { forecasts } = nodeWith({ thresholds: [ahead] });
    const [group] = evictionRankGroups;
    const lines = group && textOf(group, aNodeSnapshot({ podsOnNode: [aPod()], thresholds, forecasts }));
    expect(lines).toHaveLength(isNear ? 1 : 0);
  },
);
