/** What is not measured: nodes without data, nodes whose exporter is no longer scraped, and what that hides. */
import {
  acrossShards,
  inPool,
  largest,
  only,
  type Selection,
  series,
  total,
  workloadComplete,
  workloadLabels,
} from './queries.js';
import type { Unknown, UnknownPart } from './stats.js';

/** For single values. */
const day = '1d';
/** For lines: longer ranges at each step are slow. */
export const hour = '1h';

/**
 * 1 for each node that an exporter measured within the time and that none measures now, because the exporter of its part
 * of the cluster is not scraped. As `node:ephemeral_storage_exporter_lost:group` of the recording rules: an exporter of
 * one node that is no longer a target has left with its node.
 */
export function lostNodes(selection: Selection = {}, within = day): string {
  const recent = (name: string, of?: Selection): string => `last_over_time(${series(name, of)}[${within}])`;
  const ofInstance = 'on (cluster, job, instance)';
  const measured = series('node_data_available');
  const left = `${recent('exporter_scope_info', { matchers: ['node!=""'] })} unless ${ofInstance} up{cluster=~"$cluster"} and on (cluster) ${measured}`;
  const present = `${series('exporter_scope_info')} and ${ofInstance} ${measured}`;
  const lost = `${recent('exporter_scope_info')} unless on (cluster, shard, total_shards, node) (${present}) unless (${left})`;
  return `(group by (cluster, node) (${recent('node_data_available', selection)} and ${ofInstance} (${lost})) unless on (cluster, node) ${measured})`;
}

/** 1 for each node without data, 0 for each other one. */
export function silentNodes(within = day): string {
  return `(1 - ${largest('node_data_available', ['node'])} or ${lostNodes({}, within)})`;
}

/** 1 for each node without data, by reason, without those that are skipped. */
export function absentNodes({ matchers = [] }: Selection = {}): string {
  const absent = only(
    largest('node_absent_info', ['node', 'reason'], { matchers: [...matchers, 'reason!="skipped"'] }),
    ['node'],
    `${largest('node_data_available', ['node'], { matchers })} == 0`,
  );
  return `(${absent} or label_replace(${lostNodes({ matchers })}, "reason", "not scraped", "", ""))`;
}

/**
 * Seconds since the data of each node was fetched; the most recent fetch of all instances counts. Grows on while a node
 * has no data, for a day.
 */
export function dataAge({ matchers = [] }: Selection = {}): string {
  const last = `last_over_time(${series('node_data_timestamp_seconds', { matchers })}[${day}])`;
  const existing = `${series('node_data_available', { matchers })} or ${lostNodes({ matchers })}`;
  return only(`time() - max by (cluster, node) (${last})`, ['node'], existing);
}

/** For values over all selected clusters and pools. */
export const silentInPool: Unknown = {
  on: [],
  parts: [{ expr: `${total('sum', inPool(silentNodes()))} > 0`, what: 'silent nodes' }],
};

/** For those that include silent nodes themselves. */
export const lostInPool: Unknown = {
  on: [],
  parts: [{ expr: total('sum', inPool(lostNodes())), what: 'nodes not scraped' }],
};

/** For the values of a cluster: what runs on these nodes is not known. */
export const lostInCluster: Unknown = {
  on: ['cluster'],
  parts: [{ expr: `sum by (cluster) (${lostNodes()})`, what: 'nodes not scraped' }],
};

/** Besides a part that depends on what is shown. */
export function orLost(part: UnknownPart): Unknown {
  return { ...lostInCluster, parts: [part, ...lostInCluster.parts] };
}

/** 1 where all pods of a workload are measured, 0 where not; none where an exporter of the cluster may have others. */
export function workloadWhole(selection?: Selection): string {
  const complete = workloadComplete(selection);
  return `(${complete} == 0 or ${complete} unless on (cluster) ${lostNodes()})`;
}

/**
 * Bytes of workloads for a line over time. While a node has no data, the sum of its workloads is too small, and left
 * out; a workload that was never complete within the hour is drawn as it is.
 */
export function usedWhileComplete(matchers: readonly string[] = []): string {
  const used = acrossShards('workload_used_bytes', workloadLabels, { matchers });
  const complete = workloadComplete({ matchers });
  const usually = `max_over_time((${complete})[1h:5m]) == 1`;
  const partial = `unless on (cluster, ${workloadLabels.join(', ')}) (${complete} == 0 and ${usually})`;
  return `(${used} ${partial} unless on (cluster) ${lostNodes({}, hour)})`;
}
