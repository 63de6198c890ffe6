/** The lines of a source's parts, family by family: those of unchanged parts are copied from the source's former text. */
import type { FamilyGroup } from './family.js';
import type { PartBound, PartCounts } from './part-counts.js';
import { SampleLines } from './sample-lines.js';

/** How a source of series is divided into parts that change independently of each other. */
export interface SourceParts<Source, Item extends object, Part> extends PartBound<Item> {
  /** In the order of their series. */
  readonly items: (source: Source) => readonly Item[];
  /** What the series of an item are made from. */
  readonly partOf: (source: Source) => (item: Item) => Part;
  /** Whether an item that is the same object in both sources has the same series in both. */
  readonly isSameFor: (former: Source, source: Source) => boolean;
}

/** Of a source whose families are about the whole of it. */
export const undivided: SourceParts<unknown, never, never> = {
  items: () => [],
  partOf: () => (item) => item,
  isSameFor: () => false,
  maxSeriesCount: 0,
  sizeOf: () => 0,
};

/** Where the lines of each part end in the text of each family. */
export interface PartEnds {
  readonly items: readonly object[];
  /** In bytes, family after family, each with an entry for each item. */
  readonly bytes: Uint32Array;
  /** In lines, in the same way. */
  readonly lines: Uint32Array;
}

export const noParts: PartEnds = { items: [], bytes: new Uint32Array(0), lines: new Uint32Array(0) };

/** Items that follow each other, all of them unchanged or all of them rendered. */
type TextRun = KeptRun | RenderedRun;

interface ItemRange {
  /** Of the first item. */
  readonly start: number;
  /** Behind the last one. */
  end: number;
}

interface KeptRun extends ItemRange {
  /** Of the first item, among the former ones. */
  readonly formerStart: number;
}

interface RenderedRun extends ItemRange {
  readonly formerStart: undefined;
  /** One for each family. */
  lines: readonly SampleLines[];
}

/** Where a family's text is copied from and to. */
export interface Copy {
  readonly from: Buffer;
  readonly to: Buffer;
  /** Of the first byte in `to`. */
  readonly offset: number;
}

/** What the parts of a source become text with. */
export interface PartTextsOptions<Part> {
  readonly groups: readonly FamilyGroup<Part>[];
  readonly counts: PartCounts<object, Part>;
  readonly partOf: (item: object) => Part;
  /** Families of the groups that are not made. */
  readonly leftOut: ReadonlySet<number>;
}

/** The parts of one source, rendered as far as they have changed. */
export class PartTexts<Part> {
  readonly ends: PartEnds;
  readonly #former: PartEnds;
  readonly #options: PartTextsOptions<Part>;
  readonly #familyNames: readonly string[];
  readonly #runs: readonly TextRun[];

