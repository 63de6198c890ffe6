import type { BoundPod } from '../../facts/node/node-objects.js';
import type { NodeSnapshot, NodeView } from '../../facts/node/node-view.js';
import type { PodRecord } from '../../facts/node/pod-record.js';
import type { Named } from '../../lib/base/maps.js';
import { compareTexts } from '../../lib/base/ranking.js';
import type { PodPlace, PodSource } from '../report/pod-report.js';
import type { SnapshotPods } from './snapshot-pods.js';

/** What is known of the pods of a node; of a silent one, the last values. */
export interface PodData {
  readonly snapshot: NodeSnapshot;
  readonly pods: SnapshotPods;
  readonly source: PodSource;
}

/** A node, one object for all of its pods. */
export interface NodeOfPods {
  readonly view: NodeView;
  readonly data: PodData | undefined;
}

/** A pod as it is listed: made for each pod of a cluster, so that it holds what there is already. */
export interface ListedPod {
  readonly of: NodeOfPods;
  /** Undefined without figures. */
  readonly record: PodRecord | undefined;
  /** Undefined for a pod that the API server does not know. */
  readonly bound: BoundPod | undefined;
  readonly names: NamespacedName;
  /** The larger the earlier. Below 0: after all that have one. */
  rank: number;
}

/** Those of its summary, or else of its object. */
export type NamespacedName = Pick<PodPlace, 'namespace'> & Named;

/** Orders pods by namespace and name. */
export function comparePodNames(a: NamespacedName, b: NamespacedName): number {
  return compareTexts(a.namespace, b.namespace) || compareTexts(a.name, b.name);
}
