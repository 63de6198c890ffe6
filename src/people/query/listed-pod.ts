import { isActive } from '../../facts/node/limits.js';
import type { NodeSnapshot, NodeView } from '../../facts/node/node-view.js';
import type { BoundPod, PodRecord } from '../../facts/node/pod-record.js';
import type { Named } from '../../lib/base/maps.js';
import { compareTexts } from '../../lib/base/ranking.js';
import type { PodPlace, PodSource } from '../report/pod-report.js';

/** What is known of the pods of a node; of a silent one, the last values. */
export interface PodData {
  readonly snapshot: NodeSnapshot;
  readonly records: readonly PodRecord[];
  readonly source: PodSource;
}

/** A node, one object for all of its pods. */
export interface NodeOfPods {
  readonly view: NodeView;
  readonly data: PodData | undefined;
  /** By which nodes are sorted; '' in lists that are in another order. */
  readonly sortName: string;
}

/** A pod as it is listed: made for each pod of a cluster, so that it holds what there is already. */
export interface ListedPod {
  readonly of: NodeOfPods;
  /** Undefined without figures. */
  readonly record: PodRecord | undefined;
  /** Undefined for a pod that the API server does not know. */
  readonly bound: BoundPod | undefined;
  readonly names: NamespacedName;
  /** The larger the earlier. */
  rank: number;
}

/** Those of its summary, or else of its object. */
export type NamespacedName = Pick<PodPlace, 'namespace'> & Named;

/** Returns the pods of a snapshot that are listed: all that have figures, but for strangers without a total. */
export function listedRecords({
  pods,
  podsWithoutTotal,
}: Pick<NodeSnapshot, 'pods' | 'podsWithoutTotal'>): readonly PodRecord[] {
  const known = podsWithoutTotal.filter(({ bound }) => bound !== undefined && isActive(bound.pod));
  return known.length === 0 ? pods : [...pods, ...known];
}

/** Orders pods by namespace and name. */
export function comparePodNames(a: NamespacedName, b: NamespacedName): number {
  return compareTexts(a.namespace, b.namespace) || compareTexts(a.name, b.name);
}
