import { expect, it } from 'vitest';

import { FailureLog } from '../../src/cluster/kubelet/failure-log.js';
import { type FailureReason, RequestError } from '../../src/lib/base/errors.js';
import type { LogFields } from '../../src/lib/base/logger.js';
import { ManualClock } from '../support/manual-clock.js';

function setUp() {
  const clock = new ManualClock();
  const lines: (readonly [string, string, LogFields | undefined])[] = [];
  const write = (level: string) => (message: string, fields?: LogFields) => {
    lines.push([level, message, fields]);
  };
  const log = new FailureLog({
    failed: { one: 'failed', many: 'many failed' },
    recovered: { one: 'recovered', many: 'many recovered' },
    clock,
    logger: { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') },
  });
  const fail = (node: string, reason: FailureReason = 'timeout', level: 'info' | 'warn' = 'warn'): void => {
    log.failed(node, level, new RequestError(reason, `${node}: ${reason}`));
  };
  return { clock, lines, log, fail };
}

it('the failure of one node has a line with its error', async () => {
  const { clock, lines, fail } = setUp();
  fail('n1');
  expect(lines).toEqual([]);
  await clock.advance(1_000);
  expect(lines).toEqual([['warn', 'failed', { node: 'n1', reason: 'timeout', error: 'n1: timeout' }]]);
});

it('many nodes that fail at once have one line, with their number and examples', async () => {
  const { clock, lines, fail } = setUp();
  for (let index = 99; index >= 10; index -= 1) fail(`n${index}`);
  await clock.advance(1_000);
  expect(lines).toEqual([
    [
      'warn',
      'many failed',
      { nodeCount: 90, nodes: 'n10, n11, n12 and 87 more', reason: 'timeout', error: 'n99: timeout' },
    ],
  ]);
});

it('each reason and level has a line', async () => {
  const { clock, lines, fail } = setUp();
  fail('n1');
  fail('n2', 'tls');
  fail('n3', 'timeout', 'info');
  fail('n4', 'tls');
  await clock.advance(1_000);
  expect(lines.map(([level, message, fields]) => [level, message, fields?.['node'] ?? fields?.['nodes']])).toEqual([
    ['warn', 'failed', 'n1'],
    ['warn', 'many failed', 'n2, n4'],
    ['info', 'failed', 'n3'],
  ]);
});

it('all nodes that recover at once have one line', async () => {
  const { clock, lines, log } = setUp();
  log.recovered('n1');
  await clock.advance(1_000);
  for (const node of ['n5', 'n4', 'n3', 'n2']) log.recovered(node);
  await clock.advance(1_000);
  expect(lines).toEqual([
    ['info', 'recovered', { node: 'n1' }],
    ['info', 'many recovered', { nodeCount: 4, nodes: 'n2, n3, n4 and 1 more' }],
  ]);
});

it('nodes that fail later have another line', async () => {
  const { clock, lines, fail } = setUp();
  fail('n1');
  await clock.advance(1_000);
  fail('n2');
  await clock.advance(1_000);
  expect(lines.map(([, , fields]) => fields?.['node'])).toEqual(['n1', 'n2']);
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
