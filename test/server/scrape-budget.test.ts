import { describe, expect, it } from 'vitest';

import { ScrapeBudgets, scrapeTimeoutMs } from '../../src/serve/server/scrape-budget.js';
import { ManualClock } from '../support/manual-clock.js';
import { aClusterSnapshot } from '../support/snapshot-builders.js';

const prometheus = { client: '10.0.0.1', selection: 'gzip ' };
const timeoutMs = 10_000;
const unknownMs = 5_000;

it.each([
  ['half as much again as the last one took', [[2_000]], 3_000],
  ['at most three fifths of the time', [[9_000]], 6_000],
  ['what the longest of the last ten took', [[3_000], ...Array.from({ length: 9 }, () => [100])], 4_500],
  ['nothing of the eleventh before', [[3_000], ...Array.from({ length: 10 }, () => [100])], 150],
  ['more where only a part of the nodes had data', [[500, 0.25]], 3_000],
  ['no more than ten times as much for few nodes', [[100, 0.01]], 1_500],
  ['nothing of a response without data', [[100], [9_000, 0]], 150],
] as const)('a response is expected to take %s', (_case, responses, expectedMs) => {
  const budgets = new ScrapeBudgets(new ManualClock());
  for (const [durationMs = 0, dataShare] of responses) budgets.add(prometheus, durationMs, dataShare ?? 1);
  expect(budgets.reserveMs(prometheus, timeoutMs)).toBe(expectedMs);
});

it('the time of another client or selection is unknown: one that reads slowly changes nothing', () => {
  const budgets = new ScrapeBudgets(new ManualClock());
  budgets.add(prometheus, 200, 1);
  budgets.add({ ...prometheus, client: '10.0.0.2' }, 9_000, 1);
  budgets.add({ ...prometheus, selection: 'gzip name=up' }, 9_000, 1);
  expect(budgets.reserveMs(prometheus, timeoutMs)).toBe(300);
  expect(budgets.reserveMs({ ...prometheus, client: '10.0.0.3' }, timeoutMs)).toBe(unknownMs);
});

it('the time of a response is forgotten when many other clients or selections come', () => {
  const budgets = new ScrapeBudgets(new ManualClock());
  budgets.add(prometheus, 200, 1);
  budgets.add({ ...prometheus, selection: 'gzip name=up' }, 200, 1);
  for (let count = 0; count < 40; count += 1) budgets.add({ ...prometheus, selection: `gzip name=a${count}` }, 100, 1);
  expect(budgets.reserveMs(prometheus, timeoutMs)).toBe(unknownMs);
  for (let count = 0; count < 40; count += 1) budgets.add({ ...prometheus, client: `10.0.1.${count}` }, 100, 1);
  expect(budgets.reserveMs({ ...prometheus, selection: 'gzip name=a39' }, timeoutMs)).toBe(unknownMs);
});

describe('the budget of a scrape', () => {
  const setUp = () => {
    const clock = new ManualClock();
    const [budgets, client] = [new ScrapeBudgets(clock), new AbortController()];
    const budget = budgets.begin(prometheus, timeoutMs, client.signal);
    const snapshot = aClusterSnapshot();
    return { clock, budget, client, snapshot, nextReserveMs: () => budgets.reserveMs(prometheus, timeoutMs) };
  };

  it.each([
    { collectedMs: 1_000, sentMs: 1_200, what: 'the time since all nodes had responded', reserveMs: 300 },
    { collectedMs: 7_000, sentMs: 7_500, what: 'the time since the wait should have ended', reserveMs: 3_750 },
  ])('the budget of a scrape learns $what from a response', async ({ collectedMs, sentMs, reserveMs }) => {
    const { clock, budget, snapshot, nextReserveMs } = setUp();
    await clock.advance(collectedMs);
    budget.collected(snapshot);
    budget[Symbol.dispose]();
    await clock.advance(sentMs - collectedMs);
    budget.complete();
    expect(nextReserveMs()).toBe(reserveMs);
  });

  it.each([
    { goneMs: 9_999, what: 'nothing of a client that leaves before', reserveMs: unknownMs },
    { goneMs: 10_400, what: 'that it was too short for a client that leaves later', reserveMs: 6_000 },
  ])('the budget of a scrape learns $what the reserve is used up', async ({ goneMs, reserveMs }) => {
    const { clock, client, budget, nextReserveMs } = setUp();
    await clock.advance(goneMs);
    client.abort();
    budget[Symbol.dispose]();
    expect(nextReserveMs()).toBe(reserveMs);
  });

  it('the budget of a scrape ends the wait for nodes when the reserve begins', async () => {
    const { clock, budget } = setUp();
    await clock.advance(timeoutMs - unknownMs - 1);
    expect(budget.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(budget.signal.aborted).toBe(true);
    budget[Symbol.dispose]();
  });
});

const times = { timeoutOffsetMs: 500, defaultTimeoutMs: 10_000 };

it.each([
  ['that of the header less the offset', '10', 9_500],
  ['that of the header with a fraction', '1.5', 1_000],
  ['at most the longest duration', '120', 60_000],
  ['at most the longest duration, offset included', '60.2', 59_700],
  ['half of a timeout as short as the offset', '0.5', 250],
  ['half of a timeout hardly longer than the offset', '0.8', 400],
  ['an hour, the longest that is believed', '3600', 60_000],
  ['the default for a longer one', '3601', 10_000],
  ['the default for a huge one', '1e300', 10_000],
  ['the default for infinity', 'Infinity', 10_000],
  ['the default for no number', 'soon', 10_000],
  ['the default for NaN', 'NaN', 10_000],
  ['the default for nothing', '', 10_000],
  ['the default for blanks', '  ', 10_000],
  ['the default for zero', '0', 10_000],
  ['the default for less than zero', '-5', 10_000],
  ['the default for two values', '10, 20', 10_000],
  ['the default without the header', undefined, 10_000],
])('the timeout of a scrape is %s', (_case, header, expected) => {
  expect(scrapeTimeoutMs(header, times)).toBe(expected);
});

it('the timeout of a scrape is at most the longest duration by default too', () => {
  expect(scrapeTimeoutMs(undefined, { ...times, defaultTimeoutMs: 90_000 })).toBe(60_000);
});

it('the timeout of a scrape is as it is without an offset', () => {
  expect(scrapeTimeoutMs('10', { ...times, timeoutOffsetMs: 0 })).toBe(10_000);
});
