import type { Clock } from '../base/clock.js';
import { TimeSlicer } from '../base/time-slicer.js';
import type { ClusterSnapshot, NodeState, WorkloadSnapshot } from '../scrape/snapshot.js';
import { ChunkCache } from './chunks.js';
import { type Compatibility, detailGroups } from './families.js';
import { nodeStateGroups } from './node-families.js';
import { groupTexts } from './family-text.js';
import type { FamilyRow, Level } from './family.js';
import { registryFamilies, type MetricSource, type RegistryFamily } from './registry-text.js';
import { endText, headerText, type ExpositionFormat, type FamilyHeader } from './render.js';
import { workloadRegistry } from './workload-metrics.js';

/** The exporter's own metrics. */
export interface SelfMetricsSource {
  readonly registry: MetricSource;
  /** Told before its registry is read: how many series of each level this exposition has. */
  setSeries(counts: Readonly<Record<Level, number>>): void;
}

export interface ExpositionOptions {
  readonly selfMetrics: SelfMetricsSource;
  readonly compatibility: Compatibility;
  readonly clock: Clock;
}

/** The body of an answer, in pieces that are shared with other answers: never written to. */
export interface ExpositionBody {
  readonly chunks: readonly Buffer[];
  /** Bytes of all chunks. */
  readonly contentLength: number;
}

interface FamilyBlock {
  readonly level: FamilyRow['level'];
  readonly header: FamilyHeader;
  readonly chunks: readonly Buffer[];
  readonly seriesCount: number;
}

/** Makes expositions: families contiguous, in the order of the table; those without a series are left out. */
export class Exposition {
  readonly #selfMetrics: SelfMetricsSource;
  readonly #slicer: TimeSlicer;
  readonly #chunks: ChunkCache;
  /** Kept as long as somebody keeps the snapshots: the same ones give the same text. */
  readonly #workloadFamilies = new WeakMap<readonly WorkloadSnapshot[], readonly RegistryFamily[]>();

  constructor({ selfMetrics, compatibility, clock }: ExpositionOptions) {
    this.#selfMetrics = selfMetrics;
    this.#slicer = new TimeSlicer(clock);
    this.#chunks = new ChunkCache(detailGroups[compatibility], this.#slicer);
  }

  /** Without a snapshot (nothing is synced yet), only what is about the exporter. Rejects with the signal's reason. */
  async render(
    snapshot: ClusterSnapshot | undefined,
    format: ExpositionFormat,
    signal: AbortSignal,
  ): Promise<ExpositionBody> {
    const blocks: FamilyBlock[] = [];
    if (snapshot !== undefined) {
      blocks.push(...(await this.#workloadBlocks(snapshot.workloads, signal)));
      blocks.push(...(await this.#detailBlocks(snapshot.nodes, signal)));
      blocks.push(...(await this.#nodeStateBlocks(snapshot)));
    }
    this.#selfMetrics.setSeries(countSeries(blocks));
    const source = this.#selfMetrics.registry;
    const families = await registryFamilies({ source, format, slicer: this.#slicer }, signal);
    blocks.push(...families.map((family): FamilyBlock => ({ level: 'exporter', ...family })));
    return join(blocks, format);
  }

  async #workloadBlocks(workloads: readonly WorkloadSnapshot[], signal: AbortSignal): Promise<readonly FamilyBlock[]> {
    const families = this.#workloadFamilies.get(workloads) ?? (await this.#renderWorkloads(workloads, signal));
    this.#workloadFamilies.set(workloads, families);
    return families.map((family) => ({ level: 'workload', ...family }));
  }

  async #renderWorkloads(
    workloads: readonly WorkloadSnapshot[],
    signal: AbortSignal,
  ): Promise<readonly RegistryFamily[]> {
    const source = await workloadRegistry(workloads, this.#slicer, signal);
    // Of gauges, the samples are the same in both formats.
    return registryFamilies({ source, format: 'text', slicer: this.#slicer }, signal);
  }

  /** All nodes' chunks of the first family, then of the second, … */
  async #detailBlocks(nodes: readonly NodeState[], signal: AbortSignal): Promise<readonly FamilyBlock[]> {
    const snapshots = nodes.flatMap((node) => (node.state === 'absent' ? [] : [node.snapshot]));
    const prepared = await this.#chunks.prepare(snapshots, signal);
    return this.#chunks.families.map((family, index) => {
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

  async #nodeStateBlocks(snapshot: ClusterSnapshot): Promise<readonly FamilyBlock[]> {
    const blocks: FamilyBlock[] = [];
    for (const group of nodeStateGroups) {
      const texts = await this.#slicer.run(() => groupTexts(group, snapshot));
      for (const [index, { text, seriesCount }] of texts.entries()) {
        const header = group.families[index];
        if (header !== undefined) blocks.push({ level: group.level, header, chunks: [Buffer.from(text)], seriesCount });
      }
    }
    return blocks;
  }
}

function countSeries(blocks: readonly FamilyBlock[]): Readonly<Record<Level, number>> {
  const counts = { workload: 0, node: 0, pod: 0, container: 0, volume: 0 };
  for (const { level, seriesCount } of blocks) {
    if (level !== 'exporter') counts[level] += seriesCount;
  }
  return counts;
}

function join(blocks: readonly FamilyBlock[], format: ExpositionFormat): ExpositionBody {
  const chunks: Buffer[] = [];
  for (const { header, chunks: samples, seriesCount } of blocks) {
    if (seriesCount === 0) continue;
    chunks.push(Buffer.from(headerText(header, format)));
    for (const chunk of samples) chunks.push(chunk);
  }
  chunks.push(Buffer.from(endText(format)));
  return { chunks, contentLength: chunks.reduce((total, chunk) => total + chunk.length, 0) };
}
