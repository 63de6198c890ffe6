import type { FamilyType } from './render.js';

/** What a series is about; each level can be counted on its own. */
export type Level = 'workload' | 'node' | 'pod' | 'container' | 'volume';

/** A row of the table of families. */
export interface FamilyRow {
  readonly name: string;
  readonly type: FamilyType;
  readonly help: string;
  /** `exporter`: about the exporter itself. */
  readonly level: Level | 'exporter';
  readonly labels: readonly string[];
}

/** One about the cluster. */
export interface ClusterFamilyRow extends FamilyRow {
  readonly level: Level;
}

/** One subject's samples: the value of each family of its group; undefined where nothing is known. */
interface SampleRow {
  readonly labelValues: readonly string[];
  readonly values: readonly (number | undefined)[];
}

/** Gauges that share their subjects, and so their labels. */
export interface FamilyGroup<Source> {
  readonly level: Level;
  readonly labels: readonly string[];
  readonly families: readonly ClusterFamilyRow[];
  /** One row for each subject found in `source`. */
  samples(source: Source): Iterable<SampleRow>;
}

/** A kind of thing that series are about, and where it is found. */
export interface Subjects<Source, T> {
  readonly labels: readonly string[];
  find(source: Source): Iterable<{ readonly labelValues: readonly string[]; readonly data: T }>;
}

export interface FamilyOptions<T> {
  /** Without the common prefix. */
  readonly name: string;
  readonly help: string;
  /** Undefined: no series. */
  readonly value: (data: T) => number | undefined;
}

export interface FamilyGroupOptions<Source, T> {
  readonly level: Level;
  readonly subjects: Subjects<Source, T>;
  readonly families: readonly FamilyOptions<T>[];
}

const prefix = 'ephemeral_storage_';

export function familyGroup<Source, T>(options: FamilyGroupOptions<Source, T>): FamilyGroup<Source> {
  const { level, subjects, families } = options;
  const { labels } = subjects;
  return {
    level,
    labels,
    families: families.map(({ name, help }) => ({ name: `${prefix}${name}`, type: 'gauge', help, level, labels })),
    *samples(source) {
      for (const { labelValues, data } of subjects.find(source)) {
        yield { labelValues, values: families.map(({ value }) => value(data)) };
      }
    },
  };
}

/** Whole milliseconds are all that clocks are good for, and keep the text short. Undefined stays undefined. */
export function toSeconds(timeMs: number): number;
export function toSeconds(timeMs: number | undefined): number | undefined;
export function toSeconds(timeMs: number | undefined): number | undefined {
  return timeMs === undefined ? undefined : Math.round(timeMs) / 1_000;
}
