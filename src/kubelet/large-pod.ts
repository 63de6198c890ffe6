import { messageOf, RequestError } from '../base/errors.js';
import { JsonSplitter } from '../base/json-splitter.js';
import type { SliceSink } from '../base/split-document.js';
import { PodDetail } from './pod-others.js';
import type { PodSummary } from './summary.js';
import type { SummaryParts } from './summary-parts.js';

/** The members of a pod that are read as a whole. What else it has may be of any size, and is skipped then. */
const neededNames: readonly string[] = ['podRef', 'startTime', 'io', 'ephemeral-storage'];

const anyPodRef = { namespace: 'any', name: 'any', uid: 'any' };

/** Of one container, volume or needed member: kubelets write 3 kB and 150 values at most. */
const partLimits = { maxBytes: 2 ** 16, maxValueCount: 2_000 };

/** Containers and volumes that are decoded together: a call for each would take twice the time. */
const batchSize = 50;

export interface LargePodOptions {
  /** Begins the messages. */
  readonly what: string;
  readonly parts: SummaryParts;
  /** Of containers, and volumes, how many are kept one by one. */
  readonly maxCount: number;
  /** Called at the end of the pod; undefined as from {@link SummaryParts.pod}. */
  readonly onPod: (pod: PodSummary | undefined) => void;
}

/**
 * Reads one pod of a summary from its bytes, one container and volume after the other: authors of pods decide how many
 * there are. Throws RequestError as {@link JsonSplitter} does.
 */
export class LargePod implements SliceSink {
  readonly #options: LargePodOptions;
  readonly #splitter: JsonSplitter;
  readonly #members: Record<string, unknown> = {};
  /** Items of the arrays that are not decoded yet. */
  #batch: { readonly containers: unknown[]; readonly volume: unknown[] } = { containers: [], volume: [] };
  readonly #detail: PodDetail;
  readonly #countsBefore: SummaryParts['saturatedCounts'];

  constructor(options: LargePodOptions) {
    const { what, parts, maxCount } = options;
    this.#options = options;
    this.#detail = new PodDetail(maxCount);
    this.#countsBefore = parts.saturatedCounts;
    this.#splitter = new JsonSplitter({
      what: `${what}: a pod`,
      arrayNames: ['containers', 'volume'],
      itemName: 'a container or volume',
      limits: partLimits,
      skipsOversized: (name) => !neededNames.includes(name),
      onMember: (name, value) => {
        if (neededNames.includes(name)) this.#members[name] = value;
      },
      onItem: (item, arrayName) => {
        this.#batch[arrayName === 'containers' ? 'containers' : 'volume'].push(item);
        if (this.#batch.containers.length + this.#batch.volume.length >= batchSize) this.#readBatch();
      },
    });
  }

  write(bytes: Buffer): void {
    this.#splitter.write(bytes);
  }

  end(): void {
    const { parts, onPod } = this.#options;
    this.#splitter.finish();
    this.#readBatch();
    const pod = this.#read(this.#members);
    if (pod === undefined) parts.saturatedCounts = this.#countsBefore;
    onPod(pod && { ...pod, ...this.#detail.finish() });
  }

  /** As the items of a pod that has no more. */
  #readBatch(): void {
    const part = this.#read({ podRef: anyPodRef, ...this.#batch });
    for (const container of part?.containers ?? []) this.#detail.containers.add(container);
    for (const volume of part?.volumes ?? []) this.#detail.volumes.add(volume);
    this.#batch = { containers: [], volume: [] };
  }

  #read(pod: object): PodSummary | undefined {
    try {
      return this.#options.parts.pod(pod);
    } catch (error) {
      throw new RequestError('decode', `${this.#options.what}: a pod: ${messageOf(error)}`);
    }
  }
}
