import { describe, expect, it } from 'vitest';

import { ApiError } from '../../src/cluster/http/api-error.js';
import { noWatches, type RecentWatches, withWatch } from '../../src/cluster/watch/next-step.js';
import { type WatchResult, watchResults } from '../../src/cluster/watch/next-step.js';
import { Retries } from '../../src/cluster/watch/retries.js';
import { silentLogger } from '../../src/lib/base/logger.js';
import { ManualClock } from '../support/manual-clock.js';

const minuteMs = 60_000;

interface Ended {
  readonly result: WatchResult;
  readonly connectedMs?: number;
  readonly atMs: number;
}

function after(...watches: readonly Ended[]): RecentWatches {
  return watches.reduce<RecentWatches>(
    (recent, { result, connectedMs = 5_000, atMs }) => withWatch(recent, { result, connectedMs }, atMs),
    noWatches,
  );
}

/** Watches that ended one after another, the last one a minute after the first. */
const inARow = (...results: readonly WatchResult[]): readonly Ended[] =>
  results.map((result, index) => ({ result, atMs: (index * minuteMs) / (results.length - 1) }));

const fiveOf = (result: WatchResult): readonly Ended[] => inARow(...Array<WatchResult>(5).fill(result));

describe('polling', () => {
  const isAway: readonly WatchResult[] = ['connection', 'throttled', 'unavailable', 'unauthorized'];

  it.each(watchResults.filter((result) => !isAway.includes(result)))(
    'polling begins after a minute of five short watches in a row: %s',
    (result) => {
      expect(after(...fiveOf(result)).mode).toBe('polling');
    },
  );

  it.each(isAway)('polling does not begin while the server is away, and continues then: %s', (result) => {
    expect(after(...fiveOf(result), ...fiveOf(result)).mode).toBe('watch');
    expect(after(...fiveOf('short'), { result, atMs: 2 * minuteMs }).mode).toBe('polling');
  });

  it.each([
    ['four', inARow('short', 'short', 'short', 'short')],
    ['five within less than a minute', fiveOf('reset').map((ended) => ({ ...ended, atMs: ended.atMs * 0.99 }))],
    ['five that are not in a row', inARow('end', 'end', 'end', 'unavailable', 'end', 'end')],
    [
      'five, one of which lived for a minute',
      [...fiveOf('end').slice(1), { result: 'end', connectedMs: minuteMs, atMs: 9 * minuteMs }] as const,
    ],
  ])('polling does not begin after %s', (_case, watches) => {
    expect(after(...watches).mode).toBe('watch');
  });

  it('polling counts from the last watch that worked, not since the start', () => {
    const worked = { result: 'end', connectedMs: minuteMs, atMs: 1 } as const;
    const hiccups = Array.from({ length: 100 }, () => [{ result: 'reset', atMs: 0 } as const, worked]).flat();
    expect(after(...hiccups)).toEqual(noWatches);
  });

  it.each([
    [minuteMs - 1, 'polling'],
    [minuteMs, 'watch'],
  ])('polling ends with a watch that lived for a minute, whatever ended it (%d ms: %s)', (connectedMs, mode) => {
    for (const result of watchResults) {
      expect(after(...fiveOf('short'), { result, connectedMs, atMs: 3 * minuteMs }).mode).toBe(mode);
    }
  });
});

it.each([
  ['watch', 50_000, 20_000],
  ['watch', 5_000, 5_000],
  ['watch', -1, 0],
  ['list', 50_000, 50_000],
  ['list', -1, 20_000],
] as const)('before a %s, a delay of 20 s with a list in %d ms becomes %d ms', (next, inMs, expected) => {
  const error = new ApiError('busy', { status: 429, statusReason: undefined, retryAfterMs: 20_000, causes: [] });
  const retries = new Retries({ clock: new ManualClock(), logger: silentLogger, fields: {}, random: () => 0 });
  expect(retries.failed('watch failed', { reason: 'throttled', error, delay: 'backoff' }, { next, inMs })).toBe(
    expected,
  );
});
