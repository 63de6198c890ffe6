// @module-tag sockets

import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, it } from 'vitest';

import { demo } from '../../src/commands/simulate.js';
import { TestAuthority } from '../support/certificates.js';
import { aCommandContext } from '../support/command-context.js';
import { send } from '../support/http-get.js';
import { temporaryFolder } from '../support/programs.js';

it.each([
  ['http', '{}\n'],
  ['https', 'tls_server_config: {cert_file: tls.crt, key_file: tls.key}\n'],
])('demo prints addresses with the scheme that it serves: %s', async (scheme, webFile) => {
  await using folder = await temporaryFolder();
  const { cert, key } = await (await TestAuthority.create()).issueServer();
  const file = path.join(folder.path, 'web.yml');
  for (const [name, text] of Object.entries({ 'tls.crt': cert, 'tls.key': key, 'web.yml': webFile })) {
    await writeFile(path.join(folder.path, name), text);
  }
  const command = aCommandContext();
  const values = { 'web.listen-address': ['127.0.0.1:0'], 'web.config.file': file };
  const running = demo({ configFile: undefined, values }, command.context);
  await expect.poll(command.out, { interval: 20 }).toContain('Ctrl-C');
  command.stop();
  await running;
  expect(command.out()).toMatch(new RegExp(`^exporter +${scheme}://localhost:\\d+$`, 'm'));
  expect(command.out()).toMatch(new RegExp(`^metrics +${scheme}://localhost:\\d+/metrics$`, 'm'));
});

it('demo with web.authorization: kubernetes prints a header that lets its reader in', async () => {
  const command = aCommandContext();
  const values = { 'web.listen-address': ['127.0.0.1:0'] };
  const assignments = ['web.authorization=kubernetes'];
  const running = demo({ configFile: undefined, values, assignments }, command.context);
  await expect.poll(command.out, { interval: 20 }).toContain('Ctrl-C');
  const [, port = ''] = /^exporter +http:\/\/localhost:(\d+)$/m.exec(command.out()) ?? [];
  const [, authorization = ''] = /^required header +Authorization: (.+)$/m.exec(command.out()) ?? [];
  const read = (headers: Readonly<Record<string, string>>) => send({ port: Number(port), path: '/metrics', headers });
  expect(await read({})).toMatchObject({ status: 401 });
  expect(await read({ authorization })).toMatchObject({ status: 200 });
  command.stop();
  await running;
});
