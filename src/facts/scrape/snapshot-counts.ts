import { type SkipReason, skipReasons, type UnknownItem, unknownItemKinds } from '../node/node-view.js';
import type { ClusterSnapshot } from './snapshot.js';

/** The only node to measure, when it is not in the cluster. */
export function missingNode({ nodes }: ClusterSnapshot): string | undefined {
  return nodes.find((node) => node.state === 'absent' && node.reason === 'no_node')?.nodeName;
}

/** Whether kubelets report pods that the API server does not know, or has just deleted. */
export function reportsUnknownPods({ nodes, unlistedNamespaces }: ClusterSnapshot): boolean {
  return nodes.some((node) => {
    if (node.state !== 'fresh') return false;
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
  readonly unknownItems: Readonly<Record<UnknownItem, number>>;
  /** Values that no real disk has. */
  readonly saturatedValueCount: number;
  readonly backedOffWorkloadCount: number;
}

export function snapshotCounts({ nodes, workloads }: ClusterSnapshot): SnapshotCounts {
  const skippedPods = new Map<SkipReason, number>(skipReasons.map((reason) => [reason, 0]));
  const unknownItems = { container: 0, volume: 0 };
  let saturatedValueCount = 0;
  for (const node of nodes) {
    if (node.state === 'absent') continue;
    saturatedValueCount += node.snapshot.summary.saturatedCount;
    for (const kind of unknownItemKinds) unknownItems[kind] += node.snapshot.unknownItems[kind];
    for (const [reason, count] of node.snapshot.skippedPods) {
      skippedPods.set(reason, (skippedPods.get(reason) ?? 0) + count);
    }
  }
  const backedOffWorkloadCount = workloads.filter(({ backoffMs }) => backoffMs > 0).length;
  return { skippedPods, unknownItems, saturatedValueCount, backedOffWorkloadCount };
}
