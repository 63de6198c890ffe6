import { once } from 'node:events';
import { Agent, type IncomingMessage, request, type RequestListener, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';

import { describe, expect, it } from 'vitest';

import { UserError } from '../../src/base/errors.js';
import { Listener } from '../../src/server/listener.js';
import { send } from '../support/http-get.js';
import { ManualClock } from '../support/manual-clock.js';
import { RunningServer } from './test-server.js';

const ok: RequestListener = (_request, response) => {
  response.end('ok');
};

function aListener(host: string | undefined, port: number): Listener {
  return new Listener({ host, port, handler: ok, clock: new ManualClock() });
}

/** Requests wait until the test answers them; `next` resolves with the next one's response. */
class HeldRequests {
  readonly #waiting: ((response: ServerResponse) => void)[] = [];

  readonly handler: RequestListener = (_request, response) => {
    this.#waiting.shift()?.(response);
  };

  next(): Promise<ServerResponse> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

describe('start', () => {
  it('picks a free port and reports it', async () => {
    const listener = aListener('127.0.0.1', 0);
    expect(listener.port).toBeUndefined();
    await listener.start();
    expect(listener.port).toBeGreaterThan(0);
    expect((await send({ port: listener.port ?? 0, path: '/' })).text).toBe('ok');
    await listener.close(0);
    expect(listener.port).toBeUndefined();
  });

  it('listens on all interfaces without a host', async () => {
    const listener = aListener(undefined, 0);
    await listener.start();
    expect((await send({ port: listener.port ?? 0, path: '/' })).status).toBe(200);
    await listener.close(0);
  });

  it('has a hint when the port is taken', async () => {
    await using server = await RunningServer.start(ok);
    const second = aListener('127.0.0.1', server.port);
    const error: unknown = await second.start().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({
      message: `cannot listen on 127.0.0.1:${server.port}: another process uses the address; stop it, or choose another --web.listen-address`,
    });
    await second.close(0);
  });

  it('has a hint when the address does not belong to the machine', async () => {
    await expect(aListener('192.0.2.1', 0).start()).rejects.toThrow(
      'cannot listen on 192.0.2.1:0: this machine does not have the address; choose another --web.listen-address',
    );
  });

  // The superuser may listen on any port.
  it.skipIf(process.getuid?.() === 0)('says what to do when the port needs a privilege', async () => {
    await expect(aListener('127.0.0.1', 1).start()).rejects.toThrow(
      /^cannot listen on 127\.0\.0\.1:1: ports below 1024/,
    );
  });

  it('passes on other errors of the system', async () => {
    await expect(aListener('no address', 0).start()).rejects.toThrow(/^cannot listen on no address:0: getaddrinfo /);
  });
});

describe('limits', () => {
  it('accept at most 200 connections, however many wait for responses', async () => {
    const waiting: ServerResponse[] = [];
    await using server = await RunningServer.start((_request, response) => {
      waiting.push(response);
    });
    const sockets = await Promise.all(Array.from({ length: 200 }, () => connected(server.port)));
    for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await expect.poll(() => waiting.length, { interval: 5 }).toBe(200);
    const extra = connect(server.port, '127.0.0.1');
    extra.on('error', () => undefined);
    await once(extra, 'close');
    expect(sockets.every((socket) => !socket.destroyed)).toBe(true);
    for (const socket of sockets) socket.destroy();
  });

  it('end idle connections when a new one is refused, so that the next one succeeds', async () => {
    await using server = await RunningServer.start(ok);
    const sockets = await Promise.all(
      Array.from({ length: 200 }, async () => {
        const socket = await connected(server.port);
        socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
        await once(socket, 'data');
        return socket;
      }),
    );
    const ended = Promise.all(sockets.map((socket) => once(socket.resume(), 'close')));
    await once((await connected(server.port)).resume(), 'close');
    await ended;
    expect((await send({ port: server.port, path: '/' })).text).toBe('ok');
  });

  it('refuse pipelined requests', async () => {
    const begun: ServerResponse[] = [];
    await using server = await RunningServer.start((_request, response) => {
      begun.push(response);
    });
    const socket = await connected(server.port);
    const get = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
    socket.write(get);
    await expect.poll(() => begun.length, { interval: 5 }).toBe(1);
    const ended = begun[0] && once(begun[0], 'close');
    socket.write(get + get);
    await once(socket.resume(), 'close');
    await ended;
    expect(begun).toHaveLength(1);
  });

  it('allow many requests on one connection', async () => {
    await using server = await RunningServer.start(ok);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const answers = await Promise.all(Array.from({ length: 50 }, () => send({ port: server.port, path: '/', agent })));
    expect(answers.map(({ text }) => text)).toEqual(answers.map(() => 'ok'));
    agent.destroy();
  });

  it('pass at most 50 headers to a handler', async () => {
    await using server = await RunningServer.start((incoming, response) => {
      response.end(String(Object.keys(incoming.headers).length));
    });
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`x-${index}`, 'y']));
    const headers = { host: 'localhost', ...many };
    const { status, text } = await send({ port: server.port, path: '/', headers });
    // Newer versions of Node.js refuse the request instead of leaving headers out.
    expect([status, text]).toEqual(status === 431 ? [431, ''] : [200, '50']);
  });
});

