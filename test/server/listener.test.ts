// @module-tag sockets

import { type EventEmitter, once } from 'node:events';
import { Agent, type IncomingMessage, request, type RequestListener, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';

import { describe, expect, it } from 'vitest';

import { UserError } from '../../src/lib/base/errors.js';
import { silentLogger } from '../../src/lib/base/logger.js';
import { Connections } from '../../src/serve/server/connections.js';
import { Listener } from '../../src/serve/server/listener.js';
import { send } from '../support/http-get.js';
import { ManualClock } from '../support/manual-clock.js';
import { aLogger, RunningServer, someRoutes } from './test-server.js';

const ok: RequestListener = (_request, response) => {
  response.end('ok');
};

function aListener(host: string | undefined, port: number): Listener {
  const shared = { clock: new ManualClock(), logger: silentLogger };
  const connections = new Connections({ maxCount: 400, ...shared });
  return new Listener({ host, port, tls: undefined, handler: ok, connections, ...shared });
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

interface ConnectOptions {
  readonly port: number;
  /** The own address, of this machine. */
  readonly localAddress?: string;
  /** Sent at once. */
  readonly sends?: string;
}

async function connected(options: ConnectOptions): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', ...options });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  if (options.sends !== undefined) socket.write(options.sends);
  return socket;
}

function manyConnected(count: number, options: ConnectOptions): Promise<readonly Socket[]> {
  return Promise.all(Array.from({ length: count }, () => connected(options)));
}

/** A connection on which a request has been answered. */
async function served(options: ConnectOptions): Promise<Socket> {
  const socket = await connected({ ...options, sends: get('/') });
  await once(socket, 'data');
  return socket;
}

function allServed(count: number, options: ConnectOptions): Promise<readonly Socket[]> {
  return Promise.all(Array.from({ length: count }, () => served(options)));
}

async function servedAgain(socket: Socket | undefined): Promise<void> {
  if (socket === undefined) throw new Error('no connection');
  socket.write(get('/'));
  expect(String(await once(socket, 'data'))).toContain('200 OK');
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
}

/** More than the system takes from a server whose client does not read. */
const unsent = Buffer.alloc(16 * 2 ** 20);

/** A connection with one response that was ended and cannot be sent yet, and another request behind it. */
async function requestBehindAnother(): Promise<
  AsyncDisposable & {
    readonly server: RunningServer;
    readonly socket: Socket;
    readonly begun: readonly ServerResponse[];
  }
> {
  const begun: ServerResponse[] = [];
  const server = await RunningServer.start((_request, response) => {
    begun.push(response);
    response.end(unsent);
  });
  const socket = await connected({ port: server.port, sends: get('/') });
  await once(socket, 'readable');
  socket.write(get('/'));
  await expect.poll(() => begun[0]?.socket?.bytesRead, { interval: 5 }).toBe(2 * get('/').length);
  const end = async (): Promise<void> => {
    socket.destroy();
    await server[Symbol.asyncDispose]();
  };
  return { server, socket, begun, [Symbol.asyncDispose]: end };
}

/** Resolves after so many bodies, or with the end of the connection. Headers are far shorter than a body. */
async function readBodies(socket: Socket, count = Infinity): Promise<void> {
  let byteCount = 0;
  for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    byteCount += chunk.length;
    if (byteCount > count * unsent.length) return;
  }
}

