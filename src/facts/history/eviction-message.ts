import { parseQuantity } from '../../cluster/kube/quantity.js';
import type { EvictionCause, StorageEviction } from './eviction-snapshot.js';

/**
 * Reads the status message of a pod with phase `Failed` and reason `Evicted`. Undefined when the eviction was not for
 * local storage, such as one for memory. The messages are those of Kubernetes 1.26 to 1.37; they do not show which
 * filesystem of the node was short.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/eviction/eviction_manager.go
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/eviction/helpers.go
 */
export function storageEviction(message: string): StorageEviction | undefined {
  for (const [cause, pattern] of limitPatterns) {
    const groups = pattern.exec(message)?.groups;
    if (groups === undefined) continue;
    const { container = '', volume = '', limit = '' } = groups;
    return { cause, container, volume, limitBytes: parseQuantity(limit) };
  }
  const cause = nodeCause(message);
  return cause && { cause, container: '', volume: '', limitBytes: undefined, shortage: namedShortage(message) };
}

const quantities = /^[^.]*\. Threshold quantity: (?<threshold>\S{1,64}), available: (?<available>\S{1,64})\.(?:\s|$)/;

/** What the kubelet compared, to the byte for a threshold and to the KiB for what was available. */
function namedShortage(message: string): StorageEviction['shortage'] {
  const { threshold: ofThreshold = '', available: ofAvailable = '' } = quantities.exec(message)?.groups ?? {};
  const [threshold, available] = [parseQuantity(ofThreshold), parseQuantity(ofAvailable)];
  return threshold === undefined || available === undefined ? undefined : { threshold, available };
}

const excess =
  /Container (?<container>\S{1,253}) was using (?<used>\S{1,64}), request is (?<request>\S{1,64}), has larger consumption of ephemeral-storage\./g;

/**
 * Returns the containers that used more than they requested, as the message of an eviction for the node's sake lists them. What a
 * container used here is its writable layer and its logs.
 */
export function excessContainers(message: string): readonly {
  readonly container: string;
  readonly usedBytes: number;
  readonly requestBytes: number;
}[] {
  return Array.from(message.matchAll(excess)).flatMap(({ groups = {} }) => {
    const { container = '', used = '', request = '' } = groups;
    const [usedBytes, requestBytes] = [parseQuantity(used), parseQuantity(request)];
    return usedBytes === undefined || requestBytes === undefined ? [] : [{ container, usedBytes, requestBytes }];
  });
}

/** Names are no longer than Kubernetes allows: they become label values. */
const limitPatterns: readonly (readonly [EvictionCause, RegExp])[] = [
  [
    'emptydir_limit',
    /^Usage of EmptyDir volume "(?<volume>[^"]{1,253})" exceeds the limit "(?<limit>[^"]{1,64})"\.\s*$/,
  ],
  ['pod_limit', /^Pod ephemeral local storage usage exceeds the total limit of containers (?<limit>\S{1,64})\.\s*$/],
  [
    'container_limit',
    /^Container (?<container>\S{1,253}) exceeded its local ephemeral storage limit "(?<limit>[^"]{1,64})"\.\s*$/,
  ],
];

/** Names of containers and pods follow in the message: only the resource or the conditions decide. */
const lowResource = /^The node was low on resource: (?<resource>.*?)\.(?:\s|$)/;
const refused = /^(?:Pod was rejected: )?The node had condition: \[(?<conditions>[^\]]*)\]\.\s*$/;

function nodeCause(message: string): EvictionCause | undefined {
  const shortOf = lowResource.exec(message)?.groups?.['resource'];
  if (shortOf !== undefined) return causesByResource.get(shortOf) ?? otherCause(shortOf);
  const conditions = refused.exec(message)?.groups?.['conditions'];
  if (conditions === undefined) return otherCause(withoutNames(message));
  return conditions.split(' ').includes('DiskPressure') ? 'node_admission' : otherCause(conditions);
}

const causesByResource: ReadonlyMap<string, EvictionCause> = new Map([
  ['ephemeral-storage', 'node_bytes'],
  ['inodes', 'node_inodes'],
]);

function otherCause(text: string): EvictionCause | undefined {
  const namesStorage = /storage|file ?system|\b(?:node|image|container)fs|inode|disk/i.test(text);
  return namesStorage ? 'other' : undefined;
}

/** A container may be called `storage`. */
function withoutNames(message: string): string {
  return message.replaceAll(/"[^"]*"|\b(?:Container|Pod) \S+ (?:was|exceeded)\b/g, '');
}
