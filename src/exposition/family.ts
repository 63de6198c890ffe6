import type { Profile } from './profile.js';
import type { FamilyType } from './render.js';

/** What a series is about; the series of each level are counted separately. */
export type Level = 'workload' | 'node' | 'pod' | 'container' | 'volume';

/** A row of the table of families. */
export interface FamilyRow {
  readonly name: string;
  readonly type: FamilyType;
  readonly help: string;
  /** `exporter`: about the exporter itself. */
  readonly level: Level | 'exporter';
  /** The smallest profile that has the family. */
  readonly profile: Profile;
  readonly labels: readonly string[];
}

/** One about the cluster. */
export interface ClusterFamilyRow extends FamilyRow {
  readonly level: Level;
}

/** The samples with one set of label values: a value for each family of the group; undefined where it is unknown. */
interface SampleRow {
  readonly labelValues: readonly string[];
  readonly values: readonly (number | undefined)[];
}

/** Families whose series have the same labels. */
export interface FamilyGroup<Source> {
  readonly families: readonly ClusterFamilyRow[];
  labels(source: Source): readonly string[];
  samples(source: Source): Iterable<SampleRow>;
}

/** Where the series of a group come from. */
export interface SeriesSource<Source, T> {
  readonly labels: readonly string[];
  /** The labels where they depend on the data; {@link labels} without it. */
  readonly labelsIn?: (source: Source) => readonly string[];
  find(source: Source): Iterable<{ readonly labelValues: readonly string[]; readonly data: T }>;
}

export interface FamilyOptions<T> {
  /** Without the common prefix. */
  readonly name: string;
  /** Gauge without it. The name of a counter ends in `_total`. */
  readonly type?: 'counter';
  readonly profile: Profile;
  readonly help: string;
  /** Undefined: no series. */
  readonly value: (data: T) => number | undefined;
}

export interface FamilyGroupOptions<Source, T> {
  readonly level: Level;
  readonly seriesSource: SeriesSource<Source, T>;
  readonly families: readonly FamilyOptions<T>[];
}

const prefix = 'ephemeral_storage_';

export function familyGroup<Source, T>(options: FamilyGroupOptions<Source, T>): FamilyGroup<Source> {
  const { level, seriesSource, families } = options;
  const { labels } = seriesSource;
  return {
    families: families.map(({ name, type, help, profile }) => {
      return { name: `${prefix}${name}`, type: type ?? 'gauge', help, level, profile, labels };
    }),
    labels: (source) => seriesSource.labelsIn?.(source) ?? labels,
    *samples(source) {
      for (const { labelValues, data } of seriesSource.find(source)) {
        yield { labelValues, values: families.map(({ value }) => value(data)) };
      }
    },
  };
}

/** Of microseconds. Undefined stays undefined. */
export function microsecondsToSeconds(durationUs: number | undefined): number | undefined {
  return durationUs === undefined ? undefined : durationUs / 1_000_000;
}

/** Rounded to milliseconds, which keeps the text short. Undefined stays undefined. */
export function toSeconds(timeMs: number): number;
export function toSeconds(timeMs: number | undefined): number | undefined;
export function toSeconds(timeMs: number | undefined): number | undefined {
  return timeMs === undefined ? undefined : Math.round(timeMs) / 1_000;
}
