import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

import { goJson } from '../model/object-format.js';
import type { ApiError } from './error.js';

const compress = promisify(gzip);

/** Lists above this size are compressed for clients that accept it. */
const compressedFromBytes = 128 * 1024;
/** Go sends bodies up to its buffer with a length, larger ones in chunks. */
const bufferBytes = 2048;

/** Headers of flow control, which proxied, unauthenticated and some forbidden requests do not reach. */
export const flowControlHeaders = {
  'X-Kubernetes-Pf-Flowschema-Uid': '9a1ed2ba-1a3c-4b5e-8f6d-6f0f0a4b7c01',
  'X-Kubernetes-Pf-Prioritylevel-Uid': '9a1ed2ba-1a3c-4b5e-8f6d-6f0f0a4b7c02',
};

export async function sendJson(
  response: ServerResponse,
  body: object,
  options: { readonly status?: number; readonly acceptsGzip?: boolean; readonly indent?: number } = {},
): Promise<void> {
  const text = Buffer.from(goJson(body, options.indent) + (options.indent === undefined ? '\n' : ''));
  const isCompressed = options.acceptsGzip === true && text.length > compressedFromBytes;
  if (isCompressed) {
    response.setHeader('Content-Encoding', 'gzip');
    response.setHeader('Vary', 'Accept-Encoding');
  }
  const sent = isCompressed ? await compress(text, { level: 4 }) : text;
  const framing =
    sent.length > bufferBytes ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': String(sent.length) };
  response.writeHead(options.status ?? 200, { 'Content-Type': 'application/json', ...framing });
  response.end(sent);
}

export async function sendError(response: ServerResponse, error: ApiError): Promise<void> {
  const retryAfterSeconds = error.details?.retryAfterSeconds;
  if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', String(retryAfterSeconds));
  if (error.code === 403) response.setHeader('X-Content-Type-Options', 'nosniff');
  await sendJson(response, error.toStatus(), { status: error.code, ...(error.code === 406 && { indent: 2 }) });
}

export function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(text)),
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(text);
}
