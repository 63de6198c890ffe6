import { RequestError } from '../../lib/base/errors.js';
import { JsonSplitter } from '../../lib/json/json-splitter.js';
import type { SliceSink } from '../../lib/json/split-document.js';
import { maxDetailCount, maxListedCount } from '../kube/pod-bounds.js';
import { SummaryDecoder } from './decode-summary.js';
import { cutPod, PodDetail } from './pod-others.js';
import type { NodeSummary, PodSummary } from './summary.js';

/**
 * What a pod may hold to be read as a whole: JSON.parse takes a few milliseconds for it. Far above real pods, which have up to
 * 100 values and 2 kB for each container. Larger ones are read part by part, since authors of pods decide how large they are.
 */
const podLimits = { maxBytes: 2 ** 20, maxValueCount: 20_000 };

/** The members of a pod that are read as a whole. What else it has may be of any size, and is skipped then. */
const neededNames: readonly string[] = ['podRef', 'startTime', 'io', 'ephemeral-storage'];

/** Of one container, volume or needed member: kubelets write 3 kB and 150 values at most. */
const partLimits = { maxBytes: 2 ** 16, maxValueCount: 2_000 };

/** What a summary may hold: Kubernetes supports 110 pods, and kubelets have 2,500 at most. */
const maxPodCount = 3_000;

/**
 * Containers and volumes of all pods from which on those of each further pod are kept one by one only as far as they are
 * shown so: authors of pods decide how many there are. Kubelets write 165 bytes and more for each: 60,000 are above 8 MiB.
 */
const fullEntryCount = 60_000;

/**
 * Reads the body of a `/stats/summary` answer pod by pod, so that neither its text nor its JSON is ever one value. What
 * makes it a summary is its `node` object with a `nodeName`, and `pods` that is a list or missing: `{}`, a `Status` or an
 * error page is not one.
 *
 * Of a pod with more containers or volumes than are kept one by one, the first by name are kept, and the entry `(others)` for
 * the rest: its author must not decide whether the node is read.
 *
 * All methods throw RequestError: `decode` for a body that is not a summary, and `too_large` for one above the limits.
 */
export class SummaryReader {
  readonly #what: string;
  readonly #decoder = new SummaryDecoder();
  readonly #splitter: JsonSplitter;
  #node: ReturnType<SummaryDecoder['node']>;
  /** By UID: of an entry that is repeated the last counts, as to the kubelet. */
  readonly #pods = new Map<string, PodSummary>();
  #podCount = 0;
  #entryCount = 0;

  /** @param what names the body, such as `summary of node n1`; begins the messages */
  constructor(what: string) {
    this.#what = what;
    this.#splitter = new JsonSplitter({
      what,
      arrayNames: ['pods'],
      itemName: 'a pod',
      limits: podLimits,
      onMember: (name, value) => {
        if (name === 'node') this.#node = this.#decoder.node(value);
        if (name === 'pods' && value !== null) throw this.#notSummary('pods that are not a list');
      },
      onItem: (item) => {
        const pod = this.#decoder.pod(item);
        this.#addPod(pod && cutPod(pod, this.#maxCountOfPod));
      },
      onOversizedItem: () => this.#largePod(),
    });
  }

  write(piece: Buffer): void {
    this.#splitter.write(piece);
  }

  /** To be called at the end of the body. */
  finish(): NodeSummary {
    this.#splitter.finish();
    if (this.#node === undefined) throw this.#notSummary('no node with a nodeName');
    const { all: saturatedCount, ofPressure } = this.#decoder.saturated;
    const measured = { ...this.#node, pods: [...this.#pods.values()], saturatedCount };
    return measuresPressure(this.#node) ? measured : withoutPressure(measured, ofPressure);
  }

  get #maxCountOfPod(): number {
    return this.#entryCount < fullEntryCount ? maxListedCount : maxDetailCount;
  }

  #addPod(pod: PodSummary | undefined): void {
    this.#podCount += 1;
    if (this.#podCount > maxPodCount)
      throw new RequestError('too_large', `${this.#what}: more than ${maxPodCount} pods, which no node has`);
    if (pod === undefined) return;
    this.#entryCount += pod.containers.length + (pod.volumes?.length ?? 0);
    this.#pods.set(pod.uid, pod);
  }

  /** Reads one pod from its bytes, one container and volume after the other: authors of pods decide how many there are. */
  #largePod(): SliceSink {
    const decoder = this.#decoder;
    const saturatedBefore = decoder.saturated;
    const members: Record<string, unknown> = {};
    const detail = new PodDetail(this.#maxCountOfPod);
    const splitter = new JsonSplitter({
      what: `${this.#what}: a pod`,
      arrayNames: ['containers', 'volume'],
      itemName: 'a container or volume',
      limits: partLimits,
      skipsOversized: (name) => !neededNames.includes(name),
      onMember: (name, value) => {
        if (neededNames.includes(name)) members[name] = value;
      },
      onItem: (item, arrayName) => {
        if (arrayName === 'containers') detail.containers.add(decoder.container(item));
        else detail.volumes.add(decoder.volume(item));
      },
    });
    return {
      write: (bytes) => {
        splitter.write(bytes);
      },
      end: () => {
        splitter.finish();
        const pod = decoder.pod(members);
        if (pod === undefined) decoder.saturated = saturatedBefore;
        this.#addPod(pod && { ...pod, ...detail.finish() });
      },
    };
  }

  #notSummary(fault: string): RequestError {
    return new RequestError('decode', `${this.#what}: JSON that is not a summary: it has ${fault}`);
  }
}

/** For a body that is in memory already. Throws as {@link SummaryReader}. */
export function decodeSummary(body: Buffer | string, what: string): NodeSummary {
  const reader = new SummaryReader(what);
  reader.write(typeof body === 'string' ? Buffer.from(body) : body);
  return reader.finish();
}

/**
 * With cgroups of version 1, or a kernel that does not measure, kubelets report zeros for the node and all of its pods.
 * A node that does measure has waited for its disk since it booted.
 */
function measuresPressure({ ioPressure }: Pick<NodeSummary, 'ioPressure'>): boolean {
  if (ioPressure === undefined) return true;
  const { waitingUs = 0, stalledUs = 0 } = ioPressure;
  return waitingUs !== 0 || stalledUs !== 0;
}

function withoutPressure(summary: NodeSummary, saturatedPressureCount: number): NodeSummary {
  return {
    ...summary,
    ioPressure: undefined,
    pods: summary.pods.map((pod) => ({ ...pod, ioPressure: undefined })),
    saturatedCount: summary.saturatedCount - saturatedPressureCount,
  };
}
