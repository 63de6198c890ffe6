import type { Clock } from '../base/clock.js';
import { TimeSlicer } from '../base/time-slicer.js';
import type { ClusterSnapshot, NodeState, WorkloadSnapshot } from '../scrape/snapshot.js';
import { ChunkCache } from './chunks.js';
import { type Compatibility, detailGroups, familyTable } from './families.js';
import type { FamilyGroup, FamilyRow, Level } from './family.js';
import { groupTexts } from './family-text.js';
import { nodeStateGroups } from './node-families.js';
import { type MetricSource, registryFamilies, type RegistryFamily } from './registry-text.js';
import { endText, type ExpositionFormat, headerText } from './render.js';
import {
  allowedBy,
  type FamilyFilter,
  type FamilyPredicate,
  type FamilyRules,
  filterText,
  groupsOf,
  requestedBy,
} from './selection.js';
import { familiesOverCap } from './series-cap.js';
import { workloadFamilies } from './workload-families.js';
import { workloadRegistry } from './workload-metrics.js';

/** The exporter's own metrics. */
export interface SelfMetricsSource {
  readonly registry: MetricSource & { getMetricsAsArray(): readonly { readonly name: string }[] };
  /** Told before its registry is read: how many series of each level this exposition has. */
  setSeries(counts: Readonly<Record<Level, number>>): void;
}

/** What the cap on series did to one exposition. */
interface SeriesCapResult {
  /** As {@link filterText} gives it. */
  readonly filter: string;
  readonly maxSeries: number | undefined;
  /** Names of the families that were left out. */
  readonly families: readonly string[];
  /** Series of all of them. */
  readonly seriesCount: number;
}

interface SeriesCapObserver {
  /** Told of each exposition of a cluster, also when nothing was left out, before the self metrics are read. */
  capped(result: SeriesCapResult): void;
}

export interface ExpositionSettings extends FamilyRules {
  /** Over all families of an exposition, those about the exporter not counted. Undefined: no cap. */
  readonly maxSeries: number | undefined;
  readonly compatibility: Compatibility;
}

export interface ExpositionOptions {
  readonly settings: ExpositionSettings;
  readonly selfMetrics: SelfMetricsSource;
  readonly observer: SeriesCapObserver;
  readonly clock: Clock;
}

export interface ExpositionRequest {
  readonly format: ExpositionFormat;
  readonly filter: FamilyFilter;
}

/** The body of an answer, in pieces that are shared with other answers: never written to. */
export interface ExpositionBody {
  readonly chunks: readonly Buffer[];
  /** Bytes of all chunks. */
  readonly contentLength: number;
}

/** A family about the cluster. */
interface FamilyBlock extends RegistryFamily {
  readonly level: Level;
}

/**
 * Makes expositions: families contiguous, in the order of the table; those without a series are left out. What the
 * settings do not allow is never formatted; what they do is kept for all requests, whatever each asks for.
 */
export class Exposition {
  readonly #settings: ExpositionSettings;
  readonly #isAllowed: FamilyPredicate;
  readonly #names: ReadonlySet<string>;
  readonly #selfMetrics: SelfMetricsSource;
  readonly #slicer: TimeSlicer;
  readonly #observer: SeriesCapObserver;
  readonly #chunks: ChunkCache;
  readonly #workloadTable: readonly FamilyRow[];
  readonly #stateGroups: readonly FamilyGroup<ClusterSnapshot>[];
  /** Kept as long as somebody keeps the snapshots: the same ones give the same text. */
  readonly #workloadFamilies = new WeakMap<readonly WorkloadSnapshot[], readonly RegistryFamily[]>();

  constructor({ settings, selfMetrics, observer, clock }: ExpositionOptions) {
    const { compatibility } = settings;
    this.#settings = settings;
    this.#isAllowed = allowedBy(settings);
    this.#names = new Set(familyTable([], compatibility).map(({ name }) => name));
    this.#selfMetrics = selfMetrics;
    this.#observer = observer;
    this.#slicer = new TimeSlicer(clock);
    this.#chunks = new ChunkCache(groupsOf(detailGroups[compatibility], this.#isAllowed), this.#slicer);
    this.#workloadTable = workloadFamilies.filter(this.#isAllowed);
    this.#stateGroups = groupsOf(nodeStateGroups, this.#isAllowed);
  }

  /** Whether there is a family of this name, allowed or not, with series or without. */
  hasFamily(name: string): boolean {
    const own = this.#selfMetrics.registry.getMetricsAsArray();
    return this.#names.has(name) || own.some((family) => family.name === name);
  }

