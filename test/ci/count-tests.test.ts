import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { temporaryFolder } from '../support/programs.js';

const root = path.resolve(import.meta.dirname, '../..');

interface SyntheticTest {
  readonly file?: string;
  readonly groups?: readonly string[];
  readonly title: string;
  readonly status: 'passed' | 'failed' | 'skipped';
  readonly errors?: readonly string[];
}

/** A report with the fields of vitest's that are read. */
function report(tests: readonly SyntheticTest[]): string {
  const count = (status: string): number => tests.filter((test) => test.status === status).length;
  return JSON.stringify({
    numTotalTests: tests.length,
    numPassedTests: count('passed'),
    numFailedTests: count('failed'),
    numPendingTests: count('skipped'),
    numTodoTests: 0,
    testResults: tests.map(({ file = 'test/one.test.ts', groups = [], title, status, errors = [] }) => ({
      name: path.join(root, file),
      assertionResults: [{ ancestorTitles: groups, title, status, failureMessages: errors }],
    })),
  });
}

describe('the closing lines of .ci/run', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeAll(async () => {
    folder = await temporaryFolder();
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  const count = (reports: Readonly<Record<string, readonly SyntheticTest[]>>) => {
    const files = Object.entries(reports).map(([name, tests]) => {
      const file = path.join(folder.path, `${name}.json`);
      writeFileSync(file, report(tests));
      return file;
    });
    const args = ['.ci/count-tests.mjs', ...files];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    return { status, lines: stdout.split('\n').slice(0, -1), stderr };
  };

  const passed = { title: 'passes', status: 'passed' } as const;
  const retried = { title: 'passes at last', status: 'passed', errors: ['Error: ECONNRESET'] } as const;
  const failed = { title: 'fails', status: 'failed', errors: ['Error: once', 'Error: twice'] } as const;
  const skipped = { title: 'is skipped', status: 'skipped' } as const;

  it('closing lines are the sums of all reports alone when each test passed at the first try', () => {
    expect(count({ unit: [passed, passed, skipped], programs: [passed] })).toEqual({
      status: 0,
      lines: ['tests: 3 passed, 0 failed, 1 skipped'],
      stderr: '',
    });
  });

  it('closing lines name each test that passed at its second try, with its place, before the sums', () => {
    const other = { ...retried, file: 'test/http/two.test.ts', groups: ['the client', 'behind a proxy'] };
    expect(count({ unit: [passed, retried], 'unit-lts': [retried, other], programs: [passed] })).toEqual({
      status: 0,
      lines: [
        'retried: unit: test/one.test.ts > passes at last',
        'retried: unit-lts: test/one.test.ts > passes at last',
        'retried: unit-lts: test/http/two.test.ts > the client > behind a proxy > passes at last',
        'tests: 5 passed, 0 failed, 0 skipped',
      ],
      stderr: '',
    });
  });

  it('closing lines name no test as retried that failed or was skipped, and fail with a failed one', () => {
    expect(count({ unit: [failed, skipped] })).toMatchObject({
      status: 1,
      lines: ['tests: 0 passed, 1 failed, 1 skipped'],
    });
  });

  it.each([
    ['a report without tests', { unit: [passed], cluster: [] }, 'cluster.json counts no test'],
    ['no report', {}, 'no report given'],
  ])('closing lines are missing for %s', (_name, reports, message) => {
    const { status, lines, stderr } = count(reports);
    expect([status, lines]).toEqual([1, []]);
    expect(stderr).toContain(message);
  });
});
