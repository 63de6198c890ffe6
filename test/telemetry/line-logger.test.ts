import { describe, expect, it } from 'vitest';

import { type LogFields, type LogLevel, logLevels } from '../../src/lib/base/logger.js';
import { createLogger, type LogFormat, logFormats } from '../../src/metrics/telemetry/line-logger.js';
import { ManualClock } from '../support/manual-clock.js';

function aRecording(format: LogFormat = 'json', level: LogLevel = 'debug') {
  const clock = new ManualClock({ nowMs: Date.UTC(2026, 6, 1, 12, 30, 15, 7) });
  const lines: string[] = [];
  return { logger: createLogger({ level, format, write: (line) => lines.push(line), clock }), lines, clock };
}

function written(format: LogFormat, message: string, fields?: LogFields): string {
  const { logger, lines } = aRecording(format);
  logger.info(message, fields);
  return lines.join('');
}

describe('lines', () => {
  const fields = { node: 'node-1', count: 2, ready: false, missing: undefined, ratio: Number.NaN };

  it('lines of JSON are objects with time, level and message first', () => {
    expect(written('json', 'nodes synced', fields)).toBe(
      '{"ts":"2026-07-01T12:30:15.007Z","level":"info","msg":"nodes synced","node":"node-1","count":2,"ready":false,"ratio":"NaN"}\n',
    );
  });

  it('lines of logfmt are quoted where needed', () => {
    expect(written('logfmt', 'nodes synced', fields)).toBe(
      'ts=2026-07-01T12:30:15.007Z level=info msg="nodes synced" node=node-1 count=2 ready=false ratio=NaN\n',
    );
  });

  it.each([
    ['', '""'],
    ['plain', 'plain'],
    ['shop/cart-0', 'shop/cart-0'],
    ['http://192.0.2.1:10250', 'http://192.0.2.1:10250'],
    ['a b', '"a b"'],
    ['a=b', '"a=b"'],
    ['say "hi"', String.raw`"say \"hi\""`],
    [String.raw`C:\x`, String.raw`"C:\\x"`],
    ['größe', '"größe"'],
  ])('lines of logfmt have %j as %s', (value, expected) => {
    expect(written('logfmt', 'x', { value })).toContain(` value=${expected}\n`);
  });

  it.each(
    [
      'a\nts=2026 level=error msg=forged',
      'a\r\nb',
      'a\u2028b',
      'a\u0085b',
      'a\u001B[2Jb',
      'a\u202Eb',
      'a\u{E0001}b',
      'a" msg="b',
    ].flatMap((value) => logFormats.map((format) => [format, value] as const)),
  )('lines of %s cannot be forged with %j', (format, value) => {
    const line = written(format, value, { pod: value });
    expect(line.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    const message = /(?:msg=|"msg":)("(?:[^"\\]|\\.)*")/.exec(line)?.[1] ?? '';
    expect(JSON.parse(message)).toBe(value);
    if (format === 'json') expect(JSON.parse(line)).toMatchObject({ level: 'info', msg: value, pod: value });
  });

  it.each(logFormats)('lines of %s truncate long texts', (format) => {
    expect(written(format, 'x'.repeat(1_000_000), { body: 'y'.repeat(1_000_000) }).length).toBeLessThan(5_000);
  });
});

it.each([
  ['debug', ['debug', 'info', 'warn', 'error']],
  ['info', ['info', 'warn', 'error']],
  ['warn', ['warn', 'error']],
  ['error', ['error']],
] as const)('the level %s lets %j through', (level, expected) => {
  const { logger, lines } = aRecording('json', level);
  for (const each of logLevels) logger[each]('x');
  expect(lines.map((line) => /"level":"(\w+)"/.exec(line)?.[1])).toEqual(expected);
});

it('repetition of a line is suppressed for a minute and counted on the next line, from 0 on again', async () => {
  const { logger, lines, clock } = aRecording('logfmt');
  for (const suppressedCount of [3, 1, 0]) {
    for (let count = 0; count <= suppressedCount; count += 1) logger.warn('node failed', { node: 'node-1' });
    await clock.advance(59_999);
    if (suppressedCount > 0) logger.warn('node failed', { node: 'node-1' });
    await clock.advance(1);
  }
  logger.warn('node failed', { node: 'node-1' });
  expect(lines.map((line) => / node=node-1( repeated=\d+)?\n$/.exec(line)?.[1])).toEqual([
    undefined,
    ' repeated=4',
    ' repeated=2',
    undefined,
  ]);
});

it('repetition is found among a bounded number of lines, those written last', () => {
  const { logger, lines } = aRecording();
  logger.info('first');
  for (let index = 0; index < 1_000; index += 1) logger.info('other', { index });
  logger.info('other', { index: 999 });
  expect(lines).toHaveLength(1_001);
  logger.info('first');
  expect(lines).toHaveLength(1_002);
});
