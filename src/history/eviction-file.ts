import { constants, open, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';

import { type Clock, latestNowMs } from '../base/clock.js';
import { codeOf, messageOf } from '../base/errors.js';
import { FailureRun, type Logger } from '../base/logger.js';
import { documentPieces, isDocument, maxDocumentBytes, readDocument } from './eviction-document.js';
import { EvictionLog, type EvictionLogSettings, inTurns } from './eviction-log.js';
import type { EvictionRecord } from './eviction-record.js';
import { lastingUntil, type WatchedPeriod, type WatchedTimes, watchedTimes, withPeriod } from './watched-times.js';

/** Evictions come in bursts: each burst is written once. */
const pauseMs = 5_000;
/** A disk that is full or read-only stays so for a while. */
const pauseAfterFailureMs = 60_000;
/** Shorter than a gap that is named. */
const touchEveryMs = 30_000;

/** The date of a file is not believed when it is further ahead. */
const maxSkewMs = 60_000;

export interface EvictionFileSettings extends EvictionLogSettings {
  /** An absolute path. Undefined: evictions are forgotten with the process. */
  readonly file: string | undefined;
}

/** A problem of the file, and the fix where one is known. */
export interface EvictionFileFault {
  readonly text: string;
  readonly fix?: string | undefined;
}

interface OpenOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether changes of all pods are seen now. */
  readonly isWatching: () => boolean;
}

interface FileOptions extends OpenOptions {
  readonly path: string;
}

/**
 * The log of evictions, and the file in which it outlives the process. Whatever happens to the file, the log goes on. It is
 * written as a whole beside the file, which it then replaces: who reads the file finds all of the former text or all of the
 * new one, whenever the process or the machine ends. A file that is none of evictions is never touched. The time of its last change
 * is until when changes of all pods were seen: a process that is killed can write nothing more, and to write all of it again and
 * again would cost too much.
 */
export class EvictionFile implements AsyncDisposable {
  readonly log: EvictionLog;
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;
  readonly #options: OpenOptions;
  /** What the file has; undefined where there is none: the first write shows whether there can be one. */
  #written: Written | undefined;
  /** The last one may go on. */
  #watched: readonly WatchedPeriod[];
  #wasWatching = false;
  #fault: EvictionFileFault | undefined;

  /** `path`: undefined for a log that is not written. */
  private constructor(
    log: EvictionLog,
    options: OpenOptions,
    path: string | undefined,
    found: Partial<FoundFile> = {},
  ) {
    const { fault, records, watched = [] } = found;
    this.log = log;
    this.#options = options;
    this.#fault = fault;
    this.#watched = watched.length === 0 ? assumedPeriods(log, latestNowMs(options.clock)) : watched;
    this.#written = records && {
      records: log.records,
      sinceMs: fault === undefined ? watched.at(-1)?.fromMs : 'unread',
    };
    this.#running = this.#keep(path);
  }

  /** Resolves when the log has what the file has. */
  static async open({ file: path, ...settings }: EvictionFileSettings, options: OpenOptions): Promise<EvictionFile> {
    const { clock, logger } = options;
    const log = new EvictionLog(settings, clock);
    if (path === undefined) return new EvictionFile(log, options, undefined);
    const found = await readUsable(path);
    if ('fault' in found) {
      const { fault: reason, fix } = found;
      logger.warn('evictions are not kept over a restart: evictions.file cannot be used', { file: path, reason, fix });
      return new EvictionFile(log, options, undefined, {
        fault: { text: `evictions.file cannot be used: ${reason}`, fix },
      });
    }
    if (found.text === undefined) return new EvictionFile(log, options, path);
    const { text, changedAtMs } = found;
    const read = recordsIn(text, { ...options, path });
    log.restore(read.records);
    const isOfClockAhead = changedAtMs > latestNowMs(clock) + maxSkewMs;
    const watched = lastingUntil(read.watched, isOfClockAhead ? 0 : Math.min(changedAtMs, latestNowMs(clock)));
    return new EvictionFile(log, options, path, { ...read, watched });
  }

  /** What is wrong with the file, so that evictions of before this start are missing, or would be after the next one. */
  get fault(): EvictionFileFault | undefined {
    return this.#fault;
  }

  /** Within the retention. */
  get watchedTimes(): WatchedTimes {
    return watchedTimes(this.#observed(), { keptFromMs: this.log.keptFromMs, nowMs: latestNowMs(this.#options.clock) });
  }

  /** What has changed is written before it resolves. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new Error('closed'));
    await this.#running;
  }

  #observed(): readonly WatchedPeriod[] {
    const { clock, isWatching } = this.#options;
    const extended = this.#wasWatching ? lastingUntil : withPeriod;
    this.#wasWatching = isWatching();
    if (this.#wasWatching) this.#watched = extended(this.#watched, latestNowMs(clock));
    return this.#watched;
  }

  /** Until disposal. Never rejects. */
  async #keep(path: string | undefined): Promise<void> {
    const { clock, logger } = this.#options;
    const { signal } = this.#closing;
    const failures = new FailureRun(logger);
    const write = async (): Promise<boolean> => path === undefined || (await this.#write(path, failures));
    const isClosing = (): boolean => signal.aborted;
    let touchedAtMs = -Infinity;
    for (let isWritten = true; !isClosing();) {
      await clock.sleep(isWritten ? pauseMs : pauseAfterFailureMs, signal).catch(() => undefined);
      const untilMs = this.#observed().at(-1)?.untilMs;
      isWritten = await write();
      if (!isClosing() && clock.monotonicMs() - touchedAtMs < touchEveryMs) continue;
      touchedAtMs = clock.monotonicMs();
      if (isWritten && path !== undefined) await touch(path, untilMs);
    }
    await write(); // what came during the last write
  }

  /** Nothing while the records and the beginning of the last period are the same. */
  async #write(path: string, failures: FailureRun): Promise<boolean> {
    const { records } = this.log;
    const last = this.#watched.at(-1);
    const { records: writtenRecords, sinceMs } = this.#written ?? {};
    if (records === writtenRecords && (sinceMs === 'unread' || sinceMs === last?.fromMs)) return true;
    try {
      await replaceFile(path, documentPieces(inTurns(records), this.#watched), last?.untilMs);
    } catch (error) {
      const fix = fixes[codeOf(error)];
      this.#fault = { text: `evictions.file cannot be written: ${messageOf(error)}`, fix };
      failures.failed('evictions are not written: a restart would forget them', { file: path, fix }, error);
      return false;
    }
    this.#written = { records, sinceMs: last?.fromMs };
    this.#fault = undefined;
    failures.ended('evictions are written again', { file: path });
    return true;
  }
}

interface Written {
  readonly records: readonly EvictionRecord[];
  /** The beginning of the last period; `unread` of a broken file, which the next eviction replaces. */
  readonly sinceMs: number | 'unread' | undefined;
}

/** What to do about an error of the operating system. */
const fixes: Readonly<Record<string, string>> = {
  ENOENT: 'mount a volume, such as an emptyDir, at the folder of evictions.file',
  EROFS: 'mount a volume that can be written, such as an emptyDir, at the folder of evictions.file',
  EACCES: 'give the folder of evictions.file to the user of the exporter',
  EPERM: 'give the folder of evictions.file to the user of the exporter',
  ENOSPC: 'free space on the volume of evictions.file',
  EDQUOT: 'free space on the volume of evictions.file',
};

interface UnusableFile {
  readonly fault: string;
  readonly fix: string;
}

type UsableFile = { readonly text: undefined } | { readonly text: string; readonly changedAtMs: number };

/** The text of a file that may be replaced; undefined where there is none. */
export async function readUsable(path: string): Promise<UsableFile | UnusableFile> {
  const fix = 'name another file in evictions.file, or remove this one';
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return { fault: 'it is a folder', fix: 'name a file in it, such as evictions.json' };
    if (!stats.isFile()) return { fault: 'it is no regular file', fix };
    const found = await readAtMost(path, maxDocumentBytes + 1);
    return isDocument(found)
      ? { text: found, changedAtMs: stats.mtimeMs }
      : { fault: 'it is a file of something else', fix };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { text: undefined };
    return { fault: messageOf(error), fix: fixes[codeOf(error)] ?? fix };
  }
}

