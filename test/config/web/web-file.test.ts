import { copyFile } from 'node:fs/promises';
import path from 'node:path';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { loadWebFile, readWebFile } from '../../../src/config/web/web-file.js';
import { UserError } from '../../../src/lib/base/errors.js';
import { temporaryFolder } from '../../support/programs.js';
import { webFileCases, WebFileFolder } from '../../support/web-files.js';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let files: WebFileFolder;

beforeAll(async () => {
  folder = await temporaryFolder();
  files = await WebFileFolder.create(folder.path);
});

afterAll(() => folder[Symbol.asyncDispose]());

it.each(webFileCases)('the file of the listener with $name is accepted: $isAccepted', async ({ text, isAccepted }) => {
  const file = await files.write(text);
  const content = await readWebFile(file);
  let fault = '';
  try {
    loadWebFile(file, content);
  } catch (error) {
    fault = String(error);
  }
  expect([fault === '', fault]).toEqual([isAccepted, fault]);
});

async function loaded(text: string): Promise<unknown> {
  const file = await files.write(text);
  return loadWebFile('web.yml', await readWebFile(file));
}

it('the file of the listener is understood as a whole', async () => {
  const config = await loaded(`
tls_server_config:
  cert_file: tls.crt
  key_file: tls.key
  client_auth_type: RequireAndVerifyClientCert
  client_ca_file: ca.crt
  min_version: TLS13
http_server_config:
  http2: false
  headers: {X-Frame-Options: deny, Content-Security-Policy: }
basic_auth_users: {no: "$2y$10$X0h1gDsPszWURQaxFh.zoubFi6DXncSjhoQNJgRrnGs7EsimhC7zG"}
`);
  const pem = expect.stringContaining('-----BEGIN') as string;
  expect(config).toEqual({
    tls: { cert: pem, key: pem, clientCa: pem, minVersion: 'TLSv1.3' },
    headers: new Map([['X-Frame-Options', 'deny']]),
    users: new Map([['no', '$2y$10$X0h1gDsPszWURQaxFh.zoubFi6DXncSjhoQNJgRrnGs7EsimhC7zG']]),
  });
});

it('the file of the listener has the defaults of the toolkit', async () => {
  expect(await loaded('tls_server_config: {cert_file: tls.crt, key_file: tls.key}')).toMatchObject({
    tls: { clientCa: undefined, minVersion: 'TLSv1.2' },
    headers: new Map(),
    users: new Map(),
  });
  expect(await loaded('')).toMatchObject({ tls: undefined });
});

it('the file of the listener has all its faults reported, each with its line', async () => {
  const text =
    'tls_server_config:\n  min_version: TLS10\n  cipher_suites: [TLS_AES_128_GCM_SHA256]\n' +
    'http_server_config: {http3: true, http2: yes}\nrate_limit: {burst: 20}\n';
  await expect(loaded(text)).rejects.toThrow(
    [
      'tls_server_config.min_version: found "TLS10" (web.yml:2); allowed: TLS13, TLS12',
      'tls_server_config.cipher_suites: unknown key (web.yml:3); allowed: a mapping with any of cert_file, key_file, client_auth_type, client_ca_file, min_version',
      'http_server_config.http2: found "yes" (web.yml:4); allowed: true or false',
      'http_server_config.http3: unknown key (web.yml:4); allowed: a mapping with any of http2, headers',
      'rate_limit: unknown key (web.yml:5); allowed: a mapping with any of tls_server_config, http_server_config, basic_auth_users',
    ].join('\n'),
  );
});

it.each([
  ['a hash', 'basic_auth_users: {alice: SECRET}'],
  ['users', 'basic_auth_users: SECRET'],
  ['a file that is not the one meant', 'SECRET'],
  ['broken YAML', 'basic_auth_users: {alice: SECRET'],
  ['an alias', 'basic_auth_users: {alice: *SECRET}'],
  ['a tag', 'basic_auth_users: {alice: !SECRET }'],
  ['a private tag', 'basic_auth_users: {alice: !SECRET!x }'],
  ['a key', 'tls_server_config: {cert_file: tls.crt, key: SECRET}'],
])('the faults of the file of the listener say nothing of what is secret: %s', async (_case, text) => {
  const error: unknown = await loaded(text).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UserError);
  expect(String(error)).not.toContain('SECRET');
});

it.each([
  [
    'cert_file: empty.pem, key_file: tls.key',
    'cert_file: "empty.pem" has no certificate',
    "certificates as PEM, the server's",
  ],
  ['cert_file: tls.crt, key_file: empty.pem', 'key_file: "empty.pem" has no private key', 'a private key as PEM'],
  [
    'cert_file: tls.crt, key_file: encrypted.key',
    'key_file: "encrypted.key" cannot be read: ',
    'a private key as PEM, without a password',
  ],
  [
    'cert_file: wrong-chain.crt, key_file: tls.key',
    'cert_file: "wrong-chain.crt" begins with a certificate that is not of the key',
    "certificates as PEM, the server's first, and its key",
  ],
  [
    'cert_file: secp256k1.crt, key_file: secp256k1.key',
    'key_file: "secp256k1.key" is of the kind secp256k1',
    'the kinds rsa, prime256v1, secp384r1',
  ],
  [
    'cert_file: ed448.crt, key_file: ed448.key',
    'key_file: "ed448.key" is of the kind ed448',
    'the kinds rsa, prime256v1, secp384r1',
  ],
  ['cert_file: bad-chain.crt, key_file: tls.key', 'cert_file: "bad-chain.crt" cannot be used: ', 'certificates as PEM'],
  [
    'cert_file: tls.crt, key_file: tls.key, client_auth_type: RequireAndVerifyClientCert, client_ca_file: empty.pem',
    'client_ca_file: "empty.pem" has no certificate',
    'certificates of authorities as PEM',
  ],
])('a file with %s has a fault that names the file, the problem and the remedy', async (pems, problem, allowed) => {
  const error = String(await loaded(`\ntls_server_config: {${pems}}`).catch((reason: unknown) => reason));
  expect(error).toContain(`tls_server_config.${problem}`);
  expect(error).toContain(`(web.yml:2); allowed: ${allowed}`);
});

it('the settings of the listener change with the files that they name', async () => {
  const text = 'tls_server_config: {cert_file: tls.crt, key_file: later.key}';
  const file = await files.write(text);
  const before = await readWebFile(file);
  expect(() => loadWebFile('web.yml', before)).toThrow(
    'tls_server_config.key_file: found "later.key" (web.yml:1); allowed: a file that can be read (ENOENT',
  );
  await copyFile(path.join(folder.path, 'tls.key'), path.join(folder.path, 'later.key'));
  const after = await readWebFile(file);
  expect(loadWebFile('web.yml', after).tls).toBeDefined();
});
