import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';

import { hashSync } from 'bcryptjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');

function node(...args: readonly string[]): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
}

describe('the production bundle', () => {
  /** Laid out as in the image, where there is no node_modules. */
  let image = '';
  let folder = '';
  beforeAll(async () => {
    image = await mkdtemp(path.join(tmpdir(), 'ephemeral-storage-exporter-test-'));
    folder = path.join(image, 'dist');
    await copyFile(path.join(root, 'package.json'), path.join(image, 'package.json'));
    const { status, stderr } = node('scripts/build.mjs', '--production', '--outdir', folder);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
  afterAll(() => rm(image, { recursive: true, force: true }));

  it('contains no source of the simulated cluster, and none of its libraries', async () => {
    const maps = (await readdir(folder)).filter((file) => file.endsWith('.map'));
    const sources: string[] = [];
    for (const map of maps) {
      sources.push(...(JSON.parse(await readFile(path.join(folder, map), 'utf8')) as { sources: string[] }).sources);
    }
    expect(sources.some((source) => source.endsWith('src/cli.ts'))).toBe(true);
    expect(sources.filter((source) => /\.\.\/sim\/|@peculiar/.test(source))).toEqual([]);
    const texts = await Promise.all((await readdir(folder)).map((file) => readFile(path.join(folder, file), 'utf8')));
    expect(texts.filter((text) => text.includes('@peculiar/x509'))).toEqual([]);
  });

  it('loads no library that is not part of it, and only files that it contains', async () => {
    const files = (await readdir(folder)).filter((file) => file.endsWith('.js'));
    const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')));
    const found = (pattern: RegExp): readonly string[] => [
      ...new Set(texts.flatMap((text) => Array.from(text.matchAll(pattern), ([, name = '']) => name))),
    ];
    const libraries = found(/(?:^|;)(?:import|export)\s*(?:[^"';()]*\bfrom\s*)?["']([^."'][^"']*)["'];/gm);
    expect(libraries).toEqual([]);
    const required = found(/\b(?:__)?require\(["']([^"']+)["']\)/g);
    expect(required).toContain('node:http');
    // What libraries can do without, in a try block.
    const optional = ['bufferutil', 'encoding', 'utf-8-validate'];
    expect(required.filter((name) => !isBuiltin(name)).sort()).toEqual(optional);
    const besides = found(/new URL\(["']([^"']+)["'],\s*import\.meta\.url\)/g);
    expect(besides).toContain('bcrypt-worker.js');
    expect(besides.filter((name) => !existsSync(path.join(folder, name)))).toEqual([]);
  });

  it('has the licences of the libraries in it, and of no others', async () => {
    const text = await readFile(path.join(folder, 'THIRD-PARTY-LICENCES.txt'), 'utf8');
    const names = Array.from(text.matchAll(/^## (\S+) \d/gm), ([, name]) => name);
    expect(names).toEqual([...names].sort());
    expect(names).toEqual(expect.arrayContaining(['@kubernetes/client-node', 'bcryptjs', 'express', 'zod']));
    expect(names.filter((name = '') => /peculiar|typescript|vitest|esbuild/.test(name))).toEqual([]);
    expect(text).toContain('Apache License');
  });

  it.each([
    ['right', true],
    ['wrong', false],
  ])('compares a %s password on a thread', async (password, expected) => {
    const worker = new Worker(path.join(folder, 'bcrypt-worker.js'), {
      workerData: { password, hash: hashSync('right', 4) },
    });
    expect(await once(worker, 'message')).toEqual([expected]);
    await worker.terminate();
  });

  it.each(['demo', 'simulate'])('answers %s with one line that names the way to run it, and exit code 1', (command) => {
    const { status, stdout, stderr } = node(path.join(folder, 'cli.js'), command);
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: '',
      stderr:
        'the simulated cluster is not part of this installation; run it from a checkout: npm ci && npm run demo\n',
    });
  });
});
