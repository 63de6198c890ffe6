import { lifecycleEventTypes } from '../../cluster/kube/pod-lifecycle.js';
import { lookupResults } from '../../cluster/kubelet/kubelet-cache.js';
import { watchModes } from '../../cluster/watch/next-step.js';
import { watchResults } from '../../cluster/watch/next-step.js';
import { resources } from '../../cluster/watch/resource-path.js';
import { eventTypes, skippedObjectReasons } from '../../cluster/watch/watch-observer.js';
import { requestFailureReasons } from '../../lib/base/errors.js';
import {
  byLabel,
  counter,
  gauge,
  histogram,
  isLastReloadSuccessful,
  known,
  perStore,
  taskKinds,
} from './self-family.js';

const requestResults = ['success', ...requestFailureReasons] as const;

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
    '1; part of the cluster that is measured: the shard, the number of shards, and the node when only one is measured.',
    ['shard', 'total_shards', 'node'],
    ({ scope }) =>
      scope === undefined ? [] : [[1, String(scope.shard), String(scope.totalShards), scope.nodeName ?? '']],
  ),
  labelsInfo: gauge(
    'labels_info',
    '1; all labels have the value _kept_. Where Prometheus stores another one, it overwrites these labels of all series: those of pods and nodes are wrong.',
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
    'Pods of the summaries without storage series in the last scrape, by reason.',
    ['reason'],
    ({ collected }) => byLabel(collected && Object.fromEntries(collected.skippedPods)),
  ),
  unknownItems: gauge(
    'unknown_items',
    'Containers and volumes of the summaries in the last scrape without separate series, by kind: the specs of their pods do not have them, or not among the first 100. Those of a pod are one series together.',
    ['kind'],
    ({ collected }) => byLabel(collected?.unknownItems),
  ),
  saturatedValues: gauge(
    'values_saturated',
    'Values of the summaries in the last scrape that no disk has: above 2^53, read as 2^53; from 2^63 on, negative to the kubelet, and more free than capacity: unknown.',
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
    'Discovered workloads that are not exposed because their name is taken by a configured one or by one found before.',
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
  kubeletConfigRequests: counter(
    'kubelet_config_requests_total',
    'Requests to kubelets for their configuration, by result: success or the reason of the failure.',
    { result: requestResults },
  ),
  cacheLookups: counter(
    'cache_lookups_total',
    'Lookups of node summaries by result: fresh (from the cache), refreshed (requested from the kubelet), stale, absent.',
    { result: lookupResults },
  ),
  storeWatchers: gauge(
    'store_watchers',
    'Watched collections: one of nodes and one of pods, and for half a minute those of former settings.',
    [],
    ({ source }) => known(source?.watches.watchCount),
  ),
  storeSubscribers: gauge(
    'store_subscribers',
    'Parts of the exporter that receive each change of a watched collection.',
    [],
    ({ source }) => known(source?.watches.subscriptionCount),
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
    '1 for how the objects are followed, 0 for the others: watch, or polling while a watch of them cannot be kept (a list when there was no list, event or bookmark for 65 to 75 s).',
    ['resource', 'mode'],
    perStore((store) => watchModes.map((mode) => [Number(mode === store.mode), mode])),
  ),
  storeLastProgress: gauge(
    'store_last_progress_timestamp_seconds',
    'Unix time of the last list, event or bookmark, of the listed namespace that has waited longest. Absent before the first list.',
    ['resource'],
    perStore(({ lastProgress }) => known(lastProgress && lastProgress.wallMs / 1_000)),
  ),
  storeStaleResourceVersions: counter(
    'store_stale_resource_versions_total',
    'Lists and watches that the API server refused because the resource version was too old.',
    { resource: resources },
  ),
  storeSuppressedUpdates: counter('store_suppressed_updates_total', 'Updates that changed no field in the store.', {
    resource: resources,
  }),
  storeDrift: counter(
    'store_drift_total',
    'Objects of the store that differed from a full list of the same version and were corrected. Listed every 30 to 60 minutes, and while scrapes come a minute after the first list and when kubelets report pods that are not known. Above 0: something between exporter and API server loses events, or the API server has served a list that was not complete.',
    { resource: resources },
  ),
  storeSubscriberErrors: counter(
    'store_subscriber_errors_total',
    'Changes that a part of the exporter failed to process: an error of the exporter, see its log.',
    { resource: resources },
  ),
  storeEvents: counter('store_events_total', 'Watch events applied.', { resource: resources, type: eventTypes }),
  storeLists: counter('store_lists_total', 'Lists by result: success or the reason of the failure.', {
    resource: resources,
    result: ['success', 'expired', ...requestFailureReasons],
  }),
  storeWatches: counter('store_watches_total', 'Watches that ended, by result.', {
    resource: resources,
    result: watchResults,
  }),
  storeSkippedObjects: counter(
    'store_skipped_objects_total',
    'Objects of lists and watch events that were left out, by reason: too_large (above 8 MiB in a list), malformed, other_kind (an event with an object of another kind).',
    { resource: resources, reason: skippedObjectReasons },
  ),
  queueDepth: gauge(
    'queue_depth',
    'Background tasks that wait or are in process, by task: refresh (scrapes the kubelet of one node).',
    ['task'],
    ({ source }) => (source === undefined ? [] : taskKinds.map((task) => [source.queue.depth(task), task])),
  ),
  queueRetries: counter(
    'queue_retries_total',
    'Background tasks that failed and were scheduled again, by task. Requests to kubelets that fail are counted by ephemeral_storage_exporter_kubelet_requests_total.',
    { task: taskKinds },
  ),
  lifecycleEvents: counter(
    'lifecycle_events_total',
    'Changes of pods seen by the watch, by type: started and died (of containers), removed and evicted (of pods).',
    { type: lifecycleEventTypes },
  ),
  lifecycleEventLatency: histogram(
    'lifecycle_event_latency_seconds',
    'Time from the start or end of a container, or from an eviction, by the clock of its node and to the second, until this exporter saw it.',
    [0.5, 1, 2, 5, 10, 30, 60, 300],
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
};
