import type { Clock } from '../base/clock.js';
import { silentLogger } from '../base/logger.js';
import { TimeSlicer } from '../base/time-slicer.js';
import type { EvictionCounts } from '../history/eviction-counters.js';
import type { EvictionRecord } from '../history/eviction-record.js';
import { NodeFaults } from '../node/node-faults.js';
import type { PreparedNode } from '../node/node-record.js';
import type { NodeObjects, NodeSnapshot } from '../node/node-state.js';
import type { ClusterSnapshot } from '../scrape/snapshot.js';
import type { Workload } from '../workload/workload.js';
import { type BodyFamily, ExpositionBodies, type ExpositionBody, type ExpositionRequest } from './bodies.js';
import { ChunkCache, type ChunkCacheOptions } from './chunks.js';
import { evictedPodGroups, nodeEvictionGroups, workloadEvictionGroups } from './eviction-families.js';
import { detailGroups, familyTable } from './families.js';
import type { ClusterFamilyRow, FamilyGroup, Level } from './family.js';
import { nodeStateGroups } from './node-families.js';
import { isSameState, type ShownNodeState, shownState } from './node-states.js';
import { objectGroups } from './object-families.js';
import { type SourceParts, undivided } from './part-texts.js';
import { partsOfNode, partsOfObjects } from './pod-on-node.js';
import type { Compatibility } from './profile.js';
import { type MetricSource, registryFamilies, type RegistryFamily } from './registry-text.js';
import {
  chooseFamilies,
  type CountedCache,
  countOf,
  type FamilyBlock,
  placesOf,
  roomIn,
  section,
  type TextSection,
} from './sections.js';
import {
  allowedBy,
  type FamilyFilter,
  type FamilyPredicate,
  type FamilyRules,
  filterText,
  requestedBy,
} from './selection.js';
import { familiesOverCap } from './series-cap.js';
import type { NodeStates, WorkloadPage } from './series-sources.js';
import { groupsOf, perSource, type SourceGroup } from './source-groups.js';
import { TextMaker, Versions } from './source-text.js';
import { StablePages } from './stable-pages.js';
import { workloadGroups } from './workload-families.js';
import { WorkloadPages } from './workload-pages.js';

/** The exporter's own metrics. */
export interface SelfMetricsSource {
  readonly registry: MetricSource & { getMetricsAsArray(): readonly { readonly name: string }[] };
  /** Called before the registry is read, with the number of series of each level in this exposition. */
  setSeries(counts: Readonly<Record<Level, number>>): void;
}

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

interface SeriesCapObserver {
  /** Called for each exposition of a cluster, even if nothing was dropped, before the self metrics are read. */
  capped(result: SeriesCapResult): void;
}

export interface ExpositionSettings extends FamilyRules {
  /** Maximum for all families of an exposition except those about the exporter. Undefined: no cap. */
  readonly maxSeries: number | undefined;
  readonly compatibility: Compatibility;
  /** Label keys of nodes. */
  readonly nodeLabels: readonly string[];
}

export interface ExpositionOptions {
  readonly settings: ExpositionSettings;
  readonly selfMetrics: SelfMetricsSource;
  readonly observer: SeriesCapObserver;
  /** Those of the records of the nodes. Default: kept here, and not logged. */
  readonly faults?: NodeFaults;
  readonly clock: Clock;
}

/**
 * Renders expositions: families contiguous, in the order of the table, without those that have no series. Families that
 * the settings do not allow are never formatted; the text of the others is kept for all requests, whatever their filters.
 */
export class Exposition {
  readonly #settings: ExpositionSettings;
  readonly #names: ReadonlySet<string>;
  readonly #selfMetrics: SelfMetricsSource;
  readonly #slicer: TimeSlicer;
  readonly #observer: SeriesCapObserver;
  readonly #faults: NodeFaults;
  readonly #bodies: ExpositionBodies;
  readonly #pages = new WorkloadPages();
  readonly #workloadChunks: ChunkCache<WorkloadPage>;
  readonly #objectChunks: ChunkCache<NodeObjects>;
  readonly #nodeChunks: ChunkCache<NodeSnapshot>;
  readonly #nodeStates = new StablePages<ShownNodeState>(isSameState);
  readonly #nodeStateChunks: ChunkCache<NodeStates>;
  readonly #evictedPodChunks: ChunkCache<readonly EvictionRecord[]>;
  readonly #workloadEvictions = new StablePages<EvictionCounts<Workload>>();
  readonly #workloadEvictionChunks: ChunkCache<readonly EvictionCounts<Workload>[]>;
  readonly #nodeEvictions = new StablePages<EvictionCounts<string>>();
  readonly #nodeEvictionChunks: ChunkCache<readonly EvictionCounts<string>[]>;
  readonly #caches: readonly CountedCache[];

