import type { LimitRatio } from './limit-ratios.js';

/** How near a limit is that the kubelet evicts for: plain data, as the JSON shows it. */
export interface LimitFigures {
  readonly rule: LimitRatio['rule'];
  readonly container: string | undefined;
  readonly volume: string | undefined;
  readonly usedBytes: number;
  readonly limitBytes: number;
  /** Above 1 the kubelet evicts. */
  readonly ratio: number;
}

export function limitFigures({ rule, container, volume, usedBytes, limitBytes }: LimitRatio): LimitFigures {
  return {
    rule,
    container: container || undefined,
    volume: volume || undefined,
    usedBytes,
    limitBytes,
    ratio: usedBytes / limitBytes,
  };
}

/** The limit that is nearest, or exceeded most; of equal ones the one that the kubelet checks first. */
export function largestRatio(ratios: readonly LimitRatio[]): LimitFigures | undefined {
  return ratios
    .map(limitFigures)
    .reduce<LimitFigures | undefined>((a, b) => (a === undefined || b.ratio > a.ratio ? b : a), undefined);
}
