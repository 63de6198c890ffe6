// @module-tag sockets

import { setMaxListeners } from 'node:events';
import path from 'node:path';

import { hashSync } from 'bcryptjs';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { launchOptions } from '../support/browser.js';
import { TestAuthority } from '../support/certificates.js';
import { curl, type CurlAnswer } from '../support/curl.js';
import { startWebDemo, type WebDemo } from '../support/demo.js';
import { eventually, isInstalled } from '../support/programs.js';

const password = 'pa:ss wörd';
const quickHash = hashSync(password, 4);
const users = `basic_auth_users: {alice: ${quickHash}}\n`;
const tls = (lines = ''): string =>
  `tls_server_config:\n  cert_file: tls.crt\n  key_file: tls.key\n${lines.replaceAll(/^(?=.)/gm, '  ')}`;
const clientCertificates = tls('client_auth_type: RequireAndVerifyClientCert\nclient_ca_file: ca.crt\n');

let pems: Readonly<Record<string, string>>;

beforeAll(async () => {
  const [authority, other] = await Promise.all([TestAuthority.create(), TestAuthority.create('another-ca')]);
  const [server, ofOther, client, expired, foreign] = await Promise.all([
    authority.issueServer(),
    other.issueServer(),
    authority.issueClient('prometheus'),
    authority.issueClient('prometheus', { isExpired: true }),
    other.issueClient('prometheus'),
  ]);
  const pairs = Object.entries({ tls: server, other: ofOther, client, expired, foreign });
  pems = {
    'ca.crt': authority.certificate,
    'other-ca.crt': other.certificate,
    ...Object.fromEntries(
      pairs.flatMap(([name, { cert, key }]) => [
        [`${name}.crt`, cert],
        [`${name}.key`, key],
      ]),
    ),
  };
});

const start = (webFile: string): Promise<WebDemo> => startWebDemo({ ...pems, 'web.yml': webFile });

/** With the flags of curl, and the authority of the server unless they name one. */
function get({ target, folder }: WebDemo, page: string, ...flags: readonly string[]): Promise<CurlAnswer> {
  const authority = flags.includes('--cacert') ? [] : ['--cacert', path.join(folder, 'ca.crt')];
  return curl([...authority, ...flags, `https://${target}${page}`]);
}

const withClient = ({ folder }: WebDemo, name: string): readonly string[] => [
  ...['--cert', path.join(folder, `${name}.crt`)],
  ...['--key', path.join(folder, `${name}.key`)],
];

describe.skipIf(!isInstalled('curl'))('the listener with TLS (needs curl)', () => {
  let demo: WebDemo;
  beforeAll(async () => {
    demo = await start(tls());
  });
  afterAll(() => demo[Symbol.asyncDispose]());

  it('the listener serves a client that knows its authority, by HTTP/1.1', async () => {
    const answer = await get(demo, '/metrics', '--http2');
    expect([answer.status, answer.httpVersion]).toEqual([200, '1.1']);
    expect(answer.body).toContain('ephemeral_storage_exporter_build_info{');
  });

  it('the listener does not pass for another server', async () => {
    const answer = await get(demo, '/metrics', '--cacert', path.join(demo.folder, 'other-ca.crt'));
    expect([answer.status, answer.exitCode]).toEqual([0, 60]);
  });
});

describe.skipIf(!isInstalled('curl'))('certificates of clients (need curl)', () => {
  let demo: WebDemo;
  beforeAll(async () => {
    demo = await start(clientCertificates);
  });
  afterAll(() => demo[Symbol.asyncDispose]());

  it.each([
    ['none', 0],
    ['client', 200],
    ['expired', 0],
    ['foreign', 0],
  ])('a client whose certificate is %s gets the status %i', async (name, status) => {
    const flags = name === 'none' ? [] : withClient(demo, name);
    for (const version of ['1.2', '1.3']) {
      const answer = await get(demo, '/metrics', '--tls-max', version, ...flags);
      expect([answer.status, answer.exitCode === 0]).toEqual([status, status === 200]);
    }
  });
});

describe.skipIf(!isInstalled('curl'))('passwords and headers (need curl)', () => {
  let demo: WebDemo;
  beforeAll(async () => {
    const headers = 'X-Frame-Options: deny, X-Content-Type-Options: nosniff, Strict-Transport-Security: max-age=60';
    demo = await start(`${tls()}${users}http_server_config: {headers: {${headers}}}\n`);
  });
  afterAll(() => demo[Symbol.asyncDispose]());

  it('a refusal asks for a password, and probes need none', async () => {
    const { headers } = await get(demo, '/metrics');
    expect(headers['www-authenticate']).toEqual(['Basic realm="ephemeral-storage-exporter", charset="UTF-8"']);
    expect((await get(demo, '/livez')).status).toBe(200);
  });
});