/** Keeps `count` connections open whose request never ends, and opens a new one for each that is closed. */
function renewedSlowloris(count: number, port: number): Disposable & { readonly closedCount: number } {
  const sockets = new Set<Socket>();
  const attack = { closedCount: 0, isOver: false };
  const open = (): void => {
    const socket = connect(port, '127.0.0.1');
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('connect', () => socket.write('GET /metrics HTTP/1.1\r\nHost: localhost\r\n'));
    socket.on('close', () => {
      sockets.delete(socket);
      attack.closedCount += 1;
      if (!attack.isOver) open();
    });
  };
  for (let index = 0; index < count; index += 1) open();
  return {
    get closedCount() {
      return attack.closedCount;
    },
    [Symbol.dispose]: () => {
      attack.isOver = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Of all sockets that are closed, in the order of their end. */
function endings(sockets: readonly Socket[]): readonly number[] {
  const ended: number[] = [];
  sockets.forEach((socket, index) => socket.resume().once('close', () => ended.push(index)));
  return ended;
}

describe('Listener.start', () => {
  it('a listener picks a free port and reports it', async () => {
    const listener = aListener('127.0.0.1', 0);
    expect(listener.port).toBeUndefined();
    await listener.start();
    expect(listener.port).toBeGreaterThan(0);
    expect((await send({ port: listener.port ?? 0, path: '/' })).text).toBe('ok');
    await listener.close(0);
    expect(listener.port).toBeUndefined();
  });

  it('a listener listens on all interfaces without a host', async () => {
    const listener = aListener(undefined, 0);
    await listener.start();
    expect((await send({ port: listener.port ?? 0, path: '/' })).status).toBe(200);
    await listener.close(0);
  });

  it('the error of a port that is taken has a hint', async () => {
    await using server = await RunningServer.start(ok);
    const second = aListener('127.0.0.1', server.port);
    const error: unknown = await second.start().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({
      message: `cannot listen on 127.0.0.1:${server.port}: another process uses the address; stop it, or choose another --web.listen-address`,
    });
    await second.close(0);
  });

  it('the error of an address that does not belong to the machine has a hint', async () => {
    await expect(aListener('192.0.2.1', 0).start()).rejects.toThrow(
      'cannot listen on 192.0.2.1:0: this machine does not have the address; choose another --web.listen-address',
    );
  });

  // The superuser may listen on any port.
  it.skipIf(process.getuid?.() === 0)('the error of a port that needs a privilege says what to do', async () => {
    await expect(aListener('127.0.0.1', 1).start()).rejects.toThrow(
      /^cannot listen on 127\.0\.0\.1:1: ports below 1024/,
    );
  });

  it('other errors of the system are passed on', async () => {
    await expect(aListener('no address', 0).start()).rejects.toThrow(/^cannot listen on no address:0: getaddrinfo /);
  });
});

describe('Listener: limits', () => {
  it('pipelined requests are refused', async () => {
    const begun: ServerResponse[] = [];
    await using server = await RunningServer.start((_request, response) => {
      begun.push(response);
    });
    const socket = await connected({ port: server.port });
    socket.write(get('/'));
    await expect.poll(() => begun.length, { interval: 5 }).toBe(1);
    const ended = begun[0] && once(begun[0], 'close');
    socket.write(get('/') + get('/'));
    await once(socket.resume(), 'close');
    await ended;
    expect(begun).toHaveLength(1);
  });

  it('a request waits while the response before it is complete, but not known to have been sent', async () => {
    await using pair = await requestBehindAnother();
    expect(pair.begun).toHaveLength(1);
    await readBodies(pair.socket, 2);
    expect([pair.begun.length, pair.socket.readyState]).toEqual([2, 'open']);
  });

  it('a second request does not wait', async () => {
    const begun: ServerResponse[] = [];
    await using server = await RunningServer.start((_request, response) => {
      begun.push(response);
      response.end(unsent);
    });
    const socket = await connected({ port: server.port, sends: get('/') + get('/') + get('/') });
    await once(socket.resume(), 'close');
    expect(begun).toHaveLength(1);
  });

  it('a request that waits is left unanswered when the listener closes', async () => {
    await using pair = await requestBehindAnother();
    const closed = pair.server.close(60_000);
    await readBodies(pair.socket);
    await closed;
    expect(pair.begun).toHaveLength(1);
  });

  it('many requests are allowed on one connection', async () => {
    await using server = await RunningServer.start(ok);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const answers = await Promise.all(Array.from({ length: 50 }, () => send({ port: server.port, path: '/', agent })));
    expect(answers.map(({ text }) => text)).toEqual(answers.map(() => 'ok'));
    agent.destroy();
  });

  it('no more than 50 headers are passed to a handler', async () => {
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

/** Linux has all addresses of 127.0.0.0/8. */
const secondAddress = '127.0.0.2';

describe('Listener: hostile connections', () => {
  it('connections without a request make room for new ones, the oldest first', async () => {
    await using server = await RunningServer.start(ok);
    const silent: Socket[] = [];
    for (let index = 0; index < 175; index += 1) silent.push(await connected({ port: server.port }));
    const ended = endings(silent);
    const later = await Promise.all([1, 2, 3].map(() => served({ port: server.port })));
    await expect.poll(() => ended, { interval: 5 }).toEqual([0, 1, 2]);
    for (const socket of [...silent, ...later]) socket.destroy();
  });

  it('silent connections never close one that was served, such as the idle connection of Prometheus', async () => {
    await using server = await RunningServer.start(ok);
    const prometheus = await served({ port: server.port });
    const silent = await manyConnected(1_000, { port: server.port });
    const ended = endings(silent);
    await expect.poll(() => ended.length, { interval: 5 }).toBe(1_000 - 174);
    await servedAgain(prometheus);
    for (const socket of [prometheus, ...silent]) socket.destroy();
  });

  it('silent connections never close one whose first request is being answered', async () => {
    const requests = new HeldRequests();
    await using server = await RunningServer.start(requests.handler);
    const begun = requests.next();
    const answer = send({ port: server.port, path: '/' });
    const response = await begun;
    const silent = await manyConnected(500, { port: server.port });
    const ended = endings(silent);
    await expect.poll(() => ended.length, { interval: 5 }).toBe(500 - 174);
    response.end('ok');
    expect((await answer).text).toBe('ok');
    for (const socket of silent) socket.destroy();
  });

  it.skipIf(process.platform !== 'linux')(
    'connections of one address leave those of another one alone, with and without requests',
    async () => {
      await using server = await RunningServer.start(ok);
      const other = await connected({ port: server.port, localAddress: secondAddress });
      const silent = await manyConnected(500, { port: server.port });
      const ended = endings(silent);
      await expect.poll(() => ended.length, { interval: 5 }).toBe(500 - 175);
      const idle = await Promise.all(Array.from({ length: 100 }, () => served({ port: server.port })));
      const refused = await send({ port: server.port, path: '/' });
      expect([refused.status, refused.text]).toEqual([503, 'too many connections\n']);
      expect(refused.headers.connection).toBe('close');
      await servedAgain(other);
      for (const socket of [other, ...silent, ...idle]) socket.destroy();
    },
  );

  it.skipIf(process.platform !== 'linux')(
    'connections of one for each address use all places, and probes are answered',
    async () => {
      await using server = await RunningServer.start(ok);
      const addresses = Array.from({ length: 200 }, (_, index) => `127.0.1.${index + 1}`);
      const idle = await Promise.all(addresses.map((localAddress) => served({ port: server.port, localAddress })));
      expect((await send({ port: server.port, path: '/' })).status).toBe(503);
      for (const path of ['/livez', '/healthz', '/readyz', '/readyz?verbose']) {
        const answer = await send({ port: server.port, path });
        expect([answer.status, answer.headers.connection]).toEqual([200, 'close']);
      }
      await servedAgain(idle[0]);
      idle[1]?.destroy();
      await expect.poll(async () => (await send({ port: server.port, path: '/' })).status, { interval: 5 }).toBe(200);
      for (const socket of idle) socket.destroy();
    },
  );

  it.skipIf(process.platform !== 'linux')(
    'idle connections of the greediest address make room for other addresses, with one line in the log',
    async () => {
      const logger = aLogger();
      const clock = new ManualClock();
      await using server = await RunningServer.start(ok, clock, { logger });
      const { port } = server;
      const prometheus = await served({ port, localAddress: '127.0.0.9' });
      const greedy = await allServed(100, { port, localAddress: '127.0.0.2' });
      const other = await allServed(99, { port, localAddress: '127.0.0.3' });
      await servedAgain(greedy[0]);
      const ended = endings([...greedy, ...other, prometheus]);
      const newcomer = await served({ port, localAddress: '127.0.0.10' });
      await expect.poll(() => ended, { interval: 5 }).toEqual([1]);
      const again = await connected({ port, localAddress: '127.0.0.2', sends: get('/') });
      expect(String(await once(again, 'data'))).toContain('too many connections');
      const later = await allServed(20, { port, localAddress: '127.0.0.11' });
      await expect.poll(() => ended.length, { interval: 5 }).toBe(21);
      expect(ended).not.toContain(greedy.length + other.length);
      await servedAgain(prometheus);
      const line = `warn too many connections of clients: those of the address with the most make room `;
      const fields = { address: '127.0.0.2', connectionCount: 100, openCount: 201, maxCount: 400 };
      expect(logger.lines).toEqual([line + JSON.stringify(fields)]);
      await clock.advance(600_000);
      await served({ port, localAddress: '127.0.0.12' }).then((socket) => socket.destroy());
      expect(logger.lines).toHaveLength(2);
      for (const socket of [prometheus, ...greedy, ...other, newcomer, again, ...later]) socket.destroy();
    },
  );

  it.skipIf(process.platform !== 'linux')('connections with a request under way make room for nobody', async () => {
    const begun: ServerResponse[] = [];
    await using server = await RunningServer.start((_request, response) => begun.push(response));
    const { port } = server;
    const busy = await Promise.all(
      ['127.0.0.2', '127.0.0.3'].map((localAddress) => manyConnected(100, { port, localAddress, sends: get('/') })),
    );
    const ended = endings(busy.flat());
    await expect.poll(() => begun.length, { interval: 5 }).toBe(200);
    expect((await send({ port, path: '/' })).status).toBe(503);
    begun[0]?.end('ok');
    await Promise.race(busy.flat().map((socket) => once(socket, 'data')));
    const newcomer = await connected({ port, sends: get('/') });
    await expect.poll(() => [begun.length, ended.length], { interval: 5 }).toEqual([201, 1]);
    for (const socket of [...busy.flat(), newcomer]) socket.resetAndDestroy();
  });

  it('10,000 connections that send nothing leave every probe answered', async () => {
    await using server = await RunningServer.start(someRoutes());
    const silent: Socket[] = [];
    const statuses: number[] = [];
    for (let count = 0; count < 10_000; count += 500) {
      silent.push(...(await manyConnected(500, { port: server.port })));
      statuses.push((await send({ port: server.port, path: '/livez' })).status);
    }
    expect(statuses).toEqual(statuses.map(() => 200));
    for (const socket of silent) socket.destroy();
  });

  it('a slowloris of 250 that renews itself leaves every probe and scrape answered', async () => {
    await using server = await RunningServer.start(someRoutes());
    using attack = renewedSlowloris(250, server.port);
    await expect.poll(() => attack.closedCount, { interval: 5 }).toBeGreaterThan(500);
    for (const path of ['/livez', '/readyz', '/healthz', '/metrics', '/livez', '/metrics']) {
      expect((await send({ port: server.port, path })).status).toBe(200);
    }
  });
});

it('close resolves at once when the listener never listened', async () => {
  await aListener('127.0.0.1', 0).close(60_000);
});

it('close ends idle connections and accepts no new ones', async () => {
  await using server = await RunningServer.start(ok);
  const agent = new Agent({ keepAlive: true });
  await send({ port: server.port, path: '/', agent });
  await server.close(60_000);
  await expect(send({ port: server.port, path: '/' })).rejects.toThrow('ECONNREFUSED');
  agent.destroy();
});

it('close lets a running response finish and announces the end of the connection', async () => {
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

it('close ends the connection of a half-sent response after its end', async () => {
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

it('close waits for clients at most for the grace period', async () => {
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

it('close waits for connections without a request at most for the grace period', async () => {
  const clock = new ManualClock();
  await using server = await RunningServer.start(ok, clock);
  const socket = await connected({ port: server.port });
  const ended = once(socket, 'close');
  const closed = server.close(10_000);
  await clock.advance(10_000);
  await closed;
  await ended;
});

it('a connection that cannot be accepted is in the log, and others are served', async () => {
  const logger = aLogger();
  /** As Node.js does when the system has no descriptor or memory left. */
  const fail: RequestListener = (request, response) => {
    const { server } = request.socket as unknown as { readonly server: EventEmitter };
    server.emit('error', new Error('accept ENOBUFS'));
    response.end('ok');
  };
  await using server = await RunningServer.start(fail, new ManualClock(), { logger });
  for (let count = 0; count < 2; count += 1) expect((await send({ port: server.port, path: '/' })).text).toBe('ok');
  expect(logger.lines).toContainEqual(expect.stringContaining('a connection could not be accepted'));
});
