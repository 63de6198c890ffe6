import { type Life, lifeMs, maxDeletionMs } from './lives.js';
import type { Observed, Said } from './observe.js';

/** Counts of evictions and of forecasts. */
export interface Score {
  readonly evictionCount: number;
  /** Those that grew for a minute or more above half of the limit, and were measured there often enough. */
  readonly foreseeableCount: number;
  /** Of these: with a forecast at least 30 s ahead, within ±30 %. */
  readonly foreseenCount: number;
  /** Of these: whose last forecast at least 30 s ahead was within ±30 %. */
  readonly lastRightCount: number;
  /** Below ten minutes. */
  readonly saidCount: number;
  readonly falseCount: number;
  /** Of growth that ended by itself, or before much was deleted: not known to anybody at the time. In none of the two counts above. */
  readonly endedCount: number;
  /** Deletions after which growth went on above half of the limit, with a forecast before. */
  readonly cleanupCount: number;
  /** From these to the next forecast, together, in milliseconds. */
  readonly silentMs: number;
}

export const noScore: Score = {
  evictionCount: 0,
  foreseeableCount: 0,
  foreseenCount: 0,
  lastRightCount: 0,
  saidCount: 0,
  falseCount: 0,
  endedCount: 0,
  cleanupCount: 0,
  silentMs: 0,
};

export function addScores(a: Score, b: Score): Score {
  return {
    evictionCount: a.evictionCount + b.evictionCount,
    foreseeableCount: a.foreseeableCount + b.foreseeableCount,
    foreseenCount: a.foreseenCount + b.foreseenCount,
    lastRightCount: a.lastRightCount + b.lastRightCount,
    saidCount: a.saidCount + b.saidCount,
    falseCount: a.falseCount + b.falseCount,
    endedCount: a.endedCount + b.endedCount,
    cleanupCount: a.cleanupCount + b.cleanupCount,
    silentMs: a.silentMs + b.silentMs,
  };
}

/** A fall by so much of the limit is none: it does not hide growth. */
const largestDip = 0.015;

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

export function scoreOf(life: Life, observed: Observed): Score {
  const isForeseeable = canBeForeseen(life, observed);
  const ahead = observed.said.filter(({ atMs }) => atMs <= (observed.reachedAtMs ?? 0) - minuteMs / 2);
  const isRight = (said: Said | undefined): boolean => said !== undefined && isWithin(said, observed, life.stepMs);
  let [saidCount, falseCount, endedCount] = [0, 0, 0];
  for (const said of observed.said) {
    if (said.timeMs === undefined || said.timeMs >= 10 * minuteMs) continue;
    const verdict = judge(said, life, observed);
    if (verdict === 'ended') endedCount += 1;
    if (verdict === 'right' || verdict === 'false') saidCount += 1;
    if (verdict === 'false') falseCount += 1;
  }
  return {
    evictionCount: Number(observed.reachedAtMs !== undefined),
    foreseeableCount: Number(isForeseeable),
    foreseenCount: Number(isForeseeable && ahead.some(isRight)),
    lastRightCount: Number(isForeseeable && isRight(ahead.at(-1))),
    saidCount,
    falseCount,
    endedCount,
    ...silences(life, observed),
  };
}

function silences(
  { cleanupsMs, usedAt }: Life,
  { said, reachedAtMs = lifeMs }: Observed,
): Pick<Score, 'cleanupCount' | 'silentMs'> {
  const counted = cleanupsMs.filter(
    (atMs) =>
      usedAt(atMs + maxDeletionMs) >= 0.5 &&
      atMs < reachedAtMs &&
      said.findLast((each) => each.atMs <= atMs)?.timeMs !== undefined,
  );
  const untilMs = counted.map((atMs) => {
    const after = said.filter((each) => each.atMs > atMs);
    const silent = after.find(({ timeMs }) => timeMs === undefined);
    const next = silent && after.find(({ timeMs, atMs: saidAtMs }) => saidAtMs > silent.atMs && timeMs !== undefined);
    return silent === undefined ? 0 : (next?.atMs ?? reachedAtMs) - atMs;
  });
  return { cleanupCount: counted.length, silentMs: untilMs.reduce((sum, ms) => sum + ms, 0) };
}

function canBeForeseen({ usedAt, part }: Life, { reachedAtMs, measurements }: Observed): boolean {
  if (reachedAtMs === undefined || usedAt(reachedAtMs - minuteMs) < 0.5) return false;
  let [peak, highest, growthMs] = [0.5, 0, 0];
  for (let atMs = 0; atMs < reachedAtMs; atMs += secondMs) {
    const used = usedAt(atMs);
    if (used < highest - largestDip) {
      if (part === 'node') growthMs = atMs;
      else peak = Math.max(peak, highest);
      highest = 0;
    }
    if (used < peak - largestDip) growthMs = atMs;
    highest = Math.max(used, highest);
  }
  const there = measurements.filter(
    ({ atMs, amount, receivedAtMs }) =>
      amount >= peak - largestDip && atMs >= growthMs && receivedAtMs <= reachedAtMs - minuteMs / 2,
  );
  return reachedAtMs - growthMs >= minuteMs && there.length >= (part === 'emptydir' ? 2 : 4);
}

type Verdict = 'right' | 'false' | 'ended' | 'unknown';

function judge(said: Said, life: Life, observed: Observed): Verdict {
  const slackMs = 15_000 + Math.max(observed.distanceMs, life.stepMs);
  if (life.growthEndsMs < (observed.reachedAtMs ?? Infinity) && !said.hasSeenEnd) return 'ended';
  if (life.cleanupsMs.some((atMs) => isUnseen(atMs, said))) return 'ended';
  if (observed.reachedAtMs === undefined && life.deletedAtMs < Infinity) {
    return said.atMs + (said.timeMs ?? 0) + slackMs < life.deletedAtMs ? 'false' : 'unknown';
  }
  if (isWithin(said, observed, slackMs)) return 'right';
  return 'false';
}

/** Whether much is deleted before the forecast comes true, and no measurement had shown all of it. */
function isUnseen(cleanupMs: number, { atMs, timeMs = 0, measuredAtMs }: Said): boolean {
  return cleanupMs + maxDeletionMs > measuredAtMs && cleanupMs < atMs + timeMs;
}

function isWithin({ atMs, timeMs }: Said, { reachedAtMs }: Observed, slackMs: number): boolean {
  if (reachedAtMs === undefined || timeMs === undefined) return false;
  const trueMs = reachedAtMs - atMs;
  return Math.abs(timeMs - trueMs) <= 0.3 * trueMs + slackMs;
}
