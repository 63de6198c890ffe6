import { describe, expect, test } from 'vitest';

import type { Instant } from '../../src/base/clock.js';
import type { SkipReason } from '../../src/node/node-state.js';
import { SelfMetrics } from '../../src/telemetry/self-metrics.js';
import { type ScopeState, type StoreState, storeState } from '../../src/watch/store-lists.js';

const prefix = 'ephemeral_storage_exporter_';

function aSelfMetrics(): SelfMetrics {
  return new SelfMetrics({ version: '1.2.3', nodeVersion: 'v20.20.2' });
}

const it = test.extend('metrics', () => aSelfMetrics());

const at = (wallMs: number): Instant => ({ wallMs, monotonicMs: wallMs - 500 });

const aScope = (namespace = '', state: Partial<ScopeState> = {}): ScopeState => ({
  name: 'pods',
  namespace,
  isSynced: false,
  isConnected: false,
  mode: 'watch',
  lastProgress: undefined,
  lastFailure: undefined,
  ...state,
});

const listedAt = (wallMs: number): Partial<ScopeState> => ({ isSynced: true, lastProgress: at(wallMs) });

/** Shows what `states` returns at the time. */
function show(metrics: SelfMetrics, states: () => readonly StoreState[]): void {
  metrics.showStores({ store: { lists: { states } }, watches: { watchCount: 2, subscriptionCount: 3 } });
}

function showPods(metrics: SelfMetrics, ...scopes: readonly ScopeState[]): void {
  show(metrics, () => [storeState('pods', 5, scopes)]);
}

/** `family{label values}` → value, of the exporter's own families. */
async function samplesOf({ registry }: SelfMetrics, family: string): Promise<Readonly<Record<string, number>>> {
  const metric = (await registry.getMetricsAsJSON()).find(({ name }) => name === `${prefix}${family}`);
  return Object.fromEntries(metric?.values.map(({ labels, value }) => [Object.values(labels).join(), value]) ?? []);
}

it('a series shows whether a scrape keeps labels, with values that no object has', async () => {
  const kept = await samplesOf(aSelfMetrics(), 'labels_info');
  expect(kept).toEqual({ '_kept_,_kept_,_kept_,_kept_': 1 });
});

it('the queue has a depth once one is in use, and retries by task from 0 on', async ({ metrics }) => {
  expect(await samplesOf(metrics, 'queue_depth')).toEqual({});
  expect(await samplesOf(metrics, 'queue_retries_total')).toMatchObject({ refresh: 0 });
  metrics.queue.show({ depth: () => 7 });
  metrics.queue.taskRetried('refresh');
  metrics.queue.taskRetried('refresh');
  expect(await samplesOf(metrics, 'queue_depth')).toMatchObject({ refresh: 7 });
  expect(await samplesOf(metrics, 'queue_retries_total')).toMatchObject({ refresh: 2 });
});

describe('scrapes', () => {
  it('are counted by result, from 0 on', async ({ metrics }) => {
    metrics.scrapeFinished('success', 250);
    metrics.scrapeFinished('success', 250);
    metrics.scrapeFinished('deadline', 9_500);
    metrics.scrapeRejected();
    expect(await samplesOf(metrics, 'scrapes_total')).toEqual({
      success: 2,
      deadline: 1,
      rejected: 1,
      aborted: 0,
      error: 0,
    });
  });

  it('are timed in seconds, except rejected ones', async ({ metrics }) => {
    metrics.scrapeFinished('success', 250);
    metrics.scrapeRejected();
    const { registry } = metrics;
    const text = await registry.getSingleMetricAsString(`${prefix}scrape_duration_seconds`);
    expect(text).toContain(`${prefix}scrape_duration_seconds_sum 0.25`);
    expect(text).toContain(`${prefix}scrape_duration_seconds_count 1`);
    expect(text).toContain(`le="0.1"} 0`);
    expect(text).toContain(`le="0.25"} 1`);
  });

  it('replace the counts of the scrape before', async ({ metrics }) => {
    const counts = {
      skippedPods: new Map<SkipReason, number>(),
      unknownItems: { container: 2, volume: 1 },
      saturatedValueCount: 3,
      backedOffWorkloadCount: 5,
    };
    metrics.setCollected({
      ...counts,
      skippedPods: new Map([
        ['no_usage', 3],
        ['deleted_pod', 1],
      ]),
    });
    metrics.setCollected({ ...counts, skippedPods: new Map([['no_usage', 2]]) });
    metrics.setWorkloadNameClashes(4);
    const series = { workload: 1, node: 0, pod: 10, container: 2, volume: 3 };
    metrics.setSeries(series);
    expect(await samplesOf(metrics, 'pods_skipped')).toEqual({ no_usage: 2 });
    expect(await samplesOf(metrics, 'values_saturated')).toEqual({ '': 3 });
    expect(await samplesOf(metrics, 'workloads_backed_off')).toEqual({ '': 5 });
    expect(await samplesOf(metrics, 'workload_name_clashes')).toEqual({ '': 4 });
    expect(await samplesOf(metrics, 'series')).toEqual(series);
  });
});

