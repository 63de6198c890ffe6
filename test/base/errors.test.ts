import { expect, it } from 'vitest';

import { messageOf, RequestError, UserError } from '../../src/lib/base/errors.js';

it.each([
  ['the message of an error', new Error('broken'), 'broken'],
  ['the name of an error without a message', new TypeError(), 'TypeError'],
  ['several lines on one', new Error('first\n   second \r\n third'), 'first second third'],
  ['a thrown string', 'plain text', 'plain text'],
  ['a thrown undefined', undefined, 'undefined'],
])('messageOf returns %s', (_name, thrown, expected) => {
  expect(messageOf(thrown)).toBe(expected);
});

it('a RequestError has a reason, a status and a cause', () => {
  const cause = new Error('socket hang up');
  const error = new RequestError('http_status', 'node1 answered 500', { cause, status: 500 });
  expect(error).toMatchObject({ name: 'RequestError', reason: 'http_status', status: 500, cause });
});

it('a RequestError has neither a status nor a cause unless they are passed', () => {
  const error = new RequestError('timeout', 'no answer within 10 s');
  expect(error.status).toBeUndefined();
  expect('cause' in error).toBe(false);
});

it('a UserError has its own name', () => {
  expect(new UserError('no such file')).toMatchObject({ name: 'UserError', message: 'no such file' });
});
