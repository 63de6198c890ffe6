import { expect, it } from 'vitest';

import { decodeText } from '../../src/lib/base/text-file.js';

const text = 'kind: Config # ü𝄞\n';
const utf16 = (of: string) => Buffer.from(of, 'utf16le');

it.each([
  ['UTF-8', Buffer.from(text)],
  ['UTF-8 with a mark', Buffer.from(`\uFEFF${text}`)],
  ['UTF-16LE with a mark', utf16(`\uFEFF${text}`)],
  ['UTF-16BE with a mark', utf16(`\uFEFF${text}`).swap16()],
])('a text in %s is read without its mark', (_encoding, bytes) => {
  expect(decodeText(bytes)).toBe(text);
});

it('an empty text is one', () => {
  expect(decodeText(Buffer.of())).toBe('');
});

it.each([
  ['Latin-1', Buffer.from('ü', 'latin1'), 'it is not UTF-8: save it as UTF-8'],
  ['half a character of UTF-16', Buffer.of(0xff, 0xfe, 0x61), 'it is not UTF-16LE: save it as UTF-8'],
  [
    'UTF-16 without a mark',
    utf16('kind'),
    'it has NUL characters, as UTF-32, and UTF-16 without a byte order mark: save it as UTF-8',
  ],
  ['UTF-32LE', Buffer.of(0xff, 0xfe, 0, 0, 0x61, 0, 0, 0), 'it has NUL characters, as UTF-32'],
  ['UTF-32BE', Buffer.of(0, 0, 0xfe, 0xff, 0, 0, 0, 0x61), 'it is not UTF-8: save it as UTF-8'],
])('a text in %s is refused by the name of its encoding', (_encoding, bytes, message) => {
  expect(() => decodeText(bytes)).toThrow(message);
});
