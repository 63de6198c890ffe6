import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { constants, createGzip } from 'node:zlib';

/** Written to the socket, or to the compressor, at once. */
const groupBytes = 256 * 1_024;

/**
 * Writes the chunks without copying them. Waits for a slow reader, which costs one group of memory, and otherwise yields
 * to the event loop after each group. Resolves when the last byte was handed to the system; rejects when `signal` aborts.
 */
export async function sendPlain(response: Writable, chunks: readonly Buffer[], signal: AbortSignal): Promise<void> {
  for (const group of groupsOf(chunks)) {
    await (response.writableNeedDrain ? once(response, 'drain', { signal }) : nextTurn());
    signal.throwIfAborted();
    response.cork();
    for (const chunk of group) response.write(chunk);
    response.uncork();
  }
  signal.throwIfAborted();
  response.end();
  await once(response, 'finish', { signal });
}

/** The same with gzip, off the event loop. Level 1: a higher level takes twice the time to save a few percent. */
export async function sendGzipped(response: Writable, chunks: readonly Buffer[], signal: AbortSignal): Promise<void> {
  const gzip = createGzip({ level: constants.Z_BEST_SPEED, chunkSize: 64 * 1_024 });
  try {
    await pipeline(joinedGroups(chunks), gzip, response, { signal });
  } catch (error) {
    signal.throwIfAborted(); // what the pipeline throws after an abort depends on the version of Node.js
    throw error;
  }
}

/** Small chunks are joined: each write to the compressor is a round trip to another thread. */
function* joinedGroups(chunks: readonly Buffer[]): Iterable<Buffer> {
  for (const group of groupsOf(chunks)) yield Buffer.concat(group);
}

function* groupsOf(chunks: readonly Buffer[]): Iterable<readonly Buffer[]> {
  let group: Buffer[] = [];
  let bytes = 0;
  for (const chunk of chunks) {
    group.push(chunk);
    bytes += chunk.length;
    if (bytes < groupBytes) continue;
    yield group;
    group = [];
    bytes = 0;
  }
  if (group.length > 0) yield group;
}
