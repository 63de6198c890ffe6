// @module-tag sockets

import { connect } from 'node:net';

import { describe, expect, it } from 'vitest';

import { type HttpAnswer, send } from '../support/http-get.js';
import { ManualClock } from '../support/manual-clock.js';
import { aMoment, aStatus } from '../support/status-builders.js';
import { aLogger, aStatusHandler, type RecordingLogger, RunningServer, someRoutes } from './test-server.js';

interface Asked {
  readonly answer: HttpAnswer;
  readonly readCount: number;
  readonly logger: RecordingLogger;
}

async function ask(path: string, method = 'GET', read = () => Promise.resolve(aMoment())): Promise<Asked> {
  let readCount = 0;
  const source = {
    read: () => {
      readCount += 1;
      return read();
    },
  };
  const logger = aLogger();
  const status = aStatusHandler({ source, metricsPath: '/federate/metrics' });
  await using server = await RunningServer.start(someRoutes({ status, logger }));
  const answer = await send({ port: server.port, path, method, headers: path === '/' ? { accept: 'text/html' } : {} });
  return { answer, readCount, logger };
}

it('the status page is HTML that is not kept and runs and loads nothing but its own', async () => {
  const { answer } = await ask('/');
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(answer.headers['referrer-policy']).toBe('no-referrer');
  expect(answer.headers['content-security-policy']).toMatch(
    /^default-src 'none'; style-src 'sha256-\S+'; script-src 'sha256-\S+'; connect-src 'self'; /,
  );
  expect(answer.text).toContain('>Ephemeral Storage Exporter</a>');
});

it('the overview is a text for whoever asks for no page', async () => {
  const { answer } = await ask('/?width=80');
  expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
  expect(answer.text).toMatch(/^No problems: [^]*\n\nNext to be evicted:\n[^]*\n\nDisks in trouble: /);
});

it('the status page has relative links, so that it may be served below any prefix', async () => {
  const { answer } = await ask('/');
  for (const href of ['./federate/metrics', './api/v1/status', './readyz?verbose', './livez']) {
    expect(answer.text).toContain(`href="${href}"`);
  }
});

it('the status page alone has a policy that allows anything', async () => {
  for (const path of ['/api/v1/status', '/readyz', '/nothing']) {
    const { answer } = await ask(path);
    expect(answer.headers['content-security-policy']).not.toMatch(/script-src|connect-src/);
  }
});

it('the status as JSON is the same as data, without what is not known', async () => {
  const { answer } = await ask('/api/v1/status');
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(answer.text.endsWith('}\n')).toBe(true);
  expect(JSON.parse(answer.text)).toEqual(JSON.parse(JSON.stringify(aStatus())));
});

describe.each(['/', '/api/v1/status'])('the path %s', (path) => {
  it('HEAD of a status is answered without making one', async () => {
    const { answer, readCount } = await ask(path, 'HEAD');
    expect([answer.status, answer.text, readCount]).toEqual([200, '', 0]);
    expect(answer.headers['content-type']).toMatch(/^(?:text\/html|application\/json);/);
  });

  it('a fault of a status is not shown to clients', async () => {
    const { answer, logger } = await ask(path, 'GET', () => Promise.reject(new Error('secret in /srv/app.js')));
    expect([answer.status, answer.text]).toEqual([500, 'internal error\n']);
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(logger.lines).toEqual(['error request failed {"error":"secret in /srv/app.js"}']);
  });

  it('a status takes no other method', async () => {
    const { answer, readCount } = await ask(path, 'POST');
    expect([answer.status, answer.headers.allow, readCount]).toEqual([405, 'GET, HEAD', 0]);
  });
});

it.each(['/', '/api/v1/status', '/pods', '/api/v1/nodes/node-1'])(
  '%s that is not made within 20 s is answered with 503 and one line',
  async (path) => {
    const clock = new ManualClock();
    const source = { read: () => new Promise<never>(() => undefined) };
    await using server = await RunningServer.start(someRoutes({ status: aStatusHandler({ source, clock }) }));
    const answering = send({ port: server.port, path });
    await expect.poll(() => clock.sleeperCount).toBe(2);
    await clock.advance(20_000);
    const { status: code, text, headers } = await answering;
    expect([code, text]).toEqual([503, 'no answer within 20 s: the exporter is busy; try again\n']);
    expect([headers['content-type'], headers['retry-after']]).toEqual(['text/plain; charset=utf-8', '1']);
  },
);

describe('clients of the status that do not read', () => {
  const huge = aStatus({ configuration: 'x'.repeat(2 ** 25) });
  const moment = aMoment(huge);
  const stalled = (port: number) => {
    const socket = connect(port, '127.0.0.1').pause();
    socket.on('error', () => undefined); // a reset, from here on
    socket.write('GET /api/v1/status HTTP/1.1\r\nHost: x\r\n\r\n');
    return socket;
  };

  it('many clients that do not read give way to those who read', async () => {
    await using server = await RunningServer.start(someRoutes({ status: aStatusHandler({ moment }) }));
    const sockets = Array.from({ length: 60 }, () => stalled(server.port));
    for (let count = 0; count < 5; count += 1) {
      const answer = await send({ port: server.port, path: '/api/v1/status' });
      expect([answer.status, answer.text.endsWith('}\n')]).toEqual([200, true]);
    }
    for (const socket of sockets) socket.destroy();
  });

  it('a client that does not read the status loses its connection', async () => {
    const clock = new ManualClock();
    await using server = await RunningServer.start(someRoutes({ status: aStatusHandler({ moment, clock }) }));
    const socket = stalled(server.port);
    await expect.poll(() => clock.sleeperCount).toBe(2);
    await clock.advance(5_000);
    let receivedBytes = 0;
    socket.on('data', (data) => (receivedBytes += data.length)).resume();
    await expect.poll(() => socket.closed).toBe(true);
    expect(receivedBytes).toBeLessThan(huge.configuration.length);
  });
});
