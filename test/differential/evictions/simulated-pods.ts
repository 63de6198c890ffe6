/** Pods as an API server stores them, and how they end. */
import { messageCases } from '../../support/eviction-cases.js';

export const namespaces = ['shop', 'media', 'ops'] as const;
export const nodeNames = ['front-1', 'back-1', 'unknown-1'] as const;

export type Namespace = (typeof namespaces)[number];
export type NodeName = (typeof nodeNames)[number];
export type App = 'cart' | 'web';

/** Nodes are named after their role. The API server does not have the last one. */
export const knownNodes: readonly NodeName[] = ['front-1', 'back-1'];

/** A place that one pod has at a time. */
export interface Place {
  readonly namespace: Namespace;
  readonly name: string;
}

export const places: readonly Place[] = namespaces.flatMap((namespace) =>
  ['cart-0', 'cart-1', 'web-0'].map((name) => ({ namespace, name })),
);

/** What the status of a pod that ended says. */
export interface PodEnding {
  /** Undefined when it is no eviction for local storage. */
  readonly cause: string | undefined;
  readonly reason: string | undefined;
  readonly message: string | undefined;
}

export const evictionEndings: readonly PodEnding[] = [
  ...messageCases().evictions.flatMap(({ cause, reason, examples }) =>
    examples.map((message) => ({ cause, reason: reason ?? undefined, message })),
  ),
  { cause: 'other', reason: 'Evicted', message: 'The image filesystem of the node is full. ' },
];

export const otherEndings: readonly PodEnding[] = messageCases().notForStorage.flatMap(({ reason, examples }) =>
  (examples.length === 0 ? [undefined] : examples).map((message) => ({
    cause: undefined,
    reason: reason ?? undefined,
    message,
  })),
);

/** Where the status of an evicted pod has its time; some have none. */
export const timePlaces = ['condition', 'container', 'nowhere'] as const;
export type TimePlace = (typeof timePlaces)[number];

interface EndedPod {
  readonly ending: PodEnding;
  readonly version: number;
  readonly atMs: number;
  readonly timePlace: TimePlace;
}

/** One pod at one version. Immutable. */
export interface SimulatedPod extends Place {
  readonly uid: string;
  readonly nodeName: NodeName;
  /** Its label `app`. */
  readonly app: App;
  readonly version: number;
  readonly touchCount: number;
  readonly ended: EndedPod | undefined;
}

export const otherApp = (app: App): App => (app === 'cart' ? 'web' : 'cart');

export const placeKey = ({ namespace, name }: Place): string => `${namespace}/${name}`;

/** The StatefulSet that owns the pod. */
export const ownerOf = ({ name }: Place): string => name.replace(/-\d+$/, '');

/** The cause of an eviction for local storage. */
export const causeOf = (pod: SimulatedPod): string | undefined => pod.ended?.ending.cause;

export function podObject(pod: SimulatedPod): object {
  const { namespace, name, uid, version, app, touchCount, nodeName, ended } = pod;
  return {
    kind: 'Pod',
    metadata: {
      ...{ namespace, name, uid, resourceVersion: String(version), labels: { app, touched: String(touchCount) } },
      ownerReferences: [{ kind: 'StatefulSet', name: ownerOf(pod), controller: true }],
    },
    spec: { nodeName, containers: [{ name: 'main' }] },
    status: ended === undefined ? { phase: 'Running', startTime: '2026-01-01T00:00:00Z' } : endedStatus(ended),
  };
}

function endedStatus({ ending, atMs, timePlace }: EndedPod): object {
  const time = new Date(atMs).toISOString();
  const target = { type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet', lastTransitionTime: time };
  return {
    phase: 'Failed',
    reason: ending.reason,
    message: ending.message,
    conditions: timePlace === 'condition' ? [target] : [],
    containerStatuses: [
      { name: 'main', state: timePlace === 'container' ? { terminated: { finishedAt: time } } : { waiting: {} } },
    ],
  };
}

export function nodeObject(nodeName: NodeName): object {
  const labels = { role: nodeName.replace(/-\d+$/, '') };
  return { kind: 'Node', metadata: { name: nodeName, uid: `uid-${nodeName}`, resourceVersion: '1', labels } };
}
