/** The metric families about the exporter itself, besides those of the process and of Node.js. */

export interface FamilyOf<L extends string> {
  readonly name: string;
  readonly type: 'gauge' | 'counter' | 'histogram';
  readonly help: string;
  readonly labels: readonly L[];
}

export interface Sample<L extends string> {
  readonly labels?: Readonly<Record<L, string>>;
  readonly value: number;
}

/** The samples are read at each exposition. */
export type ExposeFamily = <L extends string>(family: FamilyOf<L>, samples: () => readonly Sample<L>[]) => void;

const prefix = 'ephemeral_storage_exporter_';

export const selfFamilies = {
  buildInfo: {
    name: `${prefix}build_info`,
    type: 'gauge',
    help: '1; version of the exporter and of Node.js.',
    labels: ['version', 'node_version'],
  },
  scopeInfo: {
    name: `${prefix}scope_info`,
    type: 'gauge',
    help: '1; part of the cluster that is measured: the shard, the number of shards, and the node when only one is measured.',
    labels: ['shard', 'total_shards', 'node'],
  },
  labelsInfo: {
    name: `${prefix}labels_info`,
    type: 'gauge',
    help: '1; all labels have the value _kept_. Where Prometheus stores another one, it overwrites these labels of all series: those of pods and nodes are wrong.',
    labels: ['namespace', 'pod', 'container', 'node'],
  },
  scrapeDuration: {
    name: `${prefix}scrape_duration_seconds`,
    type: 'histogram',
    help: 'Time from the arrival of a scrape to the last byte of its response.',
    labels: [],
  },
  scrapes: {
    name: `${prefix}scrapes_total`,
    type: 'counter',
    help: 'Scrapes by result: success; deadline (responded in time with partial data); rejected (too many at once); aborted (the client disconnected or read too slowly); error.',
    labels: ['result'],
  },
  series: {
    name: `${prefix}series`,
    type: 'gauge',
    help: 'Series in the last exposition, without those of the exporter itself.',
    labels: ['level'],
  },
  seriesDropped: {
    name: `${prefix}series_dropped_total`,
    type: 'counter',
    help: 'Series dropped from the exposition, by reason: max_series (whole families above metrics.maxSeries).',
    labels: ['reason'],
  },
  kubeletRequests: {
    name: `${prefix}kubelet_requests_total`,
    type: 'counter',
    help: 'Requests to kubelets for summaries, by result: success or the reason of the failure.',
    labels: ['result'],
  },
  kubeletRequestDuration: {
    name: `${prefix}kubelet_request_duration_seconds`,
    type: 'histogram',
    help: 'Duration of requests to kubelets for summaries, failed ones included.',
    labels: [],
  },
  kubeletConfigRequests: {
    name: `${prefix}kubelet_config_requests_total`,
    type: 'counter',
    help: 'Requests to kubelets for their configuration, by result: success or the reason of the failure.',
    labels: ['result'],
  },
  kubeletEarlyRequests: {
    name: `${prefix}kubelet_early_requests_total`,
    type: 'counter',
    help: 'Requests to kubelets for summaries less than cache.ttl after the last one, by reason: eviction_near (the node may soon evict a pod), pods_changed (pods started or died since).',
    labels: ['reason'],
  },
  cacheLookups: {
    name: `${prefix}cache_lookups_total`,
    type: 'counter',
    help: 'Lookups of node summaries by result: fresh (from the cache), refreshed (requested from the kubelet), stale, absent.',
    labels: ['result'],
  },
  podsSkipped: {
    name: `${prefix}pods_skipped`,
    type: 'gauge',
    help: 'Pods of the summaries without storage series in the last scrape, by reason. top: not among the metrics.top largest pods of a workload, but counted in its sums.',
    labels: ['reason'],
  },
  unknownItems: {
    name: `${prefix}unknown_items`,
    type: 'gauge',
    help: 'Containers and volumes of the summaries in the last scrape without separate series, by kind: the specs of their pods do not have them. Those of a pod are one series together.',
    labels: ['kind'],
  },
  saturatedValues: {
    name: `${prefix}values_saturated`,
    type: 'gauge',
    help: 'Values of the summaries in the last scrape that are above 2^53 and were read as 2^53: not real sizes.',
    labels: [],
  },
  workloadsBackedOff: {
    name: `${prefix}workloads_backed_off`,
    type: 'gauge',
    help: 'Workloads that are backing off after a failed collection.',
    labels: [],
  },
  workloadNameClashes: {
    name: `${prefix}workload_name_clashes`,
    type: 'gauge',
    help: 'Discovered workloads that are not exposed because their name is taken by a configured one or by one found before.',
    labels: [],
  },
  storeObjects: {
    name: `${prefix}store_objects`,
    type: 'gauge',
    help: 'Objects of the API server in the store.',
    labels: ['resource'],
  },
  storeSynced: {
    name: `${prefix}store_synced`,
    type: 'gauge',
    help: '1 when the objects have been listed once; 0 while a list is missing, for example because it is forbidden. The namespace is empty for a list of all namespaces.',
    labels: ['resource', 'namespace'],
  },
  storeEvents: {
    name: `${prefix}store_events_total`,
    type: 'counter',
    help: 'Watch events applied.',
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
    help: 'Watches that ended, by result.',
    labels: ['resource', 'result'],
  },
  storeStaleResourceVersions: {
    name: `${prefix}store_stale_resource_versions_total`,
    type: 'counter',
    help: 'Lists and watches that the API server refused because the resource version was too old.',
    labels: ['resource'],
  },
  storeWatchConnected: {
    name: `${prefix}store_watch_connected`,
    type: 'gauge',
    help: '1 while the watches of all namespaces that have been listed are connected.',
    labels: ['resource'],
  },
  storeLastProgress: {
    name: `${prefix}store_last_progress_timestamp_seconds`,
    type: 'gauge',
    help: 'Unix time of the last list, event or bookmark, of the listed namespace that has waited longest. Absent before the first list.',
    labels: ['resource'],
  },
  storeSuppressedUpdates: {
    name: `${prefix}store_suppressed_updates_total`,
    type: 'counter',
    help: 'Updates that changed no field in the store.',
    labels: ['resource'],
  },
  storeSkippedObjects: {
    name: `${prefix}store_skipped_objects_total`,
    type: 'counter',
    help: 'Objects of lists and watch events that were left out, by reason: too_large (above 8 MiB in a list), malformed, other_kind (an event with an object of another kind).',
    labels: ['resource', 'reason'],
  },
  lifecycleEvents: {
    name: `${prefix}lifecycle_events_total`,
    type: 'counter',
    help: 'Changes of pods seen by the watch, by type: started and died (of containers), removed and evicted (of pods).',
    labels: ['type'],
  },
  lifecycleEventLatency: {
    name: `${prefix}lifecycle_event_latency_seconds`,
    type: 'histogram',
    help: 'Time from the start or end of a container, or from an eviction, by the clock of its node and to the second, until this exporter saw it.',
    labels: [],
  },
  configLastReloadSuccessful: {
    name: `${prefix}config_last_reload_successful`,
    type: 'gauge',
    help: '1 when the last attempts to load the settings and the file of --web.config.file succeeded.',
    labels: [],
  },
  configLastReloadSuccessTimestamp: {
    name: `${prefix}config_last_reload_success_timestamp_seconds`,
    type: 'gauge',
    help: 'Unix time at which the current configuration was loaded.',
    labels: [],
  },
  configHash: {
    name: `${prefix}config_hash`,
    type: 'gauge',
    help: 'First 48 bits of a hash of the current configuration, as a number: it changes when a setting does.',
    labels: [],
  },
  kubeletTlsVerificationDisabled: {
    name: `${prefix}kubelet_tls_verification_disabled`,
    type: 'gauge',
    help: '1 when the certificates of kubelets are not verified.',
    labels: [],
  },
} as const satisfies Record<string, FamilyOf<string>>;
