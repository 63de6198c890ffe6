import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';

import { build } from 'esbuild';
import { expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');

interface Manifest {
  readonly private?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

interface LockedPackage extends Manifest {
  readonly dev?: boolean;
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(path.join(root, file), 'utf8'));
const manifest = readJson('package.json') as Manifest;
const { packages } = readJson('package-lock.json') as { readonly packages: Readonly<Record<string, LockedPackage>> };

/** The packages that the program imports, with the simulated cluster. */
async function imported(): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: ['src/cli.ts', 'src/serve/access/bcrypt-worker.js'],
    absWorkingDir: root,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    outdir: 'dist',
    write: false,
    metafile: true,
  });
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  const names = imports.filter(({ external, path: name }) => external === true && !isBuiltin(name));
  return [...new Set(names.map(({ path: name }) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name))].sort();
}

it('dependencies are those that the program imports, and no others', { timeout: 60_000 }, async () => {
  expect(Object.keys(manifest.dependencies ?? {}).sort()).toEqual(await imported());
});

it('dependencies are exact versions', () => {
  const versions = { ...manifest.dependencies, ...manifest.devDependencies };
  expect(Object.entries(versions).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version))).toEqual([]);
});

it('dependencies are locked as such', () => {
  const { dependencies, devDependencies } = packages[''] ?? {};
  expect({ dependencies, devDependencies }).toEqual({
    dependencies: manifest.dependencies,
    devDependencies: manifest.devDependencies,
  });
  const names = Object.keys(manifest.dependencies ?? {});
  expect(names.filter((name) => packages[`node_modules/${name}`]?.dev !== undefined)).toEqual([]);
});

it('dependencies are not published: package.json itself cannot be, only the tarball of `npm run package`', () => {
  expect(manifest.private).toBe(true);
});
