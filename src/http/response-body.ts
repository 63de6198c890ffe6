import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';

import { RequestError } from '../base/errors.js';
import { requestFailure } from './request-failure.js';

/**
 * The decompressed bytes of an answer. The connection is closed at once when the signal aborts or the reader stops
 * early; when it breaks, reading throws RequestError. `what` names the request.
 */
export function responseBody(response: IncomingMessage, what: string, signal: AbortSignal): AsyncIterable<Buffer> {
  const onAbort = (): void => {
    response.destroy();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  response.once('close', () => {
    signal.removeEventListener('abort', onAbort);
  });
  response.on('error', () => undefined); // while nobody reads
  if (signal.aborted) onAbort();
  return readBody(response, what, signal);
}

async function* readBody(
  response: IncomingMessage,
  what: string,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* decompressed(response, what);
  } catch (error) {
    signal.throwIfAborted();
    throw requestFailure(error, what);
  } finally {
    response.destroy();
  }
}

function decompressed(response: IncomingMessage, what: string): AsyncIterable<Buffer> {
  const encoding = response.headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (encoding === 'identity') return response;
  if (encoding === 'gzip' || encoding === 'x-gzip') return pipeline(response, createGunzip(), () => undefined);
  throw new RequestError('decode', `${what}: the answer is encoded as ${encoding} although no encoding was asked for`);
}
