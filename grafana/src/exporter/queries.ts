import { by, series } from '../queries.js';

const matchers = ['job=~"$job"', 'instance=~"$instance"'] as const;
/** All instances together, or each of them. */
const lines = ['$lines'] as const;

/** The series of a family about the selected instances, its name without the common prefix. */
export function selfSeries(name: string, more: readonly string[] = []): string {
  return series(`exporter_${name}`, { matchers: [...matchers, ...more] });
}

/** The same for a full name: families of the process and of Prometheus. */
export function processSeries(name: string): string {
  return `${name}{${['cluster=~"$cluster"', ...matchers].join(', ')}}`;
}

/** Per second. */
export function rateOf(name: string, labels: readonly string[], more?: readonly string[]): string {
  return `sum ${by([...lines, ...labels])} (rate(${selfSeries(name, more)}[$__rate_interval]))`;
}

/**
 * Quantile of a histogram. The second part is for servers that store native histograms instead of classic ones:
 * `convert_classic_histograms_to_nhcb` of Prometheus 3.
 */
function quantileOf(quantile: number, name: string): string {
  const classic = `histogram_quantile(${quantile}, ${rateOf(`${name}_bucket`, ['le'])})`;
  return `${classic} or histogram_quantile(${quantile}, ${rateOf(name, [])})`;
}

/** A gauge of the instances. */
export function gaugeOf(aggregation: 'max' | 'min' | 'sum', name: string, labels: readonly string[] = []): string {
  return `${aggregation} ${by([...lines, ...labels])} (${selfSeries(name)})`;
}

/** The largest value of the processes. */
export function largestOf(expression: string): string {
  return `max ${by(lines)} (${expression})`;
}

/** A family about the cluster, from the selected instances. */
export function ofCluster(aggregation: 'sum' | 'count', name: string, labels: readonly string[] = []): string {
  return `${aggregation} ${by([...lines, ...labels])} (${series(name, { matchers })})`;
}

/** The largest value of an instance for each node. */
export function largestOfNode(name: string, labels: readonly string[]): string {
  return `max ${by([...labels, 'node'])} (${series(name, { matchers })})`;
}

/** Quantile over the nodes of the age of their data. */
export function ageQuantile(quantile: number): string {
  return `quantile ${by(lines)} (${quantile}, time() - ${series('node_data_timestamp_seconds', { matchers })})`;
}

export function oldestAge(): string {
  return `max ${by(lines)} (time() - ${series('node_data_timestamp_seconds', { matchers })})`;
}

/** Age of the data of each node. */
export function ageOfNodes(labels: readonly string[]): string {
  return `time() - ${largestOfNode('node_data_timestamp_seconds', labels)}`;
}

export const legend = '{{cluster}} {{instance}}';

export function quantiles(histogram: string): { expr: string; legend: string }[] {
  return [0.5, 0.9, 0.99].map((quantile) => ({
    expr: quantileOf(quantile, histogram),
    legend: `${legend} ${quantile * 100} %`,
  }));
}
