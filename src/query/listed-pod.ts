import type { BoundPod } from '../node/node-objects.js';
import type { NodeSnapshot, NodeView } from '../node/node-view.js';
import type { PodRecord } from '../node/pod-record.js';
import { podForecast, type PodSource } from '../report/pod-report.js';
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
  /** The larger the earlier. Below 0: after all that have one. */
  rank: number;
}

export function namespaceOf({ record, bound }: ListedPod): string {
  return record?.summary.namespace ?? bound?.pod.namespace ?? '';
}

export function nameOf({ record, bound }: ListedPod): string {
  return record?.summary.name ?? bound?.pod.name ?? '';
}

/** Until it reaches a limit; undefined where nothing is forecast. */
export function timeOf({ record, of: { data } }: ListedPod): number | undefined {
  if (record === undefined || data?.source.snapshot === undefined) return undefined;
  if (data.source.snapshot.forecasts.pods.size === 0) return undefined;
  return podForecast({ node: data.source, pod: record })?.timeToLimitMs;
}
