import type { ClusterFamilyRow, FamilyGroup } from './family.js';
import type { TextPiece } from './gzip-pages.js';
import { PartCounts } from './part-counts.js';
import { linesByGroup, noParts, type PartEnds, PartTexts, type SourceParts, without } from './part-texts.js';
import { SampleLines } from './sample-lines.js';
import type { SourceGroup } from './source-groups.js';

/** The text of a source of series. Immutable. */
export interface SourceText<Source> {
  readonly source: Source;
  /** One for each family, in one memory block; empty where the source has no such series. None without any series. */
  readonly pieces: readonly FamilyPiece[];
  readonly parts: PartEnds;
  /** The families, by their places, that were not made; their pieces are empty. */
  readonly leftOut: ReadonlySet<number>;
}

export const noFamilies: ReadonlySet<number> = new Set();

export function textWithoutSeries<Source>(source: Source): SourceText<Source> {
  return { source, pieces: [], parts: noParts, leftOut: noFamilies };
}

/** The series of a source, counted before any text is made of it. */
export interface SeriesCounts<Source> {
  readonly source: Source;
  /** One for each family. */
  readonly ofFamilies: Uint32Array;
  /** Of parts that would have too many. */
  readonly leftOutCount: number;
}

/** The samples of one family. */
interface FamilyPiece extends TextPiece {
  readonly version: number;
  readonly seriesCount: number;
}

/** Numbers for texts that differ. */
export class Versions {
  #count = 0;

  next(): number {
    this.#count += 1;
    return this.#count;
  }
}

const emptyChunk = Buffer.alloc(0);
const emptyPiece: FamilyPiece = { chunk: emptyChunk, version: 0, mayEndPage: false, seriesCount: 0 };

/** Makes the text of sources, each with what it shares with the former text of the source. */
export class TextMaker<Source, Item extends object, Part> {
  readonly families: readonly ClusterFamilyRow[];
  readonly #parts: SourceParts<Source, Item, Part>;
  readonly #sourceGroups: readonly FamilyGroup<Source>[];
  readonly #partGroups: readonly FamilyGroup<Part>[];
  readonly #partCounts: PartCounts<object, Part>;
  /** For each family: its place among those of its kind. */
  readonly #places: readonly PlaceInText[];
  readonly #versions: Versions;

  /** `versions`: one for all texts of a body. */
  constructor(
    groups: readonly SourceGroup<Source, Part>[],
    parts: SourceParts<Source, Item, Part>,
    versions: Versions,
  ) {
    this.#versions = versions;
    this.families = groups.flatMap(({ group }) => group.families);
    this.#parts = parts;
    this.#sourceGroups = groups.flatMap((entry) => (entry.per === 'source' ? [entry.group] : []));
    this.#partGroups = groups.flatMap((entry) => (entry.per === 'part' ? [entry.group] : []));
    const { maxSeriesCount, sizeOf } = parts;
    const bound = { maxSeriesCount, sizeOf: sizeOf as (item: object) => number };
    this.#partCounts = new PartCounts(this.#partGroups, bound);
    const counts = { source: 0, part: 0 };
    this.#places = groups.flatMap(({ per, group }) => group.families.map(() => ({ per, index: counts[per]++ })));
  }

  /** A number that is not below that of the series of the parts, for less than it takes to count them; see {@link PartCounts.most}. */
  mostOfParts(source: Source): number {
    return this.#partGroups.length === 0 ? 0 : this.#partCounts.most(this.#parts.items(source));
  }

