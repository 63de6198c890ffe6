import { randomUUID } from 'node:crypto';
import { constants, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { text } from 'node:stream/consumers';

import { type Clock, latestNowMs } from '../../lib/base/clock.js';
import { codeOf, messageOf, UserError } from '../../lib/base/errors.js';
import { FailureRun, type Logger } from '../../lib/base/logger.js';
import { isOfAnotherVersion, isOfEvictions, linesFor, linesOf, readLines } from './eviction-lines.js';
import { EvictionLog, type EvictionLogSettings, inTurns } from './eviction-log.js';
import type { EvictionRecord } from './eviction-record.js';
import { joinedPeriods, lastingUntil, type WatchedPeriod, type WatchedTimes, watchedTimes } from './watched-times.js';

/** Evictions come in bursts: each burst is written once. */
const pauseMs = 5_000;
/** A disk that is full or read-only stays so for a while. */
const pauseAfterFailureMs = 60_000;
/** How often it is written that pods are still watched: shorter than a gap that is named. */
const periodEveryMs = 30_000;

/** A file is rewritten within seconds. */
const leftAfterMs = 60_000;

/** What is appended to a file before it is rewritten, besides as much as it had. */
const minAppendedBytes = 65_536;
/** Twice of what is rewritten, and what two processes append in the meantime. */
const maxReadBytes = 32 * 2 ** 20;

interface OpenOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether changes of all pods are seen now. */
  readonly isWatching: () => boolean;
}

/**
 * The log of evictions, and the file in which it outlives the process. Whatever happens to the file, the log goes on. New
 * records are appended, each as a line. At the start, once the file has doubled, and after a failure, all that it has and all
 * that the log has is written beside the file, which it then replaces: no process ever takes away what another one wrote. A
 * file that is none of evictions is never touched.
 */
export class EvictionFile implements AsyncDisposable {
  readonly log: EvictionLog;
  readonly #options: OpenOptions;
  /** Undefined where evictions are forgotten with the process. */
  readonly #path: string | undefined;
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;
  readonly #failures: FailureRun;
  /** Those that the file has. */
  readonly #saved = new WeakSet<EvictionRecord>();
  /** Until when the file says that pods were watched. */
  #savedUntilMs = 0;
  /** From this size in bytes on, the file is rewritten. */
  #maxBytes = 0;
  /** The last one may go on. */
  #watched: readonly WatchedPeriod[];
  #wasWatching = false;
  /** Of the file as it was found, until it is rewritten. */
  #foundFault: EvictionFile['fault'];
  #writeFault: EvictionFile['fault'];

  private constructor(
    log: EvictionLog,
    options: OpenOptions,
    file: {
      readonly path: string | undefined;
      readonly watched: readonly WatchedPeriod[];
      readonly fault: EvictionFile['fault'];
    },
  ) {
    this.log = log;
    this.#options = options;
    this.#path = file.path;
    this.#failures = new FailureRun(options.logger);
    this.#foundFault = file.fault;
    this.#watched = file.watched;
    this.#running = this.#keep();
  }

  /** Resolves when the log has what the file has. `file`: an absolute path; without one, evictions are forgotten with the process. */
  static async open(
    { file: path, ...settings }: EvictionLogSettings & { readonly file: string | undefined },
    options: OpenOptions,
  ): Promise<EvictionFile> {
    const { clock, logger } = options;
    const log = new EvictionLog(settings, clock);
    try {
      const found = path === undefined ? '' : (await readUsable(path)).text;
      const { records, watched, leftOutCount } = readLines(found, latestNowMs(clock));
      log.restore(records);
      if (found !== '') logger.info('evictions of before this start are read', { file: path, count: records.length });
      const reason = isOfAnotherVersion(found) ? 'written by another version' : 'not readable or in the future';
      const text = `lines of evictions.file are left out: ${leftOutCount}, ${reason}`;
      const fault = leftOutCount === 0 ? undefined : { text, fix: 'nothing: it is rewritten without them' };
      if (fault !== undefined) logger.warn(fault.text, { file: path, fix: fault.fix });
      return new EvictionFile(log, options, { path, watched, fault });
    } catch (error) {
      if (!(error instanceof UnusableFileError)) throw error;
      const { message: reason, fix } = error;
      logger.warn('evictions are not kept over a restart: evictions.file cannot be used', { file: path, reason, fix });
      const fault = { text: `evictions.file cannot be used: ${reason}`, fix };
      return new EvictionFile(log, options, { path: undefined, watched: [], fault });
    }
  }

  /** What is wrong with the file: it cannot be read as a whole, or a restart would forget evictions. */
  get fault(): { readonly text: string; readonly fix?: string | undefined } | undefined {
    return this.#writeFault ?? this.#foundFault;
  }

