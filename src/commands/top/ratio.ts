import type { LimitRatio } from '../../attribution/limit-ratios.js';
import { type LimitFigures, limitFigures } from '../limit-figures.js';
import { formatRatio } from '../text/units.js';

/** The limit that is nearest, or exceeded most; of equal ones the one that the kubelet checks first. */
export function largestRatio(ratios: readonly LimitRatio[]): LimitFigures | undefined {
  return ratios
    .map(limitFigures)
    .reduce<LimitFigures | undefined>((a, b) => (a === undefined || b.ratio > a.ratio ? b : a), undefined);
}

/** `0.93 emptydir`. */
export function ratioText(figures: LimitFigures | undefined): string {
  return figures === undefined ? '-' : `${formatRatio(figures.ratio)} ${figures.rule}`;
}
