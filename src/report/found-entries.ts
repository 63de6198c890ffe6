import { isUtf8 } from 'node:buffer';

import { largestFirst, Ranking } from '../base/ranking.js';
import { truncate } from '../base/text.js';
import { type FoundPart, tellingEntries, type Walk } from './pod-directories.js';

interface ListedEntry {
  /** Each character is one byte (latin1): names need not be text. */
  readonly rawPath: string;
  readonly usedBytes: number;
}

/** How a walk has ended. */
interface WalkEnd {
  /** `complete`, `time`, or another reason why not all was found. */
  readonly end: string;
  /** Undefined unless it is complete. */
  readonly usedBytes: number | undefined;
  readonly unreadableCount: number;
}

/** The largest directories and files of one directory, and what they hold at least, whatever else there is. */
export class FoundEntries {
  readonly #rawRoot: string;
  readonly #largest: Ranking<ListedEntry>;
  /** What was found in directories that are not listed themselves so far, the innermost last. */
  readonly #open: { readonly rawPath: string; usedBytes: number }[] = [];

  constructor(root: string, count: number) {
    this.#rawRoot = Buffer.from(root).toString('latin1');
    const compare = largestFirst<ListedEntry>(
      ({ usedBytes }) => usedBytes,
      ({ rawPath }) => [rawPath],
    );
    this.#largest = new Ranking(count, compare);
  }

  /** Those of a directory come before itself. */
  add(entry: ListedEntry): void {
    if (entry.rawPath === this.#rawRoot) return;
    const { rawPath, usedBytes } = entry;
    while (`${this.#open.at(-1)?.rawPath ?? ''}/`.startsWith(`${rawPath}/`)) this.#open.pop();
    const folder = rawPath.slice(0, rawPath.lastIndexOf('/'));
    const innermost = this.#open.at(-1);
    if (innermost?.rawPath === folder) innermost.usedBytes += usedBytes;
    else this.#open.push({ rawPath: folder, usedBytes });
    this.#largest.add(entry);
  }

  /** `isDirectory`: of a whole path. */
  async walk(
    { end, usedBytes, unreadableCount }: WalkEnd,
    isDirectory: (file: Buffer) => Promise<boolean>,
  ): Promise<Walk> {
    const leastBytes = this.#open.reduce((sum, folder) => sum + folder.usedBytes, 0);
    const entries = this.#largest.top().map(async ({ rawPath, usedBytes: bytes }) => {
      const path = shownPath(rawPath.slice(this.#rawRoot.length));
      return { path, bytes, isDirectory: await isDirectory(Buffer.from(rawPath, 'latin1')) };
    });
    return {
      state: end === 'complete' ? (unreadableCount === 0 ? end : 'unreadable') : end === 'time' ? 'timeout' : 'stopped',
      bytes: usedBytes ?? leastBytes,
      skippedCount: unreadableCount,
      entries: tellingEntries(await Promise.all(entries)),
    };
  }
}

/** What is kept of a path: names of directories may be of any length together. */
const maxPathLength = 1_000;

/** Bytes that are no UTF-8 are `\xNN`. */
function shownPath(rawPath: string): string {
  const bytes = Buffer.from(rawPath, 'latin1');
  const escaped = (byte: string): string => `\\x${byte.charCodeAt(0).toString(16)}`;
  return truncate(isUtf8(bytes) ? bytes.toString() : rawPath.replaceAll(/[\x80-\xff]/g, escaped), maxPathLength);
}

/** Returns the parts with the largest entries of all of them alone. */
export function withLargest(parts: readonly FoundPart[], count: number): readonly FoundPart[] {
  const sizes = parts.flatMap(({ walk }) => walk?.entries.map(({ bytes }) => bytes) ?? []).sort((a, b) => b - a);
  const leastBytes = sizes[count - 1] ?? 0;
  let room = count;
  return parts.map(({ walk, ...part }) => {
    const entries = walk?.entries.filter(({ bytes }) => bytes >= leastBytes).slice(0, room) ?? [];
    room -= entries.length;
    return walk === undefined ? part : { ...part, walk: { ...walk, entries } };
  });
}
