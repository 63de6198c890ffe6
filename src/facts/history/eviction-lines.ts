/**
 * The text of a file of evictions: a mark, then a record or a watched period as JSON in each line. Lines begin with their line
 * break: what is appended after a line that was cut is whole.
 */
import { objectOf, parseJson, toJson } from '../../lib/json/json.js';
import type { EvictionRecord } from './eviction-record.js';
import { recordOf, type StoredRecord } from './stored-record.js';
import { joinedPeriods, type WatchedPeriod } from './watched-times.js';

/** 3,000 records of pods as they are as a rule. */
const maxWrittenBytes = 8 * 2 ** 20;

/** A million of them would take half a minute. */
const maxUnreadableCount = 1_000;

/** All versions begin so. */
const mark = '{"ephemeralStorageEvictions":';
const head = `${mark}2}`;

const unreadable = 'not readable';

/** Clocks of one machine before and after a restart may differ by this much. */
const clockSkewMs = 60_000;

export interface ReadLines {
  /** One of each UID. */
  readonly records: readonly EvictionRecord[];
  /** When exporters watched, the oldest first. */
  readonly watched: readonly WatchedPeriod[];
  /** How many lines are left out, by reason; those after a thousand that are not readable are not looked at. */
  readonly leftOut: ReadonlyMap<string, number>;
}

/** Whether it may be replaced by a file of evictions: it is one, broken or not, or empty. */
export function isOfEvictions(text: string): boolean {
  return text === '' || text.startsWith(mark);
}

/** The lines of records and periods, each made when it is asked for. */
export function* linesFor(items: Iterable<StoredRecord | WatchedPeriod>): Generator<string> {
  for (const item of items) yield `\n${toJson(item)}`;
}

/** The text of a file; of the records, the first ones that fit. */
export function* linesOf({ records, watched }: Pick<ReadLines, 'records' | 'watched'>): Generator<string> {
  const first = head + [...linesFor(watched)].join('');
  yield first;
  let leftBytes = maxWrittenBytes - first.length;
  for (const line of linesFor(records)) {
    leftBytes -= Buffer.byteLength(line);
    if (leftBytes < 0) return;
    yield line;
  }
}

/** Reads what {@link linesOf} and {@link linesFor} have written; `nowMs`: the latest time that it may be. */
export function readLines(text: string, nowMs: number): ReadLines {
  const byUid = new Map<string, EvictionRecord>();
  const watched: WatchedPeriod[] = [];
  const leftOut = new Map<string, number>();
  if (!/^(?:\{"ephemeralStorageEvictions":2\}(?:\n|$)|$)/.test(text)) leftOut.set('of another version', 1);
  for (const line of leftOut.size > 0 ? [] : textLines(text, head.length)) {
    const item = itemOf(parseJson(line), nowMs);
    if (typeof item === 'string') leftOut.set(item, (leftOut.get(item) ?? 0) + 1);
    else if ('fromMs' in item) watched.push(item);
    else if (!byUid.has(item.uid)) byUid.set(item.uid, item);
    if (leftOut.get(unreadable) === maxUnreadableCount) break;
  }
  return { records: [...byUid.values()], watched: joinedPeriods(watched), leftOut };
}

/** Returns the reason for what is left out. */
function itemOf(value: unknown, nowMs: number): EvictionRecord | WatchedPeriod | string {
  const item = periodOf(value) ?? recordOf(value);
  if (item === undefined) return unreadable;
  const latestMs = 'fromMs' in item ? item.untilMs : Math.max(item.evictedAtMs, item.seenAtMs);
  return latestMs > nowMs + clockSkewMs ? 'in the future: the clock is behind, or was ahead' : item;
}

function periodOf(value: unknown): WatchedPeriod | undefined {
  const { fromMs, untilMs } = objectOf(value);
  const isPeriod = typeof fromMs === 'number' && typeof untilMs === 'number' && 0 <= fromMs && fromMs <= untilMs;
  return isPeriod ? { fromMs, untilMs } : undefined;
}

/** Those that are not empty. Not `split`, which would hold a million of them at once. */
function* textLines(text: string, fromIndex: number): Generator<string> {
  for (let start = fromIndex + 1; start < text.length;) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    if (end > start) yield text.slice(start, end);
    start = end + 1;
  }
}