it.for([
  [
    { shard: 0, totalShards: 1, nodeName: undefined },
    { shard: '0', total_shards: '1', node: '' },
  ],
  [
    { shard: 2, totalShards: 3, nodeName: undefined },
    { shard: '2', total_shards: '3', node: '' },
  ],
  [
    { shard: 0, totalShards: 1, nodeName: 'node-1' },
    { shard: '0', total_shards: '1', node: 'node-1' },
  ],
] as const)('the scope is one series with the current scope: %j', async ([scope, labels], { metrics }) => {
  metrics.setScope({ shard: 7, totalShards: 9, nodeName: 'before' });
  metrics.setScope(scope);
  const families = await metrics.registry.getMetricsAsJSON();
  const values = families.find(({ name }) => name === `${prefix}scope_info`)?.values;
  expect(values).toEqual([{ labels, value: 1 }]);
});

describe('kubelets', () => {
  it('have separate counts of requests for their configuration', async ({ metrics }) => {
    metrics.configRequestFinished('forbidden');
    metrics.configRequestFinished('success');
    expect(await samplesOf(metrics, 'kubelet_config_requests_total')).toMatchObject({
      success: 1,
      forbidden: 1,
      timeout: 0,
    });
    expect(await samplesOf(metrics, 'kubelet_requests_total')).toMatchObject({ success: 0, forbidden: 0 });
  });

  it('have counts by every result of a request, and a duration of failed ones too', async ({ metrics }) => {
    metrics.requestFinished('success', 20);
    metrics.requestFinished('timeout', 10_000);
    const results = await samplesOf(metrics, 'kubelet_requests_total');
    expect(results).toEqual({
      success: 1,
      timeout: 1,
      connection: 0,
      tls: 0,
      unauthorized: 0,
      forbidden: 0,
      not_found: 0,
      http_status: 0,
      decode: 0,
      too_large: 0,
      open_files: 0,
    });
    const text = await metrics.registry.getSingleMetricAsString(`${prefix}kubelet_request_duration_seconds`);
    expect(text).toContain(`${prefix}kubelet_request_duration_seconds_sum 10.02`);
  });

  it('have counts of cache lookups', async ({ metrics }) => {
    metrics.lookedUp('fresh');
    expect(await samplesOf(metrics, 'cache_lookups_total')).toEqual({ fresh: 1, refreshed: 0, stale: 0, absent: 0 });
  });

  it.for([
    [true, 1],
    [false, 0],
  ] as const)('have a gauge for disabled TLS verification: %s', async ([isDisabled, expected], { metrics }) => {
    metrics.tlsVerificationDisabled(isDisabled);
    expect(await samplesOf(metrics, 'kubelet_tls_verification_disabled')).toEqual({ '': expected });
  });
});

