import { lookupResults } from '../../cluster/kubelet/kubelet-cache.js';
import { watchResults } from '../../cluster/watch/next-step.js';
import { resources } from '../../cluster/watch/resource-path.js';
import { eventTypes, skippedObjectReasons } from '../../cluster/watch/watch-observer.js';
import { familiesIn, known, requestResults, taskKinds } from './self-family.js';

const { counter, gauge, histogram } = familiesIn('full');

/** Those for whom the exporter itself does what it should not. */
export const selfDetails = {
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
  storeStaleResourceVersions: counter(
    'store_stale_resource_versions_total',
    'Lists and watches that the API server refused because the resource version was too old.',
    { resource: resources },
  ),
  storeSuppressedUpdates: counter('store_suppressed_updates_total', 'Updates that changed no field in the store.', {
    resource: resources,
  }),
  storeSubscriberErrors: counter(
    'store_subscriber_errors_total',
    'Changes that a part of the exporter failed to process: an error of the exporter, see its log.',
    { resource: resources },
  ),
  storeEvents: counter('store_events_total', 'Watch events applied.', { resource: resources, type: eventTypes }),
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
  lifecycleEventLatency: histogram(
    'lifecycle_event_latency_seconds',
    'Time until this exporter saw the start or end of a container, or an eviction. When it happened is known to the second, by the clock of the node.',
    [0.5, 1, 2, 5, 10, 30, 60, 300],
  ),
};
