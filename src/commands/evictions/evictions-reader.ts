import { noEvictionsSeen } from '../../history/eviction-log.js';
import type { ClusterReading, Reader } from '../cluster-reader.js';
import { type EvictionSourceOptions, readEvictions } from './eviction-sources.js';

/** Reads evictions alone: it asks no kubelet. */
export class EvictionsReader implements Reader {
  readonly #options: EvictionSourceOptions;

  constructor(options: EvictionSourceOptions) {
    this.#options = options;
  }

  async read(_durationMs: number, signal: AbortSignal): Promise<ClusterReading> {
    return {
      snapshot: { nodes: [], objects: [], workloads: [], evictions: noEvictionsSeen, unlistedNamespaces: [] },
      knownPods: [],
      knownNodes: [],
      readAtMs: this.#options.clock.nowMs(),
      failures: new Map(),
      ...(await readEvictions(this.#options, signal)),
    };
  }
}
