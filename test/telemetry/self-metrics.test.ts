import { Gauge } from 'prom-client';
import { describe, expect, test } from 'vitest';

import { type ScopeState, type StoreState, storeState } from '../../src/cluster/watch/store-lists.js';
import type { Instant } from '../../src/lib/base/clock.js';
import { SelfMetrics } from '../../src/metrics/telemetry/self-metrics.js';

const prefix = 'ephemeral_storage_exporter_';

function aSelfMetrics(): SelfMetrics {
  return new SelfMetrics({ version: '1.2.3', nodeVersion: 'v20.20.2' });
}

const it = test.extend('metrics', () => aSelfMetrics());

const at = (wallMs: number): Instant => ({ wallMs, monotonicMs: wallMs - 500 });

const aScope = (namespace = '', state: Partial<ScopeState> = {}): ScopeState => ({
  ...{ name: 'pods', namespace, isSynced: false, isConnected: false, mode: 'watch' },
  ...{ lastProgress: undefined, lastFailure: undefined },
  ...state,
});

const listedAt = (wallMs: number): Partial<ScopeState> => ({ isSynced: true, lastProgress: at(wallMs) });

/** Shows what `states` returns at the time. */
function show(metrics: SelfMetrics, states: () => readonly StoreState[]): void {
  const watches = { watchCount: 2, subscriptionCount: 3 };
  metrics.show({ source: { store: { lists: { states } }, watches, queue: { depth: () => 7 } } });
}

/** `family{label values}` → value, of the exporter's own families. */
async function samplesOf({ registry }: SelfMetrics, family: string): Promise<Readonly<Record<string, number>>> {
  const metric = (await registry.getMetricsAsJSON()).find(({ name }) => name === `${prefix}${family}`);
  return Object.fromEntries(metric?.values.map(({ labels, value }) => [Object.values(labels).join(), value]) ?? []);
}