describe('close', () => {
  it('resolves at once when it never listened', async () => {
    await aListener('127.0.0.1', 0).close(60_000);
  });

  it('ends idle connections and accepts no new ones', async () => {
    await using server = await RunningServer.start(ok);
    const agent = new Agent({ keepAlive: true });
    await send({ port: server.port, path: '/', agent });
    await server.close(60_000);
    await expect(send({ port: server.port, path: '/' })).rejects.toThrow('ECONNREFUSED');
    agent.destroy();
  });

  it('lets a running response finish and announces the end of the connection', async () => {
    const requests = new HeldRequests();
    const clock = new ManualClock();
    await using server = await RunningServer.start(requests.handler, clock);
    const begun = requests.next();
    const agent = new Agent({ keepAlive: true });
    const answer = send({ port: server.port, path: '/', agent });
    const response = await begun;
    const closed = server.close(60_000);
    response.end('late');
    expect(await answer).toMatchObject({ status: 200, text: 'late', headers: { connection: 'close' } });
    await closed;
    expect(clock.sleeperCount).toBe(0);
    agent.destroy();
  });

  it('ends the connection of a half-sent response after its end', async () => {
    const requests = new HeldRequests();
    await using server = await RunningServer.start(requests.handler);
    const begun = requests.next();
    const agent = new Agent({ keepAlive: true });
    const outgoing = request({ host: '127.0.0.1', port: server.port, agent }).end();
    const response = await begun;
    response.write('first ');
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    const closed = server.close(60_000);
    response.end('second');
    expect(Buffer.concat(await incoming.toArray()).toString()).toBe('first second');
    await closed;
    agent.destroy();
  });

  it('waits for clients at most for the grace period', async () => {
    const requests = new HeldRequests();
    const clock = new ManualClock();
    await using server = await RunningServer.start(requests.handler, clock);
    const begun = requests.next();
    const answer = send({ port: server.port, path: '/' }).catch((error: unknown) => error);
    await begun;
    let isClosed = false;
    const closed = server.close(10_000).then(() => {
      isClosed = true;
    });
    await clock.advance(9_999);
    expect(isClosed).toBe(false);
    await clock.advance(1);
    await closed;
    expect(await answer).toMatchObject({ code: 'ECONNRESET' });
  });

  it('waits for connections without a request at most for the grace period', async () => {
    const clock = new ManualClock();
    await using server = await RunningServer.start(ok, clock);
    const socket = await connected(server.port);
    const ended = once(socket, 'close');
    const closed = server.close(10_000);
    await clock.advance(10_000);
    await closed;
    await ended;
  });
});
