import type { Labels } from '../kube/objects.js';

/** Where a workload comes from, with the label values or the kind of the controller behind it. */
export type WorkloadOrigin =
  | { readonly source: 'configured' }
  | { readonly source: 'labels'; readonly labels: Labels }
  /** `kind` as the API server spells it; `Pod` for a pod without a controller, `Node` for a static pod. */
  | { readonly source: 'controller'; readonly kind: string };

/** A workload: a set of pods whose usage is summed. Namespace, name and type together are unique. */
export interface Workload {
  /** '' for a workload that may span namespaces. */
  readonly namespace: string;
  readonly name: string;
  /** `selector` for a configured workload, `labels` for one found by label keys, otherwise the type of controller. */
  readonly type: string;
  readonly origin: WorkloadOrigin;
}

/** A string that no two workloads share, for use as a key. */
export function workloadKey({ namespace, name, type }: Workload): string {
  return `${namespace}/${type}/${name}`;
}

/** The workload's name for people: `shop/Deployment/cart`, or the bare name of one without a controller. */
export function workloadName({ namespace, name, origin }: Workload): string {
  return origin.source === 'controller' ? `${namespace}/${origin.kind}/${name}` : name;
}

/**
 * Returns the workload that names a pod, of those that the resolver finds, also as references: its
 * controller's where there is one, else that of the label keys, else the last one of the settings.
 */
export function mostSpecific<T>(workloads: readonly T[]): T | undefined {
  return workloads.at(-1);
}

/** Returns what names a workload in addresses: `NAMESPACE/TYPE/NAME`, with `-` for one that may span namespaces. */
export function workloadPath({ namespace, type, name }: Pick<Workload, 'namespace' | 'type' | 'name'>): string {
  return `${namespace || '-'}/${type}/${name}`;
}
