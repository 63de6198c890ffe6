import { type FamilyType, labelText, type SampleLines } from './render.js';

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
  /** One for each series. Cheap: series are counted before any text is made of them. */
  readonly itemsOf: (source: Source) => readonly T[];
  /** The text of a series' labels, as {@link labelText} writes it. */
  readonly labelsOf: (source: Source, item: T) => string;
}

/** Returns a source whose series have these values of the labels, in their order. */
export function seriesOf<Source, T>(
  labels: readonly string[],
  itemsOf: (source: Source) => readonly T[],
  valuesOf: (item: T, source: Source) => readonly string[],
): SeriesSource<Source, T> {
  return { labels, itemsOf, labelsOf: (source, item) => labelText(labels, valuesOf(item, source)) };
}

export interface FamilyOptions<T> {
  readonly profile: Profile;
  readonly help: string;
  /** Undefined: no series. */
  readonly value: (item: T) => number | undefined;
}

const prefix = 'ephemeral_storage_';

/** `families`: by their names without the common prefix, in the order of the exposition. Those that end in `_total` are counters. */
export function familyGroup<Source, T>(
  level: Level,
  seriesSource: SeriesSource<Source, T>,
  families: Readonly<Record<string, FamilyOptions<T>>>,
): FamilyGroup<Source> {
  const { labels, itemsOf, labelsOf } = seriesSource;
  const rows = Object.entries(families).map(([name, { help, profile }]): ClusterFamilyRow => {
    const type = name.endsWith('_total') ? 'counter' : 'gauge';
    return { name: `${prefix}${name}`, type, help, level, profile, labels };
  });
  const valuesOf = Object.values(families).map(({ value }) => value);
  const group: FamilyGroup<Source> = {
    families: rows,
    narrowed: (isWanted) => {
      const wanted = Object.entries(families).filter((_, index) => rows[index] !== undefined && isWanted(rows[index]));
      return wanted.length === rows.length ? group : familyGroup(level, seriesSource, Object.fromEntries(wanted));
    },
    write: (source, lines, first) => {
      for (const item of itemsOf(source)) {
        let text: string | undefined;
        for (let index = 0; index < valuesOf.length; index += 1) {
          const ofFamily = lines[first + index];
          const value = ofFamily && valuesOf[index]?.(item);
          if (value !== undefined) ofFamily?.add((text ??= labelsOf(source, item)), value);
        }
      }
    },
    count: (source, counts, first) => {
      for (const item of itemsOf(source)) {
        for (let index = 0; index < valuesOf.length; index += 1) {
          if (valuesOf[index]?.(item) !== undefined) counts[first + index] = (counts[first + index] ?? 0) + 1;
        }
      }
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
