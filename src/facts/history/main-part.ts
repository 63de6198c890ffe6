import type { Component } from '../node/usage.js';
import type { KeptUsage } from './eviction-record.js';
import type { StorageEviction } from './eviction-snapshot.js';

/** What made most of what counted towards the limit that a pod was evicted for. */
export interface MainPart {
  readonly component: Extract<Component, 'rootfs' | 'logs' | 'emptydir'>;
  /** The container or the volume. */
  readonly name: string;
  readonly usedBytes: number;
}

/** Of a limit that counts more than one part; undefined where no part is more than half of them. */
export function mainPart(
  { cause, container }: Pick<StorageEviction, 'cause' | 'container'>,
  { containers, volumes }: Pick<KeptUsage, 'containers' | 'volumes'>,
): MainPart | undefined {
  if (cause !== 'container_limit' && cause !== 'pod_limit') return undefined;
  const counted = cause === 'pod_limit' ? containers : containers.filter(({ name }) => name === container);
  if (counted.some(({ usedBytes }) => usedBytes === undefined)) return undefined; // a part of it is unknown
  const parts: readonly MainPart[] = [
    ...counted.map(({ name, rootfsBytes = 0 }) => ({ component: 'rootfs', name, usedBytes: rootfsBytes }) as const),
    ...counted.map(({ name, logsBytes = 0 }) => ({ component: 'logs', name, usedBytes: logsBytes }) as const),
    ...(cause === 'pod_limit' ? volumes : []).flatMap(({ name, type, medium, usedBytes = 0 }) =>
      type === 'emptydir' && medium !== 'Memory' ? [{ component: 'emptydir', name, usedBytes } as const] : [],
    ),
  ];
  const totalBytes = parts.reduce((sum, { usedBytes }) => sum + usedBytes, 0);
  return parts.find(({ usedBytes }) => usedBytes > totalBytes / 2);
}
