import type { Labels } from '../../cluster/kube/objects.js';
import type { LabelSelector } from '../../cluster/kube/selector.js';

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

export interface WorkloadDefinition {
  readonly name: string;
  /** Empty: every pod. */
  readonly selector: LabelSelector;
  /** Empty: all. */
  readonly namespaces: readonly string[];
}

/** A string that no two workloads share, for use as a key. */
export function workloadKey({ namespace, name, type }: Workload): string {
  return `${namespace}/${type}/${name}`;
}

/**
 * Returns the workload that names a pod, of those that the resolver finds, also as references: its
 * controller's where there is one, else that of the label keys, else the last one of the settings.
 */
export function mostSpecific<T>(workloads: readonly T[]): T | undefined {
  return workloads.at(-1);
}

/** Types whose names people choose. Jobs, bare pods and objects of custom kinds are often made for one run each. */
const namedTypes: ReadonlySet<string> = new Set([
  'selector',
  'labels',
  'deployment',
  'statefulset',
  'daemonset',
  'replicaset',
  'rollout',
  'deploymentconfig',
  'cronjob',
  'staticpod',
]);

/** Five characters of `generateName`, which has no vowels; longer ones of controllers; hexadecimal ones with a digit. */
const randomSuffix =
  /-(?:[bcdfghjklmnpqrstvwxz2456789]{5}|[bcdfghjklmnpqrstvwxz\d]{8,}|(?=[a-f]*\d)(?:[\da-f]{8}(?:-[\da-f]{4}){3}-)?[\da-f]{8,})$/;

/** Returns what comes before the random end of a workload's name, which those made for one run each share. */
export function nameStem({ type, name }: Pick<Workload, 'type' | 'name'>): string | undefined {
  if (namedTypes.has(type)) return undefined;
  const end = name.search(randomSuffix);
  return end > 0 ? name.slice(0, end) : undefined;
}

/** Returns the name that a workload shares with those made for one run each: `builder-*`; its own where it has no random end. */
export function sharedName(workload: Pick<Workload, 'type' | 'name'>): string {
  const stem = nameStem(workload);
  return stem === undefined ? workload.name : `${stem}-*`;
}

/** Returns what names a workload in addresses: `NAMESPACE/TYPE/NAME`, with `-` for one that may span namespaces. */
export function workloadPath({ namespace, type, name }: Pick<Workload, 'namespace' | 'type' | 'name'>): string {
  return `${namespace || '-'}/${type}/${name}`;
}
