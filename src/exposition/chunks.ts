import type { TimeSlicer } from '../base/time-slicer.js';
import type { ClusterFamilyRow } from './family.js';
import { type SeriesCounts, type SourceText, type TextMaker, textWithoutSeries } from './source-text.js';

export interface ChunkCacheOptions<Source extends object> {
  readonly maker: Pick<TextMaker<Source, never, never>, 'families' | 'make' | 'count' | 'mostOfParts'>;
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
  readonly #counts = new Map<string, SeriesCounts<Source>>();
  readonly #seriesCounts: number[];
  #leftOutCount = 0;

  constructor(options: ChunkCacheOptions<Source>) {
    this.families = options.maker.families;
    this.#options = options;
    this.#seriesCounts = this.families.map(() => 0);
  }

  /** One for each family, over the sources of the texts, and those that were counted since. */
  get seriesCounts(): readonly number[] {
    return this.#seriesCounts;
  }

  /** Series of these sources that are left out, as their parts would have too many. */
  get leftOutCount(): number {
    return this.#leftOutCount;
  }

  /**
   * Counts the series of all sources, unless there is room for them in any case: then they are counted in their text. Forgets
   * all others. `room`: for how many series. Returns how much of it is left. Yields to the event loop between sources; rejects
   * with the signal's reason.
   */
  async countAll(sources: readonly Source[], room: number, signal: AbortSignal): Promise<number> {
    const names = new Set<string>();
    let left = room;
    for (const [index, source] of sources.entries()) {
      const name = this.#options.nameOf(source, index);
      names.add(name);
      left -= await this.#countUnlessRoom(name, source, { room: left, signal });
    }
    this.#forgetCounts(names);
    return left;
  }

  /** Counts those of one source, ahead of {@link countAll}. */
  async count(source: Source, room: number, signal: AbortSignal): Promise<void> {
    await this.#countUnlessRoom(this.#options.nameOf(source, 0), source, { room, signal });
  }

  /**
   * Of all sources, in their order; forgets all others. `leftOut`: places of families that need no text. Yields to the event
   * loop between sources; rejects with the signal's reason.
   */
  async prepareAll(
    sources: readonly Source[],
    leftOut: ReadonlySet<number>,
    signal: AbortSignal,
  ): Promise<readonly SourceText<Source>[]> {
    const texts: SourceText<Source>[] = [];
    const names = new Set<string>();
    for (const [index, source] of sources.entries()) {
      const name = this.#options.nameOf(source, index);
      names.add(name);
      texts.push(this.#upToDate(name, source, leftOut) ?? (await this.#make(name, source, leftOut, signal)));
    }
    for (const name of this.#kept.keys()) if (!names.has(name)) this.#kept.delete(name);
    this.#forgetCounts(names);
    return texts;
  }

  /** Of one source, ahead of {@link prepareAll}. */
  async prepare(source: Source, leftOut: ReadonlySet<number>, signal: AbortSignal): Promise<void> {
    const name = this.#options.nameOf(source, 0);
    if (this.#upToDate(name, source, leftOut) === undefined) await this.#make(name, source, leftOut, signal);
  }

  /** Returns how much of the room its series may take. */
  async #countUnlessRoom(
    name: string,
    source: Source,
    { room, signal }: { readonly room: number; readonly signal: AbortSignal },
  ): Promise<number> {
    if (this.#counts.get(name)?.source === source) return 0;
    const { maker, slicer } = this.#options;
    const most = this.#orElse(source, () => maker.mostOfParts(source), 0);
    if (most <= room) return most;
    signal.throwIfAborted();
    await slicer.run(() => {
      this.#setCounts(name, source, () => maker.count(source));
    });
    return this.#counts.get(name)?.ofFamilies.reduce((sum, count) => sum + count, 0) ?? 0;
  }

  #setCounts(name: string, source: Source, counted: () => SeriesCounts<Source>): void {
    const known = this.#counts.get(name);
    if (known?.source === source) return;
    const none = { source, ofFamilies: new Uint32Array(0), leftOutCount: 0 };
    this.#replaceCounts(name, known, this.#orElse(source, counted, none));
  }

  #replaceCounts(name: string, from: SeriesCounts<Source> | undefined, to: SeriesCounts<Source> | undefined): void {
    if (to === undefined) this.#counts.delete(name);
    else this.#counts.set(name, to);
    if (from !== undefined) this.#add(from, -1);
    if (to !== undefined) this.#add(to, 1);
  }

  /** Of all other sources. */
  #forgetCounts(names: ReadonlySet<string>): void {
    for (const [name, counts] of this.#counts) if (!names.has(name)) this.#replaceCounts(name, counts, undefined);
  }

  #add({ ofFamilies, leftOutCount }: SeriesCounts<Source>, sign: 1 | -1): void {
    for (const [family, count] of ofFamilies.entries()) {
      this.#seriesCounts[family] = (this.#seriesCounts[family] ?? 0) + sign * count;
    }
    this.#leftOutCount += sign * leftOutCount;
  }

  /** The text of the source that has all other families. */
  #upToDate(name: string, source: Source, leftOut: ReadonlySet<number>): SourceText<Source> | undefined {
    const text = this.#kept.get(name);
    return text?.source === source && [...text.leftOut].every((family) => leftOut.has(family)) ? text : undefined;
  }

  #make(name: string, source: Source, leftOut: ReadonlySet<number>, signal: AbortSignal): Promise<SourceText<Source>> {
    signal.throwIfAborted();
    return this.#options.slicer.run(() => {
      // Another scrape may have made it while this one waited for its turn.
      const text = this.#upToDate(name, source, leftOut) ?? this.#made(name, source, leftOut);
      this.#kept.set(name, text);
      return text;
    });
  }

  /** What a text of the source already has stays: scrapes that leave out different families share it. */
  #made(name: string, source: Source, leftOut: ReadonlySet<number>): SourceText<Source> {
    const { maker } = this.#options;
    const former = this.#kept.get(name);
    const isNew = former?.source !== source;
    const stillLeftOut = isNew ? leftOut : new Set([...leftOut].filter((family) => former.leftOut.has(family)));
    const text = this.#orElse(source, () => maker.make(name, source, former, stillLeftOut), textWithoutSeries(source));
    this.#setCounts(name, source, () => (this.#hasAllSeries(text) ? countsOf(text) : maker.count(source)));
    return text;
  }

  /** Whether all series of the source are in its text. */
  #hasAllSeries({ source, leftOut }: SourceText<Source>): boolean {
    return leftOut.size === 0 && this.#options.maker.mostOfParts(source) < Infinity;
  }

  #orElse<T>(source: Source, make: () => T, whenFaulty: T): T {
    const { onFault } = this.#options;
    try {
      return make();
    } catch (error) {
      if (onFault === undefined) throw error;
      onFault(source, error);
      return whenFaulty;
    }
  }
}

function countsOf<Source>({ source, pieces }: SourceText<Source>): SeriesCounts<Source> {
  const ofFamilies = Uint32Array.from(pieces, ({ seriesCount }) => seriesCount);
  return { source, ofFamilies, leftOutCount: 0 };
}
