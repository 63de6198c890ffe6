import { type Clock, latestNowMs } from '../../lib/base/clock.js';
import { objectOf, textOf } from '../../lib/json/json.js';
import type { Dedupe, Intern } from '../kube/dedupe.js';
import type { Node, Pod, StoredObject } from '../kube/objects.js';
import { identityKey, identityOf as podIdentity } from '../kube/pod-identity.js';
import { projectNode, projectPod } from '../kube/projection.js';
import { isInScope, type Scope } from '../kube/scope.js';
import { formatSelector, type LabelSelector } from '../kube/selector.js';
import type { Resource } from './resource-path.js';

/** Which objects are listed and watched, and what is kept of them. Plain data but for the functions. */
export interface WatchedCollection<T extends StoredObject> {
  readonly resource: Resource;
  /** Sorted, each once; empty: all. */
  readonly namespaces: readonly string[];
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
  /** The same for all that keep the same of the same objects, however their settings are written. */
  readonly identity: string;
  /** Unique among the objects that exist at one time. */
  readonly keyOf: (object: T) => string;
  readonly groupOf: (object: T) => string | undefined;
  /** Undefined for objects that belong to none. */
  readonly namespaceOf: (object: T) => string | undefined;
  /** By which a removed object is remembered. */
  readonly removedIdOf: (object: T) => string;
  /** The first list waits for a random part of this time. */
  readonly startsWithinMs: number;
  /** See {@link StoreWriterOptions.project}. */
  readonly project: (object: unknown) => T | undefined;
}

/** Values that many objects have in common are kept once. */
export interface SharedValues {
  readonly intern: Intern;
  readonly dedupe: Dedupe;
}

export interface WatchedNodesOptions {
  /** Other nodes are not kept. With one node, only that is requested. */
  readonly scope: Scope;
  /** Of the nodes that are requested. Not used with one node, whose absence must mean that it does not exist. */
  readonly nodeSelector: LabelSelector;
}

export interface WatchedPodsOptions {
  /** Pods of other nodes and pods without a node are not kept. With one node, only its pods are requested. */
  readonly scope: Scope;
  /** Empty: all namespaces, in one watch. Otherwise one watch for each. */
  readonly namespaces: readonly string[];
  readonly podSelector: LabelSelector;
  readonly clock: Clock;
  /** The first list of the pods of one node waits for a random part of this time: there is an exporter on each node. */
  readonly nodeLocalSpreadMs: number;
}

export function watchedNodes(
  { scope, nodeSelector }: WatchedNodesOptions,
  { intern, dedupe }: SharedValues,
): WatchedCollection<Node> {
  const selection = {
    resource: 'nodes',
    namespaces: [],
    labelSelector: scope.nodeName === undefined ? selectorText(nodeSelector) : undefined,
    fieldSelector: scope.nodeName === undefined ? undefined : `metadata.name=${scope.nodeName}`,
  } as const;
  return {
    ...selection,
    identity: identityOf(selection, scope),
    keyOf: ({ name }) => name,
    groupOf: () => undefined,
    namespaceOf: () => undefined,
    removedIdOf: ({ name }) => name,
    startsWithinMs: 0,
    project: (object) => {
      const node = projectNode(object, intern, dedupe);
      return isInScope(scope, node.name) ? node : undefined;
    },
  };
}

export function watchedPods(
  { scope, podSelector, clock, nodeLocalSpreadMs, ...options }: WatchedPodsOptions,
  { intern, dedupe }: SharedValues,
): WatchedCollection<Pod> {
  const namespaces = [...new Set(options.namespaces)].sort();
  const selection = {
    resource: 'pods',
    namespaces,
    labelSelector: selectorText(podSelector),
    fieldSelector: scope.nodeName === undefined ? undefined : `spec.nodeName=${scope.nodeName}`,
  } as const;
  return {
    ...selection,
    identity: identityOf(selection, scope),
    keyOf: ({ namespace, name }) => `${namespace}/${name}`,
    groupOf: ({ nodeName }) => nodeName,
    namespaceOf: ({ namespace }) => namespace,
    removedIdOf: (pod) => identityKey(podIdentity(pod)),
    startsWithinMs: scope.nodeName === undefined ? 0 : nodeLocalSpreadMs,
    project: (object) =>
      isPodInScope(object, { ...scope, namespaces })
        ? withPlausibleStart(projectPod(object, intern, dedupe), latestNowMs(clock))
        : undefined,
  };
}

/**
 * Decides before the projection, so that nothing of the pods of other shards is kept, not even a shared label set. A pod
 * without a node is out of scope until it is bound to one, which never changes again. The whole cluster includes all pods of
 * the namespaces, or all pods.
 */
function isPodInScope(object: unknown, scope: Scope & { readonly namespaces: readonly string[] }): boolean {
  const namespace = textOf(objectOf(objectOf(object)['metadata'])['namespace']) ?? '';
  if (scope.namespaces.length > 0 && !scope.namespaces.includes(namespace)) return false;
  if (scope.totalShards === 1 && scope.nodeName === undefined) return true;
  const nodeName = textOf(objectOf(objectOf(object)['spec'])['nodeName']);
  return nodeName !== undefined && isInScope(scope, nodeName);
}

/** The clocks of a cluster differ by less: credentials would not be valid. */
const maxClockSkewMs = 3_600_000;

/**
 * Takes a pod that starts later than any clock may be ahead as running for an unknown time: since this machine's clock is
 * behind, it might otherwise be too young to be expected for days.
 */
function withPlausibleStart(pod: Pod, nowMs: number): Pod {
  return (pod.runningSinceMs ?? 0) - nowMs < maxClockSkewMs ? pod : { ...pod, runningSinceMs: 0 };
}

function selectorText(selector: LabelSelector): string | undefined {
  return selector.length === 0 ? undefined : formatSelector(selector);
}

function identityOf(selection: object, { shard, totalShards, nodeName }: Scope): string {
  return JSON.stringify([selection, shard, totalShards, nodeName]);
}
