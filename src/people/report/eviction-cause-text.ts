import type { EvictedFor, MainPart } from '../../facts/history/eviction-record.js';
import type { EvictionCause } from '../../facts/history/eviction-snapshot.js';
import type { LimitRatio } from '../../facts/node/limit-ratios.js';
import { formatBytes } from '../../lib/base/units.js';

/** What one pod was evicted for, with the names and the limit: the same wherever evictions are shown. */
export function causeText({ cause, container = '', volume = '', limitBytes }: EvictedFor): string {
  const limit = limitBytes === undefined ? '' : ` of ${formatBytes(limitBytes)}`;
  const texts: Readonly<Record<EvictionCause, string>> = {
    emptydir_limit: `emptyDir ${volume} above its size limit${limit}`,
    pod_limit: `pod above the limit of its containers${limit}`,
    container_limit: `container ${container} above its limit${limit}`,
    node_bytes: 'node low on disk space',
    node_inodes: 'node low on inodes',
    node_admission: 'refused: node under disk pressure',
    other: 'storage, see the message',
  };
  return texts[cause];
}

/** Returns whether a node refused the pod at admission: nothing of it ran, and it counts as no eviction. */
export function isRefusal({ cause }: Pick<EvictedFor, 'cause'>): boolean {
  return cause === 'node_admission';
}

/** Returns what happened to the pod. */
export function eventText(eviction: Pick<EvictedFor, 'cause'>): 'refused' | 'evicted' {
  return isRefusal(eviction) ? 'refused' : 'evicted';
}

/** The limits that pods are evicted for. */
export const rulesOf: Readonly<Partial<Record<EvictionCause, LimitRatio['rule']>>> = {
  emptydir_limit: 'emptydir',
  pod_limit: 'pod',
  container_limit: 'container',
};

/** Whether the node was short of space or inodes: it is what is to be explained. */
export function isOfNode({ cause }: Pick<EvictedFor, 'cause'>): boolean {
  return cause === 'node_bytes' || cause === 'node_inodes' || cause === 'node_admission';
}

/** `the logs of container app (1Gi)` */
export function mainPartText({ component, name, usedBytes }: MainPart): string {
  const what = { rootfs: 'the files of container', logs: 'the logs of container', emptydir: 'emptyDir' }[component];
  return `${what} ${name} (${formatBytes(usedBytes)})`;
}
