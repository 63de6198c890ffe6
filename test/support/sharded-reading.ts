import type { Workload } from '../../src/facts/workload/workload.js';
import { WorkloadBackoff } from '../../src/facts/workload/workload-backoff.js';
import { WorkloadCollector } from '../../src/facts/workload/workload-collector.js';
import type { NodePart } from '../../src/facts/workload/workload-partial.js';
import type { ClusterReading } from '../../src/people/query/cluster-reading.js';
import { atOnce } from './lanes.js';
import { ManualClock } from './manual-clock.js';

/** Divides a reading by its nodes as shards do; `shardOf`: of a node, from 0. */
export async function shardedReadings(
  reading: ClusterReading,
  { count, shardOf, configured = [] }: ShardingOptions,
): Promise<readonly ClusterReading[]> {
  const shards = Array.from({ length: count }, (_, shard) => partOf(reading, (node) => shardOf(node) === shard));
  return Promise.all(shards.map((shard) => collected(shard, configured)));
}

interface ShardingOptions {
  readonly count: number;
  readonly shardOf: (nodeName: string) => number;
  /** Each shard serves them, with pods or without. */
  readonly configured?: readonly Workload[];
}

/** The same reading with the workloads of its nodes, as an exporter collects them. */
export async function collected(reading: ClusterReading, configured: readonly Workload[]): Promise<ClusterReading> {
  const { snapshot } = reading;
  const collector = new WorkloadCollector({
    configured,
    backoff: new WorkloadBackoff({ clock: new ManualClock(), maxBackoffMs: 1_000 }),
    pods: { unlistedNamespaces: () => [] },
    resolver: { mayHavePodsIn: () => false },
    lane: atOnce,
  });
  const parts = snapshot.nodes.map((view): NodePart => {
    return { nodeName: view.nodeName, hasData: view.state !== 'absent', isInCluster: true, workloads: view.workloads };
  });
  return { ...reading, snapshot: { ...snapshot, workloads: await collector.collect(parts, false) } };
}

function partOf(reading: ClusterReading, isOfPart: (nodeName: string) => boolean): ClusterReading {
  const { snapshot, knownPods, knownNodes, evictions } = reading;
  return {
    ...reading,
    snapshot: { ...snapshot, nodes: snapshot.nodes.filter(({ nodeName }) => isOfPart(nodeName)) },
    knownPods: Array.from(knownPods).filter(({ pod }) => pod.nodeName !== undefined && isOfPart(pod.nodeName)),
    knownNodes: knownNodes.filter(({ name }) => isOfPart(name)),
    evictions: evictions.filter(({ node }) => isOfPart(node)),
  };
}
