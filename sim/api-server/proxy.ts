import { type IncomingHttpHeaders, type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { pipeline } from 'node:stream/promises';

import { messageOf } from '../../src/lib/base/errors.js';
import type { KeyPair } from '../certificates.js';
import { unavailable } from './error.js';

export interface ProxyDestination {
  readonly scheme: 'http' | 'https';
  /** The port that the client named, for messages. */
  readonly port: number | string;
  /** The port of 127.0.0.1; undefined if nobody listens. */
  readonly listensOn: number | undefined;
  /** What the API server verifies a kubelet with, and proves itself to it. It does not verify pods. */
  readonly kubelet?: { readonly keyPair: KeyPair; readonly ca: string };
}

/** Headers of one connection, which a proxy does not forward. https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1 */
const connectionHeaders = ['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'];

/**
 * Forwards a request without its credentials, and the response. Throws a 503 without one. `/proxy` alone is redirected to
 * `/proxy/`.
 */
export async function forward(
  incoming: IncomingMessage,
  response: ServerResponse,
  destination: ProxyDestination,
): Promise<void> {
  const { pathname, search } = new URL(incoming.url ?? '/', 'https://kubernetes');
  const path = proxiedPath(pathname);
  if (path === '') {
    response.writeHead(301, { Location: `${pathname}/${search}` }).end();
    return;
  }
  const answer = await send(incoming, path + search, { response, destination });
  for (const [name, value] of Object.entries(endToEnd(answer.headers))) response.setHeader(headerCase(name), value);
  response.writeHead(answer.statusCode ?? 502);
  await pipeline(answer, response);
}

async function send(
  incoming: IncomingMessage,
  path: string,
  { response, destination }: { readonly response: ServerResponse; readonly destination: ProxyDestination },
): Promise<IncomingMessage> {
  const { scheme, port, listensOn, kubelet } = destination;
  const refused = `dial tcp 127.0.0.1:${port}: connect: connection refused`;
  if (listensOn === undefined) throw unreachable(refused);
  const headers = endToEnd({ ...incoming.headers, authorization: undefined });
  const tls = kubelet === undefined ? { rejectUnauthorized: false } : { ...kubelet.keyPair, ca: kubelet.ca };
  return new Promise((resolve, reject) => {
    const target = { host: '127.0.0.1', port: listensOn, path, method: incoming.method, headers, agent: false };
    const outgoing = scheme === 'https' ? httpsRequest({ ...target, ...tls }, resolve) : httpRequest(target, resolve);
    response.once('close', () => outgoing.destroy());
    outgoing.once('error', (error) => {
      reject(unreachable(error.message.includes('ECONNREFUSED') ? refused : messageOf(error)));
    });
    incoming.pipe(outgoing);
  });
}

function unreachable(problem: string): Error {
  return unavailable(`error trying to reach service: ${problem}`);
}

/** What follows `proxy`, decoded and encoded again as Go does: `%2F` becomes `/`. */
function proxiedPath(pathname: string): string {
  const [, rest = ''] = /^\/api\/v1\/(?:namespaces\/[^/]+\/)?[^/]+\/[^/]+\/proxy(.*)$/.exec(pathname) ?? [];
  return encodeURI(decodeURIComponent(rest)).replaceAll(/[?#!'()*]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
}

function endToEnd(headers: IncomingHttpHeaders): Readonly<Record<string, string | string[]>> {
  const kept = Object.entries(headers).filter(
    (header): header is [string, string | string[]] =>
      header[1] !== undefined && !connectionHeaders.includes(header[0]),
  );
  return Object.fromEntries(kept);
}

function headerCase(name: string): string {
  return name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());
}
