import type { DerivedPods } from '../../facts/node/pod-record.js';
import type { ClusterSnapshot } from '../../facts/scrape/snapshot.js';
import type { Lane } from '../../lib/base/lane.js';
import type { BodyFamily } from './bodies.js';
import type { ClusterFamilyRow } from './family.js';
import {
  type FamilyPiece,
  type FamilyRenderer,
  type NodeText,
  noFamilies,
  type SeriesCounts,
} from './incremental-text.js';
import { noPods } from './pod-offsets.js';
import type { CountedFamilies, TextChoice } from './series-cap.js';

/** A family about the cluster. */
export interface FamilyBlock extends BodyFamily {
  readonly header: ClusterFamilyRow;
  readonly seriesCount: number;
}

export interface TextCacheOptions<Source extends object> {
  readonly renderer: Pick<FamilyRenderer<Source, never, never>, 'families' | 'make' | 'count' | 'hasLargePart'>;
  readonly lane: Lane;
  /** In the order of their series. Called to make text, and again to put it together. */
  readonly sourcesOf: (snapshot: ClusterSnapshot) => readonly Source[];
  /** Of sources that replace each other: the text of the new one is made from that of the former one. */
  readonly nameOf: (source: Source, index: number) => string;
  /** Called when no text can be made of a source, which then has no series. Default: the exception is thrown. */
  readonly onFault?: ((source: Source, error: unknown) => void) | undefined;
}

interface NamedSource<Source> {
  readonly name: string;
  readonly source: Source;
  readonly derived?: DerivedPods;
}

/**
 * The text of some families, made once for each source of their series and kept as long as the source is: a scrape of
 * nodes and workloads that have not changed formats nothing.
 */
export class TextCache<Source extends object> implements CountedFamilies {
  readonly families: readonly ClusterFamilyRow[];
  readonly ofFamilies: number[];
  readonly #options: TextCacheOptions<Source>;
  /** By the name of the source. */
  readonly #texts = new Map<string, NodeText<Source> & { readonly counts: SeriesCounts }>();
  #leftOutCount = 0;

  constructor(options: TextCacheOptions<Source>) {
    this.families = options.renderer.families;
    this.#options = options;
    this.ofFamilies = this.families.map(() => 0);
  }

  /** Series that are left out, as the parts of a source that have them would have too many. */
  get leftOutCount(): number {
    return this.#leftOutCount;
  }

