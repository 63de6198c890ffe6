import type { Random } from '../../sim/model/random.js';

type LifeKind = 'ramp' | 'steps' | 'sawtooth' | 'plateau' | 'decay';
type PartKind = 'container' | 'emptydir';

/** What one container or emptyDir with a limit writes. Times in milliseconds since the start of the pod; amounts as parts of the limit. */
export interface Life {
  readonly kind: LifeKind;
  readonly part: PartKind;
  readonly usedAt: (timeMs: number) => number;
  /** How far apart its growth is; 0 for one without steps. */
  readonly stepMs: number;
  /** From here on it no longer grows; Infinity where it goes on. */
  readonly growthEndsMs: number;
  /** The pod is deleted; Infinity where it is not. */
  readonly deletedAtMs: number;
  /** While its kubelet does not respond. */
  readonly silence: { readonly fromMs: number; readonly toMs: number };
  /** Of the first fetch after the start. */
  readonly phaseMs: number;
}

const minuteMs = 60_000;
export const lifeMs = 90 * minuteMs;

/** Now and then something small is deleted. */
const noDips = { everyMs: Infinity, amount: 0 };

const shares: readonly (readonly [LifeKind, number])[] = [
  ['ramp', 0.4],
  ['steps', 0.15],
  ['sawtooth', 0.15],
  ['plateau', 0.15],
  ['decay', 0.15],
];

interface Shape {
  readonly usedAt: (timeMs: number) => number;
  readonly stepMs?: number;
  readonly growthEndsMs?: number;
}

export function randomLife(random: Random): Life {
  const between = (from: number, to: number): number => random.between(from, to);
  const kind = pick(random.next());
  const part = random.next() < 0.5 ? 'container' : 'emptydir';
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
    deletedAtMs: random.next() < 0.1 ? between(0, startMs + rampMs) : Infinity,
    silence: { fromMs: silentFromMs, toMs: silentFromMs + between(minuteMs, 5 * minuteMs) },
    phaseMs: between(0, 15_000),
  };
}

function pick(value: number): LifeKind {
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
};

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
