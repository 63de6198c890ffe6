// @module-tag sockets

import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';

import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import { messageOf } from '../../src/base/errors.js';
import type { Credentials } from '../../src/credentials/credentials.js';
import { loadCredentials } from '../../src/credentials/load-credentials.js';
import { ApiClient } from '../../src/http/api-client.js';
import { issuerTransport } from '../../src/http/issuer-transport.js';
import { failureOf, LoopbackServer, replyPartly, replyWith, textOf } from '../http/loopback-server.js';
import { TestAuthority } from '../support/certificates.js';
import { ManualClock } from '../support/manual-clock.js';
import { idTokenOf, SimulatedIssuer } from '../support/simulated-issuer.js';

let authority: TestAuthority;
beforeAll(async () => {
  authority = await TestAuthority.create();
});

const never = new AbortController().signal;
const secret = 'client-s3cret';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** An issuer, and a kubeconfig whose ID token expired a minute ago. */
class World implements AsyncDisposable {
  readonly folder: string;
  readonly clock: ManualClock;
  readonly issuer: SimulatedIssuer;
  readonly warnings: string[] = [];
  readonly path: string;
  server = 'https://192.0.2.1:6443';

  private constructor(folder: string, clock: ManualClock, issuer: SimulatedIssuer) {
    this.folder = folder;
    this.clock = clock;
    this.issuer = issuer;
    this.path = join(folder, 'config');
  }

  static async create(): Promise<World> {
    const clock = new ManualClock();
    const folder = await mkdtemp(join(tmpdir(), 'oidc-test-'));
    return new World(folder, clock, await SimulatedIssuer.listen(authority, clock));
  }

  /** An ID token that expires in so many seconds. */
  tokenFor(seconds: number): string {
    return idTokenOf({ sub: 'file', exp: this.clock.nowMs() / 1000 + seconds });
  }

  async write(settings: Readonly<Record<string, string | undefined>> = {}): Promise<void> {
    const config: Record<string, string | undefined> = {
      'idp-issuer-url': this.issuer.issuerUrl,
      'client-id': 'kubernetes',
      'client-secret': secret,
      'idp-certificate-authority-data': base64(authority.certificate),
      'id-token': this.tokenFor(-60),
      'refresh-token': 'refresh-0',
      ...settings,
    };
    const lines = Object.entries(config).flatMap(([name, value]) => (value === undefined ? [] : `${name}: ${value}`));
    const text = `# by hand
apiVersion: v1
kind: Config
current-context: dev
contexts: [{name: dev, context: {cluster: c1, user: u1}}]
clusters: [{name: c1, cluster: {server: '${this.server}'}}]
users:
- {name: other, user: {token: t}}   # kept
- name: u1
  user:
    auth-provider:
      name: oidc
      config:
        ${lines.join('\n        ')}
`;
    await writeFile(this.path, text, { mode: 0o640 });
  }

  load(environment: Readonly<Record<string, string>> = {}): Promise<Credentials> {
    return loadCredentials({
      kubeconfigPath: this.path,
      environment,
      homeDir: this.folder,
      clock: this.clock,
      issuers: issuerTransport({ clock: this.clock, version: '0' }),
      warn: (message) => this.warnings.push(message),
    });
  }

  async fileConfig(): Promise<Record<string, string>> {
    const content = parse(await readFile(this.path, 'utf8')) as {
      users: { name: string; user: { 'auth-provider': { config: Record<string, string> } } }[];
    };
    return content.users.find(({ name }) => name === 'u1')?.user['auth-provider'].config ?? {};
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.issuer[Symbol.asyncDispose]();
    await rm(this.folder, { recursive: true });
  }
}

async function authorizationOf(credentials: Credentials): Promise<string | undefined> {
  return (await credentials.material()).headers['authorization']?.toString();
}

