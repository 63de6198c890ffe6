import { expect, it } from 'vitest';

import {
  escapeInvisible,
  joinTruncated,
  moreText,
  oneLine,
  truncate,
  withoutUserInfo,
} from '../../src/lib/base/text.js';

it.each([
  ['abcd', 'abcd'],
  ['abcde', 'abcd…'],
  ['', ''],
])('truncate marks the missing end: %j', (text, expected) => {
  expect(truncate(text, 4)).toBe(expected);
});

it('oneLine replaces line feeds, blanks and control characters by single blanks', () => {
  expect(oneLine(' a\r\n  b\u001b[2Jc\td\n')).toBe('a b [2Jc d');
});

it('oneLine truncates', () => {
  expect(oneLine('a\nbcd', 3)).toBe('a b…');
  expect(oneLine('x'.repeat(1000))).toHaveLength(301);
});

it.each([
  ['https://user:secret@host/d', 'https://…@host/d'],
  ['https://user:sec@ret@host', 'https://…@host'],
  ['Name=https://user:sec/ret=x@host', 'Name=https://…@host'],
  ['Name=user:secret@host', 'Name=…@host'],
  ['user:se=cret@host', '…@host'],
  ['a=b@c', 'a=…@c'],
  ['https://host/d?x=1', 'https://host/d?x=1'],
  ['https://host:9797/d:x', 'https://host:9797/d:x'],
  ['http://[::1]:9797', 'http://[::1]:9797'],
  ['Name=https://user:sec', 'Name=https://…'],
  ['Name=https://user:1sec/ret', 'Name=https://…'],
  ['ftp://user:secret%40host', 'ftp://…'],
  ['10s:a', '10s:a'],
])('withoutUserInfo hides what precedes an @, and what may be half of that: %s', (text, expected) => {
  expect(withoutUserInfo(text)).toBe(expected);
});

it('joinTruncated counts the items that it does not show', () => {
  expect(joinTruncated(['a', 'b', 'c'], 2)).toBe('a, b and 1 more');
  expect(joinTruncated(['a', 'b'], 2)).toBe('a, b');
  expect([3, 4, 6].map((n) => moreText(3, n, 'pods'))).toEqual(['', 'and 1 more pod', 'and 3 more pods']);
});

it.each([
  ['plain text with blanks', 'plain text with blanks'],
  ['héllo 世界 😀', 'héllo 世界 😀'],
  ['\u001b[31mred', String.raw`\u001b[31mred`],
  ['\u009b2J', String.raw`\u009b2J`],
  ['a\nb\r\tc\u007f', String.raw`a\u000ab\u000d\u0009c\u007f`],
  ['\u202eevil\u2028', String.raw`\u202eevil\u2028`],
  ['\ud800', String.raw`\ud800`],
  ['\u{e0001}', String.raw`\udb40\udc01`],
])('escapeInvisible makes %j readable', (text, expected) => {
  expect(escapeInvisible(text)).toBe(expected);
});
