import type { ClusterFamilyRow, FamilyGroup } from './family.js';
import type { TextPiece } from './gzip-pages.js';
import { linesByGroup, noParts, type PartEnds, PartTexts, type SourceParts } from './part-texts.js';
import { SampleLines } from './sample-lines.js';
import type { SourceGroup } from './source-groups.js';

/** The text of a source of series. Immutable. */
export interface SourceText<Source> {
  readonly source: Source;
  /** One for each family, in one memory block; empty where the source has no such series. None without any series. */
  readonly pieces: readonly FamilyPiece[];
  readonly parts: PartEnds;
}

export function textWithoutSeries<Source>(source: Source): SourceText<Source> {
  return { source, pieces: [], parts: noParts };
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
  /** For each family: its place among those of its kind. */
  readonly #places: readonly Place[];
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
    const counts = { source: 0, part: 0 };
    this.#places = groups.flatMap(({ per, group }) => group.families.map(() => ({ per, index: counts[per]++ })));
  }

  /** `former`: of a source with the same name. */
  make(name: string, source: Source, former: SourceText<Source> | undefined): SourceText<Source> {
    const lines = this.#linesOf(source);
    const parts = this.#partsOf(source, former);
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
    return { source, pieces, parts: parts.ends };
  }

  #linesOf(source: Source): readonly SampleLines[] {
    const lines = this.#sourceGroups.flatMap(({ families }) => families.map(({ name }) => new SampleLines(name)));
    const ofGroups = linesByGroup(this.#sourceGroups, lines);
    for (const [index, group] of this.#sourceGroups.entries()) group.write(source, ofGroups[index] ?? []);
    return lines;
  }

  #partsOf(source: Source, former: SourceText<Source> | undefined): PartTexts<Part> {
    const { items, partOf, isSameFor } = this.#parts;
    const kept = former !== undefined && isSameFor(former.source, source) ? former.parts : noParts;
    const make = this.#partGroups.length === 0 ? [] : items(source);
    return new PartTexts(this.#partGroups, make, partOf(source) as (item: object) => Part, kept);
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

interface Place {
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
