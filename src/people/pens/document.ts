import { formatCount, numberText } from '../../lib/base/text.js';
import { formatAge, formatBytes, formatPercent } from '../../lib/base/units.js';
import type { Word } from './words.js';

/** `unknown`: a part of the data is missing, and the rest shows no problem. */
export type Tone = 'ok' | 'unknown' | 'warning' | 'critical';

/** A number that stays one: a pen decides how exact it is. Undefined where it is not known. */
export interface Measure {
  readonly amount: number | undefined;
  /** What is counted. A share is a ratio of a whole. */
  readonly unit: 'bytes' | 'inodes' | 'count' | 'share';
  readonly tone?: Tone | undefined;
  /** Of a share: where its limit stands. A page draws both. */
  readonly mark?: number | undefined;
}

/** Wall time in milliseconds. */
interface Time {
  readonly atMs: number;
}

/** To a page of the exporter, by the parts of its path. */
export interface Link {
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  /** The id of a part of that page. */
  readonly section?: string | undefined;
  readonly shown: string | Time;
}

/** A part of a sentence or of a cell. */
export type Piece =
  | string
  | Measure
  | Time
  | Link
  | { readonly text: string; readonly tone?: Tone; readonly isMuted?: boolean }
  /** One that is explained. */
  | { readonly word: Word; readonly shown?: string };

export type Line = Piece | readonly Piece[];

/** What not everybody reads: a terminal leaves it out unless it is asked for, a page shows it folded or open. */
interface Detail {
  readonly detail?: 'folded' | 'open' | undefined;
}

export interface TableColumn {
  readonly title: string;
  readonly isNumber?: boolean | undefined;
  /** What it is, and the metric that has it, for those who ask. */
  readonly about?: string | undefined;
  /** The value of the parameter `order` that sorts the list by it. */
  readonly order?: string | undefined;
  /** Sorted by it, the smallest number is first. */
  readonly isRising?: boolean | undefined;
  /** Shown to those alone who ask for all columns. */
  readonly isWide?: boolean | undefined;
  /** Left out first where there is no room, the highest first; 0, which is the default: never. */
  readonly rank?: number | undefined;
  /** May be shortened down to this many characters. */
  readonly minWidth?: number | undefined;
}

export interface Row {
  readonly cells: readonly Line[];
  /** As kubectl names it, `pod/web-1`; of a list. */
  readonly name?: string;
  /** Of its page. */
  readonly path?: readonly string[];
  /** A sentence about it, which stands below it. */
  readonly note?: Line | undefined;
  /** Its figures are those that were known last. */
  readonly isOld?: boolean | undefined;
  /** Of a part of a bar. */
  readonly colour?: string;
}

export interface BarPart {
  readonly name: string;
  readonly amount: number;
  /** A name of the style sheet's. */
  readonly colour: string;
  /** Of what it consists; they may be less than it. */
  readonly parts?: readonly BarPart[];
}

/** Measurements, the oldest first. */
export interface Curve {
  readonly name: string;
  readonly samples: readonly (Time & { readonly amount: number })[];
  /** What they are compared with. */
  readonly limit?: number | undefined;
}

/** One more than `items` or `rows` are shown of. */
export interface MoreRows {
  readonly totalCount?: number;
  /** What they are, of several. */
  readonly what?: string;
}

/** What is to be known first, and the next commands. */
export interface Statement {
  readonly tone: Tone;
  readonly lines: readonly Line[];
  readonly commands: readonly string[];
}

/** What is read first: how many there are of something, and where they are. */
export interface KeyFigure {
  readonly name: Link;
  readonly value: Line;
  readonly note: Line;
  readonly tone: Tone;
  /** Counts of equal times, the oldest first. */
  readonly bars?: { readonly caption: string; readonly counts: readonly number[] };
}

export interface GridTile {
  readonly tone: Tone;
  /** Distinguishes it too, for readers who see no colours. */
  readonly letter: string;
  /** Nothing is known of it. */
  readonly isMissing: boolean;
  readonly name: string;
  /** Of its page. */
  readonly path: readonly string[];
  /** What the letter means. */
  readonly state: string;
  readonly full: Measure;
}

