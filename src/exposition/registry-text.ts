import type { TimeSlicer } from '../base/time-slicer.js';
import {
  type ExpositionFormat,
  type FamilyHeader,
  type FamilyType,
  formatBound,
  labelText,
  sampleLine,
} from './render.js';

/** The part of a prom-client `Registry` that is used. */
export interface MetricSource {
  getMetricsAsJSON(): Promise<readonly MetricData[]>;
}

interface MetricData {
  readonly name: string;
  readonly help: string;
  /** A lower-case word at run time, whatever prom-client's types say. */
  readonly type: unknown;
  readonly values: readonly MetricValue[];
}

interface MetricValue {
  /** Where it differs from the family's: a histogram's `_bucket`, `_sum` and `_count`. */
  readonly metricName?: string;
  readonly labels: Readonly<Partial<Record<string, string | number>>>;
  readonly value: number;
}

export interface RegistryFamily {
  readonly header: FamilyHeader;
  readonly chunks: readonly Buffer[];
  readonly seriesCount: number;
}

export interface RegistryTextOptions {
  readonly source: MetricSource;
  readonly format: ExpositionFormat;
  readonly slicer: TimeSlicer;
}

/** Formatted in one go; about a millisecond. */
const samplesPerChunk = 500;

/**
 * The registry's families. prom-client's own text is not used: it spells NaN differently, leaves quotes in OpenMetrics
 * help texts, and the format is a property of the registry instead of the request.
 */
export async function registryFamilies(
  { source, format, slicer }: RegistryTextOptions,
  signal: AbortSignal,
): Promise<readonly RegistryFamily[]> {
  const families: RegistryFamily[] = [];
  for (const { name, help, type, values } of await source.getMetricsAsJSON()) {
    // prom-client's gauges of the event loop are NaN when nothing was recorded: unknown is no series.
    const known = values.filter(({ value }) => !Number.isNaN(value));
    const chunks: Buffer[] = [];
    for (let start = 0; start < known.length; start += samplesPerChunk) {
      signal.throwIfAborted();
      const samples = known.slice(start, start + samplesPerChunk);
      chunks.push(await slicer.run(() => Buffer.from(samples.map((sample) => lineOf(name, sample, format)).join(''))));
    }
    families.push({ header: { name, help, type: familyType(type) }, chunks, seriesCount: known.length });
  }
  return families;
}

function lineOf(familyName: string, { metricName, labels, value }: MetricValue, format: ExpositionFormat): string {
  const labelValues = Object.entries(labels).map(([name, labelValue = '']) =>
    name === 'le' && typeof labelValue === 'number' ? formatBound(labelValue, format) : String(labelValue),
  );
  return sampleLine(metricName ?? familyName, labelText(Object.keys(labels), labelValues), value);
}

function familyType(type: unknown): FamilyType {
  return type === 'gauge' || type === 'counter' || type === 'histogram' ? type : 'unknown';
}
