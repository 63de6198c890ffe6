import type { Clock } from '../../lib/base/clock.js';
import { type LogFields, type Logger, type LogLevel, logLevels } from '../../lib/base/logger.js';
import { setNewest } from '../../lib/base/maps.js';
import { escapeInvisible, truncate } from '../../lib/base/text.js';

export const logFormats = ['json', 'logfmt'] as const;
export type LogFormat = (typeof logFormats)[number];

type FieldValue = string | number | boolean;
type Pair = readonly [key: string, value: FieldValue];

/** The same line is written at most once within this time. */
const repeatWindowMs = 60_000;
/** Number of distinct lines kept; the one written longest ago is evicted first, with its count. */
const maxRememberedLines = 1_000;
/** Longer texts are truncated: most come from other machines. */
const maxValueLength = 2_048;

/**
 * Suppresses the same line (level, message, fields) within a minute after it was written. The next one has the number of
 * suppressed lines (`repeated=N`), so a kubelet that fails at each scrape costs one line per minute.
 */
export function createLogger({
  level,
  format,
  write,
  clock,
}: {
  /** Lower levels are not written. */
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** Takes one line, with its final newline. */
  readonly write: (line: string) => void;
  readonly clock: Clock;
}): Logger {
  const formatLine = format === 'json' ? jsonLine : logfmtLine;
  const repetitions = new Repetitions(clock);
  const writerOf = (lineLevel: LogLevel): Logger[LogLevel] => {
    if (logLevels.indexOf(lineLevel) < logLevels.indexOf(level)) return () => undefined;
    return (message, fields = {}) => {
      const pairs = toPairs(lineLevel, message, fields);
      const repeatedCount = repetitions.suppressedBefore(jsonLine(pairs));
      if (repeatedCount === undefined) return;
      const timestamp: Pair = ['ts', new Date(clock.nowMs()).toISOString()];
      const repeated: readonly Pair[] = repeatedCount === 0 ? [] : [['repeated', repeatedCount]];
      write(`${formatLine([timestamp, ...pairs, ...repeated])}\n`);
    };
  };
  return { debug: writerOf('debug'), info: writerOf('info'), warn: writerOf('warn'), error: writerOf('error') };
}

/** The lines that were written recently. */
class Repetitions {
  readonly #clock: Clock;
  /** Ordered by the time of the last write. */
  readonly #lines = new Map<string, { readonly writtenAtMs: number; suppressedCount: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns how often the line was suppressed since its last write; undefined when it is suppressed now. */
  suppressedBefore(line: string): number | undefined {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#lines.get(line);
    if (known !== undefined && nowMs - known.writtenAtMs < repeatWindowMs) {
      known.suppressedCount += 1;
      return undefined;
    }
    setNewest(this.#lines, line, { writtenAtMs: nowMs, suppressedCount: 0 }, maxRememberedLines);
    return known?.suppressedCount ?? 0;
  }
}

function toPairs(level: LogLevel, message: string, fields: LogFields): readonly Pair[] {
  const pairs: Pair[] = [
    ['level', level],
    ['msg', truncate(message, maxValueLength)],
  ];
  for (const [key, value] of Object.entries(fields)) {
    if (value !== undefined) pairs.push([key, typeof value === 'string' ? truncate(value, maxValueLength) : value]);
  }
  return pairs;
}

function jsonLine(pairs: readonly Pair[]): string {
  return `{${pairs.map(([key, value]) => `${quote(key)}:${jsonValue(value)}`).join(',')}}`;
}

function jsonValue(value: FieldValue): string {
  const isText = typeof value === 'string' || (typeof value === 'number' && !Number.isFinite(value));
  return isText ? quote(String(value)) : String(value);
}

/** https://brandur.org/logfmt: a text without quotes contains nothing that could end the value. */
function logfmtLine(pairs: readonly Pair[]): string {
  return pairs.map(([key, value]) => `${key}=${logfmtValue(String(value))}`).join(' ');
}

function logfmtValue(text: string): string {
  return /^[\w./:@%+-]+$/.test(text) ? text : quote(text);
}

/** Also escapes characters that a terminal interprets or hides. */
function quote(text: string): string {
  return escapeInvisible(JSON.stringify(text));
}
