// @module-tag sockets

import { describe, expect, it } from 'vitest';

import type { ReadinessCheck } from '../../src/people/query/status.js';
import { type HttpAnswer, send } from '../support/http-get.js';
import { aLogger, aMetricsHandler, RunningServer, someRoutes } from './test-server.js';

type Overrides = NonNullable<Parameters<typeof someRoutes>[0]>;
type MetricsEndpoint = NonNullable<Overrides['metrics']>;

async function answerTo(path: string, method = 'GET', overrides: Overrides = {}): Promise<HttpAnswer> {
  await using server = await RunningServer.start(someRoutes(overrides));
  return await send({ port: server.port, path, method });
}

describe('probes', () => {
  it.each(['/livez', '/healthz', '/-/healthy'])('%s is 200 while the process works, ready or not', async (path) => {
    const readiness = { checks: () => [{ name: 'pods', isOk: false, message: 'not listed yet' }] };
    const answer = await answerTo(path, 'GET', { readiness });
    expect([answer.status, answer.text]).toEqual([200, 'ok\n']);
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
  });

  const ready: readonly ReadinessCheck[] = [
    { name: 'pods', isOk: true, message: 'watched, last progress 5s ago' },
    { name: 'nodes', isOk: true },
  ];
  const waiting: readonly ReadinessCheck[] = [
    { name: 'pods', isOk: false, message: 'not listed yet:\n403' },
    { name: 'nodes', isOk: true },
    { name: 'config', isOk: false, message: 'not loaded' },
  ];

  const partial: readonly ReadinessCheck[] = [
    { name: 'pods in shop', isOk: true },
    { name: 'pods in secret', isOk: false, isOptional: true, message: '403' },
  ];

  it.each([
    ['/readyz', ready, 200, 'ok\n'],
    ['/readyz', partial, 200, 'ok, without pods in secret: 403\n'],
    ['/readyz', [...partial, ...waiting.slice(2)], 503, 'not ready: config: not loaded\n'],
    [
      '/readyz?verbose',
      partial,
      200,
      '[+]pods in shop ok\n[-]pods in secret: 403 (ready without it)\nreadyz check passed\n',
    ],
    ['/readyz', waiting, 503, 'not ready: pods: not listed yet: 403; config: not loaded\n'],
    ['/readyz?verbose', ready, 200, '[+]pods ok: watched, last progress 5s ago\n[+]nodes ok\nreadyz check passed\n'],
    [
      '/readyz?verbose',
      waiting,
      503,
      '[-]pods: not listed yet: 403\n[+]nodes ok\n[-]config: not loaded\nreadyz check failed\n',
    ],
    ['/readyz?verbose=1', ready, 200, '[+]pods ok: watched, last progress 5s ago\n[+]nodes ok\nreadyz check passed\n'],
  ])('%s reports %j', async (path, checks, status, text) => {
    const answer = await answerTo(path, 'GET', { readiness: { checks: () => checks } });
    expect([answer.status, answer.text]).toEqual([status, text]);
  });

  it('/readyz responds to HEAD without a body', async () => {
    const answer = await answerTo('/readyz', 'HEAD');
    expect([answer.status, answer.text]).toEqual([200, '']);
  });
});

it.each(['/metrics', '/federate/metrics', '/(metrics)*', '/:name', '/'])(
  'the path of the metrics can be %s',
  async (metricsPath) => {
    const answer = await answerTo(metricsPath, 'GET', { metricsPath });
    expect([answer.status, answer.text]).toEqual([200, 'up 1\n']);
  },
);

it('the path of the metrics is not a pattern', async () => {
  expect((await answerTo('/anything', 'GET', { metricsPath: '/:name' })).status).toBe(404);
});

it.each(['/', '/pods', '/nodes/node-1', '/api/v1/status', '/api/v1/evictions', '/api/v1/openapi.json'])(
  '%s is an unknown path without a status',
  async (path) => {
    const answer = await answerTo(path, 'GET', { hasStatus: false });
    expect([answer.status, answer.text]).toEqual([404, 'not found\n']);
  },
);

