import { createHash } from 'node:crypto';

import { timestamp } from '../../../sim/model/object-format.js';

/** A pod at one version. Names, UIDs and times have the same width for all pods: they go into slots. */
export interface BenchPod {
  readonly nodeIndex: number;
  /** Among the pods of its node. */
  readonly position: number;
  readonly app: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Of its token's volume, another one for each pod, as in a cluster. */
  readonly tokenSuffix: string;
  readonly startedAt: string;
  /** A label of this value changes when the pod is modified. */
  readonly revision: string;
  readonly resourceVersion: number;
}

const replicasPerApp = 30;
const namespaceCount = 10;

export interface PodPlace {
  readonly nodeIndex: number;
  readonly position: number;
  readonly podsPerNode: number;
}

export interface PodBirth {
  /** Unique among all pods that ever were. */
  readonly sequence: number;
  readonly startedAtMs: number;
  readonly resourceVersion: number;
}

/** The replicas of an app run on 30 nodes, one on each. */
export function createPod({ nodeIndex, position, podsPerNode }: PodPlace, birth: PodBirth): BenchPod {
  const app = `app-${digits(Math.floor(nodeIndex / replicasPerApp) * podsPerNode + position, 5)}`;
  const hash = createHash('sha1').update(String(birth.sequence)).digest('hex');
  return {
    nodeIndex,
    position,
    app,
    namespace: `team-${digits(position % namespaceCount, 2)}`,
    name: `${app}-6f6b679f8f-${digits(nodeIndex % replicasPerApp, 2)}${hash.slice(36)}`,
    uid: `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`,
    tokenSuffix: hash.slice(27, 32),
    startedAt: timestamp(birth.startedAtMs),
    revision: digits(0, 8),
    resourceVersion: birth.resourceVersion,
  };
}

export function nodeNameOf(nodeIndex: number): string {
  return `node-${digits(nodeIndex, 5)}`;
}

export function digits(value: number, width: number): string {
  return String(value).padStart(width, '0');
}
