/**
 * The text of a source of series, family by family. A node is divided into its pods: those that have the same keys as in the
 * node's former text are copied from it, and only the others are rendered.
 *
 *     pods         a    b      c      d  e
 *     runs       [ a    b   ][ c    ][ d  e   ]    c has a new key; the others are in the former text, in this order
 *                  copied      new     copied
 *     piece        aaaa bb     cccccc  d  eeee     the lines of one family; the pieces of a node are in one memory block
 *     PodOffsets       4  6          12 13   17    where the lines of each pod end: by these, the next text copies
 *
 * Pages of workloads, evictions and states of nodes are not divided: their families are about the whole of them.
 */
import type { DerivedPods } from '../../facts/node/pod-record.js';
import type { ClusterFamilyRow, FamilyGroup, SourceGroup } from './family.js';
import { isPageEnd, type TextPiece } from './gzip-pages.js';
import { noPods, PodOffsets, type PodRun, runsOf } from './pod-offsets.js';
import { SampleLines } from './render.js';

/** How a source of series is divided into parts that change independently of each other. */
export interface Division<Source, Item extends object, Part> {
  /** In the order of their series. */
  readonly items: (source: Source) => readonly Item[];
  /** What the series of an item are made from. `derived`: of pods of the source already. */
  readonly partOf: (source: Source, derived?: DerivedPods) => (item: Item) => Part;
  /** The same object as long as all that is shown of the item is the same. */
  readonly keyOf: (item: Item) => object;
  /** Whether an item that has the same key in both sources has the same series in both. */
  readonly isSameFor: (former: Source, source: Source) => boolean;
  /** Most series of one part, over all families. */
  readonly maxSeriesCount: number;
  /** A number that is not below that of the series that any one family has of the item. Cheap. */
  readonly sizeOf: (item: Item) => number;
}

export const noFamilies: ReadonlySet<ClusterFamilyRow> = new Set();

/** Of a source whose families are about the whole of it. */
export const undivided: Division<unknown, never, never> = {
  items: () => [],
  partOf: () => (item) => item,
  keyOf: (item) => item,
  isSameFor: () => false,
  maxSeriesCount: 0,
  sizeOf: () => 0,
};

/** The text of a source of series. Immutable. */
export interface NodeText<Source> {
  readonly source: Source;
  /** One for each family; empty where the source has no such series. None without any series. */
  readonly pieces: readonly FamilyPiece[];
  readonly pods: PodOffsets;
  /** Families that were not made; their pieces are empty. */
  readonly leftOut: ReadonlySet<ClusterFamilyRow>;
}

/** The samples of one family. */
export interface FamilyPiece extends TextPiece {
  readonly seriesCount: number;
}

/** The series of a source, counted before any text is made of it. */
export interface SeriesCounts {
  /** One for each family. */
  readonly ofFamilies: Uint32Array;
  /** Of parts that would have too many. */
  readonly leftOutCount: number;
}

/** Returns what numbers chunks that differ. */
export function chunkIds(): () => number {
  let count = 0;
  return () => (count += 1);
}

const emptyChunk = Buffer.alloc(0);
const emptyPiece: FamilyPiece = { chunk: emptyChunk, chunkId: 0, mayEndPage: false, seriesCount: 0 };

/** A group, and the place of its first family among all. */
interface PlacedGroup<Source> {
  readonly group: FamilyGroup<Source>;
  readonly first: number;
}

/** How a text follows from what was rendered and from the former text. */
interface TextUpdate {
  /** All that was rendered, one for each family; undefined for one that is left out. */
  readonly lines: readonly (SampleLines | undefined)[];
  readonly runs: readonly PodRun[];
  readonly pods: PodOffsets;
  readonly former: Pick<NodeText<unknown>, 'pieces' | 'pods'>;
}

