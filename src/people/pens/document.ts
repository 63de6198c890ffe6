import { formatCount } from '../../lib/base/text.js';
import { formatBytes, formatPercent } from '../../lib/base/units.js';
import type { Word } from './words.js';

/** `unknown`: a part of the data is missing, and the rest shows no problem. */
export type Tone = 'ok' | 'unknown' | 'warning' | 'critical';

/** What is counted. A share is a ratio of a whole. */
type DocumentUnit = 'bytes' | 'inodes' | 'count' | 'share';

/** A number that stays one: a pen decides how exact it is. Undefined where it is not known. */
export interface Measure {
  readonly amount: number | undefined;
  readonly unit: DocumentUnit;
  readonly tone?: Tone | undefined;
}

/** Wall time in milliseconds. */
interface Time {
  readonly atMs: number;
}

/** To a page of the exporter, by the parts of its path. */
export interface Link {
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
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

interface TableColumn {
  readonly title: string;
  readonly isNumber?: boolean;
  /** Left out first where there is no room, the highest first; 0, which is the default: never. */
  readonly rank?: number;
  /** May be shortened down to this many characters. */
  readonly minWidth?: number;
}

export interface Row {
  readonly cells: readonly Line[];
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
interface MoreRows {
  readonly totalCount?: number;
  /** What they are, of several. */
  readonly what?: string;
}

export type Block =
  /** What is to be known first, and the next commands. */
  | {
      readonly is: 'verdict';
      readonly tone: Tone;
      readonly lines: readonly Line[];
      readonly commands: readonly string[];
    }
  | ({ readonly is: 'text'; readonly line: Line; readonly tone?: Tone } & Detail)
  /** Those without a value are left out. */
  | ({ readonly is: 'facts'; readonly facts: Readonly<Record<string, Line | undefined>> } & Detail)
  | ({ readonly is: 'list'; readonly items: readonly Line[] } & MoreRows & Detail)
  | ({
      readonly is: 'table';
      readonly caption: string;
      readonly columns: readonly TableColumn[];
      readonly rows: readonly Row[];
    } & MoreRows &
      Detail)
  /** A whole and its parts, in their order. */
  | {
      readonly is: 'bar';
      readonly caption: string;
      readonly unit: DocumentUnit;
      readonly whole: number;
      readonly parts: readonly BarPart[];
      readonly marks: readonly { readonly name: string; readonly at: number }[];
      readonly isOld?: boolean;
    }
  /** Over one time, so that they compare. */
  | { readonly is: 'curves'; readonly unit: DocumentUnit; readonly curves: readonly Curve[] }
  | ({
      readonly is: 'section';
      readonly id: string;
      readonly title: string;
      readonly note?: Line;
      readonly blocks: readonly Block[];
    } & Detail);

/** A block of a document itself: a page that is refreshed replaces it as a whole. */
export type DocumentPart = BlockOf<'verdict' | 'facts' | 'section'>;

/** The answer to a question, for page and terminal alike. A kind of document has its parts in one order; each may be missing. */
export interface Document {
  readonly title: readonly [kind: string, name: string];
  /** At most one verdict, which is the first, and one list of facts. */
  readonly blocks: readonly DocumentPart[];
}

export type BlockOf<Kind extends Block['is']> = Extract<Block, { readonly is: Kind }>;

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

/** Returns the amount as both pens show it; `-` where it is not known. */
export function amountText({ amount, unit }: Measure): string {
  if (unit === 'bytes') return formatBytes(amount);
  if (unit === 'share') return formatPercent(amount);
  const number = formatCount(amount);
  return unit === 'inodes' && amount !== undefined ? `${number} ${amount === 1 ? 'inode' : 'inodes'}` : number;
}
