import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, it } from 'vitest';
import { parse } from 'yaml';

const folder = path.resolve(import.meta.dirname, '../../.github/workflows');
const read = (file: string): string => readFileSync(path.join(folder, file), 'utf8');

interface Workflow {
  readonly on: { readonly schedule?: readonly { readonly cron: string }[] };
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly run?: string }[] }>>;
}

const runsOf = (file: string, job: string): readonly string[] =>
  ((parse(read(file)) as Workflow).jobs[job]?.steps ?? []).flatMap(({ run }) => run ?? []);

it('workflows use actions of one commit each, with the version as a comment', () => {
  const uses = readdirSync(folder).flatMap((file) =>
    Array.from(read(file).matchAll(/\buses: *(\S.*)$/gm), ([, action = '']) => action),
  );
  expect(uses.length).toBeGreaterThan(0);
  const pinned = /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
  expect(uses.filter((action) => !pinned.test(action))).toEqual([]);
  const names = [...new Set(uses)].map((action) => action.split('@')[0]);
  expect(names).toEqual([...new Set(names)]);
});

it('workflows audit all packages each week, those of the bundle apart', () => {
  const { on } = parse(read('audit.yml')) as Workflow;
  expect(on.schedule?.map(({ cron }) => cron)).toEqual([expect.stringMatching(/^\d+ \d+ \* \* [0-6]$/)]);
  expect(runsOf('audit.yml', 'audit').filter((run) => run.startsWith('npm audit'))).toEqual([
    'npm audit --package-lock-only --omit=dev',
    'npm audit --package-lock-only',
  ]);
});

it('workflows publish the tarball without dependencies, and attach the bill of materials to the release', () => {
  expect(runsOf('release.yml', 'package')).toEqual(
    expect.arrayContaining(['npm run package', 'cp dist/sbom.cdx.json ephemeral-storage-exporter.cdx.json']),
  );
  expect(read('release.yml')).toMatch(/^ +path: \|\n( +\S+\n)* +ephemeral-storage-exporter\.cdx\.json\n/m);
  expect(runsOf('release.yml', 'release').join('\n')).toMatch(
    /gh release create .* ephemeral-storage-exporter\.cdx\.json$/m,
  );
});