describe('an ID token of oidc', () => {
  it('is used without a request to the issuer while it is valid', async () => {
    await using world = await World.create();
    const idToken = world.tokenFor(3_600);
    await world.write({ 'id-token': idToken });
    const credentials = await world.load();
    expect(await authorizationOf(credentials)).toBe(`Bearer ${idToken}`);
    await world.clock.advance(3_500_000);
    expect(await authorizationOf(credentials)).toBe(`Bearer ${idToken}`);
    expect(world.issuer.server.requests).toEqual([]);
  });

  it('is refreshed once for all waiters, and again a minute before it expires', async () => {
    await using world = await World.create();
    await world.write();
    const credentials = await world.load();
    const first = world.issuer.idToken(1);
    const materials = await Promise.all(Array.from({ length: 20 }, () => authorizationOf(credentials)));
    expect(new Set(materials)).toEqual(new Set([`Bearer ${first}`]));
    expect(world.issuer.discoveryCount).toBe(1);
    expect(world.issuer.tokenRequests).toEqual([
      {
        authorization: `Basic ${base64(`kubernetes:${secret}`)}`,
        form: { grant_type: 'refresh_token', refresh_token: 'refresh-0' },
      },
    ]);
    await world.clock.advance(539_999);
    expect(await authorizationOf(credentials)).toBe(`Bearer ${first}`);
    await world.clock.advance(1_000);
    expect(await authorizationOf(credentials)).toBe(`Bearer ${world.issuer.idToken(2)}`);
    expect(world.issuer.tokenRequests).toHaveLength(2);
    expect(world.clock.sleeperCount).toBe(0);
  });

  it('may be missing while there is a refresh token', async () => {
    await using world = await World.create();
    await world.write({ 'id-token': undefined });
    expect(await authorizationOf(await world.load())).toBe(`Bearer ${world.issuer.idToken(1)}`);
  });

  it('is requested with the form by clients without a secret, and where the issuer refuses the header', async () => {
    await using world = await World.create();
    world.issuer.acceptsHeader = false;
    await world.write({ 'client-secret': undefined });
    await (await world.load()).material();
    await world.write();
    await (await world.load()).material();
    const form = { grant_type: 'refresh_token', refresh_token: 'refresh-0', client_id: 'kubernetes' };
    expect(world.issuer.tokenRequests.map((request) => request.form)).toEqual([
      form,
      { grant_type: 'refresh_token', refresh_token: 'refresh-0' },
      { ...form, client_secret: secret },
    ]);
  });

  it('that lives shorter than a minute is refreshed in the last quarter of its life', async () => {
    await using world = await World.create();
    world.issuer.lifetimeMs = 40_000;
    await world.write();
    const credentials = await world.load();
    await credentials.material();
    await world.clock.advance(29_999);
    await credentials.material();
    expect(world.issuer.tokenRequests).toHaveLength(1);
    await world.clock.advance(1);
    await credentials.material();
    expect(world.issuer.tokenRequests).toHaveLength(2);
  });

  it('is used for its life by the clock of the issuer when our clock is ahead', async () => {
    await using world = await World.create();
    await world.write();
    const credentials = await world.load();
    const nowSeconds = world.clock.nowMs() / 1000 - 86_400;
    world.issuer.tokenReply = { id_token: idTokenOf({ iat: nowSeconds, exp: nowSeconds + 600 }) };
    await credentials.material();
    await world.clock.advance(500_000);
    await credentials.material();
    expect(world.issuer.tokenRequests).toHaveLength(1);
  });

  it('is requested through the proxy of the environment', async () => {
    await using world = await World.create();
    const connects: (string | undefined)[] = [];
    const server = createServer().on('connect', (request: IncomingMessage, socket: Duplex) => {
      connects.push(request.url);
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    });
    await using proxy = await LoopbackServer.listen(server);
    await world.write({ 'idp-issuer-url': 'https://issuer.test' });
    const credentials = await world.load({ HTTPS_PROXY: proxy.url.href, NO_PROXY: '192.0.2.1' });
    await expect(credentials.material()).rejects.toThrow('GET https://issuer.test/.well-known/openid-configuration');
    expect(connects).toEqual(['issuer.test:443']);
  });
});

