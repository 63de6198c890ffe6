import { oneLine } from '../base/text.js';

export interface DuEntry {
  /** Each character is one byte (latin1): names need not be text. */
  readonly rawPath: string;
  /** In blocks on the disk, with all that is below it. */
  readonly usedBytes: number;
}

/** The path that du has in place of one in the total, which is its last record. */
export const totalPath = 'total';

/** Splits the output of `du -0` into records; what is not a record is counted. */
export class DuRecords {
  #rest = '';
  malformedCount = 0;

  *push(chunk: Buffer): Generator<DuEntry, void> {
    let start = 0;
    for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, start)) {
      const entry = parseRecord(this.#rest + chunk.toString('latin1', start, end));
      this.#rest = '';
      start = end + 1;
      if (entry === undefined) this.malformedCount += 1;
      else yield entry;
    }
    this.#rest += chunk.toString('latin1', start);
  }
}

function parseRecord(record: string): DuEntry | undefined {
  const tab = record.indexOf('\t');
  const digits = record.slice(0, Math.max(0, tab));
  const usedBytes = Number(digits);
  return /^\d+$/.test(digits) && Number.isSafeInteger(usedBytes)
    ? { usedBytes, rawPath: record.slice(tab + 1) }
    : undefined;
}

/** What du reports on its standard error. In the locale C it quotes names, so that each message is one line. */
export class DuMessages {
  #rest = '';
  /** Directories and files that are missing in the sums; not those that were deleted during the walk. */
  unreadableCount = 0;
  /** Of those that could not be read, else the first of all. */
  first: string | undefined;

  push(chunk: Buffer): void {
    const lines = (this.#rest + chunk.toString('utf8')).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#count(line);
  }

  #count(line: string): void {
    const hasVanished = line.endsWith(': No such file or directory');
    if (this.first === undefined || (!hasVanished && this.unreadableCount === 0)) this.first = oneLine(line);
    if (!hasVanished) this.unreadableCount += 1;
  }
}