  /** Without making text. */
  count(source: Source): SeriesCounts<Source> {
    const counts = { source: new Uint32Array(this.#places.length), part: new Uint32Array(this.#places.length) };
    let first = 0;
    for (const group of this.#sourceGroups) {
      group.count(source, counts.source, first);
      first += group.families.length;
    }
    const { items, partOf } = this.#parts;
    const toPart = partOf(source);
    let leftOutCount = 0;
    if (this.#partGroups.length > 0) {
      for (const item of items(source)) leftOutCount += this.#partCounts.add(item, toPart(item), counts.part);
    }
    const ofFamilies = Uint32Array.from(this.#places, ({ per, index }) => counts[per][index] ?? 0);
    return { source, ofFamilies, leftOutCount };
  }

  /** `former`: of a source with the same name. `leftOut`: places of families that are not made. */
  make(
    name: string,
    source: Source,
    former: SourceText<Source> | undefined,
    leftOut: ReadonlySet<number> = noFamilies,
  ): SourceText<Source> {
    const lines = this.#linesOf(source, this.#indexesOf('source', leftOut));
    const parts = this.#partsOf(source, former, leftOut);
    const sizes = this.#places.map(({ per, index }) =>
      per === 'part' ? parts.byteCount(index) : (lines[index]?.byteCount ?? 0),
    );
    const mayEndPage = isPageEnd(name);
    const chunks = this.#chunksOf(sizes, { lines, parts, former });
    const pieces = this.#places.map(({ per, index }, family): FamilyPiece => {
      const chunk = chunks[family] ?? emptyChunk;
      if (chunk.length === 0) return emptyPiece;
      const before = former?.pieces[family];
      const version = before?.chunk.equals(chunk) === true ? before.version : this.#versions.next();
      const seriesCount = per === 'part' ? parts.seriesCount(index) : (lines[index]?.seriesCount ?? 0);
      return { chunk, version, mayEndPage, seriesCount };
    });
    return { source, pieces, parts: parts.ends, leftOut };
  }

  /** Of families of one kind: their places among those of their kind. */
  #indexesOf(kind: PlaceInText['per'], families: ReadonlySet<number>): ReadonlySet<number> {
    if (families.size === 0) return families;
    const indexes = new Set<number>();
    for (const [family, { per, index }] of this.#places.entries()) {
      if (per === kind && families.has(family)) indexes.add(index);
    }
    return indexes;
  }

  #linesOf(source: Source, leftOut: ReadonlySet<number>): readonly SampleLines[] {
    const lines = this.#sourceGroups.flatMap(({ families }) => families.map(({ name }) => new SampleLines(name)));
    const ofGroups = linesByGroup(this.#sourceGroups, without(lines, leftOut));
    for (const [index, group] of this.#sourceGroups.entries()) group.write(source, ofGroups[index] ?? []);
    return lines;
  }

  #partsOf(source: Source, former: SourceText<Source> | undefined, leftOut: ReadonlySet<number>): PartTexts<Part> {
    const { items, partOf, isSameFor } = this.#parts;
    const isKept = former !== undefined && isSameFor(former.source, source) && areSame(former.leftOut, leftOut);
    const options = {
      groups: this.#partGroups,
      counts: this.#partCounts,
      partOf: partOf(source) as (item: object) => Part,
      leftOut: this.#indexesOf('part', leftOut),
    };
    return new PartTexts(options, this.#partGroups.length === 0 ? [] : items(source), isKept ? former.parts : noParts);
  }

  /** In one memory block: separate blocks for 65,000 small chunks would cost more than their bytes. */
  #chunksOf(sizes: readonly number[], { lines, parts, former }: Texts<Source, Part>): readonly Buffer[] {
    const block = Buffer.allocUnsafeSlow(sizes.reduce((total, size) => total + size, 0));
    let offset = 0;
    return this.#places.map(({ per, index }, family) => {
      const size = sizes[family] ?? 0;
      if (size === 0) return emptyChunk;
      if (per === 'source') lines[index]?.write(block, offset);
      else parts.write(index, { from: former?.pieces[family]?.chunk ?? emptyChunk, to: block, offset });
      offset += size;
      return block.subarray(offset - size, offset);
    });
  }
}

function areSame(a: ReadonlySet<number>, b: ReadonlySet<number>): boolean {
  return a.size === b.size && [...a].every((each) => b.has(each));
}

interface PlaceInText {
  readonly per: 'source' | 'part';
  readonly index: number;
}

interface Texts<Source, Part> {
  readonly lines: readonly SampleLines[];
  readonly parts: PartTexts<Part>;
  readonly former: SourceText<Source> | undefined;
}

/** Every sixteenth name, so that the pages of compressed bodies stay the same where no source comes or goes. */
function isPageEnd(name: string): boolean {
  let hash = 0;
  for (const character of name) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01_00_01_93);
  return ((hash >>> 16) & 15) === 0;
}
