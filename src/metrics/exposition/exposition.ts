import { NodeFaults } from '../../facts/node/node-faults.js';
import type { NodeObjects, NodeSnapshot, NodeView } from '../../facts/node/node-view.js';
import type { DerivedPods } from '../../facts/node/pod-record.js';
import { allObjects, type ClusterSnapshot } from '../../facts/scrape/snapshot.js';
import type { Clock } from '../../lib/base/clock.js';
import type { Lane } from '../../lib/base/lane.js';
import { silentLogger } from '../../lib/base/logger.js';
import { ExpositionBodies, type ExpositionBody, type ExpositionRequest } from './bodies.js';
import { detailGroups, familiesAfterNodes, familiesBeforeNodes, familyTable } from './families.js';
import {
  type Compatibility,
  type FamilyGroup,
  type Level,
  narrowedGroups,
  perSource,
  type Profile,
  type SourceGroup,
} from './family.js';
import { chunkIds, type Division, FamilyRenderer, undivided } from './incremental-text.js';
import { objectGroups } from './object-families.js';
import { nodeDivision, objectDivision } from './pod-on-node.js';
import { type MetricSource, registryFamilies } from './registry-text.js';
import {
  allowedBy,
  type FamilyFilter,
  type FamilyPredicate,
  type FamilyRules,
  filterText,
  requestedBy,
} from './selection.js';
import { chooseFamilies, familiesOverCap, type TextChoice } from './series-cap.js';
import type { PagedFamilies, Pager } from './stable-pages.js';
import { type FamilyBlock, TextCache, type TextCacheOptions } from './text-cache.js';

/** The effect of the cap on series on one exposition. */
export interface SeriesCapResult {
  /** From {@link filterText}. */
  readonly filter: string;
  readonly maxSeries: number | undefined;
  /** Names of the families that were dropped. */
  readonly families: readonly string[];
  /** Series of all of them. */
  readonly seriesCount: number;
  /** Series of pods that would have too many. */
  readonly largePodsSeriesCount: number;
}

export interface ExpositionOptions {
  readonly settings: FamilyRules & {
    /** Maximum for all families of an exposition except those about the exporter. Undefined: no cap. */
    readonly maxSeries: number | undefined;
    readonly compatibility: Compatibility;
    /** Label keys of nodes. */
    readonly nodeLabels: readonly string[];
  };
  /** The exporter's own metrics. */
  readonly selfMetrics: {
    readonly registry: MetricSource & { getMetricsAsArray(): readonly { readonly name: string }[] };
    /** Returns the smallest profile that has the family of the registry. Default: each has all. */
    profileOf?(name: string): Profile;
    /** Called before the registry is read, with the number of series of each level in this exposition. */
    setSeries(counts: Readonly<Record<Level, number>>): void;
  };
  readonly observer: {
    /** Called for each exposition of a cluster, even if nothing was dropped, before the self metrics are read. */
    capped(result: SeriesCapResult): void;
  };
  /** Those of the trackers of the nodes. Default: kept here, and not logged. */
  readonly faults?: NodeFaults;
  readonly lane: Lane;
  readonly clock: Clock;
}

/** A cache, whatever its sources are. */
type AnyCache = Omit<TextCache<never>, 'prepare'>;

/**
 * Renders expositions: families contiguous, in the order of the table, without those that have no series. Families that
 * the settings do not allow are never formatted; the text of the others is kept for all requests, whatever their filters.
 */
export class Exposition {
  readonly #isAllowed: ReturnType<typeof allowedBy>;
  readonly #maxSeries: number | undefined;
  readonly #names: ReadonlySet<string>;
  readonly #selfMetrics: ExpositionOptions['selfMetrics'];
  readonly #lane: Lane;
  readonly #observer: ExpositionOptions['observer'];
  readonly #bodies: ExpositionBodies;
  readonly #nodes: TextCache<NodeSnapshot>;
  readonly #objects: TextCache<NodeObjects>;
  /** In the order of the table. */
  readonly #caches: readonly AnyCache[];

