import { by, series } from '../queries.js';

const matchers = ['job=~"$job"', 'instance=~"$instance"'] as const;
/** The instances together, or each of them, as the reader chose. */
const lines = ['$lines'] as const;

/** The series of a family about the chosen instances, its name without the common prefix. */
export function selfSeries(name: string, more: readonly string[] = []): string {
  return series(`exporter_${name}`, { matchers: [...matchers, ...more] });
}

/** The same of a family whose name is whole: those of the process, and of Prometheus. */
export function processSeries(name: string): string {
  return `${name}{${['cluster=~"$cluster"', ...matchers].join(', ')}}`;
}

/** Per second. */
export function rateOf(name: string, labels: readonly string[], more?: readonly string[]): string {
  return `sum ${by([...lines, ...labels])} (rate(${selfSeries(name, more)}[$__rate_interval]))`;
}

/** Quantile of a histogram. */
function quantileOf(quantile: number, name: string): string {
  return `histogram_quantile(${quantile}, ${rateOf(`${name}_bucket`, ['le'])})`;
}

/** A gauge of the instances. */
export function gaugeOf(aggregation: 'max' | 'min' | 'sum', name: string, labels: readonly string[] = []): string {
  return `${aggregation} ${by([...lines, ...labels])} (${selfSeries(name)})`;
}

/** The largest of what processes show. */
export function largestOf(expression: string): string {
  return `max ${by(lines)} (${expression})`;
}

/** A family about the cluster, as the instances tell it. */
export function asTold(aggregation: 'max' | 'sum' | 'count', name: string, labels: readonly string[] = []): string {
  return `${aggregation} ${by([...lines, ...labels])} (${series(name, { matchers })})`;
}

/** The largest that an instance tells of a node. */
export function largestOfNode(name: string, labels: readonly string[]): string {
  return `max ${by([...labels, 'node'])} (${series(name, { matchers })})`;
}

/** Quantile over the nodes of the age of their data. */
export function ageQuantile(quantile: number): string {
  return `quantile ${by(lines)} (${quantile}, ${series('node_summary_age_seconds', { matchers })})`;
}

export const legend = '{{cluster}} {{instance}}';

export function quantiles(histogram: string): { expr: string; legend: string }[] {
  return [0.5, 0.9, 0.99].map((quantile) => ({
    expr: quantileOf(quantile, histogram),
    legend: `${legend} ${quantile * 100} %`,
  }));
}
