import { messageOf, RequestError } from '../base/errors.js';
import { JsonSplitter } from '../base/json-splitter.js';
import type { NodeSummary, PodSummary } from './summary.js';
import { SummaryParts } from './summary-parts.js';

/**
 * What a summary may hold. Far above real ones, which have up to 100 values and 2 kB for each container, and 110 pods where
 * Kubernetes supports it, 2,500 at most. Low enough that JSON.parse takes a few milliseconds for one pod, whatever it holds,
 * and that no decoded summary takes tens of megabytes.
 */
const maxPodBytes = 2 ** 20;
const maxValueCount = 20_000;
const maxPodCount = 3_000;
const maxContainerCount = 500;
const maxVolumeCount = 500;
/** Containers and volumes of all pods. */
const maxEntryCount = 30_000;

/**
 * Reads the body of a `/stats/summary` answer pod by pod, so that neither its text nor its JSON is ever one value. What
 * makes it a summary is its `node` object with a `nodeName`, and `pods` that is a list or missing: `{}`, a `Status` or an
 * error page is not one.
 *
 * All methods throw RequestError: `decode` for a body that is not a summary, and `too_large` for one above the limits.
 */
export class SummaryReader {
  readonly #what: string;
  readonly #parts: SummaryParts;
  readonly #splitter: JsonSplitter;
  #node: ReturnType<SummaryParts['node']>;
  readonly #pods: PodSummary[] = [];
  #podCount = 0;
  #entryCount = 0;

  /**
   * @param what names the body, such as `summary of node n1`; begins the messages
   * @param former the node's summary before this one: texts that it has are taken from it
   */
  constructor(what: string, former?: NodeSummary) {
    this.#what = what;
    this.#parts = new SummaryParts(former);
    this.#splitter = new JsonSplitter({
      what,
      arrayName: 'pods',
      itemName: 'a pod',
      limits: { maxBytes: maxPodBytes, maxValueCount },
      onMember: (name, value) => {
        if (name === 'node') this.#node = this.#readNode(value);
        if (name === 'pods' && value !== null) throw this.#notSummary('pods that are not a list');
      },
      itemReader: this.#parts,
      onItem: (item) => {
        this.#addPod(item as PodSummary | undefined);
      },
    });
  }

  write(piece: Buffer): void {
    this.#splitter.write(piece);
  }

  /** To be called at the end of the body. */
  finish(): NodeSummary {
    this.#splitter.finish();
    if (this.#node === undefined) throw this.#notSummary('no node with a nodeName');
    const { all: saturatedCount, ofPressure } = this.#parts.saturatedCounts;
    const measured = { ...this.#node, pods: this.#pods, saturatedCount };
    return measuresPressure(this.#node) ? measured : withoutPressure(measured, ofPressure);
  }

  #readNode(value: unknown): ReturnType<SummaryParts['node']> {
    try {
      return this.#parts.node(value);
    } catch (error) {
      throw new RequestError('decode', `${this.#what}: its node: ${messageOf(error)}`);
    }
  }

  #addPod(pod: PodSummary | undefined): void {
    this.#podCount += 1;
    if (this.#podCount > maxPodCount) throw this.#tooLarge(`more than ${maxPodCount} pods`);
    if (pod === undefined) return;
    const { containers, volumes = [] } = pod;
    const place = `pod ${pod.namespace}/${pod.name}`;
    if (containers.length > maxContainerCount)
      throw this.#tooLarge(`more than ${maxContainerCount} containers of ${place}`);
    if (volumes.length > maxVolumeCount) throw this.#tooLarge(`more than ${maxVolumeCount} volumes of ${place}`);
    this.#entryCount += containers.length + volumes.length;
    if (this.#entryCount > maxEntryCount) throw this.#tooLarge(`more than ${maxEntryCount} containers and volumes`);
    this.#pods.push(pod);
  }

  #notSummary(fault: string): RequestError {
    return new RequestError('decode', `${this.#what}: JSON that is not a summary: it has ${fault}`);
  }

  #tooLarge(excess: string): RequestError {
    return new RequestError('too_large', `${this.#what}: ${excess}, which no node has`);
  }
}

/** For a body that is in memory already. Throws as {@link SummaryReader}. */
export function decodeSummary(body: Buffer | string, what: string): NodeSummary {
  const reader = new SummaryReader(what);
  reader.write(Buffer.from(body));
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
