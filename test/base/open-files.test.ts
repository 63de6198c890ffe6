import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, it } from 'vitest';

import { openFileFault, readOpenFileLimit } from '../../src/lib/base/open-files.js';
import { temporaryFolder } from '../support/programs.js';

const limits = (openFiles: string): string =>
  `Limit                     Soft Limit           Hard Limit           Units\n` +
  `Max processes             127182               127182               processes\n` +
  `Max open files            ${openFiles.padEnd(20)} 1048576              files\n`;

it.each([
  ['its number', limits('1024'), 1_024],
  ['none', limits('unlimited'), undefined],
  ['another text', 'Limit\n', undefined],
])('the limit of open files is read from /proc: %s', async (_case, text, expected) => {
  await using folder = await temporaryFolder();
  const file = path.join(folder.path, 'limits');
  await writeFile(file, text);
  expect(readOpenFileLimit(file)).toBe(expected);
});

it('the limit of open files is unknown without /proc', () => {
  expect(readOpenFileLimit('/nonexistent/limits')).toBeUndefined();
});

it.each([
  [
    24,
    'the limit of open files is 24, and 96 are needed: raise it with ulimit -n, or LimitNOFILE of systemd or containerd',
  ],
  [
    95,
    'the limit of open files is 95, and 96 are needed: raise it with ulimit -n, or LimitNOFILE of systemd or containerd',
  ],
  [96, undefined],
  [undefined, undefined],
])('a limit of %j open files has the fault: %s', (limit, expected) => {
  expect(openFileFault(limit)).toBe(expected);
});