/** Makes the text of sources, each with what it shares with the former text of the source. */
export class FamilyRenderer<Source extends object, Item extends object, Part> {
  readonly families: readonly ClusterFamilyRow[];
  readonly #division: Division<Source, Item, Part>;
  readonly #nextChunkId: () => number;
  readonly #sourceGroups: PlacedGroup<Source>[] = [];
  readonly #partGroups: PlacedGroup<Part>[] = [];
  /** The row in the offsets of each family about parts, by the place of the family. */
  readonly #rows = new Map<number, number>();
  /** One for each family: for one text after the other. */
  readonly #lines: readonly SampleLines[];

  /** `nextChunkId`: from {@link chunkIds}, one for all texts of a body. */
  constructor(
    groups: readonly SourceGroup<Source, Part>[],
    division: Division<Source, Item, Part>,
    nextChunkId: () => number,
  ) {
    this.families = groups.flatMap(({ group }) => group.families);
    this.#lines = this.families.map(({ name }) => new SampleLines(name));
    this.#division = division;
    this.#nextChunkId = nextChunkId;
    let first = 0;
    for (const { per, group } of groups) {
      if (per === 'source') this.#sourceGroups.push({ group, first });
      else this.#partGroups.push({ group, first });
      const end = first + group.families.length;
      for (; first < end; first += 1) if (per === 'part') this.#rows.set(first, this.#rows.size);
    }
  }

  /** Whether a part may have too many series. */
  hasLargePart(source: Source): boolean {
    return this.#items(source).some((item) => this.#mayBeTooLarge(item));
  }

