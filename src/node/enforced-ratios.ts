import type { Node, Pod } from '../kube/objects.js';
import type { PodSummary } from '../kubelet/summary.js';
import { enforcesSidecars } from './kubelet-version.js';
import { type LimitRatio, limitRatios } from './limit-ratios.js';
import type { NodeLayout } from './node-layout.js';

/** Whether kubelets hold sidecars to their own limits; `auto`: by the version of each. */
export type SidecarEnforcement = 'auto' | boolean;

/** The kubelet that enforces limits. */
export interface Enforcement {
  readonly node: Node;
  /** The one that the kubelet goes by. */
  readonly layout: NodeLayout;
  readonly sidecars: SidecarEnforcement;
}

/** The {@link limitRatios} that the kubelet of a node enforces on a pod that has not ended. */
export function enforcedRatios(
  summary: PodSummary,
  pod: Pod,
  { node, layout, sidecars }: Enforcement,
): readonly LimitRatio[] {
  if (!node.enforcesStorageLimits) return [];
  return limitRatios({
    summary,
    pod,
    hasDedicatedImagefs: layout.hasDedicatedImagefs === true,
    enforcesSidecars: sidecars === 'auto' ? enforcesSidecars(node.kubeletVersion) : sidecars,
  });
}
