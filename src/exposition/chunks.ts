import type { TimeSlicer } from '../base/time-slicer.js';
import type { ClusterFamilyRow } from './family.js';
import { type SourceText, type TextMaker, textWithoutSeries } from './source-text.js';

export interface ChunkCacheOptions<Source extends object> {
  readonly maker: Pick<TextMaker<Source, never, never>, 'families' | 'make'>;
  readonly slicer: TimeSlicer;
  /** Of sources that replace each other: the text of the new one is made from that of the former one. */
  readonly nameOf: (source: Source, index: number) => string;
  /** Called when no text can be made of a source, which then has no series. Default: the exception is thrown. */
  readonly onFault?: ((source: Source, error: unknown) => void) | undefined;
}

/**
 * The text of some families, made once for each source of their series and kept as long as the source is: a scrape of
 * nodes and workloads that have not changed formats nothing.
 */
export class ChunkCache<Source extends object> {
  readonly families: readonly ClusterFamilyRow[];
  readonly #options: ChunkCacheOptions<Source>;
  /** By the name of the source. */
  readonly #kept = new Map<string, SourceText<Source>>();

  constructor(options: ChunkCacheOptions<Source>) {
    this.families = options.maker.families;
    this.#options = options;
  }

  /**
   * Of all sources, in their order; forgets all others. Yields to the event loop between sources; rejects with the
   * signal's reason.
   */
  async prepareAll(sources: readonly Source[], signal: AbortSignal): Promise<readonly SourceText<Source>[]> {
    const texts: SourceText<Source>[] = [];
    const names = new Set<string>();
    for (const [index, source] of sources.entries()) {
      const name = this.#options.nameOf(source, index);
      names.add(name);
      texts.push(this.#upToDate(name, source) ?? (await this.#make(name, source, signal)));
    }
    for (const name of this.#kept.keys()) if (!names.has(name)) this.#kept.delete(name);
    return texts;
  }

  /** Of one source, ahead of {@link prepareAll}. */
  async prepare(source: Source, signal: AbortSignal): Promise<void> {
    const name = this.#options.nameOf(source, 0);
    if (this.#upToDate(name, source) === undefined) await this.#make(name, source, signal);
  }

  #upToDate(name: string, source: Source): SourceText<Source> | undefined {
    const text = this.#kept.get(name);
    return text?.source === source ? text : undefined;
  }

  #make(name: string, source: Source, signal: AbortSignal): Promise<SourceText<Source>> {
    signal.throwIfAborted();
    return this.#options.slicer.run(() => {
      // Another scrape may have made it while this one waited for its turn.
      const text = this.#upToDate(name, source) ?? this.#made(name, source);
      this.#kept.set(name, text);
      return text;
    });
  }

  #made(name: string, source: Source): SourceText<Source> {
    const { maker, onFault } = this.#options;
    try {
      return maker.make(name, source, this.#kept.get(name));
    } catch (error) {
      if (onFault === undefined) throw error;
      onFault(source, error);
      return textWithoutSeries(source);
    }
  }
}
