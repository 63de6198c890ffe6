import { JsonSplitter } from '../../lib/json/json-splitter.js';
import type { SliceSink } from '../../lib/json/split-document.js';
import type { SaturatedCounts, SummaryDecoder } from './decode-summary.js';
import { PodDetail } from './pod-others.js';
import type { PodSummary } from './summary.js';

/** The members of a pod that are read as a whole. What else it has may be of any size, and is skipped then. */
const neededNames: readonly string[] = ['podRef', 'startTime', 'io', 'ephemeral-storage'];

/** Of one container, volume or needed member: kubelets write 3 kB and 150 values at most. */
const partLimits = { maxBytes: 2 ** 16, maxValueCount: 2_000 };

/**
 * Reads one pod of a summary from its bytes, one container and volume after the other: authors of pods decide how many
 * there are. Throws RequestError as {@link JsonSplitter} does.
 */
export class LargePod implements SliceSink {
  readonly #options;
  readonly #splitter: JsonSplitter;
  readonly #members: Record<string, unknown> = {};
  readonly #detail: PodDetail;
  readonly #saturatedBefore: SaturatedCounts;

  constructor(options: {
    /** Begins the messages. */
    readonly what: string;
    readonly decoder: SummaryDecoder;
    /** Of containers, and volumes, how many are kept one by one. */
    readonly maxCount: number;
    /** Called at the end of the pod; undefined as from {@link SummaryDecoder.pod}. */
    readonly onPod: (pod: PodSummary | undefined) => void;
  }) {
    const { what, decoder, maxCount } = options;
    this.#options = options;
    this.#detail = new PodDetail(maxCount);
    this.#saturatedBefore = decoder.saturated;
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
        if (arrayName === 'containers') this.#detail.containers.add(decoder.container(item));
        else this.#detail.volumes.add(decoder.volume(item));
      },
    });
  }

  write(bytes: Buffer): void {
    this.#splitter.write(bytes);
  }

  end(): void {
    const { decoder, onPod } = this.#options;
    this.#splitter.finish();
    const pod = decoder.pod(this.#members);
    if (pod === undefined) decoder.saturated = this.#saturatedBefore;
    onPod(pod && { ...pod, ...this.#detail.finish() });
  }
}
