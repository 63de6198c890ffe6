/**
 * Parts of queries. All of them read the scraped families: a dashboard is imported without recording rules.
 *
 * Every aggregation keeps `cluster`, a label that a Prometheus for several clusters adds. Without it, it is empty
 * everywhere.
 */

export interface Selection {
  /** Besides the cluster's, such as `node="$node"`. */
  readonly matchers?: readonly string[];
  readonly at?: keyof typeof moments;
}

/** `end`: as at the end of the range of a range query, at each of its steps. */
const moments = { end: ' @ end()', yesterday: ' offset 1d' } as const;

/** The series of a family, its name without the common prefix. */
export function series(name: string, { matchers = [], at }: Selection = {}): string {
  const selector = ['cluster=~"$cluster"', ...matchers].join(', ');
  return `ephemeral_storage_${name}{${selector}}${at === undefined ? '' : moments[at]}`;
}

/** One series for each combination of the labels: several instances may measure the same pod or node. */
export function largest(name: string, labels: readonly string[], selection?: Selection): string {
  return `max ${by(labels)} (${series(name, selection)})`;
}

/** For states that are good only when all instances agree, and for limits. */
export function smallest(name: string, labels: readonly string[], selection?: Selection): string {
  return `min ${by(labels)} (${series(name, selection)})`;
}

/**
 * A value of a workload of which each shard has a part: the parts are added. Instances that measure the same part
 * (replicas, or both sides of a rolling update) count once. While the number of shards changes, the cluster is divided
 * in two ways: the one with the larger sum counts.
 */
export function acrossShards(name: string, labels: readonly string[], selection: Selection = {}): string {
  const { at } = selection;
  const scope = series('exporter_scope_info', at === undefined ? {} : { at });
  const parts = `${series(name, selection)} * on (cluster, job, instance) group_left (total_shards, shard, node) ${scope}`;
  const once = `max ${by([...labels, 'total_shards', 'shard', 'node'])} (${parts})`;
  return `max ${by(labels)} (sum ${by([...labels, 'total_shards'])} (${once}))`;
}

/** At least the shortest time between two scrapes that a gap of one scrape does not empty. */
const countStep = '5m';

/**
 * Increases of a counter of each instance since `step` before; no series for a counter of 0. Exact, where `increase`
 * extrapolates: a workload has few evictions. The first value of a counter counts when its instance was scraped before;
 * after a restart, increases within one step are lost. Almost all counters are 0: they are left out before any join.
 */
function increases(name: string, selection: Selection, step: string): string {
  const counter = series(name, selection);
  const before = `(${counter} offset ${step} > 0)`;
  const scraped = `${series('exporter_scope_info')} offset ${step}`;
  return `((${counter} > 0) - ${before} >= 0 or (${counter} > 0) unless ${before} and on (cluster, job, instance) ${scraped})`;
}

/** Evictions of workloads within a step, by their labels and cause. Parts of shards are added, replicas count once. */
export function workloadEvictions(selection: Selection = {}, step = countStep): string {
  const labels = [...workloadLabels, 'cause'];
  const counted = increases('workload_evictions_total', selection, step);
  const parts = `${counted} * on (cluster, job, instance) group_left (total_shards, shard, node) ${series('exporter_scope_info')}`;
  const once = `max ${by([...labels, 'total_shards', 'shard', 'node'])} (${parts})`;
  return `max ${by(labels)} (sum ${by([...labels, 'total_shards'])} (${once}))`;
}

/** The same of nodes. */
export function nodeEvictions(selection: Selection = {}, step = countStep): string {
  return `max ${by(['node', 'cause'])} (${increases('node_evictions_total', selection, step)})`;
}

/** Their sum over the time range. */
export function withinRange(evictions: string): string {
  return `sum_over_time((${evictions})[$__range:${countStep}])`;
}

export function by(labels: readonly string[]): string {
  return `by (${['cluster', ...labels].join(', ')})`;
}

/** The series of `query` that `among` contains too, by cluster and labels. In parentheses: `and` binds weakly. */
export function only(query: string, labels: readonly string[], among: string): string {
  return `((${query}) and on (${['cluster', ...labels].join(', ')}) (${among}))`;
}

/** Without the series of nodes that are in other pools than the selected ones. Nodes of which nothing is known stay. */
export function inPool(query: string): string {
  const others = series('node_info', { matchers: ['$node_label!~"$pool"'] });
  return `(${query} unless on (cluster, node) ${others})`;
}

/** Over all selected clusters. Only for the single value of a panel: everything else keeps the clusters apart. */
export function total(aggregation: 'sum' | 'max' | 'count', query: string): string {
  return `${aggregation} by () (${query})`;
}

/**
 * Growth per second: the smaller of the slopes of two straight lines, through the past hour and through its last 15
 * minutes, so that a ramp that has ended is none. No series for what is younger than 10 minutes.
 */
function slope(query: string, step: string): string {
  const line = (range: string): string => `deriv((${query})[${range}:${step}])`;
  const smaller = `(${line('1h')} <= ${line('15m')} or ${line('15m')})`;
  return `(${smaller} and last_over_time((${query})[10m:5m] offset 10m))`;
}

/**
 * For a range query: the `count` largest at the end of the range, over the whole range. A bare `topk` would choose
 * others at each step, and a chart would show all of them.
 */
