import { shardOf } from './shard.js';

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
