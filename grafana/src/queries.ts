/**
 * Parts of queries. All of them read the families as they are scraped: a dashboard is imported without recording rules.
 *
 * Every aggregation keeps `cluster`, a label that a server for many clusters adds; where nobody adds it, it is empty
 * everywhere and does no harm.
 */

export interface Selection {
  /** Besides the cluster's, such as `node="$node"`. */
  readonly matchers?: readonly string[];
  /** `end`: as at the end of the range of a range query, at each of its steps. */
  readonly at?: 'end';
}

/** The series of a family, its name without the common prefix. */
export function series(name: string, { matchers = [], at }: Selection = {}): string {
  const selector = ['cluster=~"$cluster"', ...matchers].join(', ');
  return `ephemeral_storage_${name}{${selector}}${at === 'end' ? ' @ end()' : ''}`;
}

/** One series for each combination of the labels: the same pod or node may be told by several instances at once. */
export function largest(name: string, labels: readonly string[], selection?: Selection): string {
  return `max ${by(labels)} (${series(name, selection)})`;
}

/** For what is good only when all instances say so, and for ages, of which the freshest counts. */
export function smallest(name: string, labels: readonly string[], selection?: Selection): string {
  return `min ${by(labels)} (${series(name, selection)})`;
}

/**
 * A figure of a workload that each shard has a part of: the parts are added up. Instances that measure the same part
 * (replicas, or both sides of a rolling update) count once. While the number of shards changes there are two divisions
 * of the cluster: of them the one that has measured more counts.
 */
export function acrossShards(name: string, labels: readonly string[], selection: Selection = {}): string {
  const { at } = selection;
  const scope = series('exporter_scope_info', at === undefined ? {} : { at });
  const parts = `${series(name, selection)} * on (cluster, job, instance) group_left (total_shards, shard, node) ${scope}`;
  const once = `max ${by([...labels, 'total_shards', 'shard', 'node'])} (${parts})`;
  return `max ${by(labels)} (sum ${by([...labels, 'total_shards'])} (${once}))`;
}

export function by(labels: readonly string[]): string {
  return `by (${['cluster', ...labels].join(', ')})`;
}

/** Those of `query` that `among` has too, by cluster and labels. */
export function only(query: string, labels: readonly string[], among: string): string {
  return `(${query}) and on (${['cluster', ...labels].join(', ')}) (${among})`;
}

/** Bytes per hour, from the past hour. */
function growthPerHour(range: string): string {
  return `deriv(${range}) * 3600`;
}

/**
 * For a range query: the `count` biggest at the end of the range, over the whole range. A bare `topk` would choose
 * others at each step, and a chart would show all that were ever among them.
 */
export function topAtEnd(count: number, labels: readonly string[], query: (selection: Selection) => string): string {
  return only(query({}), labels, `topk(${count}, ${query({ at: 'end' })})`);
}

/** What the families of one subject are told apart by. */
export const workloadLabels = ['workload'] as const;
export const filesystemLabels = ['node', 'filesystem'] as const;
export const podLabels = ['namespace', 'pod', 'node'] as const;
export const limitLabels = [...podLabels, 'rule', 'container', 'volume'] as const;

/** Bytes of each pod. */
export function podsUsed(selection?: Selection): string {
  return largest('pod_used_bytes', podLabels, selection);
}

/** Share of each filesystem that is not available. */
export function filesystemRatio(selection?: Selection): string {
  return `1 - ${largest('node_available_bytes', filesystemLabels, selection)} / ${largest('node_capacity_bytes', filesystemLabels, selection)}`;
}

/**
 * A share of the filesystems that are different ones: nodefs, and imagefs and containerfs where they are not the same
 * disk, told of twice.
 */
export function ofOwnFilesystems(share: (selection: Selection) => string, selection: Selection = {}): string {
  const of = (filesystem: string): string => {
    const matchers = [...(selection.matchers ?? []), `filesystem="${filesystem}"`];
    return share({ ...selection, matchers });
  };
  const where = (family: string): string => `${largest(family, ['node'], selection)} == 1`;
  const images = only(of('imagefs'), ['node'], where('node_dedicated_imagefs'));
  const layers = only(of('containerfs'), ['node'], where('node_split_imagefs'));
  return `(${of('nodefs')}) or (${images}) or (${layers})`;
}

/** Share of the inodes of each filesystem that is not free. */
export function inodesRatio(selection?: Selection): string {
  return `1 - ${largest('node_inodes_free', filesystemLabels, selection)} / ${largest('node_inodes', filesystemLabels, selection)}`;
}

/** Usage ÷ limit of each limit that the kubelet evicts for. */
export function limitRatios(selection?: Selection): string {
  return largest('limit_ratio', limitLabels, selection);
}

/** No pod is told to reach a limit later than in a month: the straight line that says so has no meaning. */
const farthestSeconds = 30 * 24 * 3600;

/**
 * Seconds until each limit is reached if the trend of the past hour goes on; no series without growth. The trend is that
 * over all instances: one that has just started has too short a past of its own.
 */
export function secondsToLimit(matchers: readonly string[] = []): string {
  const ratio = limitRatios({ matchers });
  const slope = `deriv((${ratio})[1h:1m])`;
  return `(1 - ${ratio} > 0) / (${slope} > 0) < ${farthestSeconds}`;
}

/** Bytes per hour of each pod that there is now. */
export function podGrowth(matchers: readonly string[] = []): string {
  const growth = growthPerHour(`(${podsUsed({ matchers })})[1h:1m]`);
  return only(growth, podLabels, series('pod_used_bytes', { matchers }));
}

/**
 * Bytes per hour of each workload that there is now. Only moments at which all of its pods were measured count: a node
 * that comes back would look like growth.
 */
export function workloadGrowth(matchers: readonly string[] = []): string {
  const used = acrossShards('workload_used_bytes', workloadLabels, { matchers });
  const complete = `${workloadComplete({ matchers })} == 1`;
  const growth = growthPerHour(`(${only(used, workloadLabels, complete)})[1h:5m]`);
  return only(growth, workloadLabels, series('workload_used_bytes', { matchers }));
}

/** 1 while all pods of a workload are measured; 0 while its sums are partial, or none could be had. */
export function workloadComplete(selection?: Selection): string {
  return smallest('workload_complete', workloadLabels, selection);
}
