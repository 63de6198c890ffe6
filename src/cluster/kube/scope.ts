import { createHash } from 'node:crypto';

import { joinTruncated } from '../../lib/base/text.js';
import { formatSelector, type LabelSelector } from './selector.js';

/** The part of a cluster that is measured: all nodes, one shard of them, or one node. */
export interface Scope {
  /** From 0, below `totalShards`. */
  readonly shard: number;
  /** 1: there are no shards. */
  readonly totalShards: number;
  /** Undefined unless one node alone is measured, without shards. */
  readonly nodeName: string | undefined;
}

export const wholeCluster: Scope = { shard: 0, totalShards: 1, nodeName: undefined };

export function isInScope({ shard, totalShards, nodeName }: Scope, name: string): boolean {
  return nodeName === undefined ? shardOf(name, totalShards) === shard : name === nodeName;
}

const twoTo31 = 2 ** 31;

/**
 * The shard, from 0 to `totalShards` - 1, that a node belongs to. It depends on the two arguments alone and must never
 * change between releases: the exporters of a rolling update would measure nodes twice or not at all. When `totalShards`
 * grows by one, nodes move to the new shard and between no others.
 */
export function shardOf(nodeName: string, totalShards: number): number {
  return totalShards === 1 ? 0 : jumpHash(keyOf(nodeName), totalShards);
}

/** Names of nodes differ in few places (`pool-1`, `pool-2`): all 64 bits must depend on each of their characters. */
function keyOf(nodeName: string): bigint {
  return createHash('sha256').update(nodeName).digest().readBigUInt64BE();
}

/**
 * J. Lamping, E. Veach: A Fast, Minimal Memory, Consistent Hash Algorithm (https://arxiv.org/abs/1406.2294), figure 1.
 * `key` has 64 bits. Not rendezvous hashing, which spreads as well but takes a hash per shard instead of one in all.
 */
export function jumpHash(key: bigint, bucketCount: number): number {
  let state = key;
  let bucket = -1;
  for (let next = 0; next < bucketCount;) {
    bucket = next;
    state = BigInt.asUintN(64, state * 2_862_933_555_777_941_757n + 1n);
    next = Math.floor((bucket + 1) * (twoTo31 / (Number(state >> 33n) + 1)));
  }
  return bucket;
}

/** The configuration, which is shown too, lists all of them. */
const maxNamespacesCount = 10;

/** Which part of the cluster is measured, in words. */
export function scopeText(
  { shard, totalShards, nodeName }: Scope,
  {
    namespaces,
    nodeSelector,
    podSelector,
  }: {
    /** Empty: all. */
    readonly namespaces: readonly string[];
    readonly nodeSelector: LabelSelector;
    readonly podSelector: LabelSelector;
  },
): string {
  const parts = [
    nodeName === undefined ? [] : [`node ${nodeName}`],
    totalShards === 1 ? [] : [`shard ${shard} of ${totalShards}, counted from 0`],
    nodeSelector.length === 0 ? [] : [`nodes ${formatSelector(nodeSelector)}`],
    namespaces.length === 0
      ? []
      : [`${namespaces.length === 1 ? 'namespace' : 'namespaces'} ${joinTruncated(namespaces, maxNamespacesCount)}`],
    podSelector.length === 0 ? [] : [`pods ${formatSelector(podSelector)}`],
  ].flat();
  return parts.length === 0 ? 'whole cluster' : parts.join('; ');
}
