import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';

import { beforeAll, expect, it } from 'vitest';

import type { WebTls } from '../../src/config/web/web-config.js';
import { TestAuthority } from '../support/certificates.js';
import { ManualClock } from '../support/manual-clock.js';
import { tlsSettings } from '../support/tls-settings.js';
import { RunningServer } from './test-server.js';

const body = 'x'.repeat(2 ** 20);
const interim = 'HTTP/1.1 100 Continue\r\n\r\n';

let tls: WebTls;
beforeAll(async () => {
  const authority = await TestAuthority.create();
  tls = tlsSettings(await authority.issueServer());
});

/** A server whose response to one request waits for the test. */
class HeldServer implements AsyncDisposable {
  readonly clock = new ManualClock();
  /** The client has closed its half of the connection. */
  readonly halfClosed: Promise<ServerResponse>;
  #begun: (response: Promise<ServerResponse>) => void = () => undefined;
  #server: RunningServer | undefined;

  private constructor() {
    this.halfClosed = new Promise((resolve) => {
      this.#begun = resolve;
    });
  }

  static async start(settings?: WebTls): Promise<HeldServer> {
    const held = new HeldServer();
    const handler: RequestListener = ({ socket }, response) => {
      held.#begun(once(socket, 'end').then(() => response));
    };
    held.#server = await RunningServer.start(handler, held.clock, { tls: settings });
    return held;
  }

  /** Sends the request, and closes this half. */
  connect(scheme: string, version = '1.1'): Socket {
    const options = { host: '127.0.0.1', port: this.#server?.port ?? 0, allowHalfOpen: true };
    const socket = scheme === 'https' ? connectTls({ ...options, rejectUnauthorized: false }) : connect(options);
    return socket.end(`GET / HTTP/${version}\r\nHost: localhost\r\n\r\n`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
  }
}

it.each(['http', 'https'])('a half-closed client gets the whole response, then the end: %s', async (scheme) => {
  await using server = await HeldServer.start(scheme === 'https' ? tls : undefined);
  const socket = server.connect(scheme);
  const received = text(socket);
  (await server.halfClosed).end(body);
  expect(await received).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nx{1048576}$/);
  expect(server.clock.sleeperCount).toBe(0);
});

it('a half-closed client gets an interim response each second until its response begins', async () => {
  await using server = await HeldServer.start();
  const received = text(server.connect('http'));
  const response = await server.halfClosed;
  await server.clock.advance(2_999);
  response.write(body);
  await server.clock.advance(5_000);
  expect(server.clock.sleeperCount).toBe(0);
  response.end();
  const [before, after] = (await received).split('HTTP/1.1 200 OK');
  expect(before).toBe(interim.repeat(2));
  expect(after).not.toContain(interim);
});

it('a half-closed client gets no interim response with HTTP/1.0, which has none', async () => {
  await using server = await HeldServer.start();
  const received = text(server.connect('http', '1.0'));
  const response = await server.halfClosed;
  await server.clock.advance(5_000);
  response.end(body);
  expect(await received).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
});

it.each(['http', 'https'])('a half-closed client is noticed when it has left: %s', async (scheme) => {
  await using server = await HeldServer.start(scheme === 'https' ? tls : undefined);
  const socket = server.connect(scheme);
  socket.on('error', () => undefined);
  const response = await server.halfClosed;
  socket.destroy();
  await expect
    .poll(
      async () => {
        await server.clock.advance(1_000);
        return response.destroyed;
      },
      { interval: 5 },
    )
    .toBe(true);
  expect(response.writableFinished).toBe(false);
  expect(server.clock.sleeperCount).toBe(0);
});

it('a connection ends when its client closes its half between two requests', async () => {
  await using server = await RunningServer.start((_request, response) => {
    response.end('ok');
  });
  const socket = connect({ host: '127.0.0.1', port: server.port, allowHalfOpen: true });
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(socket, 'data');
  const ended = once(socket.resume(), 'end');
  socket.end();
  await ended;
});
