import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { type Forecast, forecastOf, timeLeftMs, trendOf } from '../../src/facts/forecast/forecast.js';
import { Measurements } from '../../src/facts/forecast/measurements.js';

/** Pairs of seconds and amount. */
type Course = readonly (readonly [atSeconds: number, amount: number])[];

function followed(course: Course, hasPeaks = true): Measurements {
  const measurements = new Measurements(hasPeaks);
  for (const [atSeconds, amount] of course) measurements.add({ atMs: 1_000 * atSeconds, amount });
  return measurements;
}

function forecast(course: Course, { limit = 100, minChangeCount = 3 } = {}): Forecast | undefined {
  const measurements = followed(course);
  const { last } = measurements;
  const rise = measurements.rise();
  return last && forecastOf([{ last, trend: rise && trendOf(rise, minChangeCount) }], limit);
}

/** Seconds at which 100 is reached, to the second. */
function reachedAt(course: Course): number | undefined {
  const found = forecast(course);
  return found && Math.round(found.reachedAtMs / 1_000);
}

/** One measurement each `everySeconds`. */
const at = (seconds: number, amount: number): Course[number] => [seconds, amount];

function every(everySeconds: number, amounts: readonly number[]): Course {
  return amounts.map((amount, index) => [everySeconds * index, amount]);
}

it('measurements go on one after a clock that jumped ahead has come back', () => {
  const jumped: Course = [...every(10, [50, 55]), [300, 60], [30, 65], [40, 70], [50, 75], [60, 80], [70, 85]];
  expect(reachedAt(jumped)).toBe(100);
  expect(followed([...jumped, [310, 90]]).recent.map(({ atMs }) => atMs / 1_000)).toEqual([40, 50, 60, 70, 310]);
  expect(reachedAt([...every(10, [50, 55, 60, 65]), [25, 1], [40, 70]])).toBe(100);
});

describe('the time at which 100 is reached', () => {
  it.each<readonly [string, Course, number | undefined]>([
    ['a steady rise', every(10, [50, 55, 60, 65]), 100],
    ['a rise that has just begun: two changes may be a burst', every(10, [50, 60, 70]), undefined],
    [
      'a rise that began some time before it was measured: its first change says nothing',
      [at(0, 50), at(60, 55), at(70, 60), at(80, 65)],
      150,
    ],
    ['a rise that accelerates: the rate of its later half', every(10, [50, 51, 52, 56, 60]), 140],
    ['growth that decays towards less', every(10, [20, 60, 70, 74, 76]), undefined],
    ['a staircase: it rises from stair to stair', every(10, [50, 60, 60, 60, 70, 70, 70, 80, 80, 80]), 130],
    ['a rise that has ended', every(10, [50, 60, 70, 80, 80]), undefined],
    [
      'a stair that is longer than half as long again as those before',
      every(10, [50, 60, 60, 70, 70, 80, 80, 80]),
      undefined,
    ],
    ['a fall', every(10, [50, 60, 70, 80, 70]), undefined],
    ['a rise after a fall, below the peak', every(10, [50, 60, 70, 80, 50, 60, 70, 75, 80, 81]), undefined],
    ['a rise after a fall, above the peak', every(10, [50, 60, 70, 80, 50, 82, 84, 86, 88, 90]), 140],
    [
      'a rise just above the peak: a cache that fills up again',
      every(10, [80, 90, 97, 50, 97.3, 97.8, 98.3, 98.8]),
      undefined,
    ],
    ['usage that falls', every(10, [90, 80, 70, 60]), undefined],
    ['usage that stays', every(10, [90, 90, 90, 90]), undefined],
    ['what is further ahead than four times what was seen', every(10, [50, 52, 54, 56]), undefined],
    ['what is three times as far ahead as what was seen', every(10, [50, 54, 58, 62]), 125],
    ['nothing', [], undefined],
    ['one measurement', every(10, [90]), undefined],
  ])('is forecast of %s', (_case, course, seconds) => {
    expect(reachedAt(course)).toBe(seconds);
  });
});

it('a measurement that is seen again, or an older one, changes nothing', () => {
  const course = every(10, [50, 55, 60, 65]);
  expect(forecast(course.flatMap((each) => [each, [each[0], 99], each, [each[0] - 5, 99]] as const))).toEqual(
    forecast(course),
  );
});

it('a dip ends no rise, a fall does', () => {
  expect(reachedAt(every(10, [50, 55, 60, 59.9, 65, 70]))).toBe(130);
  expect(reachedAt(every(10, [50, 55, 60, 58, 65, 70]))).toBeUndefined();
});

describe('on a disk that has grown by 1 a minute for six minutes, after a cleanup', () => {
  const grown = [60, 61, 62, 63, 64, 65, 66];

  it.each<readonly [string, readonly number[], number | undefined]>([
    ['the rise goes on once growth is as before', [47, 48], 2],
    ['the rise goes on once growth is about as before', [47, 47.8], 2],
    ['the rise goes on after images were deleted one by one', [60, 50, 47, 48], 4],
    ['nothing is known before the next measurement', [47], undefined],
    ['no rise goes on where growth has ended', [47, 47, 47, 47], undefined],
    ['growth that is slower is a rise of its own', [47, 47.2], undefined],
    ['growth that is faster is a rise of its own', [47, 50], undefined],
  ])('%s', (_case, after, minutesSince) => {
    const course = every(60, [...grown, ...after]);
    const rise = followed(course, false).rise();
    const trend = rise && trendOf(rise, 3);
    const [lastSeconds = 0, amount = 0] = course.at(-1) ?? [];
    expect(trend?.seenMs).toBe(minutesSince && (6 + minutesSince) * 60_000);
    if (trend !== undefined) {
      expect(trend.last).toEqual({ atMs: 1_000 * lastSeconds, amount });
      expect(60_000 * trend.rate).toBeGreaterThan(0.8);
      expect(60_000 * trend.rate).toBeLessThan(1.2);
    }
  });

  it.each([
    ['of a container, which may be a cache', true, grown],
    ['of a disk that has grown for less than five minutes', false, grown.slice(2)],
  ])('no rise goes on %s', (_case, hasPeaks, before) => {
    const rise = followed(every(60, [...before, 47, 48]), hasPeaks).rise();
    expect(rise && trendOf(rise, 3)).toBeUndefined();
  });
});

