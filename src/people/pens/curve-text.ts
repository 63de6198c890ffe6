import { formatAge } from '../../lib/base/units.js';
import { amountText, type BlockOf, type Curve } from './document.js';

const shownCount = 8;

export function isFlat({ samples }: Pick<Curve, 'samples'>): boolean {
  return samples.every(({ amount }) => amount === samples[0]?.amount);
}

/** Returns the measurements in one line, from the first to the last, and the highest; '' of fewer than two. */
export function curveText({ samples, limit }: Curve, unit: BlockOf<'curves'>['unit']): string {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || samples.length < 2) return '';
  const textOf = (amount: number): string => amountText({ amount, unit });
  const span = formatAge(last.atMs - first.atMs);
  const ofLimit = limit === undefined ? '' : `, limit ${textOf(limit)}`;
  if (isFlat({ samples })) return `no change in ${span}: ${textOf(last.amount)}${ofLimit}`;
  const count = Math.min(shownCount, samples.length);
  const shown = Array.from({ length: count }, (_, index) => {
    const at = Math.round((index * (samples.length - 1)) / (count - 1));
    return textOf(samples[at]?.amount ?? 0);
  });
  const highest = textOf(Math.max(...samples.map(({ amount }) => amount)));
  return `${shown.join(' ')} in ${span}${shown.includes(highest) ? '' : `, highest ${highest}`}${ofLimit}`;
}
