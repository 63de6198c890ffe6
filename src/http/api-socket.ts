import type { IncomingMessage } from 'node:http';

import { WebSocket } from 'ws';

import { messageOf, RequestError, UserError } from '../base/errors.js';
import { oneLine } from '../base/text.js';
import type { Credentials } from '../credentials/credentials.js';
import { objectOf, parseJson, textOf } from '../json/json.js';
import { reasonForStatus } from './api-error.js';
import { readAtMost } from './response-body.js';

export interface SocketRequest {
  /** Begins error messages, such as `port-forward to pod shop/cart-0`. */
  readonly what: string;
  /** Below the server's URL. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Subprotocols, the best one first. */
  readonly protocols: readonly string[];
  /** What `get` and `create` are needed on: servers before 1.35 check the first alone. */
  readonly permission: string;
  /** What a person can use where a proxy is in the way. */
  readonly instead: string;
}

const handshakeTimeoutMs = 30_000;
const maxRefusalBytes = 64 * 1024;

/**
 * Opens a WebSocket to the API server, through which it passes on several channels: `receive` is called with each message, split into
 * the number of its channel and the rest. Throws UserError for a kubeconfig with a proxy, RequestError where the API server refuses.
 */
export async function openApiSocket(
  credentials: Credentials,
  request: SocketRequest,
  receive: (channel: number, content: Buffer) => void,
): Promise<WebSocket> {
  const { what, protocols, instead } = request;
  if (credentials.proxyUrl !== undefined) {
    throw new UserError(`${what}: not possible through the proxy of a kubeconfig: ${instead}`);
  }
  const { headers, tls } = await credentials.material();
  const { serverName, ...certificates } = tls;
  const web = new WebSocket(urlOf(credentials.server, request), [...protocols], {
    ...certificates,
    ...(serverName === undefined ? {} : { servername: serverName }),
    headers: headers as Record<string, string>,
    followRedirects: false,
    perMessageDeflate: false,
    handshakeTimeout: handshakeTimeoutMs,
  });
  web.on('message', (data) => {
    const bytes = Buffer.isBuffer(data) ? data : Buffer.concat(Array.isArray(data) ? data : [Buffer.from(data)]);
    const [channel] = bytes;
    if (channel !== undefined) receive(channel, bytes.subarray(1));
  });
  return new Promise((resolve, reject) => {
    web.once('open', () => {
      resolve(web);
    });
    web.on('error', (error) => {
      reject(new RequestError('connection', `${what}: ${messageOf(error)}`));
    });
    web.once('unexpected-response', (_request, response) => {
      void refusalOf(response, request).then((error) => {
        reject(error);
        web.terminate();
      });
    });
  });
}

function urlOf(server: URL, { path, query }: SocketRequest): URL {
  const url = new URL(server);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  url.pathname = url.pathname.replace(/\/$/, '') + path;
  url.search = query.toString();
  return url;
}

async function refusalOf(response: IncomingMessage, { what, permission }: SocketRequest): Promise<RequestError> {
  const { statusCode: status = 0 } = response;
  const body = await readAtMost(response, maxRefusalBytes).catch(() => undefined);
  const message = textOf(objectOf(parseJson(body?.bytes.toString() ?? ''))['message']) ?? '';
  const hint = status === 403 ? `needs get and create on ${permission}` : oneLine(message);
  return new RequestError(reasonForStatus(status), `${what}: ${status}${hint === '' ? '' : `: ${hint}`}`, { status });
}
