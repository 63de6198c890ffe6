/**
 * The text of a file of evictions: JSON with a record in each line, so that it is written and read piece by piece.
 */
import { UserError } from '../base/errors.js';
import { parseJson, toJson } from '../json/json.js';
import type { EvictionRecord } from './eviction-record.js';
import { recordOf, type StoredRecord } from './stored-record.js';
import { maxPeriodCount, type WatchedPeriod } from './watched-times.js';

/** 3,000 records of pods as they are as a rule. */
export const maxDocumentBytes = 8 * 2 ** 20;

/** A million of them would take half a minute. */
const maxUnreadableCount = 1_000;

/** All versions begin so. */
const mark = '{"ephemeralStorageEvictions":';
const recordsMark = '"records":[';
/** Files of before the times were kept have none. */
const headForm = /^\{"ephemeralStorageEvictions":1,(?:"watched":(\[[\d,[\]]{0,2000}\]),)?"records":\[/;
const tail = '\n]}\n';

/** Characters that are written at once. */
const pieceLength = 65_536;

const unreadable = 'not readable';

/** Clocks of one machine before and after a restart may differ by this much. */
const clockSkewMs = 60_000;

/** Of the records, the first ones that fit; each is made into text when its piece is asked for. */
export function* documentPieces(
  records: readonly EvictionRecord[],
  watched: readonly WatchedPeriod[],
): Generator<string> {
  const head = headOf(watched);
  let piece = head;
  let leftBytes = maxDocumentBytes - head.length - tail.length;
  for (const [index, record] of records.entries()) {
    const line = `${index === 0 ? '' : ','}\n${textOf(record)}`;
    leftBytes -= Buffer.byteLength(line);
    if (leftBytes < 0) break;
    piece += line;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  yield piece + tail;
}

function headOf(watched: readonly WatchedPeriod[]): string {
  const times = watched.map(({ fromMs, untilMs }) => [Math.round(fromMs), Math.round(untilMs)]);
  return `${mark}1,"watched":${toJson(times)},${recordsMark}`;
}

function textOf(record: StoredRecord): string {
  return toJson(record);
}

export interface ReadDocument {
  readonly records: readonly EvictionRecord[];
  /** When exporters watched, the oldest first; empty where the file does not have it. */
  readonly watched: readonly WatchedPeriod[];
  /** How many lines are no records that can be shown, by reason. */
  readonly leftOut: ReadonlyMap<string, number>;
}

/** Whether it may be replaced by a file of evictions: it is one, broken or not, or empty. */
export function isDocument(text: string): boolean {
  return text === '' || text.startsWith(mark);
}

/**
 * Reads what {@link documentPieces} has written; `nowMs`: the latest time that it may be. Throws UserError with the reason
 * for what is no such text as a whole.
 */
export function readDocument(text: string, nowMs: number): ReadDocument {
  const [head, watchedText] = headIn(text);
  const byUid = new Map<string, EvictionRecord>();
  const leftOut = new Map<string, number>();
  for (const line of linesOf(text.slice(head.length, -tail.length))) {
    const record = recordOf(parseJson(line));
    const reason = faultOf(record, byUid, nowMs);
    if (record !== undefined && reason === undefined) byUid.set(record.uid, record);
    else if (reason !== undefined) leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1);
    if ((leftOut.get(unreadable) ?? 0) > maxUnreadableCount)
      throw new UserError(`more than ${maxUnreadableCount} of its lines are not readable`);
  }
  return { records: [...byUid.values()], watched: watchedOf(watchedText, nowMs), leftOut };
}

function headIn(text: string): RegExpExecArray {
  const head = headForm.exec(text);
  const fault = documentFault(text, head !== null);
  if (fault !== undefined || head === null) throw new UserError(fault ?? otherVersion);
  return head;
}

/** None where they make no sense as a whole. */
function watchedOf(text: string | undefined, nowMs: number): readonly WatchedPeriod[] {
  const found = text === undefined ? undefined : parseJson(text);
  if (!Array.isArray(found) || found.length > maxPeriodCount) return [];
  const times: readonly unknown[] = found.flat();
  const isAscending = times.every((time, index) => {
    const earlier = index === 0 ? 0 : times[index - 1];
    return typeof time === 'number' && typeof earlier === 'number' && earlier <= time && time <= nowMs + clockSkewMs;
  });
  const pairs: readonly (readonly number[])[] = found;
  if (!isAscending || pairs.some((pair) => !Array.isArray(pair) || pair.length !== 2)) return [];
  return pairs.map(([fromMs = 0, untilMs = 0]) => ({ fromMs, untilMs }));
}

const otherVersion = 'it is of another version';

function documentFault(text: string, hasHead: boolean): string | undefined {
  if (text === '') return 'it is empty';
  if (Buffer.byteLength(text) > maxDocumentBytes) return `it has more than ${maxDocumentBytes} bytes`;
  if (!hasHead) return otherVersion;
  return text.endsWith(tail) ? undefined : 'its end is missing';
}

function faultOf(
  record: EvictionRecord | undefined,
  byUid: ReadonlyMap<string, EvictionRecord>,
  nowMs: number,
): string | undefined {
  if (record === undefined) return unreadable;
  if (byUid.has(record.uid)) return 'listed twice';
  const atMs = Math.max(record.evictedAtMs, record.seenAtMs);
  return atMs > nowMs + clockSkewMs ? 'in the future: the clock is behind, or was ahead' : undefined;
}

/** Each without the comma at its end. Not `split`, which would hold a million of them at once. */
function* linesOf(text: string): Generator<string> {
  for (let start = 1; start < text.length;) {
    const end = text.indexOf('\n', start);
    yield end < 0 ? text.slice(start) : text.slice(start, end - 1);
    start = end < 0 ? text.length : end + 1;
  }
}