describe('new tokens of oidc', () => {
  it('are written back, with the rest of the kubeconfig as it was', async () => {
    await using world = await World.create();
    world.issuer.rotates = true;
    await world.write();
    const before = await readFile(world.path, 'utf8');
    const expired = (await world.fileConfig())['id-token'] ?? '';
    await (await world.load()).material();
    const written = { 'id-token': world.issuer.idToken(1), 'refresh-token': 'refresh-1' };
    expect(await world.fileConfig()).toMatchObject(written);
    const expected = before
      .replace(expired, JSON.stringify(written['id-token']))
      .replace('refresh-0', JSON.stringify('refresh-1'));
    expect(await readFile(world.path, 'utf8')).toBe(expected);
    expect((await stat(world.path)).mode & 0o777).toBe(0o640);
    expect(await readdir(world.folder)).toEqual(['config']);
    await world.clock.advance(600_000);
    await (await world.load()).material();
    expect(world.issuer.tokenRequests[1]?.form['refresh_token']).toBe('refresh-1');
    expect(world.warnings).toEqual([]);
  });

  it('are written to the file behind a link, which stays a link', async () => {
    await using world = await World.create();
    await world.write();
    const link = join(world.folder, 'link');
    await symlink('config', link);
    const credentials = await loadCredentials({
      kubeconfigPath: link,
      environment: {},
      homeDir: world.folder,
      clock: world.clock,
      issuers: issuerTransport({ clock: world.clock, version: '0' }),
      warn: (message) => world.warnings.push(message),
    });
    await credentials.material();
    expect((await world.fileConfig())['id-token']).toBe(world.issuer.idToken(1));
    expect((await readdir(world.folder)).sort()).toEqual(['config', 'link']);
  });

  it('are kept for the next refresh, with one warning, while another program locks the kubeconfig', async () => {
    await using world = await World.create();
    world.issuer.rotates = true;
    await world.write();
    const before = await readFile(world.path, 'utf8');
    await writeFile(`${world.path}.lock`, '');
    const credentials = await world.load();
    for (const nth of [1, 2, 3]) {
      expect(await authorizationOf(credentials)).toBe(`Bearer ${world.issuer.idToken(nth)}`);
      await world.clock.advance(600_000);
    }
    expect(world.issuer.tokenRequests.map(({ form }) => form['refresh_token'])).toEqual([
      'refresh-0',
      'refresh-1',
      'refresh-2',
    ]);
    expect(await readFile(world.path, 'utf8')).toBe(before);
    expect(world.warnings).toHaveLength(1);
    expect(world.warnings[0]).toMatch(/the issuer has replaced the refresh token, but .*config cannot be written/);
    expect(world.warnings[0]).toContain(`delete ${world.path}.lock if there is none`);
    expect(world.warnings[0]).not.toMatch(/refresh-\d/);
  });

  it.skipIf(process.getuid?.() === 0)('are kept when the kubeconfig is read-only', async () => {
    await using world = await World.create();
    world.issuer.rotates = true;
    await world.write();
    await chmod(world.path, 0o400);
    await (await world.load()).material();
    expect(world.warnings[0]).toContain('EACCES');
    expect(await readdir(world.folder)).toEqual(['config']);
  });

  it('that were not rotated need no warning when they cannot be written', async () => {
    await using world = await World.create();
    await world.write();
    await writeFile(`${world.path}.lock`, '');
    await (await world.load()).material();
    expect(world.warnings).toEqual([]);
  });

  it('of another program are left in the file, and used once they are needed', async () => {
    await using world = await World.create();
    await world.write();
    const credentials = await world.load();
    const others = idTokenOf({ sub: 'other', exp: world.clock.nowMs() / 1000 + 7_200 });
    world.issuer.tokenAnswer = (_request, response) => {
      void world.write({ 'id-token': others, 'refresh-token': 'of-the-other' }).then(() => {
        replyWith({ body: JSON.stringify({ id_token: world.issuer.idToken(1), refresh_token: 'r' }) })(
          _request,
          response,
        );
      });
    };
    expect(await authorizationOf(credentials)).toBe(`Bearer ${world.issuer.idToken(1)}`);
    expect((await world.fileConfig())['refresh-token']).toBe('of-the-other');
    await world.clock.advance(600_000);
    expect(await authorizationOf(credentials)).toBe(`Bearer ${others}`);
    expect(world.issuer.tokenRequests).toHaveLength(1);
  });
});

