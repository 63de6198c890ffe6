import { type Clock, startDeadline } from '../base/clock.js';
import { type FailureReason, RequestError } from '../base/errors.js';
import { requestFailure, type TlsMends } from '../http/request-failure.js';
import type { Node } from '../kube/objects.js';
import { decodeSummary } from './decode.js';
import { decodeEvictionThresholds, type EvictionThresholds } from './eviction-thresholds.js';
import type { NodeSummary } from './summary.js';
import type { KubeletEndpoint, KubeletTransport } from './transport.js';

interface KubeletObserver {
  /** One request, a repetition after a 401 included; not told of one that its caller broke off. */
  requestFinished(result: 'success' | FailureReason, durationMs: number): void;
}

export interface KubeletClientOptions {
  readonly transport: KubeletTransport;
  /** From the start of the request to the end of the body. */
  readonly requestTimeoutMs: number;
  /** Largest body, decompressed. */
  readonly maxBodyBytes: number;
  readonly clock: Clock;
  readonly observer: KubeletObserver;
}

/** Most clusters sign the certificates of kubelets with an authority of their own, or not at all. */
const tlsMends: TlsMends = {
  authority: 'name the CA that signed the certificate in kubelet.tls.caFile',
  serverName: 'set kubelet.tls.serverName to a name that the certificate carries',
};

/** Reads the body of an answer; throws RequestError `decode`. */
type Decode<T> = (body: Buffer, what: string) => T;

/** Fetches and decodes what kubelets say, within limits of time and size. */
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

  /** From the kubelet's configuration. Throws RequestError, or the signal's reason when it aborts. */
  async fetchEvictionThresholds(node: Node, signal: AbortSignal): Promise<EvictionThresholds> {
    signal.throwIfAborted();
    return this.#observed(this.#options.transport.locate(node, '/configz'), decodeEvictionThresholds, signal);
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
      const failure = requestFailure(error, endpoint.what, tlsMends);
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
      error: () => new RequestError('timeout', `${what}: no complete answer within ${requestTimeoutMs / 1000} s`),
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
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) {
      throw new RequestError('too_large', `${what}: more than ${maxBytes} bytes; kubelet.maxBodySize is the limit`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
