import type { IncomingMessage } from 'node:http';

import { ApiError } from './error.js';

const largestBodyBytes = 64 * 1024;

/** Throws an ApiError for one that is too large. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > largestBodyBytes) {
      throw new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${largestBodyBytes}`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
