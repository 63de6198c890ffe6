import type { LimitRatio } from '../../attribution/limit-ratios.js';
import { formatRatio } from '../text/units.js';

/** How near a limit is that the kubelet evicts for. */
export interface RatioCell {
  readonly rule: LimitRatio['rule'];
  readonly container: string | undefined;
  readonly volume: string | undefined;
  readonly usedBytes: number;
  readonly limitBytes: number;
  /** Above 1 the kubelet evicts. */
  readonly ratio: number;
}

/** The one that is exceeded first; of equal ones the one that the kubelet checks first. */
export function largestRatio(ratios: readonly LimitRatio[]): RatioCell | undefined {
  return ratios
    .map(ratioCell)
    .reduce<RatioCell | undefined>((a, b) => (a === undefined || b.ratio > a.ratio ? b : a), undefined);
}

export function ratioCell({ rule, container, volume, usedBytes, limitBytes }: LimitRatio): RatioCell {
  return {
    rule,
    container: container === '' ? undefined : container,
    volume: volume === '' ? undefined : volume,
    usedBytes,
    limitBytes,
    ratio: usedBytes / limitBytes,
  };
}

/** `0.93 emptydir`. */
export function ratioText(cell: RatioCell | undefined): string {
  return cell === undefined ? '-' : `${formatRatio(cell.ratio)} ${cell.rule}`;
}