  /** Without a snapshot (nothing is synced yet), only what is about the exporter. Rejects with the signal's reason. */
  async render(
    snapshot: ClusterSnapshot | undefined,
    { format, filter }: ExpositionRequest,
    signal: AbortSignal,
  ): Promise<ExpositionBody> {
    const ofCluster = snapshot === undefined ? [] : await this.#clusterBlocks(snapshot, filter, signal);
    this.#selfMetrics.setSeries(countSeries(ofCluster));
    const source = requestedOf(this.#selfMetrics.registry, requestedBy(filter));
    const own = await registryFamilies({ source, format, slicer: this.#slicer }, signal);
    return join([...ofCluster, ...own], format);
  }

  async #clusterBlocks(
    snapshot: ClusterSnapshot,
    filter: FamilyFilter,
    signal: AbortSignal,
  ): Promise<readonly FamilyBlock[]> {
    const isRequested = requestedBy(filter);
    const blocks = [
      ...(await this.#workloadBlocks(snapshot.workloads, isRequested, signal)),
      ...(await this.#detailBlocks(snapshot.nodes, isRequested, signal)),
      ...(await this.#nodeStateBlocks(snapshot, isRequested)),
    ];
    return this.#capped(blocks, filter);
  }

  #capped(blocks: readonly FamilyBlock[], filter: FamilyFilter): readonly FamilyBlock[] {
    const { maxSeries } = this.#settings;
    const over = familiesOverCap(blocks, maxSeries ?? Infinity);
    this.#observer.capped({
      filter: filterText(filter),
      maxSeries,
      families: Array.from(over, ({ header }) => header.name),
      seriesCount: Array.from(over).reduce((sum, { seriesCount }) => sum + seriesCount, 0),
    });
    return blocks.filter((block) => !over.has(block));
  }

  async #workloadBlocks(
    workloads: readonly WorkloadSnapshot[],
    isRequested: FamilyPredicate,
    signal: AbortSignal,
  ): Promise<readonly FamilyBlock[]> {
    if (!this.#workloadTable.some(isRequested)) return [];
    const families = this.#workloadFamilies.get(workloads) ?? (await this.#renderWorkloads(workloads, signal));
    this.#workloadFamilies.set(workloads, families);
    return families
      .filter(({ header: { name } }) => isRequested({ name, level: 'workload' }))
      .map((family) => ({ level: 'workload', ...family }));
  }

  async #renderWorkloads(
    workloads: readonly WorkloadSnapshot[],
    signal: AbortSignal,
  ): Promise<readonly RegistryFamily[]> {
    const source = await workloadRegistry({ workloads, isWanted: this.#isAllowed, slicer: this.#slicer }, signal);
    // Of gauges, the samples are the same in both formats.
    return registryFamilies({ source, format: 'text', slicer: this.#slicer }, signal);
  }

  /** All nodes' chunks of the first family, then of the second, … */
  async #detailBlocks(
    nodes: readonly NodeState[],
    isRequested: FamilyPredicate,
    signal: AbortSignal,
  ): Promise<readonly FamilyBlock[]> {
    const requested = [...this.#chunks.families.entries()].filter(([, family]) => isRequested(family));
    if (requested.length === 0) return [];
    const snapshots = nodes.flatMap((node) => (node.state === 'absent' ? [] : [node.snapshot]));
    const prepared = await this.#chunks.prepare(snapshots, signal);
    return requested.map(([index, family]) => {
      const chunks: Buffer[] = [];
      let seriesCount = 0;
      for (const nodeChunks of prepared) {
        const chunk = nodeChunks[index];
        if (chunk === undefined || chunk.seriesCount === 0) continue;
        chunks.push(chunk.buffer);
        seriesCount += chunk.seriesCount;
      }
      return { level: family.level, header: family, chunks, seriesCount };
    });
  }

  async #nodeStateBlocks(snapshot: ClusterSnapshot, isRequested: FamilyPredicate): Promise<readonly FamilyBlock[]> {
    const blocks: FamilyBlock[] = [];
    for (const group of groupsOf(this.#stateGroups, isRequested)) {
      const texts = await this.#slicer.run(() => groupTexts(group, snapshot));
      for (const [index, { text, seriesCount }] of texts.entries()) {
        const header = group.families[index];
        if (header !== undefined) blocks.push({ level: group.level, header, chunks: [Buffer.from(text)], seriesCount });
      }
    }
    return blocks;
  }
}

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

function join(families: readonly RegistryFamily[], format: ExpositionFormat): ExpositionBody {
  const chunks: Buffer[] = [];
  for (const { header, chunks: samples, seriesCount } of families) {
    if (seriesCount === 0) continue;
    chunks.push(Buffer.from(headerText(header, format)));
    for (const chunk of samples) chunks.push(chunk);
  }
  chunks.push(Buffer.from(endText(format)));
  return { chunks, contentLength: chunks.reduce((total, chunk) => total + chunk.length, 0) };
}
