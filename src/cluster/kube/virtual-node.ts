import { formatSelector, type LabelSelector, type Requirement } from './selector.js';

/** Virtual kubelets, nodes of Liqo and KWOK, and Fargate, where a pod does not reach its own kubelet. */
export const skippedByDefault = [
  'type=virtual-kubelet',
  'liqo.io/type=virtual-node',
  'type=kwok',
  'eks.amazonaws.com/compute-type=fargate',
];

/** Selectors that require several kinds of such nodes at once: none matches a node. */
export function contradictorySelectors(selectors: readonly LabelSelector[]): readonly string[] {
  const isOfKind = (requirement: Requirement): boolean => skippedByDefault.includes(formatSelector([requirement]));
  return selectors.filter((selector) => selector.filter(isOfKind).length > 1).map(formatSelector);
}
