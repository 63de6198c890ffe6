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

  it('a workflow with a fault would be found to have one', async () => {
    const text = await readFile(path.join(folder, 'release.yml'), 'utf8');
    expect(findings(text.replace('needs: checks', 'needs: check'))).toContain('needs job "check"');
    expect(findings(text.replace('steps.base.outputs', 'steps.bass.outputs'))).toContain('bass');
  });
});
