import { expect, it } from 'vitest';

import { UserError } from '../../src/lib/base/errors.js';
import { compilePattern } from '../../src/lib/base/pattern.js';

const name = 'ephemeral_storage_pod_used_bytes';

it.each([
  [name, true],
  ['.*', true],
  ['ephemeral_storage_(pod|node)_.*', true],
  [`^${name}$`, true],
  ['ephemeral|ephemeral_storage_pod_used_bytes', true],
  ['pod_used_bytes', false],
  ['ephemeral_storage_pod', false],
  ['ephemeral_storage_.*_byte', false],
  ['storage', false],
  ['^ephemeral', false],
  ['bytes$', false],
  ['(a+)+$', false],
])('the pattern %s matches the whole name: %s', (source, expected) => {
  expect(compilePattern(source).test(name)).toBe(expected);
});

it('a pattern matches line ends only explicitly', () => {
  expect(compilePattern('a.*').test('a\n')).toBe(false);
  expect(compilePattern('a$').test('a\n')).toBe(false);
});

it.each([
  ['(', 'Unterminated group'],
  ['a)|(b', "Unmatched ')'"],
  ['(?i)a', 'Invalid group'],
  ['a++', 'Nothing to repeat'],
  [String.raw`\_`, 'Invalid escape'],
  ['a{2,1}', 'numbers out of order in {} quantifier'],
])('a pattern that is no regular expression is rejected with the problem: %s', (source, message) => {
  expect(() => compilePattern(source)).toThrow(UserError);
  expect(() => compilePattern(source)).toThrow(message);
});