  /**
   * Makes the text of sources that have none yet, each without what is left out by then, and forgets all others. Yields to the
   * event loop between sources; rejects with the signal's reason.
   */
  async update(snapshot: ClusterSnapshot, choose: () => TextChoice, signal: AbortSignal): Promise<void> {
    const names = new Set<string>();
    await this.#eachSource(snapshot, signal, (of) => {
      names.add(of.name);
      if (this.#texts.get(of.name)?.source !== of.source) this.#textOf(of, this.#own(choose().leftOut));
    });
    this.#retain(names);
  }

  /** Forgets all other sources. Not needed after {@link update}. */
  retain(snapshot: ClusterSnapshot): void {
    const { sourcesOf, nameOf } = this.#options;
    this.#retain(new Set(sourcesOf(snapshot).map(nameOf)));
  }

  #retain(names: ReadonlySet<string>): void {
    for (const [name, { counts }] of this.#texts) {
      if (names.has(name)) continue;
      this.#addUp(counts, -1);
      this.#texts.delete(name);
    }
  }

  /**
   * Returns the families that are requested, with the text of all sources unless they are left out. Yields to the event
   * loop between sources; rejects with the signal's reason.
   */
  async blocks(
    snapshot: ClusterSnapshot,
    { isRequested, leftOut }: TextChoice,
    signal: AbortSignal,
  ): Promise<readonly FamilyBlock[]> {
    const ownLeftOut = this.#own(leftOut);
    const blocks = [...this.families.entries()]
      .filter(([, header]) => isRequested(header))
      .map(([place, header]) => ({ place, header, pieces: new Array<FamilyPiece>(), seriesCount: 0 }));
    const made = blocks.filter(({ header }) => !leftOut.has(header));
    await this.#eachSource(snapshot, signal, (of) => {
      const { pieces } = this.#textOf(of, ownLeftOut);
      for (const block of made) {
        const piece = pieces[block.place];
        if (piece === undefined || piece.seriesCount === 0) continue;
        block.pieces.push(piece);
        block.seriesCount += piece.seriesCount;
      }
    });
    for (const block of blocks) if (leftOut.has(block.header)) block.seriesCount = this.ofFamilies[block.place] ?? 0;
    return blocks;
  }

  /** Makes the text of one source, ahead of {@link update}. */
  prepare(source: Source, { leftOut }: TextChoice, derived: DerivedPods): void {
    this.#textOf({ name: this.#options.nameOf(source, 0), source, derived }, this.#own(leftOut));
  }

  async #eachSource(
    snapshot: ClusterSnapshot,
    signal: AbortSignal,
    task: (of: NamedSource<Source>) => void,
  ): Promise<void> {
    const { sourcesOf, nameOf, lane } = this.#options;
    let index = 0;
    await lane.each(sourcesOf(snapshot), (source) => {
      signal.throwIfAborted();
      task({ name: nameOf(source, index), source });
      index += 1;
    });
  }

  #own(families: ReadonlySet<ClusterFamilyRow>): ReadonlySet<ClusterFamilyRow> {
    return families.size === 0 ? noFamilies : new Set(this.families.filter((family) => families.has(family)));
  }

  /** Returns the text of the source that has all other families; makes it when there is none. */
  #textOf(of: NamedSource<Source>, leftOut: ReadonlySet<ClusterFamilyRow>): NodeText<Source> {
    const text = this.#texts.get(of.name);
    const isUpToDate = text?.source === of.source && [...text.leftOut].every((family) => leftOut.has(family));
    return isUpToDate ? text : this.#make(of, leftOut);
  }

  /** What a text of the source already has stays: scrapes that leave out different families share it. */
  #make(
    { name, source, derived = new Map() }: NamedSource<Source>,
    leftOut: ReadonlySet<ClusterFamilyRow>,
  ): NodeText<Source> {
    const { renderer } = this.#options;
    const former = this.#texts.get(name);
    const isNew = former?.source !== source;
    const stillLeftOut = isNew ? leftOut : new Set([...leftOut].filter((family) => former.leftOut.has(family)));
    const none = { source, pieces: [], pods: noPods, leftOut: noFamilies };
    const text = this.#orElse(
      source,
      () => renderer.make(name, source, former, { leftOut: stillLeftOut, derived }),
      none,
    );
    const unknown = { ofFamilies: new Uint32Array(0), leftOutCount: 0 };
    const counts = isNew ? this.#orElse(source, () => this.#countsIn(text, derived), unknown) : former.counts;
    if (former !== undefined) this.#addUp(former.counts, -1);
    this.#addUp(counts, 1);
    this.#texts.set(name, { ...text, counts });
    return text;
  }

  #addUp({ ofFamilies, leftOutCount }: SeriesCounts, sign: 1 | -1): void {
    for (const [place, count] of ofFamilies.entries()) {
      this.ofFamilies[place] = (this.ofFamilies[place] ?? 0) + sign * count;
    }
    this.#leftOutCount += sign * leftOutCount;
  }

  /** Counts what the text has, if that is all. */
  #countsIn({ source, pieces, leftOut }: NodeText<Source>, derived: DerivedPods): SeriesCounts {
    const { renderer } = this.#options;
    const hasAllSeries = leftOut.size === 0 && !renderer.hasLargePart(source);
    if (!hasAllSeries) return renderer.count(source, derived);
    return { ofFamilies: Uint32Array.from(pieces, ({ seriesCount }) => seriesCount), leftOutCount: 0 };
  }

  #orElse<T>(source: Source, make: () => T, whenFaulty: T): T {
    try {
      return make();
    } catch (error) {
      if (this.#options.onFault === undefined) throw error;
      this.#options.onFault(source, error);
      return whenFaulty;
    }
  }
}
