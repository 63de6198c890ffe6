import { expect, it } from 'vitest';

import { FailureLog } from '../../src/cluster/kubelet/failure-log.js';
import { type FailureReason, RequestError } from '../../src/lib/base/errors.js';
import type { LogFields } from '../../src/lib/base/logger.js';
import { ManualClock } from '../support/manual-clock.js';
import { loggerOf } from '../support/recording-logger.js';

function setUp() {
  const clock = new ManualClock();
  const lines: (readonly [string, string, LogFields | undefined])[] = [];
  const log = new FailureLog({
    failed: ['failed', 'many failed'],
    recovered: ['recovered', 'many recovered'],
    clock,
    logger: loggerOf((level, message, fields) => lines.push([level, message, fields])),
  });
  const fail = (node: string, reason: FailureReason = 'timeout', level: 'info' | 'warn' = 'warn'): void => {
    log.failed(node, level, new RequestError(reason, `${node}: ${reason}`));
  };
  return { clock, lines, log, fail };
}

it('each reason and level has a line', async () => {
  const { clock, lines, fail } = setUp();
  fail('n1');
  fail('n2', 'tls');
  fail('n3', 'timeout', 'info');
  fail('n4', 'tls');
  expect(clock.sleeperCount).toBe(1);
  await clock.advance(1_000);
  expect(lines.map(([level, message, fields]) => [level, message, fields?.['node'] ?? fields?.['nodes']])).toEqual([
    ['warn', 'failed', 'n1'],
    ['warn', 'many failed', 'n2, n4'],
    ['info', 'failed', 'n3'],
  ]);
});

it('the log is complete when it is closed, and leaves no timer', () => {
  const { clock, lines, log, fail } = setUp();
  fail('n1');
  log[Symbol.dispose]();
  expect(lines).toHaveLength(1);
  expect(clock.sleeperCount).toBe(0);
  fail('n2');
  expect(lines).toHaveLength(2);
  expect(clock.sleeperCount).toBe(0);
});
