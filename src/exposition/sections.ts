/** The families of an exposition, by the things that they are about: counted first, and then made into text. */
import type { BodyFamily } from './bodies.js';
import type { ChunkCache } from './chunks.js';
import type { ClusterFamilyRow, Level } from './family.js';
import { type FamilyFilter, type FamilyPredicate, requestedBy } from './selection.js';
import { familiesOverCap } from './series-cap.js';
import { noFamilies, type SourceText } from './source-text.js';

/** A family about the cluster. */
export interface FamilyBlock extends BodyFamily {
  readonly header: ClusterFamilyRow;
  readonly level: Level;
  readonly seriesCount: number;
}

/** Families, and the numbers of their series that were counted last. */
export type CountedCache = Pick<ChunkCache<object>, 'families' | 'seriesCounts' | 'leftOutCount'>;

/** Families about things of one kind. */
export interface TextSection {
  readonly cache: CountedCache;
  /** See {@link ChunkCache.countAll}. */
  readonly count: (room: number, signal: AbortSignal) => Promise<number>;
  readonly blocks: (choice: TextChoice, signal: AbortSignal) => Promise<readonly FamilyBlock[]>;
}

/** Which families become text. */
interface TextChoice {
  readonly isRequested: FamilyPredicate;
  /** Those that are above the cap. */
  readonly leftOut: ReadonlySet<ClusterFamilyRow>;
}

/** `sourcesOf`: called for counting, and again for the text. */
export function section<Source extends object>(
  cache: ChunkCache<Source>,
  sourcesOf: () => readonly Source[],
): TextSection {
  return {
    cache,
    count: (room, signal) => cache.countAll(sourcesOf(), room, signal),
    blocks: async ({ isRequested, leftOut }, signal) => {
      const texts = await cache.prepareAll(sourcesOf(), placesOf(cache.families, leftOut), signal);
      return [...cache.families.entries()]
        .filter(([, family]) => isRequested(family))
        .map(([place, family]) =>
          leftOut.has(family) ? withoutText(family, cache.seriesCounts[place]) : blockOf(family, place, texts),
        );
    },
  };
}

function withoutText(header: ClusterFamilyRow, seriesCount = 0): FamilyBlock {
  return { level: header.level, header, pieces: [], seriesCount };
}

/** The pieces of all sources. */
function blockOf(header: ClusterFamilyRow, place: number, texts: readonly SourceText<unknown>[]): FamilyBlock {
  const pieces = texts.flatMap((text) => {
    const piece = text.pieces[place];
    return piece === undefined || piece.seriesCount === 0 ? [] : [piece];
  });
  return { level: header.level, header, pieces, seriesCount: countOf(pieces) };
}

/**
 * Chooses by the series that were counted last. A family above the cap becomes text only for a filter that leaves room for
 * it: what is dropped costs nothing.
 */
export function chooseFamilies(
  caches: readonly CountedCache[],
  filter: FamilyFilter,
  maxSeries = Infinity,
): TextChoice {
  const isRequested = requestedBy(filter);
  if (roomIn(caches, maxSeries) >= 0) return { isRequested, leftOut: new Set() };
  const counted = caches.flatMap(({ families, seriesCounts }) =>
    families.map((header, place) => ({ header, level: header.level, seriesCount: seriesCounts[place] ?? 0 })),
  );
  const requested = counted.filter(({ header }) => isRequested(header));
  const over = familiesOverCap(requested, maxSeries);
  const wanted = new Set(requested.filter((family) => !over.has(family)));
  const leftOut = [...familiesOverCap(counted, maxSeries)].filter((family) => !wanted.has(family));
  return { isRequested, leftOut: new Set(leftOut.map(({ header }) => header)) };
}

/** For how many more series there is room; below 0 for none. */
export function roomIn(caches: readonly CountedCache[], maxSeries = Infinity): number {
  return maxSeries - caches.reduce((sum, { seriesCounts }) => sum + sumOf(seriesCounts), 0);
}

/** The places of some of these families. */
export function placesOf(
  families: readonly ClusterFamilyRow[],
  some: ReadonlySet<ClusterFamilyRow>,
): ReadonlySet<number> {
  if (some.size === 0) return noFamilies;
  return new Set([...families.entries()].flatMap(([place, family]) => (some.has(family) ? [place] : [])));
}

/** All series. */
export function countOf(families: readonly { readonly seriesCount: number }[]): number {
  return sumOf(families.map(({ seriesCount }) => seriesCount));
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
