import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, it } from 'vitest';

import { demo } from '../../src/commands/demo.js';
import { TestAuthority } from '../support/certificates.js';
import { aCommandContext } from '../support/command-context.js';
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
