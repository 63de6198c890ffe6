// @module-tag sockets

import { request } from 'node:http';

import { describe, expect, it } from 'vitest';

import { plainWeb, type WebConfig } from '../../src/config/web/web-config.js';
import { silentLogger } from '../../src/lib/base/logger.js';
import { PasswordChecker } from '../../src/serve/access/password-checker.js';
import { TokenReviewer } from '../../src/serve/access/token-reviewer.js';
import { Guard } from '../../src/serve/server/guard.js';
import { send } from '../support/http-get.js';
import { ManualClock } from '../support/manual-clock.js';
import {
  aMetricsHandler,
  emptySnapshot,
  FakeObserver,
  RunningServer,
  type ScrapeSource,
  someRoutes,
} from './test-server.js';

function settings(overrides: Partial<WebConfig> = {}): WebConfig {
  return { ...plainWeb, ...overrides };
}

interface GuardedServer extends AsyncDisposable {
  readonly guard: Guard;
  readonly clock: ManualClock;
  readonly status: (path: string) => Promise<number>;
  readonly port: number;
}

async function start(overrides: Partial<WebConfig>): Promise<GuardedServer> {
  const clock = new ManualClock();
  const compare = (): Promise<boolean> => Promise.reject(new Error('there are no users'));
  const passwords = new PasswordChecker({ clock, logger: silentLogger, compare });
  const guard = new Guard({ settings: settings(overrides), passwords, tokens: undefined, ownPaths: [], clock });
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

describe('Guard: headers', () => {
  const headers = new Map([
    ['X-Frame-Options', 'deny'],
    ['Content-Security-Policy', "default-src 'self'"],
    ['Strict-Transport-Security', 'max-age=31536000'],
  ]);

  it.each(['/metrics', '/livez', '/nothing', '/api/v1/evictions'])(
    'the headers of the settings are in the response of %s',
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

  it('the headers leave the status page its own policy, which names its script', async () => {
    await using server = await start({ headers });
    const answer = await send({ port: server.port, path: '/?as=html' });
    expect(answer.headers['content-security-policy']).toContain('script-src');
    expect(answer.headers['x-frame-options']).toBe('deny');
  });

  it('the headers follow new settings', async () => {
    await using server = await start({ headers });
    server.guard.set(settings());
    expect((await send({ port: server.port, path: '/metrics' })).headers['x-frame-options']).toBeUndefined();
  });
});

describe('Guard: the review of a token', () => {
  /** `next`: resolves with the end of a review that has begun, which lets the token in. */
  async function startReviewing(source: ScrapeSource, observer: FakeObserver) {
    const clock = new ManualClock();
    const begun: ((end: () => void) => void)[] = [];
    const tokens = new TokenReviewer({
      api: {
        open: async () => {
          await new Promise<void>((resolve) => begun.shift()?.(resolve));
          return bodyOf('{"status": {"authenticated": true, "user": {"username": "prometheus"}, "allowed": true}}');
        },
        [Symbol.dispose]: () => undefined,
      },
      clock,
      logger: silentLogger,
    });
    const compare = (): Promise<boolean> => Promise.reject(new Error('there are no users'));
    const passwords = new PasswordChecker({ clock, logger: silentLogger, compare });
    const checked: Promise<void>[] = [];
    const guard = new Guard({ settings: settings(), passwords, tokens, ownPaths: [], clock });
    const server = await RunningServer.start(
      someRoutes({
        guard: {
          check: (request, response, next) => {
            const check = guard.check(request, response, next);
            checked.push(check);
            return check;
          },
        },
        metrics: aMetricsHandler({ source, clock, observer }),
      }),
    );
    return {
      clock,
      checked,
      port: server.port,
      next: () => new Promise<() => void>((resolve) => begun.push(resolve)),
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  }

  const headers = { authorization: 'Bearer right', 'x-prometheus-scrape-timeout-seconds': '10.5' };

  it('a request whose token is reviewed has the rest of its time for the scrape', async () => {
    let collection: AbortSignal | undefined;
    const observer = new FakeObserver();
    const source: ScrapeSource = {
      collect: async (signal) => {
        collection = signal;
        await clock.advance(4_000); // half of the 8 s that are left
        return emptySnapshot;
      },
    };
    await using server = await startReviewing(source, observer);
    const { clock } = server;
    const finished = observer.finished();
    const reviews = [server.next(), server.next()] as const;
    const answer = send({ port: server.port, path: '/metrics', headers });
    for (const review of reviews) {
      const end = await review;
      await clock.advance(1_000);
      end();
    }
    expect((await answer).status).toBe(200);
    expect(collection?.aborted).toBe(true);
    expect([await finished, observer.durationsMs]).toEqual(['deadline', [6_000]]);
  });

  it('a request whose token is reviewed is not served when its client has left by then', async () => {
    let scrapeCount = 0;
    const source: ScrapeSource = {
      collect: () => {
        scrapeCount += 1;
        return Promise.resolve(emptySnapshot);
      },
    };
    await using server = await startReviewing(source, new FakeObserver());
    const reviews = [server.next(), server.next()] as const;
    const leaving = request({ port: server.port, host: '127.0.0.1', path: '/metrics', headers, agent: false }).end();
    leaving.on('error', () => undefined);
    const closed = new Promise((resolve) => leaving.once('close', resolve));
    const first = await reviews[0];
    leaving.socket?.resetAndDestroy();
    await closed;
    expect((await send({ port: server.port, path: '/livez' })).status).toBe(200); // the server has read the end of the other
    first();
    (await reviews[1])();
    await server.checked[0];
    expect(scrapeCount).toBe(0);
  });
});

async function* bodyOf(text: string): AsyncIterable<Buffer> {
  yield Buffer.from(text);
  await Promise.resolve();
}
