import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import process from 'node:process';

import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take minutes, the longest first: begun at the end, each of them has the machine to itself. */
const longFiles = [
  'rules',
  'alerts',
  'many-pods',
  'open-files',
  'dashboards',
  'lost-exporters',
  'object-pages',
  'manifests',
];

/**
 * Of all that tests draw. Other sources draw other worlds, the same ones always the same: a run is repeatable. At night they are others
 * each time. `SEED` repeats what a failure has printed.
 */
function newSeed(): number {
  if (process.env['NIGHTLY'] !== undefined) return Math.floor(Math.random() * 2 ** 31);
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD^{tree}'], { cwd: import.meta.dirname, encoding: 'utf8' });
  // Without a repository, as in an archive of the sources, one seed.
  return Number.parseInt(`0${stdout}`.slice(0, 8), 16);
}

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const rank = longFiles.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return rank < 0 ? longFiles.length : rank;
    };
    return (await super.sort(files)).sort((one, other) => rankOf(one) - rankOf(other));
  }
}

/** .ci/run lists who needed a second try. On a developer's machine each failure is shown. */
const retry = process.env['CI'] === undefined ? 0 : 1;

interface ProjectOptions {
  readonly include: string[];
  readonly exclude?: string[];
  readonly retry?: number;
  readonly testTimeout: number;
  /** Whether each file loads all modules anew. */
  readonly isolate?: boolean;
}

const project = (name: string, { testTimeout, ...options }: ProjectOptions) => ({
  // What is polled for happens on sockets: on a loaded machine it takes its time.
  test: {
    ...{ name, ...options, testTimeout, hookTimeout: testTimeout },
    expect: { poll: { timeout: 15_000 } },
    setupFiles: [path.join(import.meta.dirname, 'test/support/property-seed.ts')],
  },
});

export default defineConfig({
  test: {
    env: { SEED: process.env['SEED'] ?? String(newSeed()) },
    maxWorkers: availableParallelism(),
    sequence: { sequencer: LongestFirst },
    tags: [
      {
        name: 'sockets',
        description: 'Exchanges data over real sockets, which can fail on a machine that is busy with other work.',
        retry,
      },
    ],
    projects: [
      // Needs nothing but Node. Modules have no state: test files can share them, and loading them takes long.
      project('unit', {
        include: ['test/**/*.test.ts'],
        exclude: ['test/programs/**', 'test/cluster/**'],
        testTimeout: 20_000,
        isolate: false,
      }),
      // Needs Prometheus, promtool, kubectl and Chromium on the machine; tests of a missing program are skipped. They wait for
      // programs most of the time: `npm run test:programs` has more workers than there are processors, and .ci/run computes beside it.
      project('programs', { include: ['test/programs/**/*.test.ts'], retry, testTimeout: 300_000 }),
      // Reads whatever cluster the kubeconfig names.
      project('cluster', { include: ['test/cluster/**/*.test.ts'], testTimeout: 120_000 }),
    ],
  },
});
