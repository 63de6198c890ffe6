import { spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { isInstalled } from '../support/programs.js';

const folder = path.resolve(import.meta.dirname, '../../.github/workflows');
const files = await readdir(folder);

function findings(text: string): string {
  const { stdout, stderr } = spawnSync('actionlint', ['-shellcheck=', '-pyflakes=', '-'], {
    input: text,
    encoding: 'utf8',
  });
  return `${stdout}${stderr}`;
}

describe.skipIf(!isInstalled('actionlint'))('the workflows (needs actionlint)', () => {
  it.each(files)('the workflow %s has no fault', async (file) => {
    expect(findings(await readFile(path.join(folder, file), 'utf8'))).toBe('');
  });
});
