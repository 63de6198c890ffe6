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

/** Outside of the event loop. Some servers and proxies compress although the request excludes it. */
function decompressed(response: IncomingMessage, what: string): AsyncIterable<Buffer> {
  const encoding = response.headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (encoding === 'identity') return response;
  if (encoding === 'gzip' || encoding === 'x-gzip')
    return pipeline(response, createGunzip({ chunkSize: 64 * 1024 }), () => undefined);
  // A longer one is no encoding, and may repeat credentials.
  const quote = encoding.length <= 20 ? JSON.stringify(encoding) : `of ${encoding.length} characters`;
  throw new RequestError('decode', `${what}: unsupported content encoding ${quote}`);
}