const failureResults = ['timeout', 'connection', 'tls', 'unauthorized', 'forbidden', 'not_found', 'http_status'];
const requestResults = ['success', ...failureResults, 'decode', 'too_large', 'open_files'];
const zeros = (...labels: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries(labels.map((label) => [label, 0]));
const perResource = (...labels: readonly string[]): Readonly<Record<string, number>> =>
  zeros(...['nodes', 'pods'].flatMap((resource) => labels.map((label) => `${resource},${label}`)));

/** Of each family that counts, one series or two. */
function countOnce(metrics: SelfMetrics): void {
  const { counters, watches } = metrics;
  metrics.taskRetried('refresh');
  metrics.scrapeFinished('deadline', 9_500);
  metrics.scrapeRejected();
  counters.seriesDropped.add({ reason: 'large_pods' }, 5);
  metrics.requestFinished('timeout', 10_020);
  counters.kubeletConfigRequests.add({ result: 'forbidden' });
  metrics.lookedUp('fresh');
  metrics.lifecycleEvent('died', undefined);
  metrics.lifecycleEvent('started', -1_000);
  watches.eventApplied('pods', 'modified');
  watches.listFinished('nodes', 'success');
  watches.watchEnded('pods', 'reset');
  watches.objectSkipped('pods', 'malformed');
  watches.resourceVersionExpired('pods');
  watches.updateSuppressed('pods');
  watches.subscriberFailed('pods');
  watches.driftFound('nodes', 3);
}

const watchEnds = ['end', 'deadline', 'idle', 'short', 'reset', 'expired', 'error', 'parse', 'line_too_long'];
const watchFailures = ['connection', 'throttled', 'unavailable', 'unauthorized', 'forbidden', 'rejected'];

/** [family, its series at the start, what changes] */
it.for<readonly [string, Readonly<Record<string, number>>, Readonly<Record<string, number>>]>([
  ['queue_retries', zeros('refresh'), { refresh: 1 }],
  ['scrapes', zeros('success', 'deadline', 'rejected', 'aborted', 'error'), { deadline: 1, rejected: 1 }],
  ['series_dropped', zeros('max_series', 'large_pods'), { large_pods: 5 }],
  ['kubelet_requests', zeros(...requestResults), { timeout: 1 }],
  ['kubelet_config_requests', zeros(...requestResults), { forbidden: 1 }],
  ['cache_lookups', zeros('fresh', 'refreshed', 'stale', 'absent'), { fresh: 1 }],
  ['lifecycle_events', zeros('started', 'died', 'removed', 'evicted'), { died: 1, started: 1 }],
  ['store_events', perResource('added', 'modified', 'deleted', 'bookmark'), { 'pods,modified': 1 }],
  ['store_lists', perResource('expired', ...requestResults), { 'nodes,success': 1 }],
  ['store_watches', perResource(...watchEnds, ...watchFailures), { 'pods,reset': 1 }],
  ['store_skipped_objects', perResource('too_large', 'malformed', 'other_kind'), { 'pods,malformed': 1 }],
  ['store_stale_resource_versions', zeros('nodes', 'pods'), { pods: 1 }],
  ['store_suppressed_updates', zeros('nodes', 'pods'), { pods: 1 }],
  ['store_subscriber_errors', zeros('nodes', 'pods'), { pods: 1 }],
  ['store_drift', zeros('nodes', 'pods'), { nodes: 3 }],
])('%s_total has all series from 0 on, and counts', async ([name, initial, changed], { metrics }) => {
  const family = `${name}_total`;
  expect(await samplesOf(metrics, family)).toEqual(initial);
  countOnce(metrics);
  expect(await samplesOf(metrics, family)).toEqual({ ...initial, ...changed });
  countOnce(metrics);
  const twice = Object.entries(changed).map(([label, count]) => [label, 2 * count]);
  expect(await samplesOf(metrics, family)).toEqual({ ...initial, ...Object.fromEntries(twice) });
  expect(await samplesOf(aSelfMetrics(), family)).toEqual(initial);
});

describe('gauges', () => {
  it.for([
    ['build_info', { '1.2.3,v20.20.2': 1 }],
    ['labels_info', { '_kept_,_kept_,_kept_,_kept_': 1 }],
    ...['queue_depth', 'store_watch_connected', 'store_objects', 'store_watchers', 'store_subscribers'].map(
      (family) => [family, {}] as const,
    ),
    ...['scope_info', 'series', 'pods_skipped', 'config_hash'].map((family) => [family, {}] as const),
    ...['successful', 'success_timestamp_seconds'].map((name) => [`config_last_reload_${name}`, {}] as const),
    ...['values_saturated', 'workloads_backed_off', 'workload_name_clashes', 'kubelet_tls_verification_disabled'].map(
      (family) => [family, { '': 0 }] as const,
    ),
  ] as const)('the gauge %s shows no more than is known at the start', async ([family, expected], { metrics }) => {
    expect(await samplesOf(metrics, family)).toEqual(expected);
  });

  it('gauges replace the counts of the scrape before', async ({ metrics }) => {
    const counts = {
      unknownItems: { containerCount: 2, volumeCount: 1 },
      saturatedValueCount: 3,
      backedOffWorkloadCount: 5,
    };
    const series = { workload: 1, node: 0, pod: 10, container: 2, volume: 3 };
    metrics.show({ collected: { ...counts, skippedPods: new Map([['deleted_pod', 1]]) } });
    metrics.show({ collected: { ...counts, skippedPods: new Map([['no_usage', 2]]) }, workloadNameClashCount: 4 });
    metrics.setSeries(series);
    expect(await samplesOf(metrics, 'pods_skipped')).toEqual({ no_usage: 2 });
    expect(await samplesOf(metrics, 'unknown_items')).toEqual({ container: 2, volume: 1 });
    expect(await samplesOf(metrics, 'values_saturated')).toEqual({ '': 3 });
    expect(await samplesOf(metrics, 'workloads_backed_off')).toEqual({ '': 5 });
    expect(await samplesOf(metrics, 'workload_name_clashes')).toEqual({ '': 4 });
    expect(await samplesOf(metrics, 'series')).toEqual(series);
  });

  it.for([
    [
      { shard: 2, totalShards: 3, nodeName: undefined },
      { shard: '2', total_shards: '3', node: '' },
    ],
    [
      { shard: 0, totalShards: 1, nodeName: 'node-1' },
      { shard: '0', total_shards: '1', node: 'node-1' },
    ],
  ] as const)('the scope is shown as one series: %j', async ([scope, labels], { metrics }) => {
    metrics.show({ scope: { shard: 7, totalShards: 9, nodeName: 'before' } });
    metrics.show({ scope });
    const families = await metrics.registry.getMetricsAsJSON();
    const values = families.find(({ name }) => name === `${prefix}scope_info`)?.values;
    expect(values).toEqual([{ labels, value: 1 }]);
  });

  it('gauges keep hash and time of the last good load when a reload fails', async ({ metrics }) => {
    metrics.settingsLoaded(0xff_ff_ff_ff_ff_ff, at(1_500));
    expect(await samplesOf(metrics, 'config_last_reload_successful')).toEqual({ '': 1 });
    metrics.reloadFailed('settings');
    expect(await samplesOf(metrics, 'config_last_reload_successful')).toEqual({ '': 0 });
    expect(await samplesOf(metrics, 'config_last_reload_success_timestamp_seconds')).toEqual({ '': 1.5 });
    expect(await samplesOf(metrics, 'config_hash')).toEqual({ '': 2 ** 48 - 1 });
  });
});

describe('stores', () => {
  const [shop, other] = [aScope('shop'), aScope('other')];
  const listed = aScope('shop', { ...listedAt(10_000), isConnected: true });
  const lost = aScope('other', listedAt(9_000));
  const polled = aScope('other', { mode: 'polling' });
  const progress = 'last_progress_timestamp_seconds';

  it.for<readonly [string, readonly ScopeState[], string, Readonly<Record<string, number>>]>([
    ['are not connected while none has been listed', [shop, other], 'watch_connected', { pods: 0 }],
    ['are not connected while a listed one is not', [listed, lost], 'watch_connected', { pods: 0 }],
    ['are connected when all listed ones are', [listed, other], 'watch_connected', { pods: 1 }],
    ['are watched while all are', [shop, other], 'mode', { 'pods,watch': 1, 'pods,polling': 0 }],
    ['are polled when one is', [shop, polled], 'mode', { 'pods,watch': 0, 'pods,polling': 1 }],
    ['show which have been listed', [listed, other], 'synced', { 'pods,shop': 1, 'pods,other': 0 }],
    ['have no progress before a list', [shop], progress, {}],
    ['show the progress of the listed one that waits longest', [listed, lost, shop], progress, { pods: 9 }],
    ['have watches', [], 'watchers', { '': 2 }],
    ['have subscribers', [], 'subscribers', { '': 3 }],
  ])('stores %s', async ([, scopes, family, expected], { metrics }) => {
    show(metrics, () => [storeState('pods', 5, scopes)]);
    expect(await samplesOf(metrics, `store_${family}`)).toEqual(expected);
  });

  it('stores show their current size, and the depth of the queue', async ({ metrics }) => {
    let count = 1;
    show(metrics, () => [storeState('pods', count, [aScope()])]);
    expect(await samplesOf(metrics, 'store_objects')).toEqual({ pods: 1 });
    count = 7;
    expect(await samplesOf(metrics, 'store_objects')).toEqual({ pods: 7 });
    expect(await samplesOf(metrics, 'queue_depth')).toEqual({ refresh: 7 });
  });
});

it('the report of the exporter has the same values as the metrics', ({ metrics }) => {
  const connected = { ...listedAt(12_500), isConnected: true };
  const pods = storeState('pods', 7, [aScope('shop', connected), aScope('media')]);
  show(metrics, () => [pods, storeState('nodes', 2, [aScope('', connected)])]);
  metrics.scrapeFinished('success', 10);
  metrics.scrapeRejected();
  metrics.requestFinished('tls', 10);
  metrics.setSeries({ workload: 0, node: 4, pod: 3, container: 0, volume: 0 });
  metrics.counters.seriesDropped.add({ reason: 'max_series' }, 5);
  metrics.settingsLoaded(1, at(1_500));
  metrics.reloadFailed('settings');
  metrics.show({ isKubeletTlsUnverified: true, workloadNameClashCount: 2 });
  expect(metrics.report()).toMatchObject({
    stores: [
      { resource: 'pods', objectCount: 7, isConnected: true, lastProgress: at(12_500) },
      { resource: 'nodes', objectCount: 2, isConnected: true, lastProgress: at(12_500) },
    ],
    scrapes: { success: 1, rejected: 1, error: 0 },
    kubeletRequests: { success: 0, tls: 1 },
    ...{ seriesCount: 7, droppedSeriesCount: 5, workloadNameClashCount: 2 },
    ...{ isLastReloadSuccessful: false, settingsLoadedAt: at(1_500), isKubeletTlsUnverified: true },
  });
});

it.each([
  ['ephemeral_storage_exporter_scrapes_total', 'minimal'],
  ['ephemeral_storage_exporter_store_events_total', 'full'],
  ['process_cpu_seconds_total', 'minimal'],
  ['nodejs_heap_size_used_bytes', 'minimal'],
  ['nodejs_heap_space_size_used_bytes', 'full'],
  ['nodejs_eventloop_lag_p99_seconds', 'minimal'],
  ['nodejs_eventloop_lag_stddev_seconds', 'full'],
  ['nodejs_gc_duration_seconds', 'full'],
])('%s is served from the profile %s on', (name, profile) => {
  expect(aSelfMetrics().profileOf(name)).toBe(profile);
});

it('the registry has the metrics of process and Node.js, without gauges that are named like counters', () => {
  const families = aSelfMetrics().registry.getMetricsAsArray();
  const names = families.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['process_cpu_seconds_total', 'nodejs_heap_size_used_bytes']));
  const misnamed = families.filter(({ name, type }) => name.endsWith('_total') && String(type) !== 'counter');
  expect(misnamed).toEqual([]);
});

it.each([
  [0.5, 0],
  [0.499, 0],
  [0.75, 0.25],
  [NaN, NaN],
])('of %d s between two runs of the event-loop monitor, %d s are lag', async (seconds, lag) => {
  const gauge = aSelfMetrics().registry.getSingleMetric('nodejs_eventloop_lag_p99_seconds');
  if (!(gauge instanceof Gauge)) throw new Error('the gauge is missing');
  gauge.set({}, seconds);
  const [sample] = (await gauge.get()).values;
  expect(Number(sample?.value.toFixed(9))).toBe(lag);
});
