import { by, series } from '../queries.js';

const matchers = ['job=~"$job"', 'instance=~"$instance"'] as const;
const ofInstance = ['job', 'instance'] as const;

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
  return `sum ${by([...ofInstance, ...labels])} (rate(${selfSeries(name, more)}[$__rate_interval]))`;
}

/** Quantile of a histogram, of each instance. */
function quantileOf(quantile: number, name: string): string {
  return `histogram_quantile(${quantile}, ${rateOf(`${name}_bucket`, ['le'])})`;
}

/** A gauge of each instance. */
export function gaugeOf(name: string, labels: readonly string[] = []): string {
  return `max ${by([...ofInstance, ...labels])} (${selfSeries(name)})`;
}

/** A family about the cluster, as each instance tells it: which of them lacks something. */
export function asTold(aggregation: 'max' | 'sum' | 'count', name: string, labels: readonly string[] = []): string {
  return `${aggregation} ${by([...ofInstance, ...labels])} (${series(name, { matchers })})`;
}

/** Quantile over the nodes of the age of their data, of each instance. */
export function ageQuantile(quantile: number): string {
  return `quantile ${by(ofInstance)} (${quantile}, ${series('node_summary_age_seconds', { matchers })})`;
}

export const legend = '{{cluster}} {{instance}}';

export function quantiles(histogram: string): { expr: string; legend: string }[] {
  return [0.5, 0.9, 0.99].map((quantile) => ({
    expr: quantileOf(quantile, histogram),
    legend: `${legend} ${quantile * 100} %`,
  }));
}
