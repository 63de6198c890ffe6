import { isBuiltin } from 'node:module';

import { expect, it } from 'vitest';

import { bundledInputs } from '../support/bundle.js';
import { readProjectFile } from '../support/install-lines.js';

interface Manifest {
  readonly private?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readProjectFile('package.json')) as Manifest;

/** The packages that the program imports, with the simulated cluster. */
async function imported(): Promise<readonly string[]> {
  const inputs = await bundledInputs({ entryPoints: ['src/cli.ts', 'src/serve/access/bcrypt-worker.js'] });
  const imports = Object.values(inputs).flatMap((input) => input.imports);
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

it('dependencies are not published: package.json itself cannot be, only the tarball of `npm run package`', () => {
  expect(manifest.private).toBe(true);
});
