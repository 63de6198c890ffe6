import type { ClusterReading, Reader } from './cluster-reader.js';
import { statusEvictions } from './evictions/eviction-sources.js';
import type { RecordedCollection } from './recorded-collection.js';

/** Reads a recording as a cluster is read. All pods are shown, whether or not they belong to a workload. */
export class RecordedReader implements Reader {
  readonly #recorded: RecordedCollection;

  constructor(recorded: RecordedCollection) {
    this.#recorded = recorded;
  }

  async read(_durationMs: number, signal: AbortSignal): Promise<ClusterReading> {
    const { cluster, collection, clock } = this.#recorded;
    const snapshot = await collection.collector.collect(signal);
    if (snapshot === undefined) throw new Error('recordings need no list');
    const knownPods = Array.from(cluster.pods(), (pod) => ({ pod, workloads: collection.resolver.workloadsOf(pod) }));
    return {
      snapshot,
      knownPods,
      knownNodes: [...cluster.nodes()],
      readAtMs: clock.nowMs(),
      failures: new Map(),
      evictions: statusEvictions(cluster.pods(), collection.resolver, clock.nowMs()),
      notes: [],
    };
  }
}
