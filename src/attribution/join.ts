import type { Pod } from '../kube/objects.js';
import type { NodeSummary, PodSummary } from '../kubelet/summary.js';

/**
 * Why a pod of a summary does not match a pod of the API server: `unknown_pod`, which the API server does not know (it is
 * joined without an API object); `deleted_pod`, which it knew until recently; `other_node`, which it knows on another
 * node or, under this name, with another UID.
 */
export const joinReasons = ['unknown_pod', 'deleted_pod', 'other_node'] as const;
export type JoinReason = (typeof joinReasons)[number];

/** Which pods the API objects cover. Pods of a summary outside of it are dropped and not counted. */
export interface PodScope {
  /** Empty: all. */
  readonly namespaces: readonly string[];
  /** With a pod selector, a pod that is not among the API objects may be one that the selector excludes. */
  readonly hasPodSelector: boolean;
}

export interface JoinInput {
  /** The API server's name of the node whose kubelet sent the summary. */
  readonly nodeName: string;
  readonly summary: NodeSummary;
  /** The API object of this name, whatever its node. */
  readonly findPod: (namespace: string, name: string) => Pod | undefined;
  /** Whether the API object of the pod with this kubelet UID was deleted recently. */
  readonly isDeleted: (kubeletUid: string) => boolean;
  readonly scope: PodScope;
}

export interface JoinedPod {
  readonly summary: PodSummary;
  /** Undefined for a pod that the API server does not know. */
  readonly pod: Pod | undefined;
}

export interface JoinResult {
  /** In the order of the summary; a namespace and name appears at most once. */
  readonly pods: readonly JoinedPod[];
  readonly counts: ReadonlyMap<JoinReason, number>;
}

/**
 * Finds the API object of each pod in a node's summary. A pod is its namespace, name and UID: one that was re-created
 * under its name, or runs on another node now, is another pod, and the API server decides which one is served.
 */
export function joinPods(input: JoinInput): JoinResult {
  const joined = new Map<string, JoinedPod>();
  const counts = new Map<JoinReason, number>();
  for (const summary of input.summary.pods) {
    const verdict = judgePod(summary, input);
    if (verdict === 'out_of_scope') continue;
    if (typeof verdict === 'string') counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
    if (verdict === 'deleted_pod' || verdict === 'other_node') continue;
    const pod = verdict === 'unknown_pod' ? undefined : verdict;
    const key = `${summary.namespace}/${summary.name}`;
    if (startedAfter(summary, joined.get(key)?.summary)) joined.set(key, { summary, pod });
  }
  return { pods: [...joined.values()], counts };
}

/** The API object of a pod of a summary, or why it has none. */
export function judgePod(summary: PodSummary, input: Omit<JoinInput, 'summary'>): Pod | JoinReason | 'out_of_scope' {
  const { namespaces, hasPodSelector } = input.scope;
  if (namespaces.length > 0 && !namespaces.includes(summary.namespace)) return 'out_of_scope';
  const pod = input.findPod(summary.namespace, summary.name);
  if (pod?.kubeletUid === summary.uid) return pod.nodeName === input.nodeName ? pod : 'other_node';
  if (input.isDeleted(summary.uid)) return 'deleted_pod';
  if (pod !== undefined) return 'other_node';
  return hasPodSelector ? 'out_of_scope' : 'unknown_pod';
}

/** Of two entries of one name that differ in nothing else, the one that started later is the pod; the first on a tie. */
function startedAfter(candidate: PodSummary, known: PodSummary | undefined): boolean {
  if (known === undefined) return true;
  return (candidate.startTimeMs ?? -Infinity) > (known.startTimeMs ?? -Infinity);
}
