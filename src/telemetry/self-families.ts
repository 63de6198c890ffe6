/** The exporter's own metric families, besides those of the process and of Node.js. */

interface SelfFamily {
  readonly name: string;
  readonly type: 'gauge' | 'counter' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
}

const prefix = 'ephemeral_storage_exporter_';

export const selfFamilies = {
  buildInfo: {
    name: `${prefix}build_info`,
    type: 'gauge',
    help: '1; the version of the exporter and of Node.js that runs it.',
    labels: ['version', 'node_version'],
  },
  scopeInfo: {
    name: `${prefix}scope_info`,
    type: 'gauge',
    help: '1; the part of the cluster that the exporter measures: the shard, of how many, and the node when it is one alone.',
    labels: ['shard', 'total_shards', 'node'],
  },
  scrapeDuration: {
    name: `${prefix}scrape_duration_seconds`,
    type: 'histogram',
    help: 'Time from the arrival of a scrape to the last byte of its answer.',
    labels: [],
  },
  scrapes: {
    name: `${prefix}scrapes_total`,
    type: 'counter',
    help: 'Scrapes by result: success; deadline (answered in time with what there was); rejected (too many at once); aborted (the client left or read too slowly); error.',
    labels: ['result'],
  },
  series: {
    name: `${prefix}series`,
    type: 'gauge',
    help: 'Series in the last exposition, without those about the exporter itself.',
    labels: ['level'],
  },
  seriesDropped: {
    name: `${prefix}series_dropped_total`,
    type: 'counter',
    help: 'Series left out of expositions, by reason: max_series (whole families above metrics.maxSeries).',
    labels: ['reason'],
  },
  kubeletRequests: {
    name: `${prefix}kubelet_requests_total`,
    type: 'counter',
    help: 'Requests to kubelets for summaries by result: success or the reason of the failure.',
    labels: ['result'],
  },
  kubeletRequestDuration: {
    name: `${prefix}kubelet_request_duration_seconds`,
    type: 'histogram',
    help: 'Duration of the requests to kubelets for summaries, failed ones included.',
    labels: [],
  },
  kubeletConfigRequests: {
    name: `${prefix}kubelet_config_requests_total`,
    type: 'counter',
    help: 'Requests to kubelets for their configuration by result: success or the reason of the failure.',
    labels: ['result'],
  },
  cacheLookups: {
    name: `${prefix}cache_lookups_total`,
    type: 'counter',
    help: 'Look-ups of node summaries by result: fresh (from the cache), refreshed (asked the kubelet), stale, absent.',
    labels: ['result'],
  },
  podsSkipped: {
    name: `${prefix}pods_skipped`,
    type: 'gauge',
    help: 'Pods of the summaries without storage series in the last scrape, by reason; top: not among the metrics.top biggest of a workload, whose sums have them all the same.',
    labels: ['reason'],
  },
  saturatedFigures: {
    name: `${prefix}figures_saturated`,
    type: 'gauge',
    help: 'Figures of the summaries in the last scrape that are above 2^53 and were read as 2^53: no real sizes.',
    labels: [],
  },
  workloadNameClashes: {
    name: `${prefix}workload_name_clashes`,
    type: 'gauge',
    help: 'Discovered workloads that are not served because another one, configured or found before, has their name.',
    labels: [],
  },
  storeObjects: {
    name: `${prefix}store_objects`,
    type: 'gauge',
    help: 'Objects of the API server that are kept.',
    labels: ['resource'],
  },
  storeEvents: {
    name: `${prefix}store_events_total`,
    type: 'counter',
    help: 'Watch events taken in.',
    labels: ['resource', 'type'],
  },
  storeLists: {
    name: `${prefix}store_lists_total`,
    type: 'counter',
    help: 'Lists by result: success or the reason of the failure.',
    labels: ['resource', 'result'],
  },
  storeWatches: {
    name: `${prefix}store_watches_total`,
    type: 'counter',
    help: 'Watches that ended, by the way they did.',
    labels: ['resource', 'result'],
  },
  storeStaleResourceVersions: {
    name: `${prefix}store_stale_resource_versions_total`,
    type: 'counter',
    help: 'Lists and watches refused by the API server because the resource version was too old.',
    labels: ['resource'],
  },
  storeWatchConnected: {
    name: `${prefix}store_watch_connected`,
    type: 'gauge',
    help: '1 while the watches of all scopes of the resource are connected.',
    labels: ['resource'],
  },
  storeLastProgress: {
    name: `${prefix}store_last_progress_timestamp_seconds`,
    type: 'gauge',
    help: 'Unix time of the last list, event or bookmark, of the scope that waits longest; no series until each scope had one.',
    labels: ['resource'],
  },
  storeSuppressedUpdates: {
    name: `${prefix}store_suppressed_updates_total`,
    type: 'counter',
    help: 'Updates that changed nothing that is kept.',
    labels: ['resource'],
  },
  configLastReloadSuccessful: {
    name: `${prefix}config_last_reload_successful`,
    type: 'gauge',
    help: '1 when the last attempt to load the configuration succeeded.',
    labels: [],
  },
  configLastReloadSuccessTimestamp: {
    name: `${prefix}config_last_reload_success_timestamp_seconds`,
    type: 'gauge',
    help: 'Unix time at which the configuration in force was loaded.',
    labels: [],
  },
  configHash: {
    name: `${prefix}config_hash`,
    type: 'gauge',
    help: 'First 48 bits of a hash over the configuration in force, as a number: it changes when a setting does.',
    labels: [],
  },
  kubeletTlsVerificationDisabled: {
    name: `${prefix}kubelet_tls_verification_disabled`,
    type: 'gauge',
    help: '1 when certificates of kubelets are not verified.',
    labels: [],
  },
} as const satisfies Record<string, SelfFamily>;