  /** Within the retention. */
  get watchedTimes(): WatchedTimes {
    this.#observe();
    return watchedTimes(this.#watched, { keptFromMs: this.log.keptFromMs, nowMs: latestNowMs(this.#options.clock) });
  }

  /** What has changed is written before it resolves. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new Error('closed'));
    await this.#running;
  }

  #observe(): void {
    const { clock, isWatching } = this.#options;
    const wasWatching = this.#wasWatching;
    this.#wasWatching = isWatching();
    if (!this.#wasWatching) return;
    const nowMs = latestNowMs(clock);
    this.#watched = wasWatching
      ? lastingUntil(this.#watched, nowMs)
      : joinedPeriods([...this.#watched, { fromMs: nowMs, untilMs: nowMs }]);
  }

  /** Until disposal; what came during the last write is written then. Never rejects. */
  async #keep(): Promise<void> {
    const { signal } = this.#closing;
    for (let isLast = false; !isLast;) {
      const isFailing = this.#writeFault !== undefined;
      await this.#options.clock.sleep(isFailing ? pauseAfterFailureMs : pauseMs, signal).catch(() => undefined);
      isLast = signal.aborted;
      this.#observe();
      if (this.#path !== undefined) await this.#write(this.#path, isLast ? 1 : periodEveryMs);
    }
  }

  /** `periodMs`: from when on it is news that pods are still watched. */
  async #write(path: string, periodMs: number): Promise<void> {
    const records = this.log.records.filter((record) => !this.#saved.has(record));
    const periods = this.#watched.slice(-1).filter(({ untilMs }) => untilMs - this.#savedUntilMs >= periodMs);
    if (this.#maxBytes > 0 && records.length + periods.length === 0) return;
    try {
      const isAppended = this.#maxBytes > 0 && (await append(path, [...periods, ...records], this.#maxBytes));
      if (!isAppended) this.#maxBytes = minAppendedBytes + 2 * (await this.#writeAnew(path));
    } catch (error) {
      const fix = error instanceof UnusableFileError ? error.fix : fixes[codeOf(error)];
      this.#maxBytes = 0;
      this.#writeFault = { text: `evictions.file cannot be written: ${messageOf(error)}`, fix };
      this.#failures.failed('evictions are not written: a restart would forget them', { file: path, fix }, error);
      return;
    }
    for (const record of records) this.#saved.add(record);
    for (const { untilMs } of periods) this.#savedUntilMs = untilMs;
    this.#writeFault = undefined;
    this.#foundFault = undefined;
    this.#failures.ended('evictions are written again', { file: path });
  }

  /** Returns the number of bytes of the file. */
  async #writeAnew(path: string): Promise<number> {
    const { log } = this;
    const found = await readUsable(path);
    const others = readLines(found.text, latestNowMs(this.#options.clock));
    const byUid = new Map([...others.records, ...log.records].map((record) => [record.uid, record]));
    const isKept = ({ seenAtMs, evictedAtMs }: EvictionRecord): boolean =>
      Math.max(seenAtMs, evictedAtMs) > log.keptFromMs;
    const records = [...byUid.values()].filter(isKept).sort((a, b) => b.evictedAtMs - a.evictedAtMs);
    const watched = joinedPeriods([...others.watched, ...this.#watched]);
    const sizeBytes = await replaceFile(path, linesOf({ records: inTurns(records), watched }), found.sizeBytes);
    return sizeBytes ?? this.#writeAnew(path);
  }
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

/** The file cannot hold evictions; it is left as it is. */
export class UnusableFileError extends UserError {
  readonly fix: string;

  constructor(message: string, fix = 'name another file in evictions.file, or remove this one') {
    super(message);
    this.fix = fix;
  }
}

/**
 * Resolves with the first 32 MiB of the text of a file that may be replaced, '' where there is none, and its size before it was
 * read: not that of the text, which lacks what is no UTF-8. Throws UnusableFileError.
 */
export async function readUsable(path: string): Promise<{ readonly text: string; readonly sizeBytes: number }> {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) throw new UnusableFileError('it is a folder', 'name a file in it, such as evictions.json');
    if (!stats.isFile()) throw new UnusableFileError('it is no regular file');
    // Should it have become a pipe, nobody waits for its writer.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = await text(file.createReadStream({ end: maxReadBytes - 1 }));
    if (!isOfEvictions(found)) throw new UnusableFileError('it is a file of something else');
    return { text: found, sizeBytes: stats.size };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { text: '', sizeBytes: 0 };
    throw error instanceof UnusableFileError ? error : new UnusableFileError(messageOf(error), fixes[codeOf(error)]);
  }
}

async function sizeOf(path: string): Promise<number> {
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  return size;
}

/**
 * On the disk when it resolves. False for a file that is empty, is not there or has `maxBytes`, and when another process has
 * replaced it meanwhile.
 */
async function append(path: string, items: Parameters<typeof linesFor>[0], maxBytes: number): Promise<boolean> {
  const size = await sizeOf(path);
  if (size === 0 || size >= maxBytes) return false;
  await using file = await open(path, constants.O_WRONLY | constants.O_APPEND);
  await writeFile(file, linesFor(items));
  await file.datasync();
  return (await file.stat()).ino === (await stat(path)).ino;
}

/**
 * Resolves with the number of bytes of the file; undefined when it does not have `sizeBytes` any more, as another process has
 * appended to it. The text is on the disk before the file has its name: a machine that ends between could otherwise leave an
 * empty file.
 */
async function replaceFile(path: string, lines: Iterable<string>, sizeBytes: number): Promise<number | undefined> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await using file = await open(temporary, 'wx', 0o600);
    await removeLeft(path, (await file.stat()).mtimeMs - leftAfterMs);
    await writeFile(file, lines);
    await file.sync();
    if ((await sizeOf(path)) !== sizeBytes) return undefined;
    await rename(temporary, path);
    return (await file.stat()).size;
  } finally {
    await rm(temporary, { force: true }).catch(() => undefined);
  }
}

/** Removes temporary files of processes that were killed. */
async function removeLeft(path: string, beforeMs: number): Promise<void> {
  const { dir, base } = parse(path);
  const names = (await readdir(dir)).filter((name) => name.startsWith(`${base}.`) && name.endsWith('.tmp'));
  for (const left of names.map((name) => join(dir, name))) {
    const { mtimeMs } = await stat(left).catch(() => ({ mtimeMs: Infinity }));
    if (mtimeMs < beforeMs) await rm(left, { force: true });
  }
}