  constructor({ settings, selfMetrics, observer, faults, clock }: ExpositionOptions) {
    const isAllowed = allowedBy(settings);
    this.#settings = settings;
    this.#names = new Set(familyTable([], settings.compatibility).map(({ name }) => name));
    this.#selfMetrics = selfMetrics;
    this.#observer = observer;
    this.#faults = faults ?? new NodeFaults(silentLogger);
    this.#slicer = new TimeSlicer(clock);
    const versions = new Versions();
    this.#bodies = new ExpositionBodies(clock, versions);
    const cacheOf = <Source extends object, Item extends object, Part>(
      groups: readonly SourceGroup<Source, Part>[],
      parts: SourceParts<Source, Item, Part>,
      names: Pick<ChunkCacheOptions<Source>, 'nameOf' | 'onFault'>,
    ) =>
      new ChunkCache({
        maker: new TextMaker(groupsOf(groups, isAllowed), parts, versions),
        slicer: this.#slicer,
        ...names,
      });
    const ofNode = {
      nameOf: ({ nodeName }: NodeSource) => nodeName,
      onFault: (source: NodeSource, error: unknown) => {
        this.#faults.add(source.nodeName, error, source);
      },
    };
    const pageCache = <Page extends object>(groups: readonly FamilyGroup<Page>[]) =>
      cacheOf<Page, never, never>(perSource(groups), undivided, { nameOf: (_, index) => String(index) });
    this.#workloadChunks = pageCache(workloadGroups);
    this.#objectChunks = cacheOf(objectGroups(settings), partsOfObjects, ofNode);
    this.#nodeChunks = cacheOf(detailGroups(settings), partsOfNode(settings), ofNode);
    this.#nodeStateChunks = pageCache(nodeStateGroups);
    this.#evictedPodChunks = pageCache(evictedPodGroups);
    this.#workloadEvictionChunks = pageCache(workloadEvictionGroups);
    this.#nodeEvictionChunks = pageCache(nodeEvictionGroups);
    const perNode = [this.#nodeChunks, this.#objectChunks, this.#nodeStateChunks, this.#nodeEvictionChunks];
    this.#caches = [this.#workloadChunks, this.#workloadEvictionChunks, this.#evictedPodChunks, ...perNode];
  }

  /** Whether there is a family of this name, allowed or not, with series or without. */
  hasFamily(name: string): boolean {
    const own = this.#selfMetrics.registry.getMetricsAsArray();
    return this.#names.has(name) || own.some((family) => family.name === name);
  }

  /** Makes the text of a node ahead of `render`, if any is requested. Rejects with the signal's reason. */
  async prepareNode({ snapshot, objects }: PreparedNode, filter: FamilyFilter, signal: AbortSignal): Promise<void> {
    const isRequested = requestedBy(filter);
    const prepare = async <Source extends object>(cache: ChunkCache<Source>, source: Source) => {
      if (!cache.families.some(isRequested)) return;
      await cache.count(source, roomIn(this.#caches, this.#settings.maxSeries), signal);
      const { leftOut } = chooseFamilies(this.#caches, filter, this.#settings.maxSeries);
      await cache.prepare(source, placesOf(cache.families, leftOut), signal);
    };
    if (snapshot !== undefined) await prepare(this.#nodeChunks, snapshot);
    await prepare(this.#objectChunks, objects);
  }

  /** Without a snapshot (before the first sync), only the exporter's own metrics. Rejects with the signal's reason. */
  async render(
    snapshot: ClusterSnapshot | undefined,
    request: ExpositionRequest,
    signal: AbortSignal,
  ): Promise<ExpositionBody> {
    const { format, filter } = request;
    const ofCluster = snapshot === undefined ? [] : await this.#clusterBlocks(snapshot, filter, signal);
    this.#selfMetrics.setSeries(countSeries(ofCluster));
    const source = requestedOf(this.#selfMetrics.registry, requestedBy(filter));
    const own = await registryFamilies({ source, format, slicer: this.#slicer }, signal);
    return this.#bodies.of([...ofCluster, ...own.map(ownBlock)], request, signal);
  }

  async #clusterBlocks(
    snapshot: ClusterSnapshot,
    filter: FamilyFilter,
    signal: AbortSignal,
  ): Promise<readonly FamilyBlock[]> {
    const sections = this.#sections(snapshot);
    const isRequested = requestedBy(filter);
    const requested = sections.filter(({ cache }) => cache.families.some(isRequested));
    let room = roomIn(this.#caches, this.#settings.maxSeries);
    for (const { count } of requested) room = await count(room, signal);
    const choice = chooseFamilies(this.#caches, filter, this.#settings.maxSeries);
    const blocks: FamilyBlock[] = [];
    for (const section of requested) blocks.push(...(await section.blocks(choice, signal)));
    const largePodsSeriesCount = requested.reduce((sum, { cache }) => sum + cache.leftOutCount, 0);
    return this.#capped(blocks, { filter, leftOut: choice.leftOut, largePodsSeriesCount });
  }

  /** In the order of the table. */
  #sections(snapshot: ClusterSnapshot): readonly TextSection[] {
    const { nodes, objects, workloads, evictions } = snapshot;
    const snapshots = nodes.flatMap((node) => (node.state === 'absent' ? [] : [node.snapshot]));
    return [
      section(this.#workloadChunks, () => this.#pages.of(workloads)),
      section(this.#workloadEvictionChunks, () => this.#workloadEvictions.of(evictions.workloads)),
      section(this.#nodeChunks, () => snapshots),
      section(this.#objectChunks, () => objects),
      section(this.#evictedPodChunks, () => [evictions.records]),
      section(this.#nodeStateChunks, () => this.#nodeStates.of(this.#shownStates(snapshot))),
      section(this.#nodeEvictionChunks, () => this.#nodeEvictions.of(evictions.nodes)),
    ];
  }

  /** To be called once the text of the nodes is made. */
  #shownStates({ nodes, objects }: ClusterSnapshot): readonly ShownNodeState[] {
    const faulty = new Set(objects.filter((source) => this.#faults.has(source)).map(({ nodeName }) => nodeName));
    return nodes.map((node) => {
      const { nodeName } = node;
      const isFaulty = faulty.has(nodeName) || (node.state !== 'absent' && this.#faults.has(node.snapshot));
      return isFaulty ? { nodeName, state: 'absent', reason: 'internal_error' } : shownState(node);
    });
  }

  #capped(blocks: readonly FamilyBlock[], { filter, leftOut, largePodsSeriesCount }: CapInput): readonly FamilyBlock[] {
    const { maxSeries } = this.#settings;
    const over = familiesOverCap(blocks, maxSeries ?? Infinity);
    const isDropped = (block: FamilyBlock): boolean => over.has(block) || leftOut.has(block.header);
    const dropped = [...over, ...blocks.filter((block) => !over.has(block) && leftOut.has(block.header))];
    this.#observer.capped({
      filter: filterText(filter),
      maxSeries,
      families: dropped.map(({ header }) => header.name),
      seriesCount: countOf(dropped),
      largePodsSeriesCount,
    });
    return blocks.filter((block) => !isDropped(block));
  }
}

interface CapInput {
  readonly filter: FamilyFilter;
  readonly leftOut: ReadonlySet<ClusterFamilyRow>;
  readonly largePodsSeriesCount: number;
}

type NodeSource = NodeSnapshot | NodeObjects;

/** The families of the registry that are requested; the others are not formatted. */
function requestedOf(registry: MetricSource, isRequested: FamilyPredicate): MetricSource {
  return {
    getMetricsAsJSON: async () => {
      const families = await registry.getMetricsAsJSON();
      return families.filter(({ name }) => isRequested({ name, level: 'exporter' }));
    },
  };
}

function countSeries(blocks: readonly FamilyBlock[]): Readonly<Record<Level, number>> {
  const counts = { workload: 0, node: 0, pod: 0, container: 0, volume: 0 };
  for (const { level, seriesCount } of blocks) counts[level] += seriesCount;
  return counts;
}

/** Made for each body. */
function ownBlock({ header, chunks }: RegistryFamily): BodyFamily {
  return { header, pieces: chunks.map((chunk) => ({ chunk, version: undefined, mayEndPage: false })) };
}