describe('stores', () => {
  it('have all counters from 0 on', async ({ metrics }) => {
    expect(await samplesOf(metrics, 'store_events_total')).toMatchObject({
      'pods,added': 0,
      'pods,modified': 0,
      'pods,deleted': 0,
      'pods,bookmark': 0,
    });
    expect(await samplesOf(metrics, 'store_lists_total')).toMatchObject({
      'pods,success': 0,
      'pods,expired': 0,
      'pods,timeout': 0,
    });
    expect(await samplesOf(metrics, 'store_watches_total')).toMatchObject({ 'pods,end': 0, 'pods,reset': 0 });
    expect(await samplesOf(metrics, 'store_stale_resource_versions_total')).toEqual({ nodes: 0, pods: 0 });
    expect(await samplesOf(metrics, 'store_suppressed_updates_total')).toEqual({ nodes: 0, pods: 0 });
  });

  it('count their events', async ({ metrics }) => {
    const { watches } = metrics;
    watches.eventApplied('pods', 'modified');
    watches.listFinished('pods', 'success');
    watches.watchEnded('pods', 'reset');
    watches.resourceVersionExpired('pods');
    watches.updateSuppressed('pods');
    watches.subscriberFailed('pods');
    expect(await samplesOf(metrics, 'store_events_total')).toMatchObject({ 'pods,modified': 1 });
    expect(await samplesOf(metrics, 'store_lists_total')).toMatchObject({ 'pods,success': 1 });
    expect(await samplesOf(metrics, 'store_watches_total')).toMatchObject({ 'pods,reset': 1 });
    expect(await samplesOf(metrics, 'store_stale_resource_versions_total')).toEqual({ nodes: 0, pods: 1 });
    expect(await samplesOf(metrics, 'store_suppressed_updates_total')).toEqual({ nodes: 0, pods: 1 });
    expect(await samplesOf(metrics, 'store_subscriber_errors_total')).toEqual({ nodes: 0, pods: 1 });
  });

  it('expose their current size', async ({ metrics }) => {
    let count = 1;
    show(metrics, () => [storeState('pods', count, [aScope()])]);
    expect(await samplesOf(metrics, 'store_objects')).toEqual({ pods: 1 });
    count = 7;
    expect(await samplesOf(metrics, 'store_objects')).toEqual({ pods: 7 });
  });

  it.for([
    ['none has been listed', [aScope('shop'), aScope('secret')], 0],
    [
      'one of the listed ones is not',
      [aScope('shop', { ...listedAt(1), isConnected: true }), aScope('b', listedAt(1))],
      0,
    ],
    ['all listed ones are', [aScope('shop', { ...listedAt(1), isConnected: true }), aScope('secret')], 1],
  ] as const)(
    'are connected when all namespaces are that have been listed: %s',
    async ([, scopes, expected], { metrics }) => {
      showPods(metrics, ...scopes);
      expect(await samplesOf(metrics, 'store_watch_connected')).toEqual({ pods: expected });
    },
  );

  it.for([
    ['of none', [aScope('shop'), aScope('media')], { 'pods,watch': 1, 'pods,polling': 0 }],
    ['of one', [aScope('shop'), aScope('media', { mode: 'polling' })], { 'pods,watch': 0, 'pods,polling': 1 }],
  ] as const)(
    'are polled when lists replace the watch %s of the namespaces',
    async ([, scopes, expected], { metrics }) => {
      showPods(metrics, ...scopes);
      expect(await samplesOf(metrics, 'store_mode')).toEqual(expected);
    },
  );

  it('expose which namespaces have been listed', async ({ metrics }) => {
    showPods(metrics, aScope('shop', listedAt(2_500)), aScope('billing'));
    expect(await samplesOf(metrics, 'store_synced')).toEqual({ 'pods,shop': 1, 'pods,billing': 0 });
  });

  it('expose the progress of the listed namespace that waits longest', async ({ metrics }) => {
    showPods(metrics, aScope('shop'));
    expect(await samplesOf(metrics, 'store_last_progress_timestamp_seconds')).toEqual({});
    showPods(metrics, aScope('shop', listedAt(10_000)), aScope('billing', listedAt(9_000)), aScope('secret'));
    expect(await samplesOf(metrics, 'store_last_progress_timestamp_seconds')).toEqual({ pods: 9 });
  });

  it('have no state before they are shown', async ({ metrics }) => {
    for (const family of ['store_watch_connected', 'store_objects', 'store_watchers', 'store_subscribers']) {
      expect(await samplesOf(metrics, family)).toEqual({});
    }
  });

  it('expose how many watches and subscribers there are', async ({ metrics }) => {
    showPods(metrics);
    expect(await samplesOf(metrics, 'store_watchers')).toEqual({ '': 2 });
    expect(await samplesOf(metrics, 'store_subscribers')).toEqual({ '': 3 });
  });
});

