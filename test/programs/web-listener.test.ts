import { setMaxListeners } from 'node:events';
import { Agent } from 'node:http';

import { hashSync } from 'bcryptjs';
import { chromium } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { launchOptions } from '../support/browser.js';
import { TestAuthority } from '../support/certificates.js';
import { startWebDemo, type WebDemo } from '../support/demo.js';
import { basicAuth, type HttpRequest, send } from '../support/http-get.js';
import { eventually, isInstalled } from '../support/programs.js';

const password = 'pa:ss wörd';
const quickHash = hashSync(password, 4);
const users = `basic_auth_users: {alice: ${quickHash}}\n`;
const tls = 'tls_server_config: {cert_file: tls.crt, key_file: tls.key}\n';

const right = basicAuth('alice', password);

/** One request to the demo, with the password unless other headers are named. */
function get({ target }: WebDemo, path: string, options: Partial<HttpRequest> = {}) {
  return send({ port: Number(target.split(':')[1]), path, headers: right, ...options });
}

it('SIGHUP has the program read the web file, of which the last good one stays in force', async () => {
  await using demo = await startWebDemo({ 'web.yml': users });
  const isReloaded = async (expected: string): Promise<true | undefined> =>
    (await get(demo, '/metrics')).text.includes(
      `\nephemeral_storage_exporter_config_last_reload_successful ${expected}\n`,
    )
      ? true
      : undefined;
  await eventually('the first file', () => isReloaded('1'));
  await demo.write('web.yml', `${users}users: {}\n`);
  demo.command.signal('SIGHUP');
  await eventually('a failed reload', () => isReloaded('0'));
  expect((await get(demo, '/metrics', { headers: {} })).status).toBe(401);
  await demo.write('web.yml', users);
  demo.command.signal('SIGHUP');
  await eventually('a reload', () => isReloaded('1'));
});

/** Of a password that takes minutes to compare. */
const slowHash = `$2y$20$${'a'.repeat(53)}`;

it('many logins delay no other client, are bounded for each address, and do not hold up the end', async () => {
  await using demo = await startWebDemo({ 'web.yml': `basic_auth_users: {alice: ${quickHash}, bob: ${slowHash}}\n` });
  expect((await get(demo, '/metrics')).status).toBe(200);
  const leaving = new AbortController();
  setMaxListeners(0, leaving.signal);
  const statuses: number[] = [];
  const login = async (localAddress: string, index: number): Promise<void> => {
    const agent = new Agent({ localAddress });
    const asked = get(demo, '/metrics', { headers: basicAuth('bob', `wrong ${index}`), agent, signal: leaving.signal });
    const answer = await asked.catch(() => undefined);
    if (answer !== undefined) statuses.push(answer.status);
  };
  const logins = Array.from({ length: 20 }, (_, index) => login(`127.0.0.${index + 2}`, index));
  const ofOne = Array.from({ length: 10 }, (_, index) => login('127.0.0.99', 100 + index));
  await eventually('refusals', () => Promise.resolve(statuses.length >= 5 ? true : undefined));
  for (let attempt = 0; attempt < 10; attempt++) {
    expect((await get(demo, '/livez', { headers: {} })).status).toBe(200);
    expect((await get(demo, '/metrics')).status).toBe(200);
  }
  expect(new Set(statuses)).toEqual(new Set([429]));
  expect(statuses.length).toBeLessThanOrEqual(6);
  leaving.abort();
  await Promise.all([...logins, ...ofOne]);
  demo.command.signal('SIGTERM');
  expect(await demo.command.ended()).toBe(0);
});

describe.skipIf(!isInstalled('chromium'))('the status page in a browser (needs chromium)', () => {
  it('the status page refreshes itself with TLS and a password', async () => {
    const { cert, key } = await (await TestAuthority.create()).issueServer();
    await using demo = await startWebDemo({ 'web.yml': `${tls}${users}`, 'tls.crt': cert, 'tls.key': key });
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
});