it.each(['/metrics', '/livez', '/readyz'])('%s is served without a status', async (path) => {
  expect((await answerTo(path, 'GET', { hasStatus: false })).status).toBe(200);
});

it.each([
  ['/nodes/', 308, '../nodes'],
  ['/api/v1/nodes/a%2Fb/?only=near&x=?', 308, '../a%2Fb?only=near&x=?'],
  ['/metrics/', 308, '../metrics'],
  ['/status', 302, './'],
])('%s is found at another address, below any prefix', async (path, status, location) => {
  const answer = await answerTo(path);
  expect([answer.status, answer.headers.location]).toEqual([status, location]);
});

it('/-/ready is /readyz', async () => {
  const answer = await answerTo('/-/ready');
  expect([answer.status, answer.text]).toEqual([200, 'ok\n']);
});

describe('an unknown path', () => {
  it.each(['/nothing', '//', '/METRICS', '/metrics/x', '/../etc/passwd', '/-/quit', '/%zz'])(
    'the unknown path %s has the status 404',
    async (path) => {
      const answer = await answerTo(path);
      expect([answer.status, answer.text]).toEqual([404, 'not found\n']);
    },
  );

  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE'])(
    'the method %s is refused everywhere',
    async (method) => {
      for (const path of ['/metrics', '/livez', '/', '/nothing']) {
        const answer = await answerTo(path, method);
        expect([answer.status, answer.headers.allow, answer.text]).toEqual([
          405,
          'GET, HEAD',
          'method not allowed: use GET or HEAD\n',
        ]);
        expect(answer.headers.connection).toBe('close');
      }
    },
  );
});

it('a reload happens when it is enabled', async () => {
  let reloadCount = 0;
  const reload = (): Promise<void> => {
    reloadCount += 1;
    return Promise.resolve();
  };
  const answer = await answerTo('/-/reload', 'POST', { reload });
  expect([answer.status, answer.text, reloadCount]).toEqual([200, 'reloaded\n', 1]);
});

it('a reload is refused when it is not enabled', async () => {
  const answer = await answerTo('/-/reload', 'POST');
  expect(answer.status).toBe(403);
  expect(answer.text).toContain('--web.enable-lifecycle');
});

it.each(['GET', 'HEAD', 'PUT'])('a reload does not happen on %s', async (method) => {
  const reload = (): Promise<void> => Promise.reject(new Error('must not be called'));
  const answer = await answerTo('/-/reload', method, { reload });
  expect([answer.status, answer.headers.allow]).toEqual([405, 'POST']);
});

it('a failed reload sends no reason to the client and logs nothing itself', async () => {
  const logger = aLogger();
  const reload = (): Promise<void> => Promise.reject(new Error('/etc/secret.yaml: bad'));
  const answer = await answerTo('/-/reload', 'POST', { reload, logger });
  expect([answer.status, answer.text]).toEqual([500, 'reload failed: see the log\n']);
  expect(logger.lines).toEqual([]);
});

it('a bug is one constant line for the client', async () => {
  const logger = aLogger();
  const readiness = {
    checks: (): never => {
      throw new Error('secret in /srv/app.js');
    },
  };
  const answer = await answerTo('/readyz', 'GET', { readiness, logger });
  expect([answer.status, answer.text]).toEqual([500, 'internal error\n']);
  expect(logger.lines).toEqual(['error request failed {"error":"secret in /srv/app.js"}']);
});

it('a bug in the middle of a response ends the connection', async () => {
  const metrics: MetricsEndpoint = {
    handle: (_request, response) => {
      response.write('half');
      return Promise.reject(new Error('secret in /srv/app.js'));
    },
  };
  await expect(answerTo('/metrics', 'GET', { metrics })).rejects.toMatchObject({ code: 'ECONNRESET' });
});

it('a response does not reveal the framework', async () => {
  const answer = await answerTo('/metrics', 'GET', { metrics: aMetricsHandler() });
  expect(answer.headers['x-powered-by']).toBeUndefined();
  expect(answer.headers.etag).toBeUndefined();
  expect(answer.headers['x-content-type-options']).toBe('nosniff');
});