describe('the configuration', () => {
  it('has no series before it was loaded', async ({ metrics }) => {
    for (const family of ['successful', 'success_timestamp_seconds']) {
      expect(await samplesOf(metrics, `config_last_reload_${family}`)).toEqual({});
    }
    expect(await samplesOf(metrics, 'config_hash')).toEqual({});
  });

  it('keeps hash and time of the last good load when a reload fails', async ({ metrics }) => {
    metrics.configReloaded(0xff_ff_ff_ff_ff_ff, at(1_500));
    expect(await samplesOf(metrics, 'config_last_reload_successful')).toEqual({ '': 1 });
    metrics.reloadFailed('settings');
    expect(await samplesOf(metrics, 'config_last_reload_successful')).toEqual({ '': 0 });
    expect(await samplesOf(metrics, 'config_last_reload_success_timestamp_seconds')).toEqual({ '': 1.5 });
    expect(await samplesOf(metrics, 'config_hash')).toEqual({ '': 2 ** 48 - 1 });
  });
});

describe('the report', () => {
  it('has no values of events that have not happened', () => {
    expect(aSelfMetrics().report()).toMatchObject({
      stores: [],
      seriesCount: undefined,
      droppedSeriesCount: 0,
      isLastReloadSuccessful: undefined,
      settingsLoadedAt: undefined,
      isKubeletTlsUnverified: false,
    });
  });

  it('has the same values as the metrics', ({ metrics }) => {
    const connected = { ...listedAt(12_500), isConnected: true };
    const states = [
      storeState('pods', 7, [aScope('shop', connected), aScope('media')]),
      storeState('nodes', 2, [aScope('', connected)]),
    ];
    show(metrics, () => states);
    metrics.scrapeFinished('success', 10);
    metrics.scrapeRejected();
    metrics.requestFinished('tls', 10);
    metrics.setSeries({ workload: 0, node: 4, pod: 3, container: 0, volume: 0 });
    metrics.seriesDropped('max_series', 5);
    metrics.configReloaded(1, at(1_500));
    metrics.reloadFailed('settings');
    metrics.tlsVerificationDisabled(true);
    metrics.setWorkloadNameClashes(2);
    expect(metrics.report()).toMatchObject({
      stores: [
        { resource: 'pods', objectCount: 7, isConnected: true, lastProgress: at(12_500) },
        { resource: 'nodes', objectCount: 2, isConnected: true, lastProgress: at(12_500) },
      ],
      scrapes: { success: 1, rejected: 1, error: 0 },
      kubeletRequests: { success: 0, tls: 1 },
      seriesCount: 7,
      droppedSeriesCount: 5,
      isLastReloadSuccessful: false,
      settingsLoadedAt: at(1_500),
      isKubeletTlsUnverified: true,
      workloadNameClashCount: 2,
    });
  });
});

describe('the registry', () => {
  it('has the versions', async () => {
    expect(await samplesOf(aSelfMetrics(), 'build_info')).toEqual({ '1.2.3,v20.20.2': 1 });
  });

  it('belongs to one instance', async () => {
    const [first, second] = [aSelfMetrics(), aSelfMetrics()];
    first.lookedUp('fresh');
    expect(await samplesOf(second, 'cache_lookups_total')).toMatchObject({ fresh: 0 });
  });

  it('has the metrics of process and Node.js, without gauges that are named like counters', () => {
    const metrics = aSelfMetrics().registry.getMetricsAsArray();
    const names = metrics.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['process_cpu_seconds_total', 'nodejs_heap_size_used_bytes']));
    const misnamed = metrics.filter(({ name, type }) => name.endsWith('_total') && String(type) !== 'counter');
    expect(misnamed).toEqual([]);
  });
});
