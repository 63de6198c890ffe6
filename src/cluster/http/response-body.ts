import type { IncomingMessage } from 'node:http';
import { addAbortSignal, pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';

import { RequestError } from '../../lib/base/errors.js';
import { requestFailure } from './request-failure.js';

/**
 * The decompressed bytes of a response. The connection is closed at once when the signal aborts or the reader stops
 * early. Reading throws RequestError when the connection breaks. `what` names the request.
 */
export function responseBody(response: IncomingMessage, what: string, signal: AbortSignal): AsyncIterable<Buffer> {
  response.on('error', () => undefined); // while nobody reads
  return readResponse(addAbortSignal(signal, response), what, signal);
}

/** At most `maxBytes` of a body. `isComplete` is false when the body is longer. */
export async function readAtMost(
  body: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<{ readonly bytes: Buffer; readonly isComplete: boolean }> {
  const chunks: Buffer[] = [];
  let byteCount = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    byteCount += chunk.length;
    if (byteCount > maxBytes) return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isComplete: false };
  }
  return { bytes: Buffer.concat(chunks, byteCount), isComplete: true };
}

async function* readResponse(
  response: IncomingMessage,
  what: string,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  try {
    signal.throwIfAborted(); // a response that was destroyed before its first read may end without an error
    yield* decompressed(response, what);
  } catch (error) {
    signal.throwIfAborted();
    throw requestFailure(error, what);
  } finally {
    response.destroy();
  }
}

/** Some servers and proxies compress although the request excludes it. */
function decompressed(response: IncomingMessage, what: string): AsyncIterable<Buffer> {
  const encoding = response.headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (encoding === 'identity') return response;
  if (encoding === 'gzip' || encoding === 'x-gzip') return gunzipped(response, what);
  // A longer one is no encoding, and may repeat credentials.
  const quote = encoding.length <= 20 ? JSON.stringify(encoding) : `of ${encoding.length} characters`;
  throw new RequestError('decode', `${what}: unsupported content encoding ${quote}`);
}

/** Below it, any ratio: a reader's own limits come first. */
const unlimitedBytes = 16 * 1024 * 1024;
/**
 * Data that repeats itself at a distance of 1 KiB, as the smallest API objects do, is 187 times as large as its compressed
 * form at most: 258 bytes take at least 11 bits. Real lists have ratios of 20. Deflate's own limit is 1,032.
 * https://www.rfc-editor.org/rfc/rfc1951#section-3.2.5
 */
const maxRatio = 200;

/** Decompressed outside of the event loop. Throws RequestError `too_large` for a body made to expand without limit. */
async function* gunzipped(response: IncomingMessage, what: string): AsyncGenerator<Buffer, void, undefined> {
  const gunzip = createGunzip({ chunkSize: 64 * 1024 });
  let byteCount = 0;
  for await (const chunk of pipeline(response, gunzip, () => undefined) as AsyncIterable<Buffer>) {
    byteCount += chunk.length;
    if (byteCount > unlimitedBytes && byteCount > maxRatio * gunzip.bytesWritten) {
      const ratio = `${byteCount} bytes from ${gunzip.bytesWritten}`;
      throw new RequestError('too_large', `${what}: the compressed body expands more than ${maxRatio} times: ${ratio}`);
    }
    yield chunk;
  }
}
