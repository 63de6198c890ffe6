// @module-tag sockets

import { hashSync } from 'bcryptjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { Exporter } from '../support/exporter.js';
import { basicAuth, send } from '../support/http-get.js';

const password = 'pa:ss wörd';
const users = new Map([['alice', hashSync(password, 4)]]);

const right = basicAuth('alice', password);

describe('with users', () => {
  let exporter: Exporter;
  beforeAll(async () => {
    exporter = await Exporter.start({ web: { users } });
    await exporter.synced();
  });
  afterAll(() => exporter[Symbol.asyncDispose]());

  it.each([
    ...['/metrics', '/', '/pods', '/nodes/node-1', '/search', '/nothing'],
    ...['/api/v1/status', '/api/v1/evictions', '/api/v1/pods', '/api/v1/openapi.json'],
  ])('%s needs a password', async (path) => {
    const expected = path === '/nothing' ? 404 : 200;
    const refused = await exporter.get(path);
    expect([refused.status, refused.text]).toEqual([401, 'unauthorized\n']);
    expect(refused.headers).toMatchObject({
      'www-authenticate': 'Basic realm="ephemeral-storage-exporter", charset="UTF-8"',
      connection: 'close',
    });
    expect((await exporter.get(path, right)).status).toBe(expected);
  });

  it.each([
    ['a wrong password', basicAuth('alice', 'wrong')],
    ['another user', basicAuth('bob', password)],
    ['no colon', { authorization: `Basic ${Buffer.from('alice').toString('base64')}` }],
    ['no credentials', { authorization: 'Basic' }],
    ['a token', { authorization: `Bearer ${password}` }],
    ['the hash', basicAuth('alice', users.get('alice') ?? '')],
  ])('a login with %s is refused', async (_case, headers) => {
    expect((await exporter.get('/metrics', headers)).status).toBe(401);
  });

  it.each(['/livez', '/healthz', '/readyz', '/readyz?verbose'])('%s is open without a password', async (path) => {
    expect((await exporter.get(path)).status).toBe(200);
  });

  it('a reload over HTTP needs a password', async () => {
    let reloadCount = 0;
    await using exporter = await Exporter.start({
      web: { users },
      settings: 'web: {enableLifecycle: true}',
      reload: () => {
        reloadCount += 1;
        return Promise.resolve();
      },
    });
    const port = exporter.app.ports[0] ?? 0;
    const reload = { port, path: '/-/reload', method: 'POST' };
    expect([(await send(reload)).status, reloadCount]).toEqual([401, 0]);
    expect([(await send({ ...reload, headers: right })).status, reloadCount]).toEqual([200, 1]);
  });

  it('the log warns of clear text, and has neither passwords nor hashes', async () => {
    await using exporter = await Exporter.start({ web: { users } });
    for (const headers of [right, basicAuth('alice', 'wrong-secret'), { authorization: 'Bearer token-secret' }]) {
      await exporter.get('/metrics', headers);
    }
    const log = exporter.log.join('');
    expect(log.match(/"level":"warn"[^\n]*/g)).toEqual([
      expect.stringContaining('credentials travel in clear text: set tls_server_config'),
    ]);
    for (const secret of [password, 'wrong-secret', 'token-secret', 'Basic', '$2b$']) expect(log).not.toContain(secret);
  });

  it('new users are in force at once, and none lets everybody in', async () => {
    await using exporter = await Exporter.start({ web: { users } });
    expect((await exporter.get('/livez')).status).toBe(200);
    expect((await exporter.get('/metrics', right)).status).toBe(200);
    const rest = { tls: undefined, headers: new Map<string, string>() };
    exporter.app.applyWeb({ ...rest, users: new Map([['alice', hashSync('new', 4)]]) });
    expect((await exporter.get('/metrics', right)).status).toBe(401);
    const before = exporter.get('/metrics', basicAuth('alice', 'new'));
    await exporter.clock.advance(60_000);
    expect((await before).status).toBe(200);
    exporter.app.applyWeb({ ...rest, users: new Map() });
    expect((await exporter.get('/metrics')).status).toBe(200);
  });
});

it('without users nobody is asked and nothing is in the log', async () => {
  await using exporter = await Exporter.start();
  expect((await exporter.get('/metrics', basicAuth('alice', 'wrong'))).status).toBe(200);
  expect(exporter.log.join('')).not.toContain('clear text');
});
