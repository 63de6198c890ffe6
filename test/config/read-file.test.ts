import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { readConfigFile } from '../../src/config/file-layer.js';
import { loadSettings, loadWeb } from '../../src/config/load.js';
import { UserError } from '../../src/lib/base/errors.js';
import { errorOf, load, loadText } from './support.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'config-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function written(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

it('readConfigFile returns the text, also through symbolic links', async () => {
  const path = await written('plain.yaml', 'log: {} # ü\n');
  await symlink(path, join(folder, 'link.yaml'));
  expect(await readConfigFile(join(folder, 'link.yaml'))).toBe('log: {} # ü\n');
});

it('readConfigFile reads UTF-16 as UTF-8, as Windows PowerShell writes it', async () => {
  const text = await readConfigFile(await written('mark.yaml', Buffer.from('\uFEFFcache: {ttl: 30s}', 'utf16le')));
  expect(loadText(text).cache.ttlMs).toBe(30_000);
});

it('readConfigFile reads only the beginning of a file that is too large', async () => {
  const text = await readConfigFile(await written('large.yaml', 'ü'.repeat(2_000_000)));
  expect(text.length).toBeLessThan(1_100_000);
  expect(errorOf({ file: { path: 'large.yaml', text } }).message).toMatch(
    /^large\.yaml: found \d+ bytes; allowed: at most 1Mi$/,
  );
});

it.each([
  ['a missing file', 'none.yaml', /none\.yaml: cannot read the configuration file: ENOENT/],
  ['a folder', '.', /: cannot read the configuration file: EISDIR/],
])('readConfigFile rejects %s', async (_case, name, message) => {
  const reading = readConfigFile(join(folder, name));
  await expect(reading).rejects.toThrow(UserError);
  await expect(reading).rejects.toThrow(message);
});

/** Of both files, what a start calls. */
const loaders = [
  ['settings', (configFile: string) => loadSettings({ configFile, values: {} }, { environment: {} })],
  ['web', (configFile: string) => loadWeb({ web: { ...load({}).web, configFile } })],
] as const;

it.each(
  loaders.flatMap(([name, loadFile]) =>
    ['', '\uFEFF', '\n# nothing\n---\n  # is set\n'].map((text) => [name, text, loadFile] as const),
  ),
)('an empty file is refused, at the start and at a reload: %s, %j', async (_name, text, loadFile) => {
  const path = await written('empty.yaml', text);
  const message = `${path}: the file is empty; write {} for all defaults`;
  await expect(loadFile(path)).rejects.toThrow(message);
  await written('empty.yaml', '{}');
  const { file } = await loadFile(path);
  await written('empty.yaml', text);
  const read = (await file?.read()) ?? '';
  expect(() => file?.load(read)).toThrow(message);
});
