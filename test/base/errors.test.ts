import { expect, it } from 'vitest';

import { messageOf } from '../../src/lib/base/errors.js';

it.each([
  ['the message of an error', new Error('broken'), 'broken'],
  ['the name of an error without a message', new TypeError(), 'TypeError'],
  ['several lines on one', new Error('first\n   second \r\n third'), 'first second third'],
  ['a thrown string', 'plain text', 'plain text'],
  ['a thrown undefined', undefined, 'undefined'],
])('messageOf returns %s', (_name, thrown, expected) => {
  expect(messageOf(thrown)).toBe(expected);
});
