import {
  type ComparedLimit,
  type EvictedFor,
  longerLimit,
  type MainPart,
  type UnknownUsageReason,
} from '../../facts/history/eviction-record.js';
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

/** Returns what happened to the pod: nothing of one that was refused ran. */
export function eventText({ cause }: Pick<EvictedFor, 'cause'>): 'refused' | 'evicted' {
  return cause === 'node_admission' ? 'refused' : 'evicted';
}

interface GrowingUsage {
  readonly mainPart?: MainPart | undefined;
  readonly ageMs?: number;
  readonly limits?: readonly ComparedLimit[];
  readonly growthBytesPerSecond?: number | undefined;
  readonly limitForAnHourBytes?: number | undefined;
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

/** What to do next, by what filled the limit and by cause; undefined where its commands say it. */
export function evictionHint(
  eviction: EvictedFor & { readonly lastUsage?: GrowingUsage | undefined },
): string | undefined {
  const { mainPart, limitForAnHourBytes, limits = [], ...last } = eviction.lastUsage ?? {};
  if (mainPart?.component === 'logs') return logsHint(mainPart);
  const growing = { growth: last.growthBytesPerSecond, sinceMs: last.ageMs ?? Infinity };
  return limitForAnHourBytes === undefined && longerLimit(eviction, limits, growing) !== undefined
    ? 'Have it write less, or delete what it has written: it grew too fast for a larger limit.'
    : causeHints[eviction.cause];
}

const causeHints: Readonly<Partial<Record<EvictionCause, string>>> = {
  emptydir_limit: 'Raise sizeLimit of the emptyDir, or have the pod write less to it.',
  container_limit: "Raise the container's limit of ephemeral-storage, or have it write less to its own files and logs.",
  pod_limit:
    'Raise the limits of ephemeral-storage of its containers, or have the pod write less: files, logs and emptyDirs count.',
  node_bytes: 'The kubelet evicts the pods above their request of ephemeral-storage first.',
  other: 'The message of the kubelet names the cause.',
};

function logsHint({ name }: MainPart): string {
  return `Have container ${name} log less, or lower containerLogMaxSize and containerLogMaxFiles of the kubelet: logs fill a larger limit too.`;
}

/** `the logs of container app (1Gi)` */
export function mainPartText({ component, name, usedBytes }: MainPart): string {
  const what = { rootfs: 'the files of container', logs: 'the logs of container', emptydir: 'emptyDir' }[component];
  return `${what} ${name} (${formatBytes(usedBytes)})`;
}

/** Why nothing is known of what the pod used. */
export function unknownUsageText({
  unknownUsageReason,
  cause,
}: EvictedFor & { readonly unknownUsageReason?: UnknownUsageReason | undefined }): string {
  switch (unknownUsageReason) {
    case 'before_start':
      return 'The exporter was started after the eviction: what the pod used is unknown.';
    case 'no_exporter':
      return 'Only the status of the pod was read: what it used is known to an exporter that ran at the time.';
    case 'not_measured':
    case undefined:
      return cause === 'node_admission'
        ? 'Nothing of the pod ran.'
        : 'The pod was evicted before a summary of its node listed it: what it used is unknown.';
  }
}
