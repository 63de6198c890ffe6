import { describe, expect, it } from 'vitest';

import { AccessControl } from '../../src/access/access-control.js';
import { PasswordChecker } from '../../src/access/password-checker.js';
import { silentLogger } from '../../src/base/logger.js';
import { Guard, type GuardSettings } from '../../src/server/guard.js';
import { send } from '../support/http-get.js';
import { ManualClock } from '../support/manual-clock.js';
import { RunningServer, someRoutes } from './test-server.js';

function settings(overrides: Partial<GuardSettings> = {}): GuardSettings {
  return { headers: new Map(), users: new Map(), rateLimit: undefined, ...overrides };
}

interface GuardedServer extends AsyncDisposable {
  readonly guard: Guard;
  readonly clock: ManualClock;
  readonly status: (path: string) => Promise<number>;
  readonly port: number;
}

async function start(overrides: Partial<GuardSettings>): Promise<GuardedServer> {
  const clock = new ManualClock();
  const compare = (): Promise<boolean> => Promise.reject(new Error('there are no users'));
  const access = new AccessControl({
    passwords: new PasswordChecker({ clock, logger: silentLogger, compare }),
    tokens: undefined,
  });
  const guard = new Guard({ settings: settings(overrides), access, clock });
  const server = await RunningServer.start(someRoutes({ guard }));
  const { port } = server;
  return {
    guard,
    clock,
    port,
    status: async (path) => (await send({ port, path })).status,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

describe('headers', () => {
  const headers = new Map([
    ['X-Frame-Options', 'deny'],
    ['Content-Security-Policy', "default-src 'self'"],
    ['Strict-Transport-Security', 'max-age=31536000'],
  ]);

  it.each(['/metrics', '/livez', '/nothing', '/api/v1/evictions'])(
    'of the settings are in the response of %s',
    async (path) => {
      await using server = await start({ headers });
      expect((await send({ port: server.port, path })).headers).toMatchObject({
        'x-frame-options': 'deny',
        'content-security-policy': "default-src 'self'",
        'strict-transport-security': 'max-age=31536000',
        'x-content-type-options': 'nosniff',
      });
    },
  );

  it('leave the status page its own policy, which names its script', async () => {
    await using server = await start({ headers });
    const answer = await send({ port: server.port, path: '/' });
    expect(answer.headers['content-security-policy']).toContain('script-src');
    expect(answer.headers['x-frame-options']).toBe('deny');
  });

  it('follow new settings', async () => {
    await using server = await start({ headers });
    server.guard.set(settings());
    expect((await send({ port: server.port, path: '/metrics' })).headers['x-frame-options']).toBeUndefined();
  });
});

describe('a rate limit', () => {
  const rateLimit = { intervalMs: 1_000, burst: 2 };

  it('lets a burst pass, then one request for each interval', async () => {
    await using server = await start({ rateLimit });
    const statuses = [await server.status('/metrics'), await server.status('/'), await server.status('/metrics')];
    expect(statuses).toEqual([200, 200, 429]);
    await server.clock.advance(999);
    expect(await server.status('/metrics')).toBe(429);
    await server.clock.advance(1);
    expect([await server.status('/metrics'), await server.status('/metrics')]).toEqual([200, 429]);
    await server.clock.advance(3_600_000);
    expect([await server.status('/'), await server.status('/'), await server.status('/')]).toEqual([200, 200, 429]);
  });

  it.each(['/livez', '/healthz', '/readyz', '/readyz?verbose'])('leaves %s alone', async (path) => {
    await using server = await start({ rateLimit: { intervalMs: 1_000, burst: 0 } });
    expect([await server.status(path), await server.status('/metrics')]).toEqual([200, 429]);
  });

  it('starts again when it has changed, and ends when it is gone', async () => {
    await using server = await start({ rateLimit });
    for (let count = 0; count < 2; count += 1) await server.status('/metrics');
    server.guard.set(settings({ rateLimit: { ...rateLimit }, headers: new Map([['X-Frame-Options', 'deny']]) }));
    expect(await server.status('/metrics')).toBe(429);
    server.guard.set(settings({ rateLimit: { ...rateLimit, burst: 1 } }));
    expect([await server.status('/metrics'), await server.status('/metrics')]).toEqual([200, 429]);
    server.guard.set(settings());
    expect(await server.status('/metrics')).toBe(200);
  });
});
