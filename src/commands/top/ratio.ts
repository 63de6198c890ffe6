import type { LimitFigures } from '../../attribution/limit-figures.js';
import { formatRatio } from '../../base/units.js';

/** `0.93 emptydir`. */
export function ratioText(figures: LimitFigures | undefined): string {
  return figures === undefined ? '-' : `${formatRatio(figures.ratio)} ${figures.rule}`;
}
