import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { bundledInputs } from '../support/bundle.js';
import { temporaryFolder } from '../support/programs.js';

const root = path.resolve(import.meta.dirname, '../..');
const fromRoot = (...parts: readonly string[]): string => path.join(root, ...parts);

/** The test files that the runner gives the tag. */
async function taggedFiles(): Promise<readonly string[]> {
  const names = (await readdir(fromRoot('test'), { recursive: true })).filter((name) => name.endsWith('.test.ts'));
  const texts = await Promise.all(names.map((name) => readFile(fromRoot('test', name), 'utf8')));
  return names.filter((_name, index) => /(?:\/\/|\*)\s*@module-tag\s+sockets\b/.test(texts[index] ?? '')).sort();
}

/** A file with a test that passes at its second try. */
const flaky = (title: string, tag?: string): string =>
  `${tag === undefined ? '' : `// @module-tag ${tag}`}\nimport { expect, it } from 'vitest';\nlet tries = 0;\nit('${title}', () => expect(++tries).toBe(2));\n`;

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
  }[];
}

/** The statuses of tests by title, as the runner reports them with the configuration of this project. */
async function run(files: Readonly<Record<string, string>>, environment: Readonly<Record<string, string>>) {
  await using folder = await temporaryFolder();
  const report = path.join(folder.path, 'unit.json');
  await mkdir(path.join(folder.path, 'test'));
  await symlink(fromRoot('node_modules'), path.join(folder.path, 'node_modules'));
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder.path, 'test', name), text);
  const program = [fromRoot('node_modules/vitest/vitest.mjs'), 'run', '--project', 'unit'];
  const places = ['--root', folder.path, '--config', fromRoot('vitest.config.ts'), `--outputFile.json=${report}`];
  const env = { PATH: process.env['PATH'], HOME: folder.path, ...environment };
  spawnSync(process.execPath, [...program, ...places, '--reporter=json'], { cwd: folder.path, env });
  const { testResults } = JSON.parse(await readFile(report, 'utf8')) as Report;
  const statuses = testResults.flatMap(({ assertionResults }) => assertionResults);
  const closing = spawnSync(process.execPath, [fromRoot('.ci/count-tests.mjs'), report], {
    cwd: folder.path,
    encoding: 'utf8',
  });
  return {
    statuses: Object.fromEntries(statuses.map(({ title, status }) => [title, status])),
    closing: closing.stdout,
  };
}

describe('a second try', () => {
  const files = {
    'socket.test.ts': flaky('with sockets', 'sockets'),
    'pure.test.ts': flaky('without'),
  };

  it('a second try is made for tests over sockets and for no others, and is listed by .ci/run', async () => {
    expect(await run(files, { CI: 'true' })).toEqual({
      statuses: { 'with sockets': 'passed', without: 'failed' },
      closing: 'retried: unit: test/socket.test.ts > with sockets\ntests: 1 passed, 1 failed, 0 skipped\n',
    });
  }, 60_000);

  it("a second try is not made on a developer's machine", async () => {
    expect((await run(files, {})).statuses).toEqual({ 'with sockets': 'failed', without: 'failed' });
  }, 60_000);

  it('a second try is given to no test by a flag of .ci/run, which asks for it as CI does', async () => {
    const script = await readFile(fromRoot('.ci/run'), 'utf8');
    expect(script).not.toContain('--retry');
    expect(script).toMatch(/^export CI=true$/m);
  });

  it('a second try is never made for a property: no tagged file imports fast-check, even by another', async () => {
    const files = await taggedFiles();
    expect(files.length).toBeGreaterThan(50);
    const contents = files.map((name) => `import './${name}';`).join('\n');
    const inputs = await bundledInputs({ stdin: { contents, resolveDir: fromRoot('test') } });
    const importers = Object.entries(inputs).filter(([, { imports }]) =>
      imports.some((imported) => imported.path === 'fast-check'),
    );
    expect(importers.map(([name]) => name)).toEqual([]);
  }, 60_000);
});