describe('an issuer', () => {
  const html: RequestListener = replyWith({ headers: { 'content-type': 'text/html' }, body: '<html>log in</html>' });
  const redirect: RequestListener = replyWith({ status: 302, headers: { location: 'https://192.0.2.9/' } });
  const huge: RequestListener = replyWith({ body: JSON.stringify({ id_token: 'x'.repeat(300_000) }) });
  const echo: RequestListener = replyWith({
    status: 400,
    body: JSON.stringify({ error: 'invalid_grant', error_description: `refresh-0 of ${secret} has expired` }),
  });

  it.each<[string, Partial<Pick<SimulatedIssuer, 'discoveryAnswer' | 'tokenAnswer' | 'tokenReply'>>, RegExp]>([
    ['redirects the discovery', { discoveryAnswer: redirect }, /GET .*answered 302; redirects are not followed/],
    ['redirects the refresh', { tokenAnswer: redirect }, /POST .*answered 302; redirects are not followed/],
    ['has a login page', { discoveryAnswer: html }, /content type "text\/html" instead of application\/json/],
    ['responds 404', { discoveryAnswer: replyWith({ status: 404 }) }, /answered 404; check idp-issuer-url/],
    ['has no token endpoint', { discoveryAnswer: replyWith({}) }, /no token_endpoint; check idp-issuer-url/],
    [
      'has a token endpoint without TLS',
      { discoveryAnswer: replyWith({ body: '{"token_endpoint":"http://127.0.0.1/"}' }) },
      /token_endpoint of the issuer "http:" must begin with https:/,
    ],
    ['has a huge body', { tokenAnswer: huge }, /the response is larger than 256 KiB/],
    ['has a body that is not JSON', { tokenAnswer: replyWith({ body: '{' }) }, /not valid JSON/],
    ['responds 503', { tokenAnswer: replyWith({ status: 503 }) }, /the issuer answered 503/],
    [
      'refuses the refresh token and repeats it',
      { tokenAnswer: echo },
      /answered 400: invalid_grant: … of … has expired; log in again with the tool that wrote the kubeconfig/,
    ],
    ['returns no ID token', { tokenReply: { id_token: undefined } }, /no id_token: the login was without/],
    ['returns what is no JWT', { tokenReply: { id_token: 'a.secret' } }, /id_token of the issuer cannot be read/],
    ['returns an ID token without expiry', { tokenReply: { id_token: idTokenOf({}) } }, /it has no expiry/],
    [
      'returns an ID token that has expired',
      { tokenReply: { id_token: idTokenOf({ exp: 1 }) } },
      /has expired at 1970.*; check the clocks/,
    ],
  ])('that %s fails the reading with the reason', async (_case, faults, problem) => {
    await using world = await World.create();
    await world.write();
    Object.assign(world.issuer, faults);
    const error = await failureOf((await world.load()).material());
    expect(error).toMatchObject({ name: 'RequestError', reason: 'unauthorized' });
    expect(error.message).toMatch(/auth-provider "oidc": its id-token has expired and cannot be refreshed: /);
    expect(error.message).toMatch(problem);
    const messages: string[] = [];
    for (let cause: unknown = error; cause !== undefined; cause = (cause as Error).cause)
      messages.push(messageOf(cause));
    expect(messages.join('\n')).not.toMatch(/refresh-\d|s3cret|a\.secret/);
    expect(world.clock.sleeperCount).toBe(0);
  });

  it.each<[string, Record<string, string | undefined>, RegExp]>([
    [
      'no CA',
      { 'idp-certificate-authority-data': undefined },
      /TLS verification failed.*set idp-certificate-authority/,
    ],
    ['a CA that is none', { 'idp-certificate-authority-data': base64('x') }, /idp-certificate-authority-data is not/],
    [
      'a CA file that is missing',
      { 'idp-certificate-authority-data': undefined, 'idp-certificate-authority': '/nope' },
      /nope cannot be read/,
    ],
    ['no issuer', { 'idp-issuer-url': undefined }, /idp-issuer-url is missing/],
    [
      'an issuer without TLS',
      { 'idp-issuer-url': 'http://127.0.0.1' },
      /idp-issuer-url "http:" must begin with https:/,
    ],
    ['no client', { 'client-id': undefined }, /client-id is missing/],
  ])('cannot be used with %s', async (_case, settings, problem) => {
    await using world = await World.create();
    await world.write(settings);
    await expect((await world.load()).material()).rejects.toThrow(problem);
    expect(world.issuer.tokenRequests).toEqual([]);
  });

  it('of another authority receives neither token nor secret', async () => {
    await using world = await World.create();
    const other = await TestAuthority.create('other-ca');
    await world.write({ 'idp-certificate-authority-data': base64(other.certificate) });
    await expect((await world.load()).material()).rejects.toThrow('TLS verification failed');
    expect(world.issuer.server.requests).toEqual([]);
  });

  it('that does not listen is named', async () => {
    await using world = await World.create();
    await world.write();
    const credentials = await world.load();
    await world.issuer.server[Symbol.asyncDispose]();
    await expect(credentials.material()).rejects.toThrow(
      /GET https:\/\/127\.0\.0\.1:\d+\/realm\/\.well-known\/openid-configuration: connection failed: .*ECONNREFUSED/,
    );
  });

  it.each<[string, 'discoveryAnswer' | 'tokenAnswer', RequestListener]>([
    ['before the discovery', 'discoveryAnswer', () => undefined],
    ['before the tokens', 'tokenAnswer', () => undefined],
    ['within the tokens', 'tokenAnswer', replyPartly],
  ])('that hangs %s is waited for 20 s', async (_case, property, answer) => {
    await using world = await World.create();
    await world.write();
    const reached = new Promise<void>((resolve) => {
      world.issuer[property] = (request, response) => {
        answer(request, response);
        resolve();
      };
    });
    const failed = failureOf((await world.load()).material());
    await reached;
    await world.clock.advance(20_000);
    expect((await failed).message).toMatch(/no complete response from the issuer 127\.0\.0\.1:\d+ within 20 s/);
    expect(world.clock.sleeperCount).toBe(0);
  });

  it('that is down is asked again with growing pauses', async () => {
    await using world = await World.create();
    await world.write();
    world.issuer.tokenAnswer = replyWith({ status: 503 });
    const credentials = await world.load();
    const attempts: number[] = [];
    for (let second = 0; second < 160; second += 5) {
      await credentials.material().catch(() => undefined);
      attempts.push(world.issuer.tokenRequests.length);
      await world.clock.advance(5_000);
    }
    // At 0, 5, 15, 35, 75 and 155 s.
    expect(attempts.at(-1)).toBe(6);
    expect(attempts[30]).toBe(5);
    world.issuer.tokenAnswer = undefined;
    await world.clock.advance(300_000);
    expect(await authorizationOf(credentials)).toMatch(/^Bearer /);
  });

  it('that refuses the refresh token is asked again after 5 min, or at once after a login', async () => {
    await using world = await World.create();
    await world.write({ 'refresh-token': 'used-up' });
    const credentials = await world.load();
    await expect(credentials.material()).rejects.toThrow('invalid_grant');
    await world.clock.advance(299_000);
    await expect(credentials.material()).rejects.toThrow('invalid_grant');
    expect(world.issuer.tokenRequests).toHaveLength(1);
    await world.write({ 'refresh-token': 'refresh-0' });
    await world.clock.advance(5_000);
    expect(await authorizationOf(credentials)).toBe(`Bearer ${world.issuer.idToken(2)}`);
  });

  it('that is down while the token is still valid costs nothing yet', async () => {
    await using world = await World.create();
    const idToken = world.tokenFor(40);
    await world.write({ 'id-token': idToken });
    world.issuer.tokenAnswer = replyWith({ status: 503 });
    const credentials = await world.load();
    expect(await authorizationOf(credentials)).toBe(`Bearer ${idToken}`);
    await world.clock.advance(6_000);
    world.issuer.tokenAnswer = undefined;
    expect(await authorizationOf(credentials)).toBe(`Bearer ${idToken}`);
    await world.clock.advance(40_000);
    expect(await authorizationOf(credentials)).toMatch(/^Bearer /);
    expect(world.issuer.tokenRequests.length).toBeLessThanOrEqual(3);
  });
});

