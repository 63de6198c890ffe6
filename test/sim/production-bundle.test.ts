import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { Worker } from 'node:worker_threads';

import { hashSync } from 'bcryptjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const { dependencies } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
};

function node(...args: readonly string[]): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
}

describe('the production bundle', () => {
  /** Laid out as in the image, inside the checkout, whose node_modules has the libraries. */
  let image = '';
  let folder = '';
  beforeAll(async () => {
    await mkdir(path.join(root, '.cache'), { recursive: true });
    image = await mkdtemp(path.join(root, '.cache/image-'));
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

  it('loads only libraries of the image and files that it contains', async () => {
    const files = (await readdir(folder)).filter((file) => file.endsWith('.js'));
    const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')));
    const found = (pattern: RegExp): readonly string[] => [
      ...new Set(texts.flatMap((text) => Array.from(text.matchAll(pattern), ([, name = '']) => name))),
    ];
    const libraries = found(/(?:^|;)(?:import|export)\s*(?:[^"';()]*\bfrom\s*)?["']([^."'][^"']*)["'];/gm)
      .filter((name) => !isBuiltin(name))
      .map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? '');
    expect(libraries).toContain('bcryptjs');
    expect(libraries.filter((name) => !(name in dependencies))).toEqual([]);
    const besides = found(/new URL\(["']([^"']+)["'],\s*import\.meta\.url\)/g);
    expect(besides).toContain('bcrypt-worker.js');
    expect(besides.filter((name) => !existsSync(path.join(folder, name)))).toEqual([]);
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
