import type { IncomingMessage, ServerResponse } from 'node:http';
import { request } from 'node:https';
import { pipeline } from 'node:stream/promises';

import { messageOf } from '../../src/base/errors.js';
import type { Upgrade } from '../https-listener.js';
import { ApiError } from './error.js';
import type { ProxyDestination } from './proxy.js';

export interface UpgradedExchange {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  readonly upgrade: Upgrade;
}

/** Passes an upgrade on to a kubelet, without the client's credentials, and the bytes of both sides; or the kubelet's refusal. */
export async function forwardUpgrade(
  { incoming, response, upgrade: { socket, head } }: UpgradedExchange,
  path: string,
  { listensOn: port, kubelet }: Pick<ProxyDestination, 'listensOn' | 'kubelet'>,
): Promise<void> {
  const headers = Object.fromEntries(Object.entries(incoming.headers).filter(([name]) => name !== 'authorization'));
  await new Promise<void>((resolve, reject) => {
    const outgoing = request({
      host: '127.0.0.1',
      port,
      path,
      headers,
      agent: false,
      ...kubelet?.keyPair,
      ca: kubelet?.ca,
    });
    socket.once('close', () => outgoing.destroy());
    outgoing.once('upgrade', (answer, backend, backendHead) => {
      response.detachSocket(socket);
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headerLines(answer)}\r\n`);
      backend.unshift(backendHead);
      socket.unshift(head);
      backend.pipe(socket).pipe(backend);
      backend
        .on('error', () => undefined)
        .once('close', () => {
          socket.destroySoon();
        });
      socket.once('close', () => {
        backend.destroy();
        resolve();
      });
    });
    outgoing.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, { 'Content-Type': answer.headers['content-type'] });
      pipeline(answer, response).then(resolve, reject);
    });
    outgoing.once('error', (error) => {
      const isRefused = error.message.includes('ECONNREFUSED');
      const problem = isRefused ? `dial tcp 127.0.0.1:${String(port)}: connect: connection refused` : messageOf(error);
      reject(new ApiError(500, 'InternalError', `error dialing backend: ${problem}`));
    });
    outgoing.end();
  });
}

function headerLines({ rawHeaders }: IncomingMessage): string {
  return rawHeaders.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('');
}
