import { startDeadline } from '../../lib/base/abortable.js';
import type { Clock } from '../../lib/base/clock.js';
import { type FailureReason, RequestError } from '../../lib/base/errors.js';
import type { Lane } from '../../lib/base/lane.js';
import { inPieces } from '../../lib/json/body-chunks.js';
import { requestFailure } from '../http/request-failure.js';
import { readAtMost } from '../http/response-body.js';
import type { Node } from '../kube/objects.js';
import { BodyBudget, type BodyReservation } from './body-budget.js';
import { decodeKubeletConfiguration } from './decode-configuration.js';
import type { KubeletConfiguration } from './kubelet-configuration.js';
import type { NodeSummary } from './summary.js';
import { SummaryReader } from './summary-reader.js';
import type { KubeletEndpoint, KubeletTransport } from './transport.js';

/** Real ones have less than 8 KiB, and `/configz` is parsed as a whole. */
const maxConfigurationBytes = 256 * 1024;

interface ResponseReader<T> {
  /** Of the decompressed body. */
  readonly maxBytes: number;
  /** The error of a larger one. */
  readonly hint: string;
  /** Throws RequestError. */
  readonly read: (body: AsyncIterable<Buffer>, what: string) => Promise<T>;
}

/** Fetches and decodes what kubelets serve, within limits of time and size. */
export class KubeletClient {
  readonly #options;
  readonly #budget = new BodyBudget();

  constructor(options: {
    readonly transport: KubeletTransport;
    /** From the start of the request to the end of the body, in milliseconds. */
    readonly requestTimeoutMs: number;
    /** Of a decompressed summary. */
    readonly maxBodyBytes: number;
    readonly clock: Clock;
    /** Decodes: one piece after the other, whatever the number of responses. */
    readonly lane: Lane;
    readonly observer: {
      /** Called after one request, including its repetition after a 401; not for one that its caller aborted. */
      requestFinished(result: 'success' | FailureReason, durationMs: number): void;
    };
  }) {
    this.#options = options;
  }

  /** Throws RequestError, or the signal's reason when it aborts. */
  async fetchSummary(node: Node, signal: AbortSignal): Promise<NodeSummary> {
    signal.throwIfAborted();
    const { transport, maxBodyBytes, lane } = this.#options;
    const reader: ResponseReader<NodeSummary> = {
      maxBytes: maxBodyBytes,
      hint: '; raise kubelet.maxBodySize',
      read: async (body, what) => {
        const summary = new SummaryReader(what);
        for await (const piece of inPieces(body)) {
          await lane.run(() => {
            summary.write(piece);
          });
        }
        return summary.finish();
      },
    };
    return this.#observed(transport.locate(node, '/stats/summary'), reader, signal);
  }

  /** Throws RequestError, or the signal's reason when it aborts. */
  async fetchConfiguration(node: Node, signal: AbortSignal): Promise<KubeletConfiguration> {
    signal.throwIfAborted();
    const { transport, lane } = this.#options;
    const reader: ResponseReader<KubeletConfiguration> = {
      maxBytes: maxConfigurationBytes,
      hint: '',
      read: async (body, what) => {
        const { bytes } = await readAtMost(body, maxConfigurationBytes);
        return await lane.run(() => decodeKubeletConfiguration(bytes, what));
      },
    };
    return this.#observed(transport.locate(node, '/configz'), reader, signal);
  }

  async #observed<T>(endpoint: KubeletEndpoint, reader: ResponseReader<T>, signal: AbortSignal): Promise<T> {
    const { clock, observer } = this.#options;
    const startMs = clock.monotonicMs();
    try {
      const decoded = await this.#request(endpoint, reader, signal);
      observer.requestFinished('success', clock.monotonicMs() - startMs);
      return decoded;
    } catch (error) {
      signal.throwIfAborted();
      const failure = requestFailure(error, endpoint.what);
      observer.requestFinished(failure.reason, clock.monotonicMs() - startMs);
      throw failure;
    }
  }

  async #request<T>(endpoint: KubeletEndpoint, reader: ResponseReader<T>, signal: AbortSignal): Promise<T> {
    const { what } = endpoint;
    const { clock, requestTimeoutMs } = this.#options;
    using reservation = this.#budget.reservation(reader.maxBytes);
    using deadline = startDeadline({
      clock,
      durationMs: requestTimeoutMs,
      error: () => {
        const missing = reservation.isWaiting ? 'no memory beside other large responses' : 'no complete response';
        return new RequestError('timeout', `${what}: ${missing} within ${requestTimeoutMs / 1000} s`);
      },
      parent: signal,
    });
    try {
      const body = await endpoint.open(deadline.signal);
      return await reader.read(limited(body, { ...reader, what, reservation, signal: deadline.signal }), what);
    } catch (error) {
      deadline.signal.throwIfAborted();
      throw error;
    }
  }
}

/** The same body. Throws RequestError `too_large` where it exceeds the limit, and the signal's reason when it aborts. */
async function* limited(
  body: AsyncIterable<Buffer>,
  {
    what,
    maxBytes,
    hint,
    reservation,
    signal,
  }: Pick<ResponseReader<unknown>, 'maxBytes' | 'hint'> & {
    readonly what: string;
    readonly reservation: BodyReservation;
    readonly signal: AbortSignal;
  },
): AsyncGenerator<Buffer, void, undefined> {
  let byteCount = 0;
  for await (const chunk of body) {
    byteCount += chunk.length;
    if (byteCount > maxBytes) throw new RequestError('too_large', `${what}: more than ${maxBytes} bytes${hint}`);
    await reservation.grow(byteCount, signal);
    yield chunk;
  }
}
