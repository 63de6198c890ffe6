import { describe, expect, it } from 'vitest';

import type { ApiRequest } from '../../src/cluster/http/api-client.js';
import { RequestError } from '../../src/lib/base/errors.js';
import { TokenReviewer } from '../../src/serve/access/token-reviewer.js';
import type { Verdict } from '../../src/serve/access/verdict.js';
import { aLogger } from '../server/test-server.js';
import { ManualClock } from '../support/manual-clock.js';

type Json = Readonly<Record<string, unknown>>;

const prometheus = {
  username: 'system:serviceaccount:monitoring:prometheus',
  uid: 'u1',
  groups: ['system:serviceaccounts', 'system:authenticated'],
  extra: { 'authentication.kubernetes.io/pod-name': ['prometheus-0'] },
};

/** The status of each review, by its kind. */
interface Statuses {
  readonly token?: (token: string) => Json | Promise<Json>;
  readonly access?: (spec: Json) => Json | Promise<Json>;
}

interface World {
  readonly reviewer: TokenReviewer;
  readonly clock: ManualClock;
  /** `TokenReview TOKEN` or `SubjectAccessReview VERB PATH`. */
  readonly asked: string[];
  readonly requests: ApiRequest[];
  readonly lines: readonly string[];
  readonly check: (token: string, options?: { method?: string; path?: string; client?: string }) => Promise<Verdict>;
}

function aWorld({ token, access }: Statuses = {}): World {
  const clock = new ManualClock();
  const logger = aLogger();
  const asked: string[] = [];
  const requests: ApiRequest[] = [];
  const tokenStatus = token ?? ((text) => (text.startsWith('right') ? { authenticated: true, user: prometheus } : {}));
  const statusOf = (review: Json): Json | Promise<Json> => {
    const spec = review['spec'] as Json;
    if (review['kind'] === 'TokenReview') {
      asked.push(`TokenReview ${String(spec['token'])}`);
      return tokenStatus(String(spec['token']));
    }
    const { verb, path } = spec['nonResourceAttributes'] as Record<string, string>;
    asked.push(`SubjectAccessReview ${verb ?? ''} ${path ?? ''}`);
    return access === undefined ? { allowed: path === '/metrics' } : access(spec);
  };
  const reviewer = new TokenReviewer({
    api: {
      open: async (request, signal) => {
        requests.push(request);
        const review = JSON.parse(request.body?.text ?? '{}') as Json;
        const aborted = new Promise<never>((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reject(signal.reason as Error);
          });
        });
        const status = await Promise.race([statusOf(review), aborted]);
        return bodyOf(JSON.stringify({ ...review, status }));
      },
      [Symbol.dispose]: () => undefined,
    },
    clock,
    logger,
  });
  return {
    reviewer,
    clock,
    asked,
    requests,
    lines: logger.lines,
    check: (text, { method = 'GET', path = '/metrics', client = '192.0.2.1' } = {}) =>
      reviewer.check({ token: text, method, path, client }),
  };
}

/** What `prometheus` hears. */
function refusal(path = '/metrics', verb = 'get') {
  const user = prometheus.username;
  const rule = `{nonResourceURLs: ["${path}"], verbs: ["${verb}"]}`;
  return {
    forbidden: `User "${user}" cannot ${verb} path "${path}"; grant it with the RBAC rule ${rule} in a ClusterRole`,
  };
}

async function* bodyOf(text: string): AsyncIterable<Buffer> {
  yield Buffer.from(text);
  await Promise.resolve();
}

