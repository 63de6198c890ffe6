import { expect, it } from 'vitest';

// @ts-expect-error: it runs in the build of the image, where only the bundler is installed
import * as untypedPackages from '../../scripts/bundled-packages.mjs';
// @ts-expect-error: as above
import * as untypedSbom from '../../scripts/sbom.mjs';

interface BundledPackage {
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly integrity?: string;
  readonly dependsOn: readonly string[];
}

interface Metafile {
  readonly inputs: Readonly<Record<string, { readonly imports: readonly { readonly path: string }[] }>>;
  readonly outputs: Readonly<
    Record<string, { readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>> }>
  >;
}

const { bundledFolders } = untypedPackages as {
  bundledFolders: (metafile: Metafile) => ReadonlyMap<string, readonly string[]>;
};
const { cycloneDx } = untypedSbom as {
  cycloneDx: (program: BundledPackage, libraries: readonly BundledPackage[]) => object;
};

/** A metafile of files with what they import; those of `dropped` have no bytes in the bundle, which has a file for each of them. */
function metafile(files: Readonly<Record<string, readonly string[]>>, dropped: readonly string[] = []): Metafile {
  const inputs = Object.entries(files).map(
    ([name, imports]) => [name, { imports: imports.map((path) => ({ path })) }] as const,
  );
  const outputs = Object.keys(files).map((name, index) => {
    const bytesInOutput = dropped.includes(name) ? 0 : 9;
    return [`chunk-${index}.js`, { inputs: { [name]: { bytesInOutput } } }] as const;
  });
  return { inputs: Object.fromEntries(inputs), outputs: Object.fromEntries(outputs) };
}

it.each<[string, Metafile, Readonly<Record<string, readonly string[]>>]>([
  [
    'of the project, of a scope, and of another package',
    metafile({
      'src/cli.ts': ['src/app.ts', 'node_modules/@scope/one/index.js', 'built-in:node:fs'],
      'src/app.ts': ['node_modules/two/main.js', '../../sim/index.js'],
      'built-in:node:fs': ['node:fs'],
      'node_modules/@scope/one/index.js': ['node_modules/@scope/one/lib/part.js'],
      'node_modules/@scope/one/lib/part.js': ['node_modules/@scope/one/node_modules/two/main.js'],
      'node_modules/@scope/one/node_modules/two/main.js': [],
      'node_modules/two/main.js': [],
    }),
    {
      '': ['node_modules/@scope/one', 'node_modules/two'],
      'node_modules/@scope/one': ['node_modules/@scope/one/node_modules/two'],
      'node_modules/@scope/one/node_modules/two': [],
      'node_modules/two': [],
    },
  ],
  [
    'that import one another',
    metafile({
      'src/cli.ts': ['node_modules/b/index.js'],
      'node_modules/b/index.js': ['node_modules/a/index.js', 'node_modules/b/other.js'],
      'node_modules/b/other.js': ['node_modules/a/index.js'],
      'node_modules/a/index.js': ['node_modules/b/other.js'],
    }),
    { '': ['node_modules/b'], 'node_modules/a': ['node_modules/b'], 'node_modules/b': ['node_modules/a'] },
  ],
  [
    'without those of which no code is used',
    metafile(
      {
        'src/cli.ts': ['node_modules/used/index.js'],
        'node_modules/used/index.js': ['node_modules/unused/index.js', 'node_modules/used/unused.js'],
        'node_modules/used/unused.js': [],
        'node_modules/unused/index.js': [],
      },
      ['node_modules/unused/index.js', 'node_modules/used/unused.js'],
    ),
    { '': ['node_modules/used'], 'node_modules/used': [] },
  ],
])('packages of a bundle are named with those that they import, in order: packages %s', (_which, input, expected) => {
  const folders = bundledFolders(input);
  expect(Object.fromEntries(folders)).toEqual(expected);
  expect([...folders.keys()]).toEqual(Object.keys(expected).sort());
});

const program: BundledPackage = {
  folder: '',
  name: 'the-program',
  version: '1.2.3',
  license: 'Apache-2.0',
  dependsOn: ['node_modules/@scope/one', 'node_modules/two'],
};
const one: BundledPackage = {
  folder: 'node_modules/@scope/one',
  name: '@scope/one',
  version: '4.0.0-rc.1+build',
  license: '(MIT OR Apache-2.0)',
  integrity: 'sha512-AAECAw==',
  dependsOn: ['node_modules/two'],
};
const two: BundledPackage = {
  folder: 'node_modules/two',
  name: 'two',
  version: '2.0.0',
  license: 'MIT',
  dependsOn: [],
};

it('the bill of materials has one component for a version that is installed in two folders', () => {
  const nested = {
    ...two,
    folder: 'node_modules/@scope/one/node_modules/two',
    dependsOn: ['node_modules/@scope/one'],
  };
  const again = { ...one, dependsOn: ['node_modules/two', nested.folder] };
  const bom = cycloneDx(program, [two, again, nested]);
  expect(bom).toMatchObject({
    components: [{ name: 'one' }, { name: 'two' }],
    dependencies: [
      { dependsOn: ['pkg:npm/two@2.0.0'] },
      {},
      { ref: 'pkg:npm/two@2.0.0', dependsOn: ['pkg:npm/%40scope/one@4.0.0-rc.1%2Bbuild'] },
    ],
  });
});
