import { addKnown } from '../../lib/base/maps.js';

/**
 * A size or a count that a kubelet reports. `impossible`: one from 2^63 on, which is negative to the kubelet. It is unknown, and so
 * is each sum with it. Undefined where nothing is reported: the kubelet counts that as 0.
 */
export type Figure = number | 'impossible' | undefined;

/** The number that is shown; undefined without one. */
export function known(figure: Figure): number | undefined {
  return figure === 'impossible' ? undefined : figure;
}

/** The sum of what is reported; undefined when neither is. */
export function addFigures(a: Figure, b: Figure): Figure {
  return a === 'impossible' || b === 'impossible' ? 'impossible' : addKnown(a, b);
}