async function readAtMost(path: string, maxBytes: number): Promise<string> {
  // Should it have become a pipe, nobody waits for its writer.
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return await text(file.createReadStream({ end: maxBytes - 1 }));
}

interface FoundFile {
  readonly records: readonly EvictionRecord[];
  readonly watched: readonly WatchedPeriod[];
  readonly fault?: EvictionFileFault;
}

/** Of a file that does not have them: since the first eviction in it. Whether there were gaps is not known. */
function assumedPeriods({ records }: EvictionLog, nowMs: number): readonly WatchedPeriod[] {
  const fromMs = Math.min(...records.map(({ seenAtMs }) => seenAtMs));
  return fromMs < nowMs ? [{ fromMs, untilMs: nowMs }] : [];
}

function recordsIn(text: string, { path, clock, logger }: FileOptions): FoundFile {
  const fix = 'nothing: the next eviction replaces the file';
  try {
    const { records, watched, leftOut } = readDocument(text, latestNowMs(clock));
    const reason = Array.from(leftOut, ([what, count]) => `${count} ${what}`).join(', ');
    if (reason !== '') logger.warn('some evictions in the file are left out', { file: path, reason, fix });
    logger.info('evictions of before this start are read', { file: path, count: records.length });
    return { records, watched };
  } catch (error) {
    const reason = messageOf(error);
    logger.warn('evictions of before this start are not known: their file is broken', { file: path, reason, fix });
    return { records: [], watched: [], fault: { text: `evictions.file is broken: ${reason}`, fix } };
  }
}

async function replaceFile(path: string, pieces: Iterable<string>, changedAtMs: number | undefined): Promise<void> {
  const temporary = `${path}.tmp`;
  await rm(temporary, { force: true }); // of a process that was killed
  try {
    await writeSynced(temporary, pieces);
    await touch(temporary, changedAtMs);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** On the disk when it resolves: a machine that ends between could otherwise leave an empty file under the new name. */
async function writeSynced(path: string, pieces: Iterable<string>): Promise<void> {
  await using file = await open(path, 'wx', 0o600);
  await writeFile(file, pieces);
  await file.sync();
}

/** What is wrong with the file is seen when it is written. `changedAtMs`: undefined before anything was seen. */
async function touch(path: string, changedAtMs = 0): Promise<void> {
  await utimes(path, changedAtMs / 1_000, changedAtMs / 1_000).catch(() => undefined);
}
