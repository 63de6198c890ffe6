import { joinTruncated } from '../base/text.js';

/** The configuration, which is shown too, lists all of them. */
const maxNamespacesCount = 10;

/** Which part of the cluster is measured, in words. */
export function scopeText(settings: {
  readonly shard: number;
  /** 1: not sharded. */
  readonly totalShards: number;
  /** The only node that is measured; undefined unless it is one alone. */
  readonly nodeName: string | undefined;
  /** Empty: all. */
  readonly namespaces: readonly string[];
  /** Label selectors; '' for all. */
  readonly nodeSelector: string;
  readonly podSelector: string;
}): string {
  const { shard, totalShards, nodeName, namespaces, nodeSelector, podSelector } = settings;
  const parts = [
    nodeName === undefined ? [] : [`node ${nodeName}`],
    totalShards === 1 ? [] : [`shard ${shard} of ${totalShards}, counted from 0`],
    nodeSelector === '' ? [] : [`nodes ${nodeSelector}`],
    namespaces.length === 0
      ? []
      : [`${namespaces.length === 1 ? 'namespace' : 'namespaces'} ${joinTruncated(namespaces, maxNamespacesCount)}`],
    podSelector === '' ? [] : [`pods ${podSelector}`],
  ].flat();
  return parts.length === 0 ? 'whole cluster' : parts.join('; ');
}
