import { expect, it } from 'vitest';

import { UserError } from '../../src/base/errors.js';
import { compilePattern } from '../../src/base/pattern.js';

const name = 'ephemeral_storage_pod_used_bytes';

it.each([
  [name, true],
  ['.*', true],
  ['ephemeral_storage_(pod|node)_.*', true],
  [`^${name}$`, true],
  ['(?i)EPHEMERAL_storage_POD_used_bytes', true],
  ['ephemeral|ephemeral_storage_pod_used_bytes', true],
  ['pod_used_bytes', false],
  ['ephemeral_storage_pod', false],
  ['ephemeral_storage_.*_byte', false],
  ['storage', false],
  ['^ephemeral', false],
  ['bytes$', false],
  ['(a+)+$', false],
])('the pattern %s matches the whole name: %s', (source, expected) => {
  expect(compilePattern(source).matches(name)).toBe(expected);
});

it('a pattern matches line ends only explicitly', () => {
  expect(compilePattern('a.*').matches('a\n')).toBe(false);
  expect(compilePattern('a$').matches('a\n')).toBe(false);
});

it.each([
  [String.raw`(a)\1`, 'invalid escape sequence: `\\1`'],
  ['(?=a)a', 'invalid or unsupported Perl syntax: `(?=`'],
  ['(?<!a)a', 'invalid named capture: `(?<!a)a`'],
  ['a++', 'invalid nested repetition operator: `++`'],
  ['((a{100}){100}){100}', 'invalid repeat count: `{100}`'],
  ['(', 'missing closing ): `(`'],
])('a pattern that linear time or the syntax rules out is rejected: %s', (source, message) => {
  expect(() => compilePattern(source)).toThrow(UserError);
  expect(() => compilePattern(source)).toThrow(message);
});

it('a pattern that nests too deeply is rejected', () => {
  expect(() => compilePattern('('.repeat(2_000) + ')'.repeat(2_000))).toThrow('expression nests too deeply');
});
