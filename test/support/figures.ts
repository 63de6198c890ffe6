import type { Figure } from '../../src/cluster/kubelet/summary.js';

/** 0 where it is not known. */
function numberOf(figure: Figure): number {
  return typeof figure === 'number' ? figure : 0;
}

export function sumOf(figures: readonly Figure[]): number {
  return figures.reduce<number>((sum, figure) => sum + numberOf(figure), 0);
}
