import { type BodyFamily, madeText } from './bodies.js';
import { type ExpositionFormat, type FamilyType, formatBound, labelText, sampleLine } from './render.js';
import type { FamilyPredicate } from './selection.js';

/** The part of a prom-client `Registry` that is used. */
export interface MetricSource {
  getMetricsAsJSON(): Promise<readonly MetricData[]>;
}

interface MetricData {
  readonly name: string;
  readonly help: string;
  /** A lower-case word at run time, whatever prom-client's types say. */
  readonly type: unknown;
  readonly values: readonly {
    /** Where it differs from the family's: a histogram's `_bucket`, `_sum` and `_count`. */
    readonly metricName?: string;
    readonly labels: Readonly<Partial<Record<string, string | number>>>;
    readonly value: number;
  }[];
}

/**
 * Renders the registry's families that are requested. prom-client's own text is not used: it spells NaN differently, leaves quotes in OpenMetrics
 * help texts, and the format is a property of the registry instead of the request.
 */
export async function registryFamilies(
  source: MetricSource,
  isRequested: FamilyPredicate,
  format: ExpositionFormat,
): Promise<readonly BodyFamily[]> {
  const families = await source.getMetricsAsJSON();
  return families
    .filter(({ name }) => isRequested({ name, level: 'exporter' }))
    .map(({ name, help, type, values }) => {
      // prom-client's gauges of the event loop are NaN when nothing was recorded: unknown is no series.
      const lines = values.filter(({ value }) => !Number.isNaN(value)).map((sample) => lineOf(name, sample, format));
      const pieces = lines.length === 0 ? [] : [madeText(lines.join(''))];
      return { header: { name, help, type: familyType(type) }, pieces };
    });
}

function lineOf(
  familyName: string,
  { metricName, labels, value }: MetricData['values'][number],
  format: ExpositionFormat,
): string {
  const labelValues = Object.entries(labels).map(([name, labelValue = '']) =>
    name === 'le' && typeof labelValue === 'number' ? formatBound(labelValue, format) : String(labelValue),
  );
  return sampleLine(metricName ?? familyName, labelText(Object.keys(labels), labelValues), value);
}

/** There are no summaries. */
function familyType(type: unknown): FamilyType {
  return type === 'counter' || type === 'histogram' ? type : 'gauge';
}
