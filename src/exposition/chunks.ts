import type { TimeSlicer } from '../base/time-slicer.js';
import type { NodeSnapshot } from '../scrape/snapshot.js';
import type { DetailGroups } from './families.js';
import type { ClusterFamilyRow } from './family.js';
import { type FamilyText, groupTexts } from './family-text.js';
import { withoutRepeats } from './unique.js';

interface FamilyChunk {
  /** Never written to. */
  readonly buffer: Buffer;
  readonly seriesCount: number;
}

/** One per family of {@link ChunkCache.families}, in their order; empty where the node has no such series. */
export type NodeChunks = readonly FamilyChunk[];

/**
 * The text of each node's detail families, made once per snapshot and kept as long as somebody keeps the snapshot:
 * a scrape of nodes that have not changed formats nothing.
 */
export class ChunkCache {
  readonly families: readonly ClusterFamilyRow[];
  readonly #kept = new WeakMap<NodeSnapshot, NodeChunks>();
  readonly #groups: DetailGroups;
  readonly #slicer: TimeSlicer;

  constructor(groups: DetailGroups, slicer: TimeSlicer) {
    this.families = groups.flatMap(({ families }) => families);
    this.#groups = groups;
    this.#slicer = slicer;
  }

  /** In the order of the snapshots. Lets the event loop turn between nodes; rejects with the signal's reason. */
  async prepare(snapshots: readonly NodeSnapshot[], signal: AbortSignal): Promise<readonly NodeChunks[]> {
    const prepared: NodeChunks[] = [];
    for (const snapshot of snapshots) {
      prepared.push(this.#kept.get(snapshot) ?? (await this.#render(snapshot, signal)));
    }
    return prepared;
  }

  #render(snapshot: NodeSnapshot, signal: AbortSignal): Promise<NodeChunks> {
    signal.throwIfAborted();
    return this.#slicer.run(() => {
      // Another scrape may have made them while this one waited for its turn.
      const chunks = this.#kept.get(snapshot) ?? chunksOf(this.#groups, withoutRepeats(snapshot));
      this.#kept.set(snapshot, chunks);
      return chunks;
    });
  }
}

function chunksOf(groups: DetailGroups, snapshot: NodeSnapshot): NodeChunks {
  return encode(groups.flatMap((group) => groupTexts(group, snapshot)));
}

/** One memory block per node: a block for each of 65,000 small chunks would cost the collector more than the bytes. */
function encode(texts: readonly FamilyText[]): NodeChunks {
  const block = Buffer.allocUnsafeSlow(texts.reduce((total, { text }) => total + Buffer.byteLength(text), 0));
  let offset = 0;
  return texts.map(({ text, seriesCount }) => {
    const start = offset;
    offset += block.write(text, start);
    return { buffer: block.subarray(start, offset), seriesCount };
  });
}
