import type { Lane } from '../../lib/base/lane.js';
import { type BodyFamily, madeText } from './bodies.js';
import type { TextPiece } from './gzip-pages.js';
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

/** Formatted in one go; about a millisecond. */
const samplesPerChunk = 500;

/**
 * Renders the registry's families that are requested. prom-client's own text is not used: it spells NaN differently, leaves quotes in OpenMetrics
 * help texts, and the format is a property of the registry instead of the request.
 */
export async function registryFamilies(
  options: {
    readonly source: MetricSource;
    readonly isRequested: FamilyPredicate;
    readonly format: ExpositionFormat;
    readonly lane: Lane;
  },
  signal: AbortSignal,
): Promise<readonly BodyFamily[]> {
  const { source, isRequested, format, lane } = options;
  const families: BodyFamily[] = [];
  for (const { name, help, type, values } of await source.getMetricsAsJSON()) {
    if (!isRequested({ name, level: 'exporter' })) continue;
    // prom-client's gauges of the event loop are NaN when nothing was recorded: unknown is no series.
    const known = values.filter(({ value }) => !Number.isNaN(value));
    const pieces: TextPiece[] = [];
    for (let start = 0; start < known.length; start += samplesPerChunk) {
      signal.throwIfAborted();
      const samples = known.slice(start, start + samplesPerChunk);
      pieces.push(await lane.run(() => madeText(samples.map((sample) => lineOf(name, sample, format)).join(''))));
    }
    families.push({ header: { name, help, type: familyType(type) }, pieces });
  }
  return families;
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

function familyType(type: unknown): FamilyType {
  return type === 'gauge' || type === 'counter' || type === 'histogram' ? type : 'unknown';
}