  constructor({
    settings,
    selfMetrics,
    observer,
    faults = new NodeFaults(silentLogger),
    lane,
    clock,
  }: ExpositionOptions) {
    const isAllowed = allowedBy(settings);
    this.#isAllowed = isAllowed;
    this.#maxSeries = settings.maxSeries;
    this.#names = new Set(familyTable([], settings.compatibility).map(({ name }) => name));
    this.#selfMetrics = selfMetrics;
    this.#observer = observer;
    this.#lane = lane;
    const nextChunkId = chunkIds();
    this.#bodies = new ExpositionBodies(clock, nextChunkId);
    const cacheOf = <Source extends object, Item extends object, Part>(
      groups: readonly SourceGroup<Source, Part>[],
      division: Division<Source, Item, Part>,
      options: Pick<TextCacheOptions<Source>, 'sourcesOf' | 'nameOf' | 'onFault'>,
    ) => {
      const renderer = new FamilyRenderer(narrowedGroups(groups, isAllowed), division, nextChunkId);
      return new TextCache({ renderer, lane: this.#lane, ...options });
    };
    const perNode = {
      nameOf: ({ nodeName }: { readonly nodeName: string }) => nodeName,
      onFault: (source: { readonly nodeName: string }, error: unknown) => {
        faults.add(source.nodeName, error, source);
      },
    };
    const pageCache = (paged: PagedFamilies) =>
      paged.cache<AnyCache>(<Page extends object>(groups: readonly FamilyGroup<Page>[], pager: Pager<Page>) =>
        cacheOf<Page, never, never>(perSource(groups), undivided, {
          sourcesOf: (snapshot) => pager(snapshot, faults),
          nameOf: (_, index) => String(index),
        }),
      );
    const detail = narrowedGroups(detailGroups(settings), isAllowed);
    this.#nodes = cacheOf(detail, nodeDivision({ ...settings, showsSizesAlone: showSizesAlone(detail, settings) }), {
      sourcesOf: ({ nodes }) => nodes.filter((node) => node.state !== 'absent').map(({ snapshot }) => snapshot),
      ...perNode,
    });
    this.#objects = cacheOf(objectGroups(settings), objectDivision, { sourcesOf: allObjects, ...perNode });
    this.#caches = [
      ...familiesBeforeNodes.map(pageCache),
      this.#nodes,
      this.#objects,
      ...familiesAfterNodes.map(pageCache),
    ];
  }

  /** Whether there is a family of this name, allowed or not, with series or without. */
  hasFamily(name: string): boolean {
    const own = this.#selfMetrics.registry.getMetricsAsArray();
    return this.#names.has(name) || own.some((family) => family.name === name);
  }

  /** Makes the text of a node ahead of `render`, if any is requested. */
  prepareNode(view: NodeView, derived: DerivedPods, filter: FamilyFilter): void {
    const isRequested = requestedBy(filter);
    const prepare = <Source extends object>(cache: TextCache<Source>, source: Source): void => {
      if (cache.families.some(isRequested)) cache.prepare(source, this.#choice(filter), derived);
    };
    if (view.state !== 'absent') prepare(this.#nodes, view.snapshot);
    if (view.objects !== undefined) prepare(this.#objects, view.objects);
  }

  /** Without a snapshot (before the first sync), only the exporter's own metrics. Rejects with the signal's reason. */
  async render(
    snapshot: ClusterSnapshot | undefined,
    request: ExpositionRequest,
    signal: AbortSignal,
  ): Promise<ExpositionBody> {
    const { format, filter } = request;
    const ofCluster = snapshot === undefined ? [] : await this.#clusterBlocks(snapshot, filter, signal);
    this.#selfMetrics.setSeries(countByLevel(ofCluster));
    const { registry } = this.#selfMetrics;
    const isRequested = requestedBy(filter);
    const isShown: FamilyPredicate = (family) =>
      isRequested(family) &&
      this.#isAllowed({ ...family, profile: this.#selfMetrics.profileOf?.(family.name) ?? 'minimal' });
    const own = await registryFamilies(registry, isShown, format);
    return this.#bodies.of([...ofCluster, ...own], request, signal);
  }

  async #clusterBlocks(
    snapshot: ClusterSnapshot,
    filter: FamilyFilter,
    signal: AbortSignal,
  ): Promise<readonly FamilyBlock[]> {
    const isRequested = requestedBy(filter);
    const requested = this.#caches.filter(({ families }) => families.some(isRequested));
    // Text of nodes may have been made ahead, also where this request is for none.
    for (const cache of [this.#nodes, this.#objects]) if (!requested.includes(cache)) cache.retain(snapshot);
    for (const cache of requested) await cache.update(snapshot, () => this.#choice(filter), signal);
    const choice = this.#choice(filter);
    const blocks: FamilyBlock[] = [];
    for (const cache of requested) blocks.push(...(await cache.blocks(snapshot, choice, signal)));
    const over = familiesOverCap(blocks, this.#maxSeries);
    const leftOut = blocks.filter((block) => !over.has(block) && choice.leftOut.has(block.header));
    const dropped = new Set([...over, ...leftOut]);
    this.#observer.capped({
      filter: filterText(filter),
      maxSeries: this.#maxSeries,
      families: Array.from(dropped, ({ header }) => header.name),
      seriesCount: Array.from(dropped).reduce((sum, { seriesCount }) => sum + seriesCount, 0),
      largePodsSeriesCount: requested.reduce((sum, { leftOutCount }) => sum + leftOutCount, 0),
    });
    return blocks.filter((block) => !dropped.has(block));
  }

  #choice(filter: FamilyFilter): TextChoice {
    return chooseFamilies(this.#caches, filter, this.#maxSeries);
  }
}

/** Families of the other exporter show the filesystems of containers in every profile. */
function showSizesAlone(
  groups: readonly SourceGroup<never, never>[],
  { compatibility }: ExpositionOptions['settings'],
): boolean {
  const ofPods = groups.flatMap(({ per, group }) => (per === 'part' ? group.families : []));
  return compatibility === 'none' && ofPods.every(({ profile }) => profile !== 'full');
}

function countByLevel(blocks: readonly FamilyBlock[]): Readonly<Record<Level, number>> {
  const counts = { workload: 0, node: 0, pod: 0, container: 0, volume: 0 };
  for (const { header, seriesCount } of blocks) counts[header.level] += seriesCount;
  return counts;
}
