import type { FamilyType, SampleLines } from './render.js';

/** How much of the table of families is exposed, the smallest first; each includes those before it. */
export const profiles = ['minimal', 'standard', 'full'] as const;
export type Profile = (typeof profiles)[number];

/** The exporter whose families are served too. */
export type Compatibility = 'none' | 'k8s-ephemeral-storage-metrics';

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

/** Families whose series have the same labels. */
export interface FamilyGroup<Source> {
  readonly families: readonly ClusterFamilyRow[];
  /** The group with these families only; the same one with all of them. */
  narrowed(isWanted: (family: ClusterFamilyRow) => boolean): FamilyGroup<Source>;
  /** Adds the samples of `source` to `lines`: one for each family from `first` on; undefined for one that is left out. */
  write(source: Source, lines: readonly (SampleLines | undefined)[], first: number): void;
  /** Adds the numbers of samples of `source` to `counts`: one for each family from `first` on. */
  count(source: Source, counts: Uint32Array, first: number): void;
}

/** Families about a source of series as a whole, or about each of its parts. */
export type SourceGroup<Source, Part> =
  | { readonly per: 'source'; readonly group: FamilyGroup<Source> }
  | { readonly per: 'part'; readonly group: FamilyGroup<Part> };

export function perSource<Source>(groups: readonly FamilyGroup<Source>[]): readonly SourceGroup<Source, never>[] {
  return groups.map((group) => ({ per: 'source', group }));
}

export function perPart<Part>(groups: readonly FamilyGroup<Part>[]): readonly SourceGroup<never, Part>[] {
  return groups.map((group) => ({ per: 'part', group }));
}

/** Returns the groups with these families only; the others are not formatted. */
export function narrowedGroups<Source, Part>(
  groups: readonly SourceGroup<Source, Part>[],
  isWanted: (family: ClusterFamilyRow) => boolean,
): readonly SourceGroup<Source, Part>[] {
  return groups
    .map((entry): SourceGroup<Source, Part> =>
      entry.per === 'source'
        ? { per: 'source', group: entry.group.narrowed(isWanted) }
        : { per: 'part', group: entry.group.narrowed(isWanted) },
    )
    .filter(({ group }) => group.families.length > 0);
}

/** Where the series of a group come from. */
export interface SeriesSource<Source, T> {
  readonly labels: readonly string[];
  /** Calls `emit` for each series. Cheap: series are counted before any text is made of them. */
  readonly forEach: (source: Source, emit: (data: T) => void) => void;
  /** The text of a series' labels, as {@link labelText} writes it. */
  readonly labelsOf: (source: Source, data: T) => string;
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

const prefix = 'ephemeral_storage_';

export function familyGroup<Source, T>(options: {
  readonly level: Level;
  readonly seriesSource: SeriesSource<Source, T>;
  readonly families: readonly FamilyOptions<T>[];
}): FamilyGroup<Source> {
  const { level, seriesSource, families } = options;
  const { labels } = seriesSource;
  const rows = families.map(({ name, type, help, profile }): ClusterFamilyRow => {
    return { name: `${prefix}${name}`, type: type ?? 'gauge', help, level, profile, labels };
  });
  const valuesOf = families.map(({ value }) => value);
  const group: FamilyGroup<Source> = {
    families: rows,
    narrowed: (isWanted) => {
      const wanted = families.filter((_, index) => rows[index] !== undefined && isWanted(rows[index]));
      return wanted.length === rows.length ? group : familyGroup({ level, seriesSource, families: wanted });
    },
    write: (source, lines, first) => {
      seriesSource.forEach(source, (data) => {
        let text: string | undefined;
        for (let index = 0; index < valuesOf.length; index += 1) {
          const ofFamily = lines[first + index];
          const value = ofFamily && valuesOf[index]?.(data);
          if (value !== undefined) ofFamily?.add((text ??= seriesSource.labelsOf(source, data)), value);
        }
      });
    },
    count: (source, counts, first) => {
      seriesSource.forEach(source, (data) => {
        for (let index = 0; index < valuesOf.length; index += 1) {
          if (valuesOf[index]?.(data) !== undefined) counts[first + index] = (counts[first + index] ?? 0) + 1;
        }
      });
    },
  };
  return group;
}

/** Of microseconds. Undefined stays undefined. */
export function microsecondsToSeconds(durationUs: number | undefined): number | undefined {
  return durationUs === undefined ? undefined : durationUs / 1_000_000;
}

/** Rounded to milliseconds, which keeps the text short. Undefined stays undefined. */
export function toSeconds(timeMs: number | undefined): number | undefined {
  return timeMs === undefined ? undefined : Math.round(timeMs) / 1_000;
}
