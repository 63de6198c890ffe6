// @module-tag sockets

import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { hashSync } from 'bcryptjs';
import { beforeAll, expect, it } from 'vitest';

import type { Rule } from '../../sim/access.js';
import { runArguments } from '../../src/commands/command-line.js';
import type { WebConfig } from '../../src/config/web/web-config.js';
import { TestAuthority } from '../support/certificates.js';
import { aCommandContext } from '../support/command-context.js';
import { Exporter, leastRules, reviewRule } from '../support/exporter.js';
import { temporaryFolder } from '../support/programs.js';
import { tlsSettings } from '../support/tls-settings.js';

const mayRead: Rule = { verbs: ['get'], nonResourceURLs: ['/'] };
const password = 'pa:ss wörd';

let authority: TestAuthority;
let tls: WebConfig['tls'];

beforeAll(async () => {
  authority = await TestAuthority.create();
  tls = tlsSettings(await authority.issueServer());
});

interface Protected extends AsyncDisposable {
  readonly exporter: Exporter;
  /** `top evictions` of the exporter, with these flags; `FILE(text)` is a file with the text. */
  readonly top: (flags: string) => Promise<{ status: number; out: string; error: string }>;
}

/** An exporter that requires TLS, and a token or a password. */
async function start(): Promise<Protected> {
  const folder = await temporaryFolder();
  const users = new Map([['alice', hashSync(password, 4)]]);
  const exporter = await Exporter.start({
    settings: 'web: {authorization: kubernetes}',
    rules: [...leastRules, reviewRule],
    web: { tls, users },
  });
  await exporter.synced();
  let fileCount = 0;
  const fileWith = async (text: string): Promise<string> => {
    const file = path.join(folder.path, String((fileCount += 1)));
    await writeFile(file, text);
    return file;
  };
  return {
    exporter,
    top: async (flags) => {
      const texts = [...flags.matchAll(/FILE\((.*?)\)/gs)].map(([, text = '']) => text);
      const files = await Promise.all(texts.map(fileWith));
      const line = `top evictions --exporter URL ${flags.replaceAll(/FILE\(.*?\)/gs, () => files.shift() ?? '')}`;
      const url = `https://127.0.0.1:${exporter.app.ports[0] ?? 0}`;
      const { context, out, error } = aCommandContext();
      const status = await runArguments(line.replace('URL', url).trim().split(' '), context);
      return { status, out: out(), error: error() };
    },
    [Symbol.asyncDispose]: async () => {
      await exporter[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

it('evictions of a protected exporter are shown with a token, and with a password', async () => {
  await using world = await start();
  const token = world.exporter.cluster.issueToken({ user: 'operator', rules: [mayRead] });
  const ca = `--exporter-ca-file FILE(${authority.certificate})`;
  for (const flag of [
    `--exporter-token-file FILE(${token}\n)`,
    `--exporter-basic-auth-file FILE(alice:${password}\n)`,
  ]) {
    const { status, error } = await world.top(`${ca} ${flag}`);
    expect([status, error]).toEqual([0, 'No evictions found.\n']);
  }
});

it.each([
  ['', /the exporter answered 401: unauthorized; set --exporter-token-file or --exporter-basic-auth-file/],
  ['--exporter-token-file FILE(wrong-secret)', /the exporter answered 401/],
  ['--exporter-basic-auth-file FILE(alice:wrong-secret)', /the exporter answered 401/],
  ['--exporter-basic-auth-file FILE(wrong-secret)', /--exporter-basic-auth-file \S+: allowed: one line, USER:PASSWORD/],
  ['--exporter-token-file FILE()', /--exporter-token-file \S+ is empty/],
  ['--exporter-token-file /none', /--exporter-token-file \/none cannot be read/],
])('evictions are refused with %j, with what to do and without the secret', async (flags, message) => {
  await using world = await start();
  const { status, error } = await world.top(`--exporter-ca-file FILE(${authority.certificate}) ${flags}`);
  expect(status).not.toBe(0);
  expect(error).toMatch(message);
  expect(error).not.toContain('wrong-secret');
});

it('evictions are refused to a user without the rule, which the error names', async () => {
  await using world = await start();
  const token = world.exporter.cluster.issueToken({ user: 'operator', rules: [] });
  const ca = `--exporter-ca-file FILE(${authority.certificate})`;
  const { error } = await world.top(`${ca} --exporter-token-file FILE(${token})`);
  expect(error).toMatch(/the exporter answered 403: forbidden: User "operator" cannot get path "\/"; grant it with/);
  expect(error).not.toContain(token);
});

it('evictions are not read from an exporter with another certificate, and the error names the flag', async () => {
  await using world = await start();
  expect((await world.top('')).error).toMatch(/TLS verification failed: .*; set --exporter-ca-file/);
});
