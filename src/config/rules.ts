/** The rules between two settings. The schema has the rules of single settings. */
import * as z from 'zod/mini';

import { describeValue, type SettingFault, valueAt } from './faults.js';
import { type Config, schema } from './schema.js';

/** Settings of direct connections to kubelets. */
const directSettings = [
  'kubelet.addressTypes',
  'kubelet.port',
  'kubelet.bearerTokenFile',
  'kubelet.tls.caFile',
  'kubelet.tls.certFile',
  'kubelet.tls.keyFile',
  'kubelet.tls.serverName',
  'kubelet.tls.insecureSkipVerify',
];

const defaults = z.decode(schema, {});

const rules: readonly {
  readonly path: string;
  readonly other: string;
  readonly holds: (config: Config) => boolean;
  /** The allowed values of `path`; the name and value of `other` follow. */
  readonly allowed: string;
}[] = [
  {
    path: 'cluster.shard',
    other: 'cluster.totalShards',
    holds: ({ cluster: { shard, totalShards } }) => shard === undefined || shard < totalShards,
    allowed: 'less than',
  },
  {
    path: 'cluster.nodeLocal',
    other: 'cluster.totalShards',
    holds: ({ cluster: { nodeLocal, totalShards } }) => !nodeLocal || totalShards === 1,
    allowed: 'only false, as the exporter of a single node has no shards, together with',
  },
  {
    path: 'cluster.node',
    other: 'cluster.totalShards',
    holds: ({ cluster: { node, totalShards } }) => node === undefined || totalShards === 1,
    allowed: 'only "", as the exporter of a single node has no shards, together with',
  },
  {
    path: 'agent.enabled',
    other: 'cluster.nodeLocal',
    holds: ({ agent, cluster: { node, nodeLocal } }) => !agent.enabled || nodeLocal || node !== undefined,
    allowed: 'only false, as the agent reads a single node (or set --node), together with',
  },
  {
    path: 'agent.sampleInterval',
    other: 'agent.enabled',
    holds: ({ agent }) => agent.enabled || agent.sampleIntervalMs === 0,
    allowed: 'only 0 together with',
  },
  {
    path: 'kubelet.requestTimeout',
    other: 'cache.ttl',
    holds: ({ kubelet, cache }) => cache.ttlMs === 0 || kubelet.requestTimeoutMs < cache.ttlMs,
    allowed: 'less than',
  },
  {
    path: 'cache.nearTtl',
    other: 'cache.ttl',
    holds: ({ cache: { nearTtlMs, ttlMs } }) => nearTtlMs <= ttlMs,
    allowed: 'at most',
  },
  {
    path: 'scrape.timeoutOffset',
    other: 'scrape.defaultTimeout',
    holds: ({ scrape }) => scrape.timeoutOffsetMs < scrape.defaultTimeoutMs,
    allowed: 'less than',
  },
  {
    path: 'kubelet.tls.certFile',
    other: 'kubelet.tls.keyFile',
    holds: ({ kubelet: { tls } }) => tls.certFile === undefined || tls.keyFile !== undefined,
    allowed: 'a file only together with',
  },
  {
    path: 'kubelet.tls.keyFile',
    other: 'kubelet.tls.certFile',
    holds: ({ kubelet: { tls } }) => tls.keyFile === undefined || tls.certFile !== undefined,
    allowed: 'a file only together with',
  },
  {
    path: 'kubelet.tls.insecureSkipVerify',
    other: 'kubelet.tls.caFile',
    holds: ({ kubelet: { tls } }) => !tls.insecureSkipVerify || tls.caFile === undefined,
    allowed: 'only false together with',
  },
  ...directSettings.map((path) => ({
    path,
    other: 'kubelet.access',
    holds: (config: Config) => config.kubelet.access === 'direct' || isDefault(path, config),
    allowed: 'only the default, as the API server connects to the kubelets, together with',
  })),
];

/** A rule about a setting in `faults` is not checked: the value is not the intended one. */
export function checkRules(
  config: Config,
  sourceOf: (path: string) => string,
  faults: readonly SettingFault[],
): SettingFault[] {
  const isFaulty = (path: string): boolean => faults.some((fault) => overlaps(path, fault.path));
  return rules
    .filter(({ path, other, holds }) => !holds(config) && !isFaulty(path) && !isFaulty(other))
    .map(({ path, other, allowed }) => ({
      path,
      problem: `found ${describeValue(written(path, config))}`,
      source: sourceOf(path),
      hint: `allowed: ${allowed} ${other}, which is ${describeValue(written(other, config))} (${sourceOf(other)})`,
    }));
}

function overlaps(path: string, faultyPath: string): boolean {
  const isInside = path === faultyPath || faultyPath === '' || path.startsWith(`${faultyPath}.`);
  return isInside || faultyPath.startsWith(`${path}[`);
}

/** The value of a setting as in a file. */
function written(path: string, config: Config): unknown {
  return valueAt(z.encode(schema, config), path.split('.'));
}

function isDefault(path: string, config: Config): boolean {
  return JSON.stringify(written(path, config)) === JSON.stringify(written(path, defaults));
}
