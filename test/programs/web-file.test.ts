import { spawnSync } from 'node:child_process';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { isInstalled, temporaryFolder } from '../support/programs.js';
import { webFileCases, WebFileFolder } from '../support/web-files.js';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let files: WebFileFolder;

beforeAll(async () => {
  folder = await temporaryFolder();
  files = await WebFileFolder.create(folder.path);
});

afterAll(() => folder[Symbol.asyncDispose]());

/** The table is that of Prometheus 3; the promtool of 2.42 knows less. */
function isOf242(program: string): boolean {
  return spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout.includes('version 2.');
}

describe.each(['promtool3', 'promtool'])('%s and the table of web files', (program) => {
  it.skipIf(!isInstalled(program)).each(webFileCases)('promtool agrees on $name', async ({ text, ...opinions }) => {
    const { isAccepted, isAcceptedByPromtool = isAccepted, isAcceptedBy242 } = opinions;
    const file = await files.write(text);
    const { status, stderr } = spawnSync(program, ['check', 'web-config', file], { encoding: 'utf8' });
    const isAcceptedByIt = status === 0;
    expect([isAcceptedByIt, stderr]).toEqual([isOf242(program) ? isAcceptedBy242 : isAcceptedByPromtool, stderr]);
  });
});
