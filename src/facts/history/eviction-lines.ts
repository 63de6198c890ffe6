/**
 * The text of a file of evictions: a mark, then a record or a watched period as JSON in each line. Lines begin with their line
 * break: what is appended after a line that was cut is whole.
 */
import * as z from 'zod/mini';

import { fromJson, toJson } from '../../lib/json/json.js';
import { verdictKinds } from '../node/disk-verdict.js';
import type { EvictionRecord } from './eviction-record.js';
import { evictionCauses } from './eviction-snapshot.js';
import { joinedPeriods, type WatchedPeriod } from './watched-times.js';

/** 3,000 records of pods as they are as a rule. */
const maxWrittenBytes = 8 * 2 ** 20;

/** A million of them would take half a minute. */
const maxLeftOutCount = 1_000;

/** A file that begins otherwise is of something else. */
const mark = '{"ephemeralStorageEvictions":';
const head = `${mark}2}`;

/** Clocks of one machine before and after a restart may differ by this much. */
const clockSkewMs = 60_000;

export interface ReadLines {
  /** One of each UID. */
  readonly records: readonly EvictionRecord[];
  /** When exporters watched, the oldest first. */
  readonly watched: readonly WatchedPeriod[];
  /** Lines that are no record or period, or in the future. After a thousand of them, no line is looked at. */
  readonly leftOutCount: number;
}

/** Whether it may be replaced by a file of evictions: it is one, broken or not, or empty. */
export function isOfEvictions(text: string): boolean {
  return text === '' || text.startsWith(mark);
}

/** Whether the mark of a file of evictions names another version; a mark that is cut names none. */
export function isOfAnotherVersion(text: string): boolean {
  return /^\d/.test(text.slice(mark.length)) && !text.startsWith(head);
}

/** The lines of records and periods, each made when it is asked for. */
export function* linesFor(items: Iterable<EvictionRecord | WatchedPeriod>): Generator<string> {
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
  let leftOutCount = 0;
  // Not `split`, which would hold a million lines at once.
  for (const [line] of text.slice(head.length).matchAll(/[^\n]+/g)) {
    const item = itemOf(fromJson(line), nowMs + clockSkewMs);
    if (item === undefined) leftOutCount += 1;
    else if ('fromMs' in item) watched.push(item);
    else if (!byUid.has(item.uid)) byUid.set(item.uid, item);
    if (leftOutCount === maxLeftOutCount) break;
  }
  return { records: [...byUid.values()], watched: joinedPeriods(watched), leftOutCount };
}

function itemOf(value: unknown, latestMs: number): EvictionRecord | WatchedPeriod | undefined {
  if (!itemForm.safeParse(value).success) return undefined;
  const item = value as EvictionRecord | WatchedPeriod;
  return ('fromMs' in item ? item.untilMs : Math.max(item.evictedAtMs, item.seenAtMs)) > latestMs ? undefined : item;
}

/** Names become label values, and messages have 2,000 characters. */
const text = z.string().check(z.maxLength(2_048));
/** The last moment that a date can be. https://tc39.es/ecma262/#sec-time-values-and-time-range */
const timeMs = z.number().check(z.gte(0), z.lte(8.64e15));
/** Also infinite, as the ratio to a limit of 0. */
const amount = z.custom<number>((value) => typeof value === 'number');
const parts = z.array(
  z.looseObject({
    name: text,
    usedBytes: z.optional(amount),
    rootfsBytes: z.optional(amount),
    logsBytes: z.optional(amount),
  }),
);

/** What series, lists and sums are made from. The rest is as the version of the file has it. */
const recordForm = z.looseObject({
  cause: z.enum(evictionCauses),
  container: text,
  volume: text,
  limitBytes: z.optional(amount),
  namespace: text,
  pod: text,
  uid: text,
  node: text,
  labels: z.record(text, text),
  workloads: z.array(z.looseObject({ namespace: text, name: text, type: text, origin: z.looseObject({}) })),
  message: text,
  evictedAtMs: timeMs,
  seenAtMs: timeMs,
  wasSeenLive: z.boolean(),
  lastUsage: z.union([
    z.enum(['before_start', 'not_measured', 'no_exporter']),
    z.looseObject({
      fetchedAtMs: timeMs,
      usage: z.optional(
        z.looseObject({ usedBytes: amount, components: z.record(text, amount), containers: parts, volumes: parts }),
      ),
      ratios: z.array(z.looseObject({ rule: text, ratio: amount, usedBytes: amount, limitBytes: amount })),
      samples: z.array(z.looseObject({ atMs: timeMs, usedBytes: amount })),
    }),
  ]),
  nodeVerdict: z.optional(z.looseObject({ kind: z.enum(verdictKinds), alsoBelow: z.array(text) })),
});

const itemForm = z.union([
  recordForm,
  z.looseObject({ fromMs: timeMs, untilMs: timeMs }).check(z.refine(({ fromMs, untilMs }) => fromMs <= untilMs)),
]);
