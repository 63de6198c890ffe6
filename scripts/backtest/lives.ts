import type { Random } from '../../sim/model/random.js';

type LifeKind = 'ramp' | 'steps' | 'sawtooth' | 'plateau' | 'decay' | 'cleanup' | 'churn';
type PartKind = 'container' | 'emptydir' | 'node';

/**
 * What is written to one container or emptyDir with a limit, or to the disk of a node with a threshold. Times in milliseconds
 * since the start; amounts as parts of the limit, or of the zone above the threshold.
 */
export interface Life {
  readonly kind: LifeKind;
  readonly part: PartKind;
  readonly usedAt: (timeMs: number) => number;
  /** How far apart its growth is; 0 for one without steps. */
  readonly stepMs: number;
  /** From here on it no longer grows; Infinity where it goes on. */
  readonly growthEndsMs: number;
  /** When much of it is deleted at once, and it goes on to grow. */
  readonly cleanupsMs: readonly number[];
  /** The pod is deleted; Infinity where it is not. */
  readonly deletedAtMs: number;
  /** While its kubelet does not respond. */
  readonly silence: { readonly fromMs: number; readonly toMs: number };
  /** Of the first fetch after the start. */
  readonly phaseMs: number;
}

const minuteMs = 60_000;
export const lifeMs = 90 * minuteMs;
/** A kubelet deletes unused images one by one. */
export const maxDeletionMs = 20_000;

/** Now and then something small is deleted. */
const noDips = { everyMs: Infinity, amount: 0 };

type Shares = readonly (readonly [LifeKind, number])[];

const podShares: Shares = [
  ['ramp', 0.4],
  ['steps', 0.15],
  ['sawtooth', 0.15],
  ['plateau', 0.15],
  ['decay', 0.15],
];

/** Images are deleted when the disk is nearly full; what pods write and delete adds up on the disk of their node. */
const nodeShares: Shares = [
  ['ramp', 0.2],
  ['steps', 0.1],
  ['cleanup', 0.3],
  ['churn', 0.15],
  ['plateau', 0.1],
  ['decay', 0.15],
];

interface Shape {
  readonly usedAt: (timeMs: number) => number;
  readonly stepMs?: number;
  readonly growthEndsMs?: number;
  readonly cleanupsMs?: readonly number[];
}

export function randomPodLife(random: Random): Life {
  const kind = pick(random.next(), podShares);
  return randomLife(random, kind, random.next() < 0.5 ? 'container' : 'emptydir');
}

export function randomNodeLife(random: Random): Life {
  return { ...randomLife(random, pick(random.next(), nodeShares), 'node'), deletedAtMs: Infinity };
}

function randomLife(random: Random, kind: LifeKind, part: PartKind): Life {
  const between = (from: number, to: number): number => random.between(from, to);
  const startMs = between(0, 10 * minuteMs);
  const base = between(0, 0.4);
  const rampMs = minuteMs * Math.exp(between(0, Math.log(60)));
  const shape = shapes[kind]({ between, startMs, base, rampMs });
  const dips =
    random.next() < 0.2 ? { everyMs: between(minuteMs, 3 * minuteMs), amount: between(0.001, 0.01) } : noDips;
  const silentFromMs = random.next() < 0.05 ? between(0, 30 * minuteMs) : Infinity;
  return {
    kind,
    part,
    usedAt: (timeMs) => shape.usedAt(timeMs) - dips.amount * Math.floor(timeMs / dips.everyMs),
    stepMs: shape.stepMs ?? 0,
    growthEndsMs: shape.growthEndsMs ?? Infinity,
    cleanupsMs: shape.cleanupsMs ?? [],
    deletedAtMs: random.next() < 0.1 ? between(0, startMs + rampMs) : Infinity,
    silence: { fromMs: silentFromMs, toMs: silentFromMs + between(minuteMs, 5 * minuteMs) },
    phaseMs: between(0, 15_000),
  };
}

function pick(value: number, shares: Shares): LifeKind {
  let sum = 0;
  for (const [kind, share] of shares) {
    sum += share;
    if (value < sum) return kind;
  }
  return 'decay';
}

interface ShapeInput {
  readonly between: (from: number, to: number) => number;
  readonly startMs: number;
  readonly base: number;
  /** From the base to the limit. */
  readonly rampMs: number;
}

