import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';

import { hashSync } from 'bcryptjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { packageOf, parseBill } from '../support/bill-of-materials.js';
import { bundledLibraries, bundledSources } from '../support/bundled-sources.js';

const root = path.resolve(import.meta.dirname, '../..');

const { version, packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
  readonly version: string;
  readonly packages: Readonly<
    Record<string, { readonly version: string; readonly integrity?: string; readonly dev?: boolean }>
  >;
};

async function node(...args: readonly string[]) {
  const child = spawn(process.execPath, args, { cwd: root });
  const closed = once(child, 'close') as Promise<[status: number | null]>;
  const [[status], stdout, stderr] = await Promise.all([closed, text(child.stdout), text(child.stderr)]);
  return { status, stdout, stderr };
}

describe('the production bundle', () => {
  /** Laid out as in the image, where there is no node_modules. */
  let image = '';
  let folder = '';
  let again = '';
  beforeAll(async () => {
    image = await mkdtemp(path.join(tmpdir(), 'ephemeral-storage-exporter-test-'));
    folder = path.join(image, 'dist');
    await copyFile(path.join(root, 'package.json'), path.join(image, 'package.json'));
    again = path.join(image, 'again');
    const outcomes = await Promise.all(
      [folder, again].map((to) => node('scripts/build.mjs', '--production', '--outdir', to)),
    );
    for (const { status, stderr } of outcomes) expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  }, 120_000);
  afterAll(() => rm(image, { recursive: true, force: true }));

  it('the production bundle contains no source of the simulated cluster, and none of its libraries', async () => {
    const sources = await bundledSources(folder);
    expect(sources.some((source) => source.endsWith('src/cli.ts'))).toBe(true);
    expect(sources.filter((source) => /\.\.\/sim\/|@peculiar/.test(source))).toEqual([]);
    const texts = await Promise.all((await readdir(folder)).map((file) => readFile(path.join(folder, file), 'utf8')));
    expect(texts.filter((text) => text.includes('@peculiar/x509'))).toEqual([]);
  });

  it('the production bundle loads no library that is not part of it, and only files that it contains', async () => {
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

  it('the production bundle has the licences of the libraries in it, and of no others', async () => {
    const licences = await readFile(path.join(folder, 'THIRD-PARTY-LICENCES.txt'), 'utf8');
    const names = Array.from(licences.matchAll(/^## (\S+) \d/gm), ([, name]) => name);
    expect(names).toEqual([...names].sort());
    expect(names).toEqual(expect.arrayContaining(['@kubernetes/client-node', 'bcryptjs', 'express', 'zod']));
    expect(names.filter((name = '') => /peculiar|typescript|vitest|esbuild/.test(name))).toEqual([]);
    expect(licences).toContain('Apache License');
  });

  it("the production bundle has a bill of materials of its libraries alone, with the lock file's hashes", async () => {
    const bill = parseBill(await readFile(path.join(folder, 'sbom.cdx.json'), 'utf8'));
    expect(packageOf(bill.metadata.component)).toBe(`ephemeral-storage-exporter@${version}`);
    const libraries = bill.components.map(packageOf);
    expect([...libraries].sort()).toEqual(await bundledLibraries(folder));
    expect(libraries).toEqual(expect.arrayContaining([expect.stringMatching(/^@kubernetes\/client-node@/)]));
    const hashes = bill.components.map(({ hashes: found = [] }) => found.map(({ content }) => content).join());
    const locked = new Map(
      Object.entries(packages).map(([name, { integrity = '', version: of, dev }]) => [
        `${name.replace(/^.*node_modules\//, '')}@${of}`,
        { hash: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex'), dev },
      ]),
    );
    expect(hashes).toEqual(libraries.map((library) => locked.get(library)?.hash));
    // What `npm audit --omit=dev` reads.
    expect(libraries.filter((library) => locked.get(library)?.dev !== undefined)).toEqual([]);
  });

  it('the production bundle is the same, byte for byte, when it is built again', async () => {
    const names = await readdir(folder);
    expect(await readdir(again)).toEqual(names);
    for (const name of names)
      expect((await readFile(path.join(again, name))).equals(await readFile(path.join(folder, name))), name).toBe(true);
  });

  it.each([
    ['right', true],
    ['wrong', false],
  ])('the production bundle compares a %s password on a thread', async (password, expected) => {
    const worker = new Worker(path.join(folder, 'bcrypt-worker.js'), {
      workerData: { password, hash: hashSync('right', 4) },
    });
    expect(await once(worker, 'message')).toEqual([expected]);
    await worker.terminate();
  });

  it.concurrent.each(['demo', 'simulate'])(
    'the production bundle answers %s with one line that names the way to run it, and exit code 1',
    async (command) => {
      const { status, stdout, stderr } = await node(path.join(folder, 'cli.js'), command);
      expect({ status, stdout, stderr }).toEqual({
        status: 1,
        stdout: '',
        stderr:
          'the simulated cluster is not part of this installation; run it from a checkout: npm ci && npm run demo\n',
      });
    },
  );
});
