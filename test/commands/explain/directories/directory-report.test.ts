import { expect, it } from 'vitest';

import { parseDirectories } from '../../../../src/commands/explain/directories/directory-report.js';

const parsed = (...lines: readonly string[]) => parseDirectories(`${lines.join('\n')}\n`);

it('parts have their sums and notes, and the largest paths are first', () => {
  expect(parsed('p\tlogs\t8\t/a/x', 'p\tlogs\t16\t/b\tc/', 's\tlogs\t26\tno more', 's\tpods\t3\t')).toEqual({
    parts: [
      { part: 'logs', bytes: 26, note: 'no more' },
      { part: 'pods', bytes: 3, note: '' },
    ],
    largest: [
      { part: 'logs', bytes: 16, path: '/b\tc/' },
      { part: 'logs', bytes: 8, path: '/a/x' },
    ],
  });
});

it('a directory that holds little more than one other entry is left out', () => {
  const sizes = { '/var/': 1000, '/var/lib/': 990, '/var/lib/a/': 400, '/var/lib/b': 500 };
  const { largest } = parsed(...Object.entries(sizes).map(([path, bytes]) => `p\ta\t${bytes}\t${path}`));
  expect(largest.map(({ path }) => path)).toEqual(['/var/lib/', '/var/lib/b', '/var/lib/a/']);
});

it.each([
  '',
  'sh: 1: find: not found',
  'p\ta',
  's\ta\t-8\t',
  'p\ta\t0x10\t/a',
  's\ta\t99999999999999999\t',
  'x\ta\t8\t/a',
])('the line %j is nothing', (line) => {
  expect(parsed(line)).toEqual({ parts: [], largest: [] });
});

it('no more paths are read than can be compared with each other', () => {
  const many = Array.from({ length: 50_000 }, (_, index) => `p\ta\t${index + 1}\t/${'a/'.repeat(20)}${index}`);
  expect(parsed(...many).largest).toHaveLength(1_000);
});
