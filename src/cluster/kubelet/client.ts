import { Semaphore } from 'async-mutex';

import { abortable, startDeadline } from '../../lib/base/abortable.js';
import type { Clock } from '../../lib/base/clock.js';
import { type FailureReason, RequestError } from '../../lib/base/errors.js';
import type { Lane } from '../../lib/base/lane.js';
import { inPieces } from '../../lib/json/body-chunks.js';
import { requestFailure } from '../http/request-failure.js';
import { readAtMost } from '../http/response-body.js';
import type { Node } from '../kube/objects.js';
import { decodeKubeletConfiguration } from './decode-configuration.js';
import type { KubeletConfiguration } from './kubelet-configuration.js';
import type { NodeSummary } from './summary.js';
import { SummaryReader } from './summary-reader.js';
import type { KubeletPath, KubeletTransport } from './transport.js';

/** Real ones have less than 8 KiB, and `/configz` is parsed as a whole. */
const maxConfigurationBytes = 256 * 1024;

const mebibyte = 2 ** 20;

/** Of ordinary nodes: about 200 pods. Larger ones take turns. */
const ordinaryBytes = mebibyte;

/**
 * So much all larger ones that are read at a time may have: eight of the default limit, 8 MiB. What was read of a body is held,
 * decoded, until its end, and eight of them take well under a second of the only thread.
 */
const largeBytes = 64 * mebibyte;

interface ResponseReader<T> {
  readonly path: KubeletPath;
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
  /** For large bodies, over all kubelets: many of them at once must not add up. */
  readonly #largeTurns: Semaphore;

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
    this.#largeTurns = new Semaphore(Math.max(1, Math.floor(largeBytes / options.maxBodyBytes)));
  }

  /** Throws RequestError, or the signal's reason when it aborts. */
  async fetchSummary(node: Node, signal: AbortSignal): Promise<NodeSummary> {
    const { maxBodyBytes, lane } = this.#options;
    const reader: ResponseReader<NodeSummary> = {
      path: '/stats/summary',
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
    return this.#fetch(node, reader, signal);
  }

  /** Throws RequestError, or the signal's reason when it aborts. */
  async fetchConfiguration(node: Node, signal: AbortSignal): Promise<KubeletConfiguration> {
    const { lane } = this.#options;
    const reader: ResponseReader<KubeletConfiguration> = {
      path: '/configz',
      maxBytes: maxConfigurationBytes,
      hint: '',
      read: async (body, what) => {
        const { bytes } = await readAtMost(body, maxConfigurationBytes);
        return await lane.run(() => decodeKubeletConfiguration(bytes, what));
      },
    };
    return this.#fetch(node, reader, signal);
  }

  async #fetch<T>(node: Node, reader: ResponseReader<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    const { transport, requestTimeoutMs, clock, observer } = this.#options;
    const { what, open } = transport.locate(node, reader.path);
    const startMs = clock.monotonicMs();
    using deadline = startDeadline({
      clock,
      durationMs: requestTimeoutMs,
      error: () => new RequestError('timeout', `${what}: no complete response within ${requestTimeoutMs / 1000} s`),
      parent: signal,
    });
    try {
      const body = limited(await open(deadline.signal), {
        ...reader,
        what,
        turns: this.#largeTurns,
        signal: deadline.signal,
      });
      const decoded = await reader.read(body, what);
      observer.requestFinished('success', clock.monotonicMs() - startMs);
      return decoded;
    } catch (error) {
      signal.throwIfAborted();
      const failure = requestFailure(deadline.signal.aborted ? deadline.signal.reason : error, what);
      observer.requestFinished(failure.reason, clock.monotonicMs() - startMs);
      throw failure;
    }
  }
}

/**
 * The same body, which takes a turn before it becomes large. Throws RequestError `too_large` where it exceeds the limit, and the
 * signal's reason when it aborts.
 */
async function* limited(
  body: AsyncIterable<Buffer>,
  {
    what,
    maxBytes,
    hint,
    turns,
    signal,
  }: Pick<ResponseReader<unknown>, 'maxBytes' | 'hint'> & {
    readonly what: string;
    readonly turns: Semaphore;
    readonly signal: AbortSignal;
  },
): AsyncGenerator<Buffer, void, undefined> {
  let byteCount = 0;
  let turn: ReturnType<Semaphore['acquire']> | undefined;
  try {
    for await (const chunk of body) {
      byteCount += chunk.length;
      if (byteCount > maxBytes) throw new RequestError('too_large', `${what}: more than ${maxBytes} bytes${hint}`);
      if (byteCount > ordinaryBytes && turn === undefined) await abortable((turn = turns.acquire()), signal);
      yield chunk;
    }
  } finally {
    void turn?.then(([, release]) => {
      release();
    });
  }
}