describe('an API client with oidc', () => {
  /** An API server that accepts one token. */
  async function apiServer(world: World, accepted: () => string): Promise<LoopbackServer> {
    const server = await LoopbackServer.listen();
    server.answer = (request, response) => {
      const status = request.headers.authorization === `Bearer ${accepted()}` ? 200 : 401;
      replyWith({ status })(request, response);
    };
    world.server = server.url.href;
    return server;
  }

  it('continues with a new token after a 401, and its other requests too', async () => {
    await using world = await World.create();
    await using server = await apiServer(world, () => world.issuer.idToken(1));
    await world.write({ 'id-token': world.tokenFor(3_600) });
    using api = new ApiClient({ credentials: await world.load(), clock: world.clock, version: '0' });
    const requests = Array.from({ length: 20 }, (_, index) =>
      textOf(api.open({ path: `/api/${index}` }, new AbortController().signal)),
    );
    expect(new Set(await Promise.all(requests))).toEqual(new Set(['{}']));
    expect(world.issuer.tokenRequests).toHaveLength(1);
    expect(server.requests.length).toBeLessThanOrEqual(40);
  });

  it('asks the issuer once when the API server refuses its new tokens as well', async () => {
    await using world = await World.create();
    await using server = await apiServer(world, () => 'none');
    await world.write({ 'id-token': world.tokenFor(3_600) });
    using api = new ApiClient({ credentials: await world.load(), clock: world.clock, version: '0' });
    for (let index = 0; index < 20; index++) {
      const error = await failureOf(api.open({ path: `/api/${index}` }, never));
      expect(error).toMatchObject({ reason: 'unauthorized', status: 401 });
    }
    expect(world.issuer.tokenRequests).toHaveLength(1);
    expect(server.requests.length).toBeGreaterThanOrEqual(20);
  });

  it('keeps a token that one server refuses while the issuer is down', async () => {
    await using world = await World.create();
    const idToken = world.tokenFor(3_600);
    await using server = await apiServer(world, () => idToken);
    await world.write({ 'id-token': idToken });
    world.issuer.tokenAnswer = replyWith({ status: 503 });
    const credentials = await world.load();
    using api = new ApiClient({ credentials, clock: world.clock, version: '0' });
    credentials.invalidate();
    expect(await textOf(api.open({ path: '/api' }, never))).toBe('{}');
    expect(server.requests).toHaveLength(1);
    expect(world.issuer.tokenRequests).toHaveLength(1);
  });
});