describe('TokenReviewer', () => {
  it('asks who the token belongs to, and whether that user may send the request', async () => {
    const { check, requests } = aWorld();
    expect(await check('right')).toBe('allowed');
    expect(requests.map(({ path, body }) => [path, JSON.parse(body?.text ?? '') as unknown, body?.secrets[0]])).toEqual(
      [
        [
          '/apis/authentication.k8s.io/v1/tokenreviews',
          { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: 'right' } },
          'right',
        ],
        [
          '/apis/authorization.k8s.io/v1/subjectaccessreviews',
          {
            apiVersion: 'authorization.k8s.io/v1',
            kind: 'SubjectAccessReview',
            spec: {
              user: prometheus.username,
              uid: prometheus.uid,
              groups: prometheus.groups,
              extra: prometheus.extra,
              nonResourceAttributes: { verb: 'get', path: '/metrics' },
            },
          },
          '',
        ],
      ],
    );
  });

  it.each([
    ['a wrong token', {}, 'unauthenticated'],
    ['an answer without a user', { token: () => ({ authenticated: true }) }, 'unauthenticated'],
    ['a user without a name', { token: () => ({ authenticated: true, user: { username: '' } }) }, 'unauthenticated'],
    [
      'a user that is not authenticated',
      { token: () => ({ authenticated: false, user: prometheus }) },
      'unauthenticated',
    ],
    ['a text in place of true', { token: () => ({ authenticated: 'true', user: prometheus }) }, 'unauthenticated'],
  ])('takes nobody for authenticated with %s', async (_case, statuses, verdict) => {
    const { check } = aWorld(statuses);
    expect(await check('wrong')).toBe(verdict);
  });

  it.each([
    [{ allowed: true }, 'allowed'],
    [{ allowed: false }, refusal()],
    [{ allowed: true, denied: true }, refusal()],
    [{ allowed: 'yes' }, refusal()],
    [{}, refusal()],
  ])('understands the permission %j', async (status, verdict) => {
    const { check } = aWorld({ access: () => status });
    expect(await check('right')).toEqual(verdict);
  });

  it('says once in the log who was refused, and the rule that is missing', async () => {
    const { check, lines } = aWorld({ access: () => ({}) });
    expect([await check('right'), await check('right')]).toEqual([refusal(), refusal()]);
    expect(lines).toEqual([`warn a user was refused ${JSON.stringify({ error: refusal().forbidden })}`]);
  });

  it.each<[method: string, path: string, verb: string, reviewed: string]>([
    ['GET', '/', 'get', '/'],
    ['HEAD', '/metrics', 'get', '/metrics'],
    ['POST', '/-/reload', 'post', '/-/reload'],
    ['DELETE', '/metrics', 'delete', '/metrics'],
    ['GET', '/apix', 'get', '/apix'],
    // Paths that every user of a cluster may get.
    ...['/api/v1/status', '/api', '/apis/x', '/openapi/v2', '/version', '/healthz/x', '/readyz'].map(
      (path): [string, string, string, string] => ['GET', path, 'get', '/'],
    ),
  ])('asks for %s %s as %s %s', async (method, path, verb, reviewed) => {
    const { check, asked } = aWorld();
    await check('right', { method, path });
    expect(asked).toEqual(['TokenReview right', `SubjectAccessReview ${verb} ${reviewed}`]);
  });

  it('asks for users again after a minute, for permissions after five', async () => {
    const { check, asked, clock } = aWorld();
    for (let count = 0; count < 3; count += 1) await check('right');
    await clock.advance(59_999);
    await check('right');
    expect(asked.splice(0)).toEqual(['TokenReview right', 'SubjectAccessReview get /metrics']);
    await clock.advance(1);
    await check('right');
    await clock.advance(0);
    expect(asked.splice(0)).toEqual(['TokenReview right']);
    await clock.advance(240_000);
    await check('right');
    await clock.advance(0);
    expect(asked).toEqual(['TokenReview right', 'SubjectAccessReview get /metrics']);
  });

  it('keeps a wrong token for ten seconds, a refusal for thirty', async () => {
    const { check, asked, clock } = aWorld();
    const both = async () => [await check('wrong'), await check('right', { path: '/' })];
    const expected = ['unauthenticated', refusal('/')];
    expect(await both()).toEqual(expected);
    await clock.advance(9_999);
    expect(await both()).toEqual(expected);
    expect(asked.splice(0)).toEqual(['TokenReview wrong', 'TokenReview right', 'SubjectAccessReview get /']);
    await clock.advance(1);
    await both();
    expect(asked.splice(0)).toEqual(['TokenReview wrong']);
    await clock.advance(20_000);
    await both();
    expect(asked).toEqual(['TokenReview wrong', 'SubjectAccessReview get /']);
  });

  it('asks for the permission of a user again as soon as its groups have changed', async () => {
    let groups = ['scrapers'];
    const { check, clock } = aWorld({
      token: () => ({ authenticated: true, user: { ...prometheus, groups } }),
      access: (spec) => ({ allowed: (spec['groups'] as string[]).includes('scrapers') }),
    });
    expect(await check('right')).toBe('allowed');
    groups = [];
    await clock.advance(60_000);
    expect(await check('right')).toBe('allowed');
    await clock.advance(0);
    expect(await check('right')).toEqual(refusal());
  });

  it('asks for each token and each path', async () => {
    const { check } = aWorld();
    expect(await check('right')).toBe('allowed');
    expect([await check('right', { path: '/' }), await check('wrong')]).toEqual([refusal('/'), 'unauthenticated']);
  });

  it.each<[string, Statuses]>([
    ['TokenReview', { token: () => Promise.reject(new RequestError('forbidden', 'POST: 403')) }],
    ['SubjectAccessReview', { access: () => Promise.reject(new RequestError('forbidden', 'POST: 403')) }],
  ])('lets nobody in when a %s fails, says why, and asks again after 10 s', async (kind, statuses) => {
    const { check, asked, lines, clock } = aWorld(statuses);
    const askedCount = () => asked.filter((text) => text.startsWith(kind)).length;
    expect(await check('right')).toBe('unavailable');
    await clock.advance(9_999);
    expect([await check('right'), askedCount()]).toEqual(['unavailable', 1]);
    await clock.advance(1);
    expect([await check('right'), askedCount()]).toEqual(['unavailable', 2]);
    expect(lines).toEqual([
      'error a token could not be reviewed {"error":"POST: 403"}',
      'error a token could not be reviewed {"error":"POST: 403"}',
    ]);
  });

  it('lets nobody in within 3 s when the API server does not answer, however many requests wait for it', async () => {
    const { reviewer, check, clock, lines } = aWorld({ token: () => new Promise(() => undefined) });
    const verdicts: Verdict[] = [];
    for (const token of ['a', 'b', 'c', 'd', 'e', 'f']) void check(token).then((verdict) => verdicts.push(verdict));
    await clock.advance(3_000);
    expect(verdicts).toEqual(Array.from({ length: 6 }, () => 'unavailable'));
    expect(lines).toContain('error a token could not be reviewed {"error":"TokenReview: no answer within 3 s"}');
    reviewer[Symbol.dispose]();
    await clock.advance(0);
    expect(clock.sleeperCount).toBe(0);
  });

  it('decides within 3 s when both reviews take long, and the next attempt finds what they said', async () => {
    const slowly = async (status: Json): Promise<Json> => {
      await world.clock.sleep(2_000);
      return status;
    };
    const world = aWorld({
      token: () => slowly({ authenticated: true, user: prometheus }),
      access: () => slowly({ allowed: true }),
    });
    const first = world.check('right');
    await world.clock.advance(2_000);
    await world.clock.advance(1_000);
    expect(await first).toBe('unavailable');
    await world.clock.advance(1_000);
    expect(await world.check('right')).toBe('allowed');
    expect(world.asked).toHaveLength(2);
  });

  it('asks once in a second for reviews that let nobody in; a flood is refused, and delays no other client', async () => {
    const { check, asked, clock } = aWorld();
    const flood = Array.from({ length: 1_000 }, (_, index) => check(`wrong ${index}`));
    await clock.advance(0);
    expect(asked).toHaveLength(4);
    const other = check('right', { client: '192.0.2.2' });
    await clock.advance(999);
    expect(asked).toHaveLength(4);
    await clock.advance(1);
    expect(asked.slice(4)).toContain('TokenReview right');
    expect(await other).toBe('allowed');
    await clock.advance(10_000);
    const verdicts = await Promise.all(flood);
    expect(verdicts.filter((verdict) => verdict === 'unauthenticated')).toHaveLength(12);
    expect(verdicts.filter((verdict) => verdict === 'busy')).toHaveLength(988);
    expect(asked.filter((text) => text.includes('wrong'))).toHaveLength(12);
  });

  it('never delays a token that was let in, whatever its address sends besides', async () => {
    const { check, clock } = aWorld();
    expect(await check('right')).toBe('allowed');
    await clock.advance(60_000);
    for (let index = 0; index < 200; index += 1) void check(`wrong ${index}`, { client: `192.0.2.${index % 20}` });
    expect(await check('right')).toBe('allowed');
  });

  it('ends its reviews without a line in the log when it is disposed of', async () => {
    const { reviewer, check, lines, clock } = aWorld({ token: () => new Promise(() => undefined) });
    const verdict = check('right');
    await clock.advance(0);
    reviewer[Symbol.dispose]();
    expect([await verdict, lines, clock.sleeperCount]).toEqual(['unavailable', [], 0]);
  });
});