export type Block =
  | ({ readonly is: 'verdict' } & Statement)
  /** Several, the worst first. `more`: where the others are. */
  | { readonly is: 'verdicts'; readonly title: string; readonly verdicts: readonly Statement[]; readonly more?: Link }
  | ({ readonly is: 'text'; readonly line: Line; readonly tone?: Tone } & Detail)
  /** Those without a value are left out. */
  | ({ readonly is: 'facts'; readonly facts: Readonly<Record<string, Line | undefined>> } & Detail)
  /** A text with lines of its own. */
  | ({ readonly is: 'code'; readonly caption: string; readonly text: string } & Detail)
  | ({ readonly is: 'list'; readonly items: readonly Line[] } & MoreRows & Detail)
  | ({
      readonly is: 'table';
      readonly caption: string;
      readonly columns: readonly TableColumn[];
      readonly rows: readonly Row[];
      /** The first column that is the name of a row. 0 by default. */
      readonly nameIndex?: number;
      /** That of the column by which the rows are sorted. */
      readonly order?: string;
      /** What stands in its place without rows. */
      readonly none?: string;
    } & MoreRows &
      Detail)
  /** A whole and its parts, in their order. */
  | {
      readonly is: 'bar';
      readonly caption: string;
      readonly unit: Measure['unit'];
      readonly whole: number;
      readonly parts: readonly BarPart[];
      readonly marks: readonly { readonly name: string; readonly at: number }[];
      readonly isOld?: boolean;
    }
  /** Over one time, so that they compare. */
  | { readonly is: 'curves'; readonly unit: Measure['unit']; readonly curves: readonly Curve[] }
  | { readonly is: 'figures'; readonly title: string; readonly figures: readonly KeyFigure[] }
  /** Many things, the worst first. `legend`: what is there of each kind. `more`: where the others are. */
  | {
      readonly is: 'grid';
      readonly legend: readonly (Pick<GridTile, 'tone' | 'letter' | 'isMissing'> & { readonly text: string })[];
      readonly groups: readonly {
        readonly name: string;
        readonly title?: string;
        readonly tiles: readonly GridTile[];
      }[];
      readonly more?: Line;
    }
  | ({
      readonly is: 'section';
      readonly id: string;
      readonly title: string;
      readonly note?: Line;
      readonly blocks: readonly Block[];
    } & Detail);

/** A block of a document itself: a page that is refreshed replaces it as a whole. */
export type DocumentPart = BlockOf<'verdict' | 'verdicts' | 'facts' | 'figures' | 'section' | 'table' | 'text'>;

/** The answer to a question, for page and terminal alike. A kind of document has its parts in one order; each may be missing. */
export interface Document {
  /** What is no single object has no name. */
  readonly title: readonly [kind: string, name: string];
  /** At most one verdict, or one list of verdicts, which is the first, one list of facts and one table. */
  readonly blocks: readonly DocumentPart[];
  /** What is missing from it. A page says so in its banner. */
  readonly notes?: readonly string[];
}

export type BlockOf<Kind extends Block['is']> = Extract<Block, { readonly is: Kind }>;

/** Returns one line of parts of it; those without a piece are left out. */
export function joined(parts: readonly (readonly Piece[])[], joint: string): readonly Piece[] {
  return parts.filter(({ length }) => length > 0).flatMap((part, at) => (at === 0 ? part : [joint, ...part]));
}

/** Bytes by default. */
export function bytes(amount: number | undefined, tone?: Tone): Measure {
  return { amount, unit: 'bytes', tone };
}

export function count(amount: number | undefined): Measure {
  return { amount, unit: 'count' };
}

export function share(amount: number | undefined, tone?: Tone): Measure {
  return { amount, unit: 'share', tone };
}

/** Returns the header of a list's column: one word. */
export function headerOf(title: string): string {
  return title.toUpperCase().replaceAll(' ', '-');
}

/** Returns the amount as both pens show it; `-` where it is not known. */
export function amountText({ amount, unit }: Measure): string {
  if (unit === 'bytes') return formatBytes(amount);
  if (unit === 'share') return formatPercent(amount);
  return unit === 'inodes' && amount !== undefined ? numberText(amount, ['inode', 'inodes']) : formatCount(amount);
}

/** Returns whether the tiles of a grid are so few that their names are read. */
export function areNamed({ groups }: BlockOf<'grid'>): boolean {
  return groups.reduce((sum, { tiles }) => sum + tiles.length, 0) <= 60;
}

const shownSampleCount = 8;

export function isFlat({ samples }: Pick<Curve, 'samples'>): boolean {
  return samples.every(({ amount }) => amount === samples[0]?.amount);
}

/** Returns the measurements in one line, from the first to the last, and the highest; the name alone of fewer than two. */
export function curveLine({ name, samples, limit }: Curve, unit: Measure['unit']): string {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || samples.length < 2) return `${name}: `;
  const textOf = (amount: number): string => amountText({ amount, unit });
  const span = formatAge(last.atMs - first.atMs);
  const ofLimit = limit === undefined ? '' : `, limit ${textOf(limit)}`;
  if (isFlat({ samples })) return `${name}: no change in ${span}: ${textOf(last.amount)}${ofLimit}`;
  const count = Math.min(shownSampleCount, samples.length);
  const shown = Array.from({ length: count }, (_, index) => {
    const at = Math.round((index * (samples.length - 1)) / (count - 1));
    return textOf(samples[at]?.amount ?? 0);
  });
  const highest = textOf(Math.max(...samples.map(({ amount }) => amount)));
  return `${name}: ${shown.join(' ')} in ${span}${shown.includes(highest) ? '' : `, highest ${highest}`}${ofLimit}`;
}
