import { constants, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';

import { type Clock, latestNowMs } from '../base/clock.js';
import { codeOf, messageOf } from '../base/errors.js';
import { FailureRun, type Logger } from '../base/logger.js';
import { documentPieces, isDocument, maxDocumentBytes, readDocument } from './eviction-document.js';
import { EvictionLog, type EvictionLogSettings } from './eviction-log.js';
import type { EvictionRecord } from './eviction-record.js';

/** Evictions come in bursts: each burst is written once. */
const pauseMs = 5_000;
/** A disk that is full or read-only stays so for a while. */
const pauseAfterFailureMs = 60_000;

export interface EvictionFileSettings extends EvictionLogSettings {
  /** An absolute path. Undefined: evictions are forgotten with the process. */
  readonly file: string | undefined;
}

/** A problem of the file, and the fix where one is known. */
export interface EvictionFileFault {
  readonly text: string;
  readonly fix?: string | undefined;
}

interface FileOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The log of evictions, and the file in which it outlives the process. Whatever happens to the file, the log goes on. It is
 * written as a whole beside the file, which it then replaces: who reads the file finds all of the former text or all of the
 * new one, whenever the process or the machine ends. A file that is none of evictions is never touched.
 */
export class EvictionFile implements AsyncDisposable {
  readonly log: EvictionLog;
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;
  /** What the file has; undefined where there is none: the first write shows whether there can be one. */
  #written: readonly EvictionRecord[] | undefined;
  #fault: EvictionFileFault | undefined;

  /** `options`: undefined for a log that is not written. */
  private constructor(log: EvictionLog, options: FileOptions | undefined, found: Partial<FoundFile> = {}) {
    this.log = log;
    this.#fault = found.fault;
    this.#written = found.records && log.records;
    this.#running = options === undefined ? Promise.resolve() : this.#keep(options);
  }

  /** Resolves when the log has what the file has. */
  static async open(
    { file: path, ...settings }: EvictionFileSettings,
    { clock, logger }: Pick<FileOptions, 'clock' | 'logger'>,
  ): Promise<EvictionFile> {
    const log = new EvictionLog(settings, clock);
    if (path === undefined) return new EvictionFile(log, undefined);
    const found = await readUsable(path);
    if ('fault' in found) {
      const { fault: reason, fix } = found;
      logger.warn('evictions are not kept over a restart: evictions.file cannot be used', { file: path, reason, fix });
      return new EvictionFile(log, undefined, { fault: { text: `evictions.file cannot be used: ${reason}`, fix } });
    }
    const options = { path, clock, logger };
    if (found.text === undefined) return new EvictionFile(log, options);
    const read = recordsIn(found.text, options);
    log.restore(read.records);
    return new EvictionFile(log, options, read);
  }

  /** What is wrong with the file, so that evictions of before this start are missing, or would be after the next one. */
  get fault(): EvictionFileFault | undefined {
    return this.#fault;
  }

  /** What has changed is written before it resolves. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new Error('closed'));
    await this.#running;
  }

  /** Until disposal. Never rejects. */
  async #keep({ path, clock, logger }: FileOptions): Promise<void> {
    const { signal } = this.#closing;
    const failures = new FailureRun(logger);
    for (let isWritten = true; !signal.aborted; isWritten = await this.#write(path, failures)) {
      await clock.sleep(isWritten ? pauseMs : pauseAfterFailureMs, signal).catch(() => undefined);
    }
    await this.#write(path, failures); // what came during the last write
  }

  /** Nothing while the records are the same. */
  async #write(path: string, failures: FailureRun): Promise<boolean> {
    const { records } = this.log;
    if (records === this.#written) return true;
    try {
      await replaceFile(path, documentPieces(records));
    } catch (error) {
      const fix = fixes[codeOf(error)];
      this.#fault = { text: `evictions.file cannot be written: ${messageOf(error)}`, fix };
      failures.failed('evictions are not written: a restart would forget them', { file: path, fix }, error);
      return false;
    }
    this.#written = records;
    this.#fault = undefined;
    failures.ended('evictions are written again', { file: path });
    return true;
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

interface UnusableFile {
  readonly fault: string;
  readonly fix: string;
}

/** The text of a file that may be replaced; undefined where there is none. */
export async function readUsable(path: string): Promise<{ readonly text: string | undefined } | UnusableFile> {
  const fix = 'name another file in evictions.file, or remove this one';
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return { fault: 'it is a folder', fix: 'name a file in it, such as evictions.json' };
    if (!stats.isFile()) return { fault: 'it is no regular file', fix };
    const found = await readAtMost(path, maxDocumentBytes + 1);
    return isDocument(found) ? { text: found } : { fault: 'it is a file of something else', fix };
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
  readonly fault?: EvictionFileFault;
}

function recordsIn(text: string, { path, clock, logger }: FileOptions): FoundFile {
  const fix = 'nothing: the next eviction replaces the file';
  try {
    const { records, leftOut } = readDocument(text, latestNowMs(clock));
    const reason = Array.from(leftOut, ([what, count]) => `${count} ${what}`).join(', ');
    if (reason !== '') logger.warn('some evictions in the file are left out', { file: path, reason, fix });
    logger.info('evictions of before this start are read', { file: path, count: records.length });
    return { records };
  } catch (error) {
    const reason = messageOf(error);
    logger.warn('evictions of before this start are not known: their file is broken', { file: path, reason, fix });
    return { records: [], fault: { text: `evictions.file is broken: ${reason}`, fix } };
  }
}

async function replaceFile(path: string, pieces: Iterable<string>): Promise<void> {
  const temporary = `${path}.tmp`;
  await rm(temporary, { force: true }); // of a process that was killed
  try {
    await writeSynced(temporary, pieces);
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
