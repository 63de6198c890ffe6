import { expect, it } from 'vitest';

import { parseWalkOutput } from '../../../../src/commands/explain/directories/walk-script.js';

const lines = (...texts: readonly string[]): string => `${texts.join('\n')}\n`;
const nothing = { walks: new Map(), missingTools: [], ioPressure: undefined };

it('a walk has its sum, its files, and the largest entries first', () => {
  const text = lines('w 1', 'e 0', 'd 16 /cache/a', 'd 4 /cache/b c', 'f 8 /cache/a/x', 'f 2 /cache/y', 't 26 3 1');
  expect(parseWalkOutput(text).walks.get(1)).toEqual({
    state: 'complete',
    bytes: 26 * 512,
    fileCount: 3,
    skippedCount: 1,
    entries: [
      { path: '/cache/a', bytes: 8192, isDirectory: true },
      { path: '/cache/a/x', bytes: 4096, isDirectory: false },
      { path: '/cache/b c', bytes: 2048, isDirectory: true },
      { path: '/cache/y', bytes: 1024, isDirectory: false },
    ],
  });
});

it.each([
  ['0', 'complete'],
  ['1', 'unreadable'],
  ['124', 'timeout'],
  ['137', 'timeout'],
  ['143', 'timeout'],
])('the exit code %s of find is a walk that is %s', (code, state) => {
  expect(parseWalkOutput(lines('w 0', `e ${code}`, 't 0 0 0')).walks.get(0)?.state).toBe(state);
});

it('a directory that holds little more than one other entry is left out', () => {
  const text = lines(
    'w 0',
    'e 0',
    'd 1000 /var',
    'd 990 /var/lib',
    'd 400 /var/lib/a',
    'f 500 /var/lib/b',
    't 1000 9 0',
  );
  const paths = parseWalkOutput(text)
    .walks.get(0)
    ?.entries.map(({ path }) => path);
  expect(paths).toEqual(['/var/lib', '/var/lib/b', '/var/lib/a']);
});

it.each([
  ['nothing', '', nothing],
  ['missing tools', lines('m find', 'm awk'), { ...nothing, missingTools: ['find', 'awk'] }],
  ['pressure', lines('p 63.2'), { ...nothing, ioPressure: expect.closeTo(0.632) as number }],
  ['a walk without its ends', lines('w 0', 'd 8 /a'), nothing],
  ['a walk without its sum', lines('w 0', 'e 0', 'd 8 /a'), nothing],
  ['a walk without the end of its find', lines('w 0', 'd 8 /a', 't 8 1 0'), nothing],
  ['ends without a walk', lines('e 0', 't 8 1 0'), nothing],
  [
    'other text',
    lines('sh: 1: find: not found', 'm /bin/rm -rf', 'p 1000', 'w x', 't 1 1', 'e 0', 't -1 0 0'),
    nothing,
  ],
])('an output of %s is read as far as it is understood', (_what, text, expected) => {
  expect(parseWalkOutput(text)).toEqual(expected);
});

it.each([
  ['a path that is not absolute', 'f 8 etc'],
  ['a negative size', 'f -8 /a'],
  ['a size that no disk has', 'f 9999999999999999 /a'],
  ['a size in another base', 'f 0x10 /a'],
  ['a path that no system takes', `f 8 /${'a'.repeat(5_000)}`],
  ['another kind', 'x 8 /a'],
])('%s is no entry', (_what, line) => {
  expect(parseWalkOutput(lines('w 0', 'e 0', line, 't 8 1 0')).walks.get(0)?.entries).toEqual([]);
});

it('no more entries than the script lists are read of a walk', () => {
  const many = Array.from({ length: 50_000 }, (_, index) => `d ${index + 1} /${'a/'.repeat(20)}${index}`);
  expect(parseWalkOutput(lines('w 0', 'e 0', ...many, 't 8 1 0')).walks.get(0)?.entries).toHaveLength(40);
});