  /** Counts without making text. */
  count(source: Source, derived?: DerivedPods): SeriesCounts {
    const ofFamilies = countsOf(this.#sourceGroups, source, new Uint32Array(this.families.length));
    const toPart = this.#division.partOf(source, derived);
    let leftOutCount = 0;
    for (const item of this.#items(source)) {
      if (!this.#mayBeTooLarge(item)) {
        countsOf(this.#partGroups, toPart(item), ofFamilies);
        continue;
      }
      const { counts, over } = this.#overflow(toPart(item));
      for (const [place, count] of counts.entries()) {
        if (over.has(place)) leftOutCount += count;
        else ofFamilies[place] = (ofFamilies[place] ?? 0) + count;
      }
    }
    return { ofFamilies, leftOutCount };
  }

  /** `former`: of a source with the same name. `leftOut`: families that are not made. */
  make(
    name: string,
    source: Source,
    former: NodeText<Source> | undefined,
    {
      leftOut = noFamilies,
      derived,
    }: Partial<Pick<NodeText<Source>, 'leftOut'>> & { readonly derived?: DerivedPods } = {},
  ): NodeText<Source> {
    const lines = this.#clearedLines(leftOut);
    for (const { group, first } of this.#sourceGroups) group.write(source, lines, first);
    const isSame = former !== undefined && this.#division.isSameFor(former.source, source);
    const known = isSame && haveSame(former.leftOut, leftOut) ? former.pods.pods : [];
    const items = this.#items(source);
    const keys = items.map(this.#division.keyOf);
    const pods = new PodOffsets(keys, this.#rows.size);
    const update = { lines, runs: runsOf(keys, known), pods, former: former ?? { pieces: [], pods: noPods } };
    this.#renderParts(this.#division.partOf(source, derived), items, update);
    return { source, pieces: this.#pieces(update, isPageEnd(name)), pods, leftOut };
  }

  #clearedLines(leftOut: ReadonlySet<ClusterFamilyRow>): TextUpdate['lines'] {
    for (const ofFamily of this.#lines) ofFamily.clear();
    return this.families.map((family, place) => (leftOut.has(family) ? undefined : this.#lines[place]));
  }

  #items(source: Source): readonly Item[] {
    return this.#rows.size === 0 ? [] : this.#division.items(source);
  }

  #mayBeTooLarge(item: Item): boolean {
    return this.#division.sizeOf(item) * this.#rows.size > this.#division.maxSeriesCount;
  }

  /**
   * Returns the series of a part, and the places of families that have none of it, as it would have too many: whole ones,
   * since sums over half of one are wrong. The first families stay.
   */
  #overflow(part: Part): { readonly counts: Uint32Array; readonly over: ReadonlySet<number> } {
    const counts = countsOf(this.#partGroups, part, new Uint32Array(this.families.length));
    const over = new Set<number>();
    let sum = 0;
    for (const [place, count] of counts.entries()) {
      if (sum + count > this.#division.maxSeriesCount) over.add(place);
      else sum += count;
    }
    return { counts, over };
  }

  /** Renders the parts that are not in the former text, and completes the offsets. */
  #renderParts(toPart: (item: Item) => Part, items: readonly Item[], { lines, runs, pods, former }: TextUpdate): void {
    const byRow = Array.from(this.#rows.keys(), (place) => lines[place]);
    for (const { start, end, formerStart } of runs) {
      if (formerStart !== undefined) continue;
      for (const [index, item] of items.slice(start, end).entries()) {
        const part = toPart(item);
        const fitting = this.#mayBeTooLarge(item) ? this.#fittingLines(part, lines) : lines;
        for (const { group, first } of this.#partGroups) group.write(part, fitting, first);
        pods.setRendered(start + index, byRow);
      }
    }
    for (const row of byRow.keys()) pods.complete(row, runs, former.pods);
  }

  #fittingLines(part: Part, lines: TextUpdate['lines']): TextUpdate['lines'] {
    const { over } = this.#overflow(part);
    return lines.map((ofFamily, place) => (over.has(place) ? undefined : ofFamily));
  }

  /** In one memory block: separate blocks for 65,000 small chunks would cost more than their bytes. */
  #pieces(update: TextUpdate, mayEndPage: boolean): readonly FamilyPiece[] {
    const { lines, pods, former } = update;
    const byteCounts = lines.map((ofFamily, place) => {
      const row = this.#rows.get(place);
      return row === undefined ? (ofFamily?.byteCount ?? 0) : pods.end('bytes', row);
    });
    const block = Buffer.allocUnsafeSlow(byteCounts.reduce((total, byteCount) => total + byteCount, 0));
    let offset = 0;
    return byteCounts.map((byteCount, place): FamilyPiece => {
      if (byteCount === 0) return emptyPiece;
      const chunk = block.subarray(offset, offset + byteCount);
      offset += byteCount;
      const row = this.#rows.get(place);
      if (row === undefined) lines[place]?.copyTo(chunk);
      else writeParts(chunk, place, row, update);
      const last = former.pieces[place];
      const chunkId = last?.chunk.equals(chunk) === true ? last.chunkId : this.#nextChunkId();
      const seriesCount = row === undefined ? (lines[place]?.seriesCount ?? 0) : pods.end('lines', row);
      return { chunk, chunkId, mayEndPage, seriesCount };
    });
  }
}

/** Writes the lines of all parts in one family. */
function writeParts(chunk: Buffer, place: number, row: number, update: TextUpdate): void {
  const { lines, runs, pods, former } = update;
  let renderedEnd = 0;
  for (const { start, end, formerStart } of runs) {
    const at = pods.end('bytes', row, start);
    const byteCount = pods.end('bytes', row, end) - at;
    if (formerStart === undefined) {
      lines[place]?.copyTo(chunk, at, renderedEnd, renderedEnd + byteCount);
      renderedEnd += byteCount;
    } else {
      const from = former.pods.end('bytes', row, formerStart);
      former.pieces[place]?.chunk.copy(chunk, at, from, from + byteCount);
    }
  }
}

/** Adds the series to `counts`, one for each family. */
function countsOf<Source>(groups: readonly PlacedGroup<Source>[], source: Source, counts: Uint32Array): Uint32Array {
  for (const { group, first } of groups) group.count(source, counts, first);
  return counts;
}

function haveSame<T>(a: ReadonlySet<T>, b: ReadonlySet<T>): boolean {
  return a.size === b.size && [...a].every((each) => b.has(each));
}
