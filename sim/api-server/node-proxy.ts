import type { IncomingMessage, ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { pipeline } from 'node:stream/promises';

import { messageOf } from '../../src/base/errors.js';
import type { KeyPair } from '../certificates.js';
import { ApiError } from './error.js';

export interface ProxyTarget {
  readonly port: number;
  /** Path and query. */
  readonly path: string;
  readonly method: string;
}

export interface NodeProxyOptions {
  /** The client certificate of the API server for kubelets. */
  readonly keyPair: KeyPair;
  readonly ca: string;
}

/** The proxy of the API server to a kubelet. Forwards the kubelet's response; responds with 503 if there is none. */
export async function proxyToKubelet(
  target: ProxyTarget,
  response: ServerResponse,
  { keyPair, ca }: NodeProxyOptions,
): Promise<void> {
  const answer = await requestKubelet(target, response, { keyPair, ca });
  const headers = ['content-type', 'content-length', 'x-content-type-options', 'location'] as const;
  for (const name of headers) {
    const value = answer.headers[name];
    if (value !== undefined) response.setHeader(headerCase(name), value);
  }
  response.writeHead(answer.statusCode ?? 502);
  await pipeline(answer, response);
}

async function requestKubelet(
  { port, path, method }: ProxyTarget,
  response: ServerResponse,
  { keyPair, ca }: NodeProxyOptions,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = httpsRequest({ host: '127.0.0.1', port, path, method, ...keyPair, ca, agent: false }, resolve);
    response.once('close', () => outgoing.destroy());
    outgoing.once('error', (error) => {
      const problem = error.message.includes('ECONNREFUSED')
        ? `dial tcp 127.0.0.1:${port}: connect: connection refused`
        : messageOf(error);
      reject(new ApiError(503, 'ServiceUnavailable', `error trying to reach service: ${problem}`));
    });
    outgoing.end();
  });
}

function headerCase(name: string): string {
  return name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());
}
