import type { Scraped } from './exporter.js';
import type { ParsedSample } from './exposition-parser.js';

type Combine = (values: readonly number[]) => number;

const sum: Combine = (values) => values.reduce((a, b) => a + b, 0);
const most: Combine = (values) => Math.max(...values);
const least: Combine = (values) => Math.min(...values);

/** How the series of a workload on several shards are combined. */
const workloadFamilies: Readonly<Record<string, Combine>> = {
  workload_used_bytes: sum,
  workload_container_used_bytes: sum,
  workload_limit_bytes: sum,
  workload_request_bytes: sum,
  workload_evictions_total: sum,
  workload_pods: sum,
  workload_pods_measured: sum,
  workload_pods_on_absent_nodes: sum,
  workload_pod_max_used_bytes: most,
  workload_container_max_used_bytes: most,
  workload_complete: least,
  workload_data_available: least,
  workload_info: least,
};

/** All series of the cluster, `name{labels}` to value, combined where several exporters have the same one. */
function clusterSeries({ families }: Scraped): readonly { readonly key: string; readonly sample: ParsedSample }[] {
  return families
    .filter(({ name }) => /^ephemeral_storage_(?!exporter_)/.test(name))
    .flatMap(({ samples }) =>
      samples.map((sample) => ({ key: `${sample.name}${JSON.stringify(sample.labels)}`, sample })),
    );
}

/** Of one exporter. */
export function seriesOf(scraped: Scraped): ReadonlyMap<string, number> {
  return combinedSeries([scraped]);
}

/** Throws when two shards have the same series, unless it is one of a workload: no node may be measured twice. */
export function combinedSeries(shards: readonly Scraped[]): ReadonlyMap<string, number> {
  const found = new Map<string, { readonly name: string; readonly values: number[] }>();
  for (const { key, sample } of shards.flatMap(clusterSeries)) {
    const entry = found.get(key) ?? { name: sample.name.replace('ephemeral_storage_', ''), values: [] };
    entry.values.push(sample.value);
    found.set(key, entry);
  }
  return new Map(
    Array.from(found)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, { name, values }]) => [key, combine(key, name, values)]),
  );
}

function combine(key: string, name: string, values: readonly number[]): number {
  const [only = NaN, ...others] = values;
  const rule = workloadFamilies[name];
  if (name.startsWith('workload_') && rule === undefined) throw new Error(`no rule for ${name}`);
  if (others.length === 0) return only;
  if (rule === undefined) throw new Error(`two shards have ${key}`);
  return rule(values);
}
