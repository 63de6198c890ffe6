// @module-tag sockets

import { writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import path from 'node:path';

import { beforeAll, expect, it } from 'vitest';

import { checkConfig } from '../../src/commands/check-config.js';
import type { SettingFlags } from '../../src/config/load.js';
import { TestAuthority } from '../support/certificates.js';
import { aCommandContext } from '../support/command-context.js';
import { parseExposition } from '../support/exposition-parser.js';
import { temporaryFolder } from '../support/programs.js';
import { startCommand } from './running-command.js';

let authority: TestAuthority;

beforeAll(async () => {
  authority = await TestAuthority.create();
});

interface Answer {
  readonly serial: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

const tls = 'tls_server_config: {cert_file: tls.crt, key_file: tls.key}\n';

/** The exporter with a file of `--web.config.file` alone. */
async function start(webFile: string) {
  const { cert, key } = await authority.issueServer();
  const command = await startCommand({
    files: { 'web.yml': webFile, 'tls.crt': cert, 'tls.key': key },
    flagsIn: (folder) => ({ configFile: undefined, values: { 'web.config.file': path.join(folder, 'web.yml') } }),
  });
  const get = (target: string): Promise<Answer> => getTls(command.port, target);
  return {
    ...command,
    get,
    lastReload: async () =>
      parseExposition((await get('/metrics')).body, 'text').find(
        ({ name }) => name === 'ephemeral_storage_exporter_config_last_reload_successful',
      )?.samples[0]?.value,
    issue: async () => {
      const issued = await authority.issueServer();
      await command.write('tls.crt', issued.cert);
      await command.write('tls.key', issued.key);
    },
  };
}

async function getTls(port: number, target: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: target, ca: authority.certificate, agent: false };
    const outgoing = request(options, (incoming) => {
      const { socket, headers } = incoming;
      const serial =
        'getPeerCertificate' in socket
          ? (socket.getPeerCertificate as () => { serialNumber: string })().serialNumber
          : '';
      incoming.toArray().then((chunks) => {
        resolve({ serial, headers, body: Buffer.concat(chunks as Buffer[]) });
      }, reject);
    });
    outgoing.on('error', reject).end();
  });
}

it('the file is read again at SIGHUP, with the files that it names', async () => {
  await using exporter = await start(tls);
  const before = await exporter.get('/livez');
  await exporter.issue();
  exporter.hangUp();
  await expect.poll(async () => (await exporter.get('/livez')).serial, { interval: 20 }).not.toBe(before.serial);
  expect(exporter.log()).toContain('file of --web.config.file reloaded');
});

it('the file stays in force while the new one has faults, as the metrics say', async () => {
  await using exporter = await start(`${tls}http_server_config: {headers: {X-Frame-Options: deny}}\n`);
  expect(await exporter.lastReload()).toBe(1);
  await exporter.write('web.yml', `${tls}http_server_config: {headers: {X-Frame-Options: always}}\n`);
  exporter.hangUp();
  await expect.poll(exporter.lastReload, { interval: 20 }).toBe(0);
  expect(exporter.log()).toMatch(
    /level=error msg="file of --web.config.file not reloaded, the last good one stays in force".*X-Frame-Options: found \\"always\\" \(.*web\.yml:2\)/,
  );
  expect((await exporter.get('/livez')).headers['x-frame-options']).toBe('deny');
  await exporter.write('web.yml', `${tls}http_server_config: {headers: {X-Frame-Options: sameorigin}}\n`);
  exporter.hangUp();
  await expect.poll(exporter.lastReload, { interval: 20 }).toBe(1);
  expect((await exporter.get('/livez')).headers['x-frame-options']).toBe('sameorigin');
  await exporter.write('web.yml', `${tls}http_server_config: {headers: {X-Frame-Options: always}, http2: 2}\n`);
  exporter.hangUp();
  await expect.poll(exporter.log).toMatch(/not reloaded.* reload=3 .*web\.yml:2\); .* \| .*web\.yml:2\)/);
});

it.each([
  ['without TLS', '{}\n', /TLS cannot be switched on or off while the exporter runs; restart it/],
  ['that is empty', '', /the file is empty/],
])('the file stays in force when there is a new one %s', async (_case, text, message) => {
  await using exporter = await start(tls);
  const before = await exporter.get('/livez');
  await exporter.write('web.yml', text);
  exporter.hangUp();
  await expect.poll(exporter.lastReload, { interval: 20 }).toBe(0);
  expect(exporter.log()).toMatch(message);
  expect((await exporter.get('/livez')).serial).toBe(before.serial);
});

it.each([
  ['{cert_file: tls.crt}', 'tls_server_config.key_file: found nothing'],
  ['{cert_file: web.yml, key_file: tls.key}', 'tls_server_config.cert_file: "web.yml" has no certificate'],
])('a file with the faults of %s prevents the start', async (config, fault) => {
  await expect(start(`tls_server_config: ${config}\n`)).rejects.toThrow(fault);
});

it('the file is checked by check-config', async () => {
  await using folder = await temporaryFolder();
  const file = path.join(folder.path, 'web.yml');
  await writeFile(file, 'tls_server_config: {min_version: TLS10}\n');
  const flags: SettingFlags = { configFile: undefined, values: { 'web.config.file': file } };
  await expect(checkConfig(flags, aCommandContext().context)).rejects.toThrow(
    `tls_server_config.min_version: found "TLS10" (${file}:1); allowed: TLS13, TLS12`,
  );
});
