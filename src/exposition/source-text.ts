import type { ClusterFamilyRow, FamilyGroup } from './family.js';
import { linesByGroup, noParts, type PartEnds, PartTexts, type SourceParts } from './part-texts.js';
import { SampleLines } from './sample-lines.js';
import type { SourceGroup } from './source-groups.js';

/** The text of a source of series. Immutable. */
export interface SourceText<Source> {
  readonly source: Source;
  /** One for each family, in one memory block; empty where the source has no such series. */
  readonly chunks: readonly Buffer[];
  readonly seriesCounts: readonly number[];
  /** One for each family: equal ones stand for the same bytes. */
  readonly versions: readonly number[];
  readonly parts: PartEnds;
}

const emptyChunk = Buffer.alloc(0);

/** Makes the text of sources, each with what it shares with the former text of the source. */
export class TextMaker<Source, Item extends object, Part> {
  readonly families: readonly ClusterFamilyRow[];
  readonly #parts: SourceParts<Source, Item, Part>;
  readonly #sourceGroups: readonly FamilyGroup<Source>[];
  readonly #partGroups: readonly FamilyGroup<Part>[];
  /** For each family: its place among those of its kind. */
  readonly #places: readonly Place[];
  #versionCount = 0;

  constructor(groups: readonly SourceGroup<Source, Part>[], parts: SourceParts<Source, Item, Part>) {
    this.families = groups.flatMap(({ group }) => group.families);
    this.#parts = parts;
    this.#sourceGroups = groups.flatMap((entry) => (entry.per === 'source' ? [entry.group] : []));
    this.#partGroups = groups.flatMap((entry) => (entry.per === 'part' ? [entry.group] : []));
    const counts = { source: 0, part: 0 };
    this.#places = groups.flatMap(({ per, group }) => group.families.map(() => ({ per, index: counts[per]++ })));
  }

  /** `former`: of a source with the same name. */
  make(source: Source, former: SourceText<Source> | undefined): SourceText<Source> {
    const lines = this.#linesOf(source);
    const parts = this.#partsOf(source, former);
    const sizes = this.#places.map(({ per, index }) =>
      per === 'part' ? parts.byteCount(index) : (lines[index]?.byteCount ?? 0),
    );
    const chunks = this.#chunksOf(sizes, { lines, parts, former });
    const versions = chunks.map((chunk, family) =>
      former?.chunks[family]?.equals(chunk) === true ? (former.versions[family] ?? 0) : this.#nextVersion(),
    );
    const seriesCounts = this.#places.map(({ per, index }) =>
      per === 'part' ? parts.seriesCount(index) : (lines[index]?.seriesCount ?? 0),
    );
    return { source, chunks, seriesCounts, versions, parts: parts.ends };
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
      else parts.write(index, { from: former?.chunks[family] ?? emptyChunk, to: block, offset });
      offset += size;
      return block.subarray(offset - size, offset);
    });
  }

  #nextVersion(): number {
    this.#versionCount += 1;
    return this.#versionCount;
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
