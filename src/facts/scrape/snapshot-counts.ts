import type { ItemCounts } from '../../cluster/kubelet/summary.js';
import { type SkipReason, skipReasons } from '../node/node-view.js';
import { unknownItemsOf } from '../node/unknown-items.js';
import type { ClusterSnapshot } from './snapshot.js';

/** The only node to measure, when it is not in the cluster. */
export function missingNode({ nodes }: ClusterSnapshot): string | undefined {
  return nodes.find((node) => node.state === 'absent' && node.reason === 'no_node')?.nodeName;
}

/** Whether kubelets report pods that the API server does not know, or has just deleted, or lack some that run for long. */
export function contradictsStore({ nodes, unlistedNamespaces }: ClusterSnapshot): boolean {
  return nodes.some((node) => {
    if (node.state !== 'fresh') return false;
    if (node.missingPods > 0) return true;
    const { skippedPods, unknownPods } = node.snapshot;
    const isListed = ({ namespace }: { readonly namespace: string }): boolean =>
      !unlistedNamespaces.includes(namespace);
    return (skippedPods.get('deleted_pod') ?? 0) > 0 || unknownPods.some(isListed);
  });
}

/** What one scrape left out. */
export interface SnapshotCounts {
  /** Pods without storage series, by reason; 0 for a reason that no pod has. */
  readonly skippedPods: ReadonlyMap<SkipReason, number>;
  /** Containers and volumes that the specs of their pods lack. */
  readonly unknownItems: ItemCounts;
  /** Values that no real disk has. */
  readonly saturatedValueCount: number;
  readonly backedOffWorkloadCount: number;
}

export function snapshotCounts({ nodes, workloads }: ClusterSnapshot): SnapshotCounts {
  const snapshots = nodes.flatMap((node) => (node.state === 'absent' ? [] : [node.snapshot]));
  const skippedPods = new Map<SkipReason, number>(skipReasons.map((reason) => [reason, 0]));
  for (const [reason, count] of snapshots.flatMap((of) => [...of.skippedPods])) {
    skippedPods.set(reason, (skippedPods.get(reason) ?? 0) + count);
  }
  return {
    skippedPods,
    unknownItems: unknownItemsOf(snapshots),
    saturatedValueCount: snapshots.reduce((sum, { summary }) => sum + summary.saturatedCount, 0),
    backedOffWorkloadCount: workloads.filter(({ backoffMs }) => backoffMs > 0).length,
  };
}