const shapes: Readonly<Record<LifeKind, (input: ShapeInput) => Shape>> = {
  ramp: (input) => ({ usedAt: rampOf(input) }),
  steps: (input) => {
    const stepMs = Math.min(input.between(10_000, 90_000), input.rampMs / 6);
    const smooth = rampOf(input);
    return {
      stepMs,
      usedAt: (timeMs) => smooth(input.startMs + stepMs * Math.floor((timeMs - input.startMs) / stepMs)),
    };
  },
  sawtooth: ({ between, startMs, base, rampMs }) => {
    const peak = between(0.6, 0.99);
    const periodMs = Math.max(minuteMs, rampMs * (peak - base));
    const growth = between(0, 1) < 0.3 ? between(0.02, 0.1) : 0;
    return {
      growthEndsMs: startMs + periodMs,
      usedAt: (timeMs) => {
        const teeth = Math.max(0, timeMs - startMs) / periodMs;
        return base + (peak * (1 + growth * Math.floor(teeth)) - base) * (teeth % 1);
      },
    };
  },
  plateau: (input) => {
    const level = input.between(0.6, 0.98);
    const endsMs = input.startMs + (input.rampMs * (level - input.base)) / (1 - input.base);
    const ramp = rampOf(input);
    return { growthEndsMs: endsMs, usedAt: (timeMs) => ramp(Math.min(timeMs, endsMs)) };
  },
  decay: ({ between, startMs, base, rampMs }) => {
    const level = between(0.6, 1.6);
    return {
      usedAt: (timeMs) => base + (level - base) * (1 - Math.exp((-2 * Math.max(0, timeMs - startMs)) / rampMs)),
    };
  },
  cleanup: cleanupOf,
  churn: ({ between, base }) => {
    const files = Array.from({ length: 60 }, () => ({
      bytes: between(0.01, 0.08),
      everyMs: between(minuteMs / 2, 10 * minuteMs),
      phaseMs: between(0, 10 * minuteMs),
      part: between(0.1, 0.5),
    })).slice(0, Math.round(between(3, 15)));
    return {
      growthEndsMs: 0,
      usedAt: (timeMs) => {
        const present = files.filter(({ everyMs, phaseMs, part }) => ((timeMs + phaseMs) % everyMs) / everyMs < part);
        return base + 0.3 + present.reduce((sum, { bytes }) => sum + bytes, 0);
      },
    };
  },
};

/** A ramp of which much is deleted at certain levels. Then it goes on as before, at another speed, or not at all. */
function cleanupOf({ between, startMs, base, rampMs }: ShapeInput): Shape {
  const ramp = rampOf({ between, startMs, base, rampMs });
  const [freed, level, chance] = [between(0.05, 0.4), between(0.7, 0.98), between(0, 1)];
  const cleanupsMs: number[] = [];
  let atMs = startMs;
  for (const count of [1, 2, 3].slice(0, Math.round(between(1, 3)))) {
    const reachedAmount = level + freed * (count - 1);
    while (atMs < lifeMs && ramp(atMs) < reachedAmount) atMs += 1_000;
    cleanupsMs.push(atMs);
  }
  const [firstMs = 0] = cleanupsMs;
  const speed = chance < 0.7 ? 1 : chance < 0.9 ? between(0.2, 3) : 0;
  const deletionMs = between(100, maxDeletionMs);
  const kept = speed === 1 ? cleanupsMs : [firstMs];
  const usedAt = (timeMs: number): number => {
    const sinceMs = Math.max(0, timeMs - firstMs);
    const grown = speed === 1 ? ramp(timeMs) : ramp(Math.min(timeMs, firstMs) + speed * sinceMs);
    const deleted = kept.reduce(
      (sum, eachMs) => sum + freed * Math.min(1, Math.max(0, timeMs - eachMs) / deletionMs),
      0,
    );
    return grown - deleted;
  };
  return speed === 0 ? { usedAt, growthEndsMs: firstMs } : { usedAt, cleanupsMs: kept };
}

/** A ramp whose speed differs by ±20 % from minute to minute. */
function rampOf({ between, startMs, base, rampMs }: ShapeInput): (timeMs: number) => number {
  const factors = Array.from({ length: 40 }, () => between(0.8, 1.2));
  const pieceMs = minuteMs / 3;
  const sums = [0];
  for (const [index, factor] of factors.entries()) sums.push((sums[index] ?? 0) + factor * pieceMs);
  const totalMs = pieceMs * factors.length;
  return (timeMs) => {
    const passedMs = Math.max(0, timeMs - startMs);
    const rounds = Math.floor(passedMs / totalMs);
    const piece = Math.floor((passedMs % totalMs) / pieceMs);
    const warpedMs = rounds * (sums.at(-1) ?? 0) + (sums[piece] ?? 0) + (factors[piece] ?? 1) * (passedMs % pieceMs);
    return base + ((1 - base) * warpedMs) / rampMs;
  };
}