describe.skipIf(!isInstalled('curl'))('a file that changes (needs curl)', () => {
  it('a certificate that was rotated is used for new connections, without a restart', async () => {
    await using demo = await start(tls());
    const other = ['--cacert', path.join(demo.folder, 'other-ca.crt')];
    expect((await get(demo, '/livez', ...other)).exitCode).toBe(60);
    await demo.write('tls.crt', pems['other.crt'] ?? '');
    await demo.write('tls.key', pems['other.key'] ?? '');
    await eventually('the new certificate', async () =>
      (await get(demo, '/livez', ...other)).status === 200 ? true : undefined,
    );
    expect((await get(demo, '/livez')).exitCode).toBe(60);
  });

  it('the last good web file stays in force while it has faults, as a metric says', async () => {
    await using demo = await start(`${tls()}${users}`);
    const right = ['--user', `alice:${password}`];
    const reloaded = async (): Promise<string | undefined> =>
      /^ephemeral_storage_exporter_config_last_reload_successful (\d)$/m.exec(
        (await get(demo, '/metrics', ...right)).body,
      )?.[1];
    await eventually('the first file', async () => ((await reloaded()) === '1' ? true : undefined));
    for (const faulty of ['tls_server_config: {cert_file: tls.crt, key_file: other.key}\n', `${tls()}users: {}\n`]) {
      await demo.write('web.yml', faulty);
      demo.command.signal('SIGHUP');
      await eventually('a failed reload', async () => ((await reloaded()) === '0' ? true : undefined));
      expect((await get(demo, '/metrics')).status).toBe(401);
      await demo.write('web.yml', `${tls()}${users}`);
      demo.command.signal('SIGHUP');
      await eventually('a reload', async () => ((await reloaded()) === '1' ? true : undefined));
    }
  });
});

/** Of a password that takes minutes to compare. */
const slowHash = `$2y$20$${'a'.repeat(53)}`;

describe.skipIf(!isInstalled('curl'))('many logins at once (need curl)', () => {
  it('many logins delay no other client, are bounded for each address, and do not hold up the end', async () => {
    await using demo = await start(`basic_auth_users: {alice: ${quickHash}, bob: ${slowHash}}\n`);
    const page = `http://${demo.target}/metrics`;
    const right = ['--user', `alice:${password}`, page];
    expect((await curl(right)).status).toBe(200);
    const leaving = new AbortController();
    setMaxListeners(0, leaving.signal);
    const statuses: number[] = [];
    const login = async (address: string, index: number): Promise<void> => {
      const flags = ['--interface', address, '--user', `bob:wrong ${index}`, page];
      const answer = await curl(flags, leaving.signal).catch(() => undefined);
      if (answer !== undefined) statuses.push(answer.status);
    };
    const logins = Array.from({ length: 20 }, (_, index) => login(`127.0.0.${index + 2}`, index));
    const ofOne = Array.from({ length: 10 }, (_, index) => login('127.0.0.99', 100 + index));
    await eventually('refusals', () => Promise.resolve(statuses.length >= 5 ? true : undefined));
    for (let attempt = 0; attempt < 10; attempt++) {
      expect((await curl([`http://${demo.target}/livez`])).status).toBe(200);
      expect((await curl(right)).status).toBe(200);
    }
    expect(new Set(statuses)).toEqual(new Set([429]));
    expect(statuses.length).toBeLessThanOrEqual(6);
    leaving.abort();
    await Promise.all([...logins, ...ofOne]);
    demo.command.signal('SIGTERM');
    expect(await demo.command.ended()).toBe(0);
  });
});

describe.skipIf(!isInstalled('chromium'))(
  'the status page in a browser, with TLS and a password (needs chromium)',
  () => {
    it('the status page refreshes itself with TLS and a password', async () => {
      await using demo = await start(`${tls()}${users}`);
      const browser = await chromium.launch(launchOptions());
      try {
        const context = await browser.newContext({
          ignoreHTTPSErrors: true, // of the authority, which is the test's own
          httpCredentials: { username: 'alice', password },
        });
        const page = await context.newPage();
        const statuses: number[] = [];
        page.on('response', (response) => statuses.push(response.status()));
        await page.goto(`https://${demo.target}/`);
        await page.getByRole('button', { name: 'Refresh' }).click();
        await expect.poll(() => statuses).toEqual([200, 200]);
        expect(await page.locator('#fault').isHidden()).toBe(true);
      } finally {
        await browser.close();
      }
    });
  },
);