it('measurements begin again after a clock was set back', () => {
  const hours = every(10, [50, 55, 60, 65]).map(([atSeconds, amount]) => [7_200 + atSeconds, amount] as const);
  expect(reachedAt([...hours, ...every(10, [70, 75, 80, 85])])).toBe(60);
});

it('two measurements are trusted for one distance between them', () => {
  const { reachedAtMs = 0, endsAtMs = 0 } = forecast(every(75, [40, 80]), { minChangeCount: 1 }) ?? {};
  expect(endsAtMs - reachedAtMs).toBe(75_000);
});

it('at most twelve measurements are kept, which cover ten minutes', () => {
  const course = every(10, [...Array(500).keys()]);
  const { measurements = [] } = followed(course).rise() ?? {};
  const [first, last] = [measurements[0], measurements.at(-1)];
  expect(measurements.length).toBeLessThanOrEqual(12);
  expect(last?.atMs).toBe(4_990_000);
  expect(4_990_000 - (first?.atMs ?? 0)).toBeGreaterThan(420_000);
  expect(4_990_000 - (first?.atMs ?? 0)).toBeLessThanOrEqual(600_000);
});

describe('the measurements of the last ten minutes', () => {
  const recentOf = (course: Course): Course =>
    followed(course).recent.map(({ atMs, amount }) => [atMs / 1_000, amount] as const);

  it.each<readonly [string, Course, Course]>([
    ['none', [], []],
    ['one', [[5, 1]], [[5, 1]]],
    ['a rise', every(60, [50, 55, 60]), every(60, [50, 55, 60])],
    ['what stays the same', every(60, [7, 7, 7, 7]), every(60, [7, 7, 7, 7])],
    [
      'a cache that is emptied, and what it held before',
      every(60, [50, 70, 90, 20, 30]),
      every(60, [50, 70, 90, 20, 30]),
    ],
    [
      'a rise that has ended since',
      every(60, [50, 60, 70, 70, 70, 70]),
      every(60, [50, 60, 70, 70, 70, 70]).toSpliced(3, 1),
    ],
    ['not what is older', every(240, [10, 20, 10, 20]), [at(240, 20), at(480, 10), at(720, 20)]],
    [
      'not what was before the clock was set back',
      [at(7_200, 50), at(7_210, 60), at(0, 70), at(10, 75)],
      [at(0, 70), at(10, 75)],
    ],
  ])('they show %s', (_case, course, recent) => {
    expect(recentOf(course)).toEqual(recent);
  });
});

it('a forecast is refuted one distance of the measurements after it should have come true', () => {
  const { reachedAtMs = 0, endsAtMs = 0 } = forecast(every(10, [50, 55, 60, 65])) ?? {};
  expect(endsAtMs - reachedAtMs).toBe(10_000);
});

it.each([
  ['before', 5_000, 5_000],
  ['just reached', 10_000, 0],
  ['not come true within one distance of its measurements', 12_000, 0],
  ['refuted', 12_001, undefined],
])('a forecast that is %s', (_case, nowMs, leftMs) => {
  expect(timeLeftMs({ reachedAtMs: 10_000, endsAtMs: 12_000 }, nowMs)).toBe(leftMs);
});

it('beyond a day there is no forecast', () => {
  const dayMs = 86_400_000;
  expect(timeLeftMs({ reachedAtMs: dayMs, endsAtMs: Infinity }, 0)).toBeUndefined();
  expect(timeLeftMs({ reachedAtMs: dayMs, endsAtMs: Infinity }, 1)).toBe(dayMs - 1);
});

it('a forecast is a number, and not before the last change, whatever was measured', () => {
  const amounts = fc.oneof(fc.nat(2 ** 53), fc.integer({ min: 1_000, max: 1_010 }));
  const courses = fc.array(fc.tuple(fc.nat(100_000), amounts), { maxLength: 40 });
  fc.assert(
    fc.property(courses, fc.integer({ min: 1, max: 2 ** 53 }), (steps, limit) => {
      let atSeconds = 0;
      const course = steps.map(([seconds, amount]) => [(atSeconds += seconds), amount] as const);
      const found = forecast(course, { limit, minChangeCount: 1 });
      if (found === undefined) return;
      const measurements = followed(course).rise()?.measurements ?? [];
      expect(found.reachedAtMs).toBeGreaterThanOrEqual(measurements.at(-1)?.atMs ?? 0);
      expect(found.endsAtMs).toBeGreaterThanOrEqual(found.reachedAtMs);
    }),
  );
});

it('a rise that begins again is that of new measurements, and what was before is kept', () => {
  const before = every(10, [10, 30, 10, 12]);
  const after = [15, 20, 25].map((amount, index) => [40 + 10 * index, amount] as const);
  const again = followed(before);
  again.beginAgain();
  const fresh = followed([[30, 12], ...after]);
  for (const [atSeconds, amount] of after) again.add({ atMs: atSeconds * 1_000, amount });
  expect(again.rise()).toEqual(fresh.rise());
  expect(again.rise()).toBeDefined();
  expect(again.recent[0]).toEqual({ atMs: 0, amount: 10 });
});
