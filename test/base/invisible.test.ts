import { expect, it } from 'vitest';

import { escapeInvisible } from '../../src/base/invisible.js';

it.each([
  ['plain text with blanks', 'plain text with blanks'],
  ['héllo 世界 😀', 'héllo 世界 😀'],
  ['\u001b[31mred', String.raw`\u001b[31mred`],
  ['\u009b2J', String.raw`\u009b2J`],
  ['a\nb\r\tc\u007f', String.raw`a\u000ab\u000d\u0009c\u007f`],
  ['\u202eevil\u2028', String.raw`\u202eevil\u2028`],
  ['\ud800', String.raw`\ud800`],
  ['\u{e0001}', String.raw`\udb40\udc01`],
])('makes %j readable', (text, expected) => {
  expect(escapeInvisible(text)).toBe(expected);
});
