import type { Pod } from './objects.js';

/**
 * What tells the pods of kubelets apart. The UID alone does not: authors of pods may write that of any other into an
 * annotation, and a kubelet may report any.
 */
export interface PodIdentity {
  readonly namespace: string;
  readonly name: string;
  /** As the kubelet reports it. */
  readonly uid: string;
}

/** Returns what the kubelet reports the pod as. */
export function identityOf({
  namespace,
  name,
  kubeletUid,
}: Pick<Pod, 'namespace' | 'name' | 'kubeletUid'>): PodIdentity {
  return { namespace, name, uid: kubeletUid };
}

/** Returns the identity as the key of a set or map. */
export function identityKey({ namespace, name, uid }: PodIdentity): string {
  return `${uid}/${namespace}/${name}`;
}

export function isSamePod(a: PodIdentity, b: PodIdentity): boolean {
  return a.uid === b.uid && a.name === b.name && a.namespace === b.namespace;
}

/** Returns what is known of the pod, from a map by UIDs: quicker than one by {@link identityKey}, for the pods of a cluster. */
export function ofSamePod<T extends { readonly summary: PodIdentity }>(
  byUid: ReadonlyMap<string, T> | undefined,
  pod: PodIdentity,
): T | undefined {
  const found = byUid?.get(pod.uid);
  return found !== undefined && isSamePod(found.summary, pod) ? found : undefined;
}
