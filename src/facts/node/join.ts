import type { Pod } from '../../cluster/kube/objects.js';
import { identityOf, isSamePod, type PodIdentity } from '../../cluster/kube/pod-identity.js';
import type { NodeSummary, PodSummary } from '../../cluster/kubelet/summary.js';

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

/** Whether a node has no pods besides those that the API objects cover. */
export function coversAllPods({ namespaces, hasPodSelector }: PodScope): boolean {
  return namespaces.length === 0 && !hasPodSelector;
}

export interface JoinInput {
  /** The API server's name of the node whose kubelet sent the summary. */
  readonly nodeName: string;
  readonly summary: NodeSummary;
  /** The API object of this name, whatever its node. */
  readonly findPod: (namespace: string, name: string) => Pod | undefined;
  /** Whether the API object of the pod was deleted recently. */
  readonly isDeleted: (pod: PodIdentity) => boolean;
  readonly scope: PodScope;
}

export interface JoinResult {
  /**
   * The API object of each pod, undefined for one that the API server does not know. In the order of the summary; a namespace
   * and name appears at most once.
   */
  readonly pods: readonly (readonly [PodSummary, Pod | undefined])[];
  readonly counts: ReadonlyMap<JoinReason, number>;
  readonly outOfScopeCount: number;
}

/**
 * Finds the API object of each pod in a node's summary. A pod is its namespace, name and UID: one that was re-created
 * under its name, or runs on another node now, is another pod, and the API server decides which one is served.
 */
export function joinPods(input: JoinInput): JoinResult {
  const joined = new Map<Pod | string, PodSummary>();
  const counts = new Map<JoinReason, number>();
  let outOfScopeCount = 0;
  for (const summary of input.summary.pods) {
    const verdict = judgePod(summary, input);
    if (verdict === 'out_of_scope') {
      outOfScopeCount += 1;
      continue;
    }
    if (typeof verdict === 'string') counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
    const key = verdict === 'unknown_pod' ? `${summary.namespace}/${summary.name}` : verdict;
    if (verdict !== 'deleted_pod' && verdict !== 'other_node' && startedAfter(summary, joined.get(key)))
      joined.set(key, summary);
  }
  const pods = Array.from(joined, ([key, summary]) => [summary, typeof key === 'string' ? undefined : key] as const);
  return { pods, counts, outOfScopeCount };
}

/** Finds the entries of pods. */
export function entryFinder(
  summary: Pick<NodeSummary, 'pods'>,
): (pod: Pick<Pod, 'namespace' | 'name' | 'kubeletUid'>) => PodSummary | undefined {
  const entries = new Map(summary.pods.map((entry) => [entry.uid, entry]));
  return (pod) => {
    const entry = entries.get(pod.kubeletUid);
    return entry !== undefined && isSamePod(entry, identityOf(pod)) ? entry : undefined;
  };
}

/** The API object of a pod of a summary, or why it has none. */
function judgePod(
  summary: PodSummary,
  { nodeName, findPod, isDeleted, scope }: Omit<JoinInput, 'summary'>,
): Pod | JoinReason | 'out_of_scope' {
  if (scope.namespaces.length > 0 && !scope.namespaces.includes(summary.namespace)) return 'out_of_scope';
  const pod = findPod(summary.namespace, summary.name);
  if (pod?.kubeletUid === summary.uid) return pod.nodeName === nodeName ? pod : 'other_node';
  if (isDeleted(summary)) return 'deleted_pod';
  if (pod !== undefined) return 'other_node';
  return scope.hasPodSelector ? 'out_of_scope' : 'unknown_pod';
}

/** Of two unknown pods of one name, the one that started later is the pod; the first on a tie. */
function startedAfter(candidate: PodSummary, known: PodSummary | undefined): boolean {
  if (known === undefined) return true;
  return (candidate.startTimeMs ?? -Infinity) > (known.startTimeMs ?? -Infinity);
}