export function topAtEnd(count: number, labels: readonly string[], query: (selection: Selection) => string): string {
  return only(query({}), labels, `topk(${count}, ${query({ at: 'end' })})`);
}

/** Labels that identify a workload, a filesystem, a pod and a limit. */
export const workloadLabels = ['namespace', 'workload', 'workload_type'] as const;
export const workloadLegend = '{{cluster}} {{namespace}} {{workload_type}}/{{workload}}';
export const filesystemLabels = ['node', 'filesystem'] as const;
export const podLabels = ['namespace', 'pod', 'node'] as const;
export const limitLabels = [...podLabels, 'rule', 'container', 'volume'] as const;

/** Share of the time in which tasks of each node waited (all of them at once: stalled) for input or output. */
export function ioPressure(
  name: `node_io_pressure_${'waiting' | 'stalled'}_seconds_total`,
  selection?: Selection,
): string {
  return `max ${by(['node'])} (rate(${series(name, selection)}[$__rate_interval]))`;
}

/** Bytes of each pod. */
export function podsUsed(selection?: Selection): string {
  return largest('pod_used_bytes', podLabels, selection);
}

/** Share of each filesystem that is not available. */
export function filesystemRatio(selection?: Selection): string {
  return `1 - ${largest('node_available_bytes', filesystemLabels, selection)} / ${largest('node_capacity_bytes', filesystemLabels, selection)}`;
}

/** Share of the inodes of each filesystem that is not free. */
export function inodesRatio(selection?: Selection): string {
  return `1 - ${largest('node_inodes_free', filesystemLabels, selection)} / ${largest('node_inodes', filesystemLabels, selection)}`;
}

/** The larger share of bytes or inodes of each filesystem that is not free, as on the status page. */
export function fullness(selection?: Selection): string {
  const inodes = `label_replace(${inodesRatio(selection)}, "resource", "inodes", "", "")`;
  return `max ${by(filesystemLabels)} (${filesystemRatio(selection)} or ${inodes})`;
}

/** Usage ÷ limit of each limit that the kubelet enforces. */
export function limitRatios(selection?: Selection): string {
  return largest('limit_ratio', limitLabels, selection);
}

/** Without those that the kubelet never evicts for: of static and critical pods, and of emptyDirs in memory, whose tmpfs bounds them. */
export function evictable(ratios: string): string {
  const labels = ['cluster', ...podLabels].join(', ');
  const exempt = series('limit_unenforced_info', { matchers: ['reason="exempt"'] });
  const inMemory = series('volume_limit_bytes', { matchers: ['medium="Memory"'] });
  return `(${ratios} unless on (${labels}) ${exempt} unless on (${labels}, volume) (${inMemory} % 4096 == 0))`;
}

/** With rule, container and volume as one label, in which blanks of missing parts do not show. */
export function withLimitLabel(query: string): string {
  return `max ${by([...podLabels, 'limit'])} (label_join(${query}, "limit", " ", "rule", "container", "volume"))`;
}

/** A straight line over an hour predicts nothing beyond a month. */
const farthestSeconds = 30 * 24 * 3600;

/**
 * Seconds until each limit is reached at its present growth; no series without growth. As the exporter forecasts it, else at the
 * growth of the last hour. The growth is that over all instances: the past of an instance that has just started is too short.
 */
export function secondsToLimit(matchers: readonly string[] = []): string {
  const ratio = limitRatios({ matchers });
  const soon = smallest('pod_time_to_limit_seconds', limitLabels, { matchers });
  return `(${soon} or (1 - ${ratio} > 0) / (${slope(ratio, '1m')} > 0) < ${farthestSeconds})`;
}

/** Seconds until the first of the limits is reached, by cluster; -1 where growth is known and none is expected to be. */
export function secondsToFirstLimit(matchers: readonly string[], restrict = (query: string): string => query): string {
  const known = restrict(slope(limitRatios({ matchers }), '1m'));
  return `min by (cluster) (${restrict(secondsToLimit(matchers))}) or -1 * group by (cluster) (${known})`;
}

/** Bytes per hour of each existing pod. */
export function podGrowth(matchers: readonly string[] = []): string {
  const growth = `${slope(podsUsed({ matchers }), '1m')} * 3600`;
  return only(growth, podLabels, series('pod_used_bytes', { matchers }));
}

/**
 * Bytes per hour of each existing workload. Only moments at which all of its pods were measured count: a node that
 * recovers would look like growth.
 */
export function workloadGrowth(matchers: readonly string[] = []): string {
  const used = acrossShards('workload_used_bytes', workloadLabels, { matchers });
  const complete = `${workloadComplete({ matchers })} == 1`;
  const growth = `${slope(only(used, workloadLabels, complete), '5m')} * 3600`;
  return only(growth, workloadLabels, series('workload_used_bytes', { matchers }));
}

/** 1 while all pods of a workload are measured; 0 while its sums are partial or absent. */
export function workloadComplete(selection?: Selection): string {
  return smallest('workload_complete', workloadLabels, selection);
}

/** Running pods of workloads that are not measured. */
export function unmeasuredPods(selection: Selection = {}): string {
  const pods = acrossShards('workload_pods', workloadLabels, selection);
  return `${pods} - ${acrossShards('workload_pods_measured', workloadLabels, selection)}`;
}
