import { type ClusterSnapshot, skipReasons } from './snapshot.js';

/** The only node to measure, when it is not in the cluster. */
export function missingNode({ nodes }: ClusterSnapshot): string | undefined {
  return nodes.find((node) => node.state === 'absent' && node.reason === 'no_node')?.nodeName;
}

/** Pods without storage series, by reason; 0 for a reason that no pod has. */
export function countSkipped({ nodes }: ClusterSnapshot): ReadonlyMap<string, number> {
  const counts = new Map<string, number>(skipReasons.map((reason) => [reason, 0]));
  for (const node of nodes) {
    if (node.state === 'absent') continue;
    for (const [reason, count] of node.snapshot.skippedPods) counts.set(reason, (counts.get(reason) ?? 0) + count);
  }
  return counts;
}

/** Figures that no real disk has. */
export function countSaturated({ nodes }: ClusterSnapshot): number {
  return nodes.reduce((sum, node) => sum + (node.state === 'absent' ? 0 : node.snapshot.summary.saturatedCount), 0);
}
