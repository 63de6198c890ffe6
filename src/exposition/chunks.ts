import type { TimeSlicer } from '../base/time-slicer.js';
import type { ClusterFamilyRow, FamilyGroup } from './family.js';
import { type FamilyText, groupTexts } from './family-text.js';

interface FamilyChunk {
  /** Never written to. */
  readonly buffer: Buffer;
  readonly seriesCount: number;
}

/** One per family of {@link ChunkCache.families}, in their order; empty where the source has no such series. */
export type SourceChunks = readonly FamilyChunk[];

/**
 * The text of some families, made once for each source of their series and kept as long as the source is: a scrape of
 * nodes and workloads that have not changed formats nothing.
 */
export class ChunkCache<Source extends object> {
  readonly families: readonly ClusterFamilyRow[];
  readonly #kept = new WeakMap<Source, SourceChunks>();
  readonly #groups: readonly FamilyGroup<Source>[];
  readonly #slicer: TimeSlicer;
  readonly #clean: (source: Source) => Source;

  /** `clean` removes what would give the same series twice. */
  constructor(
    groups: readonly FamilyGroup<Source>[],
    slicer: TimeSlicer,
    clean: (source: Source) => Source = (source) => source,
  ) {
    this.families = groups.flatMap(({ families }) => families);
    this.#groups = groups;
    this.#slicer = slicer;
    this.#clean = clean;
  }

  /** In the order of the sources. Yields to the event loop between them; rejects with the signal's reason. */
  async prepare(sources: readonly Source[], signal: AbortSignal): Promise<readonly SourceChunks[]> {
    const prepared: SourceChunks[] = [];
    for (const source of sources) {
      prepared.push(this.#kept.get(source) ?? (await this.#render(source, signal)));
    }
    return prepared;
  }

  #render(source: Source, signal: AbortSignal): Promise<SourceChunks> {
    signal.throwIfAborted();
    return this.#slicer.run(() => {
      // Another scrape may have made them while this one waited for its turn.
      const chunks = this.#kept.get(source) ?? this.#chunksOf(this.#clean(source));
      this.#kept.set(source, chunks);
      return chunks;
    });
  }

  #chunksOf(source: Source): SourceChunks {
    return encode(this.#groups.flatMap((group) => groupTexts(group, source)));
  }
}

/** One memory block per source: separate blocks for 65,000 small chunks would cost more than their bytes. */
function encode(texts: readonly FamilyText[]): SourceChunks {
  const block = Buffer.allocUnsafeSlow(texts.reduce((total, { text }) => total + Buffer.byteLength(text), 0));
  let offset = 0;
  return texts.map(({ text, seriesCount }) => {
    const start = offset;
    offset += block.write(text, start);
    return { buffer: block.subarray(start, offset), seriesCount };
  });
}