  /** `former`: with the same families left out. */
  constructor(options: PartTextsOptions<Part>, items: readonly object[], former: PartEnds) {
    this.#options = options;
    this.#familyNames = options.groups.flatMap(({ families }) => families.map(({ name }) => name));
    this.#former = former;
    this.#runs = runsOf(items, former.items);
    const entryCount = items.length * this.#familyNames.length;
    this.ends = { items, bytes: new Uint32Array(entryCount), lines: new Uint32Array(entryCount) };
    for (const run of this.#runs) if (run.formerStart === undefined) this.#render(run);
    for (const family of this.#familyNames.keys()) this.#addUp(family);
  }

  byteCount(family: number): number {
    return endAt(this.ends, this.ends.bytes, family, this.ends.items.length);
  }

  seriesCount(family: number): number {
    return endAt(this.ends, this.ends.lines, family, this.ends.items.length);
  }

  write(family: number, { from, to, offset }: Copy): void {
    for (const run of this.#runs) {
      const at = offset + endAt(this.ends, this.ends.bytes, family, run.start);
      if (run.formerStart === undefined) {
        run.lines[family]?.write(to, at);
      } else {
        const { bytes } = this.#former;
        const start = endAt(this.#former, bytes, family, run.formerStart);
        from.copy(to, at, start, endAt(this.#former, bytes, family, run.formerStart + run.end - run.start));
      }
    }
  }

  /** Leaves in `ends` the lengths of the items in characters and lines, each with those before it in the run. */
  #render(run: RenderedRun): void {
    const { items, bytes, lines } = this.ends;
    const { groups, counts, partOf, leftOut } = this.#options;
    run.lines = this.#familyNames.map((name) => new SampleLines(name));
    const ofGroups = linesByGroup(groups, without(run.lines, leftOut));
    for (const [index, item] of items.slice(run.start, run.end).entries()) {
      const part = partOf(item);
      const ofPart = counts.leftOut(item, part);
      const written =
        ofPart === undefined ? ofGroups : linesByGroup(groups, without(run.lines, new Set([...leftOut, ...ofPart])));
      for (const [position, group] of groups.entries()) group.write(part, written[position] ?? []);
      for (const [family, { text, seriesCount }] of run.lines.entries()) {
        const entry = family * items.length + run.start + index;
        bytes[entry] = text.length;
        lines[entry] = seriesCount;
      }
    }
  }

  #addUp(family: number): void {
    const { items, bytes, lines } = this.ends;
    const first = family * items.length;
    let byteCount = 0;
    let lineCount = 0;
    for (const run of this.#runs) {
      const [start, end] = [first + run.start, first + run.end];
      if (run.formerStart !== undefined) this.#takeOver(family, run);
      else toByteEnds(bytes.subarray(start, end), run.lines[family]);
      for (let entry = start; entry < end; entry += 1) {
        bytes[entry] = (bytes[entry] ?? 0) + byteCount;
        lines[entry] = (lines[entry] ?? 0) + lineCount;
      }
      byteCount = bytes[end - 1] ?? 0;
      lineCount = lines[end - 1] ?? 0;
    }
  }

  #takeOver(family: number, { start, end, formerStart }: KeptRun): void {
    const { items, bytes, lines } = this.ends;
    const former = this.#former;
    const formerBytes = endAt(former, former.bytes, family, formerStart);
    const formerLines = endAt(former, former.lines, family, formerStart);
    for (let index = start; index < end; index += 1) {
      const entry = family * items.length + index;
      const formerCount = formerStart + index - start + 1;
      bytes[entry] = endAt(former, former.bytes, family, formerCount) - formerBytes;
      lines[entry] = endAt(former, former.lines, family, formerCount) - formerLines;
    }
  }
}

/** Where the first `count` items end. */
function endAt({ items }: PartEnds, ends: Uint32Array, family: number, count: number): number {
  return count === 0 ? 0 : (ends[family * items.length + count - 1] ?? 0);
}

/** Of text beyond ASCII, characters and bytes differ. */
function toByteEnds(ends: Uint32Array, lines: SampleLines | undefined): void {
  if (lines === undefined || lines.isAscii) return;
  const { text } = lines;
  let startCharacter = 0;
  let byteCount = 0;
  for (const [index, endCharacter] of ends.entries()) {
    byteCount += Buffer.byteLength(text.slice(startCharacter, endCharacter));
    startCharacter = endCharacter;
    ends[index] = byteCount;
  }
}

/** The lines with undefined in place of those of these families. */
export function without(
  lines: readonly SampleLines[],
  leftOut: ReadonlySet<number>,
): readonly (SampleLines | undefined)[] {
  return leftOut.size === 0 ? lines : lines.map((ofFamily, family) => (leftOut.has(family) ? undefined : ofFamily));
}

export function linesByGroup<Source>(
  groups: readonly FamilyGroup<Source>[],
  lines: readonly (SampleLines | undefined)[],
): readonly (readonly (SampleLines | undefined)[])[] {
  let end = 0;
  return groups.map(({ families }) => {
    end += families.length;
    return lines.slice(end - families.length, end);
  });
}

function runsOf(items: readonly object[], former: readonly object[]): readonly TextRun[] {
  const runs: TextRun[] = [];
  const positionOf = positionsIn(former);
  let last: TextRun | undefined;
  for (const [index, item] of items.entries()) {
    const next = last?.formerStart === undefined ? index : last.formerStart + index - last.start;
    const position = former[next] === item ? next : positionOf(item);
    const goesOn = last !== undefined && (last.formerStart === undefined ? position === undefined : position === next);
    if (last !== undefined && goesOn) {
      last.end = index + 1;
      continue;
    }
    const range = { start: index, end: index + 1 };
    last =
      position === undefined ? { ...range, formerStart: position, lines: [] } : { ...range, formerStart: position };
    runs.push(last);
  }
  return runs;
}

function positionsIn(items: readonly object[]): (item: object) => number | undefined {
  let positions: ReadonlyMap<object, number> | undefined;
  return (item) => {
    if (items.length === 0) return undefined;
    positions ??= new Map(items.map((each, index) => [each, index]));
    return positions.get(item);
  };
}
