import { formatRatio } from '../../base/units.js';
import type { LimitFigures } from '../../eviction/limit-figures.js';

/** `0.93 emptydir`. */
export function ratioText(figures: LimitFigures | undefined): string {
  return figures === undefined ? '-' : `${formatRatio(figures.ratio)} ${figures.rule}`;
}
