import { type Clock, startDeadline } from '../base/clock.js';
import { type FailureReason, RequestError } from '../base/errors.js';
import { requestFailure } from '../http/request-failure.js';
import { readAtMost } from '../http/response-body.js';
import type { Node } from '../kube/objects.js';
import { decodeSummary } from './decode.js';
import { decodeKubeletConfiguration, type KubeletConfiguration } from './kubelet-configuration.js';
import type { NodeSummary } from './summary.js';
import type { KubeletEndpoint, KubeletTransport } from './transport.js';

interface KubeletObserver {
  /** Called after one request, including its repetition after a 401; not for one that its caller aborted. */
  requestFinished(result: 'success' | FailureReason, durationMs: number): void;
}

export interface KubeletClientOptions {
  readonly transport: KubeletTransport;
  /** From the start of the request to the end of the body, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** Of the decompressed body. */
  readonly maxBodyBytes: number;
  readonly clock: Clock;
  readonly observer: KubeletObserver;
}

/** Throws RequestError `decode`. */
type Decode<T> = (body: Buffer, what: string) => T;

/** Fetches and decodes summaries and configurations of kubelets, within limits of time and size. */
export class KubeletClient {
  readonly #options: KubeletClientOptions;

  constructor(options: KubeletClientOptions) {
    this.#options = options;
  }

  /** Throws RequestError, or the signal's reason when it aborts. */
  async fetchSummary(node: Node, signal: AbortSignal): Promise<NodeSummary> {
    signal.throwIfAborted();
    return this.#observed(this.#options.transport.locate(node, '/stats/summary'), decodeSummary, signal);
  }

  /** Throws RequestError, or the signal's reason when it aborts. */
  async fetchConfiguration(node: Node, signal: AbortSignal): Promise<KubeletConfiguration> {
    signal.throwIfAborted();
    return this.#observed(this.#options.transport.locate(node, '/configz'), decodeKubeletConfiguration, signal);
  }

  async #observed<T>(endpoint: KubeletEndpoint, decode: Decode<T>, signal: AbortSignal): Promise<T> {
    const { clock, observer } = this.#options;
    const startMs = clock.monotonicMs();
    try {
      const decoded = await this.#request(endpoint, decode, signal);
      observer.requestFinished('success', clock.monotonicMs() - startMs);
      return decoded;
    } catch (error) {
      signal.throwIfAborted();
      const failure = requestFailure(error, endpoint.what);
      observer.requestFinished(failure.reason, clock.monotonicMs() - startMs);
      throw failure;
    }
  }

  async #request<T>(endpoint: KubeletEndpoint, decode: Decode<T>, signal: AbortSignal): Promise<T> {
    const { what } = endpoint;
    const { clock, requestTimeoutMs, maxBodyBytes } = this.#options;
    using deadline = startDeadline({
      clock,
      durationMs: requestTimeoutMs,
      error: () => new RequestError('timeout', `${what}: no complete response within ${requestTimeoutMs / 1000} s`),
      parent: signal,
    });
    try {
      return decode(await readBody(await endpoint.open(deadline.signal), maxBodyBytes, what), what);
    } catch (error) {
      deadline.signal.throwIfAborted();
      throw error;
    }
  }
}

async function readBody(body: AsyncIterable<Buffer>, maxBytes: number, what: string): Promise<Buffer> {
  const { bytes, isComplete } = await readAtMost(body, maxBytes);
  if (isComplete) return bytes;
  throw new RequestError('too_large', `${what}: more than ${maxBytes} bytes; raise kubelet.maxBodySize`);
}
