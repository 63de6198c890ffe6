import { availableParallelism } from 'node:os';

import { defineConfig } from 'vitest/config';

const project = (name: string, include: string[], exclude: string[], testTimeout: number) => ({
  // What is polled for happens on sockets: on a loaded machine it takes its time.
  test: { name, include, exclude, testTimeout, hookTimeout: testTimeout, expect: { poll: { timeout: 15_000 } } },
});

export default defineConfig({
  test: {
    maxWorkers: availableParallelism(),
    projects: [
      // Needs nothing but Node.
      project('unit', ['test/**/*.test.ts'], ['test/programs/**', 'test/cluster/**'], 20_000),
      // Needs Prometheus, promtool, kubectl and Chromium on the machine; tests of a missing program are skipped.
      project('programs', ['test/programs/**/*.test.ts'], [], 120_000),
      // Reads whatever cluster the kubeconfig names.
      project('cluster', ['test/cluster/**/*.test.ts'], [], 120_000),
    ],
  },
});
