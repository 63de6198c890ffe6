import { expect, it } from 'vitest';

import { FailureRun, type LogLevel } from '../../src/lib/base/logger.js';
import { loggerOf } from '../support/recording-logger.js';

function startRun() {
  const lines: [LogLevel, string, object | undefined][] = [];
  return { run: new FailureRun(loggerOf((...line) => lines.push(line))), lines };
}

it('a failure that is news is a warning in the midst of a run', () => {
  const { run, lines } = startRun();
  for (const isNews of [false, false, true]) run.failed('cannot list', {}, new Error('no'), isNews);
  expect(lines.map(([level]) => level)).toEqual(['warn', 'debug', 'warn']);
});
