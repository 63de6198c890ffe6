import { expect, it } from 'vitest';

import { FailureRun, type LogLevel } from '../../src/lib/base/logger.js';
import { loggerOf } from '../support/recording-logger.js';

function startRun() {
  const lines: [LogLevel, string, object | undefined][] = [];
  return { run: new FailureRun(loggerOf((...line) => lines.push(line))), lines };
}

it('the first failure of a run is a warning, the others are not, and its end is said once', () => {
  const { run, lines } = startRun();
  for (const error of ['one', 'two']) run.failed('cannot list', { resource: 'pods' }, new Error(error));
  run.ended('listed', { resource: 'pods' });
  run.ended('listed', { resource: 'pods' });
  run.failed('cannot list', { resource: 'pods' }, new Error('three'));
  expect(lines).toEqual([
    ['warn', 'cannot list', { resource: 'pods', attempt: 1, error: 'one' }],
    ['debug', 'cannot list', { resource: 'pods', attempt: 2, error: 'two' }],
    ['info', 'listed after 2 failed attempts', { resource: 'pods' }],
    ['warn', 'cannot list', { resource: 'pods', attempt: 1, error: 'three' }],
  ]);
});

it('a failure that is news is a warning in the midst of a run', () => {
  const { run, lines } = startRun();
  for (const isNews of [false, false, true]) run.failed('cannot list', {}, new Error('no'), isNews);
  expect(lines.map(([level]) => level)).toEqual(['warn', 'debug', 'warn']);
});
