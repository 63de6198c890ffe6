import { lifecycleEventTypes } from '../../cluster/kube/pod-lifecycle.js';
import { watchModes } from '../../cluster/watch/next-step.js';
import { resources } from '../../cluster/watch/resource-path.js';
import { selfDetails } from './self-details.js';
import { byLabel, familiesIn, isLastReloadSuccessful, known, perStore, requestResults } from './self-family.js';

const { counter, gauge, histogram } = familiesIn('minimal');

/** No name of a Kubernetes object, so no target has such a label. The rules and dashboards compare with it. */
const kept = '_kept_';

/**
 * The metric families about the exporter itself, besides those of the process and of Node.js: counters with the closed lists of
 * their label values, gauges with how they are read. In the order of the exposition.
 */
export const selfFamilies = {
  buildInfo: gauge(
    'build_info',
    '1; version of the exporter and of Node.js.',
    ['version', 'node_version'],
    ({ version, nodeVersion }) => [[1, version, nodeVersion]],
  ),
  scopeInfo: gauge(
    'scope_info',
    '1; the part of the cluster that this exporter measures: its shard, the number of shards, and the node if it measures only one.',
    ['shard', 'total_shards', 'node'],
    ({ scope }) =>
      scope === undefined ? [] : [[1, String(scope.shard), String(scope.totalShards), scope.nodeName ?? '']],
  ),
  labelsInfo: gauge(
    'labels_info',
    '1; a test of the scrape configuration: each label has the value _kept_. Any other value in Prometheus: honor_labels is missing, and the namespace, pod, container or node of all series is wrong.',
    ['namespace', 'pod', 'container', 'node'],
    () => [[1, kept, kept, kept, kept]],
  ),
  scrapeDuration: histogram(
    'scrape_duration_seconds',
    'Time from the arrival of a scrape to the last byte of its response.',
    [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  ),
  scrapes: counter(
    'scrapes_total',
    'Scrapes by result: success; deadline (responded in time with partial data); rejected (too many at once); aborted (the client disconnected or read too slowly); error.',
    { result: ['success', 'deadline', 'rejected', 'aborted', 'error'] },
  ),
  series: gauge(
    'series',
    'Series in the last exposition, without those of the exporter itself.',
    ['level'],
    ({ series }) => byLabel(series),
  ),
  seriesDropped: counter(
    'series_dropped_total',
    'Series dropped from the exposition, by reason: max_series (whole families above metrics.maxSeries), large_pods (whole families of pods that would have more than 1,000 series).',
    { reason: ['max_series', 'large_pods'] },
  ),
  podsSkipped: gauge(
    'pods_skipped',
    'Pods in the last scrape without series of storage, by reason.',
    ['reason'],
    ({ collected }) => byLabel(collected && Object.fromEntries(collected.skippedPods)),
  ),
  unknownItems: gauge(
    'unknown_items',
    'Containers and volumes in the last scrape without series of their own, by kind: the spec of their pod does not have them, or not among the first 100. Those of a pod are one series together.',
    ['kind'],
    ({ collected: { unknownItems: of } = {} }) =>
      byLabel(of && { container: of.containerCount, volume: of.volumeCount }),
  ),
  saturatedValues: gauge(
    'values_saturated',
    'Values in the last scrape that no disk can have: above 2^53 (read as 2^53), from 2^63 on, or more free than capacity (both unknown).',
    [],
    ({ collected }) => [[collected?.saturatedValueCount ?? 0]],
  ),
  workloadsBackedOff: gauge(
    'workloads_backed_off',
    'Workloads that are backing off after a failed collection.',
    [],
    ({ collected }) => [[collected?.backedOffWorkloadCount ?? 0]],
  ),
  workloadNameClashes: gauge(
    'workload_name_clashes',
    'Discovered workloads without series because a configured one, or one found before, has their name.',
    [],
    ({ workloadNameClashCount }) => [[workloadNameClashCount]],
  ),
  kubeletRequestDuration: histogram(
    'kubelet_request_duration_seconds',
    'Duration of requests to kubelets for summaries, failed ones included.',
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  ),
  kubeletRequests: counter(
    'kubelet_requests_total',
    'Requests to kubelets for summaries, by result: success or the reason of the failure.',
    { result: requestResults },
  ),
  storeObjects: gauge(
    'store_objects',
    'Objects of the API server in the store.',
    ['resource'],
    perStore(({ objectCount }) => [[objectCount]]),
  ),
  storeSynced: gauge(
    'store_synced',
    '1 when the objects have been listed once; 0 while a list is missing, for example because it is forbidden. The namespace is empty for a list of all namespaces.',
    ['resource', 'namespace'],
    perStore(({ scopes }) => scopes.map(({ namespace, isSynced }) => [Number(isSynced), namespace])),
  ),
  storeWatchConnected: gauge(
    'store_watch_connected',
    '1 while the watches of all namespaces that have been listed are connected.',
    ['resource'],
    perStore(({ isConnected }) => [[Number(isConnected)]]),
  ),
  storeMode: gauge(
    'store_mode',
    '1 for how changes are followed, 0 for the other way: watch, or polling while no watch can be kept (a new list whenever nothing came for 65 to 75 s).',
    ['resource', 'mode'],
    perStore((store) => watchModes.map((mode) => [Number(mode === store.mode), mode])),
  ),
  storeLastProgress: gauge(
    'store_last_progress_timestamp_seconds',
    'Unix time of the last list, event or bookmark; with several namespaces, of the one that has waited longest. No series before the first list.',
    ['resource'],
    perStore(({ lastProgress }) => known(lastProgress && lastProgress.wallMs / 1_000)),
  ),
  storeDrift: counter(
    'store_drift_total',
    'Nodes and pods that the exporter knew wrongly, found by a full list and corrected. It lists every 30 to 60 minutes, and when kubelets report pods that it does not know, or lack pods that run. Above 0: watch events are lost on the way, or the API server has served an incomplete list.',
    { resource: resources },
  ),
  storeLists: counter('store_lists_total', 'Lists by result: success or the reason of the failure.', {
    resource: resources,
    result: [...requestResults, 'expired'],
  }),
  lifecycleEvents: counter(
    'lifecycle_events_total',
    'Changes of pods seen by the watch, by type: started and died (of containers), removed and evicted (of pods).',
    { type: lifecycleEventTypes },
  ),
  configLastReloadSuccessful: gauge(
    'config_last_reload_successful',
    '1 when the last attempts to load the settings and the file of --web.config.file succeeded.',
    [],
    (state) => {
      const isSuccessful = isLastReloadSuccessful(state);
      return known(isSuccessful === undefined ? undefined : Number(isSuccessful));
    },
  ),
  configLastReloadSuccessTimestamp: gauge(
    'config_last_reload_success_timestamp_seconds',
    'Unix time at which the current configuration was loaded.',
    [],
    ({ loaded }) => known(loaded && loaded.at.wallMs / 1_000),
  ),
  configHash: gauge(
    'config_hash',
    'First 48 bits of a hash of the current configuration, as a number: it changes when a setting does.',
    [],
    ({ loaded }) => known(loaded?.hash),
  ),
  kubeletTlsVerificationDisabled: gauge(
    'kubelet_tls_verification_disabled',
    '1 when the certificates of kubelets are not verified.',
    [],
    ({ isKubeletTlsUnverified }) => [[Number(isKubeletTlsUnverified)]],
  ),
  ...selfDetails,
};
