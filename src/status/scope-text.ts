import { listing } from '../base/listing.js';
import type { Scope } from '../kube/scope.js';

/** The part of the nodes, and the settings that leave out more; '' and none for all. */
export interface ScopeSettings extends Scope {
  readonly namespaces: readonly string[];
  /** Label selectors. */
  readonly nodeSelector: string;
  readonly podSelector: string;
}

/** The settings, which are shown too, have all. */
const maxNamespacesCount = 10;

/** Which part of the cluster is measured, in words. */
export function scopeText(settings: ScopeSettings): string {
  const { shard, totalShards, nodeName, namespaces, nodeSelector, podSelector } = settings;
  const parts = [
    nodeName === undefined ? [] : [`node ${nodeName}`],
    totalShards === 1 ? [] : [`shard ${shard} of ${totalShards}, counted from 0`],
    nodeSelector === '' ? [] : [`nodes ${nodeSelector}`],
    namespaces.length === 0
      ? []
      : [`${namespaces.length === 1 ? 'namespace' : 'namespaces'} ${listing(namespaces, maxNamespacesCount)}`],
    podSelector === '' ? [] : [`pods ${podSelector}`],
  ].flat();
  return parts.length === 0 ? 'whole cluster' : parts.join('; ');
}
