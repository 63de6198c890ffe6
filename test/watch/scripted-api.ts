/** An API server that answers from a script, for tests of lists and watches. */
import type { ApiRequest, ApiTransport } from '../../src/cluster/http/api-client.js';
import { apiErrorFromStatus } from '../../src/cluster/http/api-error.js';

export type Answer = (
  request: ApiRequest,
  signal: AbortSignal,
) => Promise<AsyncIterable<Buffer>> | AsyncIterable<Buffer>;

/** Answers requests in the order of its answers. Without another answer, a request waits for its signal. */
export class ScriptedApi implements ApiTransport {
  readonly requests: ApiRequest[] = [];
  readonly #answers: Answer[];
  #default: Answer = neverAnswers;

  constructor(...answers: Answer[]) {
    this.#answers = answers;
  }

  then(...answers: Answer[]): this {
    this.#answers.push(...answers);
    return this;
  }

  /** The answers to all further lists and watches. */
  thenAlways(list: Answer, watch = list): this {
    this.#default = (request, signal) => (request.query?.['watch'] === undefined ? list : watch)(request, signal);
    return this;
  }

  async open(request: ApiRequest, signal: AbortSignal): Promise<AsyncIterable<Buffer>> {
    signal.throwIfAborted();
    this.requests.push(request);
    return (this.#answers.shift() ?? this.#default)(request, signal);
  }

  /** `list` or `watch` with its main parameters, for each request. */
  get requestLines(): string[] {
    return this.requests.map(({ query = {} }) => {
      const { watch, resourceVersion, resourceVersionMatch, limit, continue: token } = query;
      const parts = { rv: resourceVersion, match: resourceVersionMatch, limit, continue: token };
      const texts = Object.entries(parts).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
      return [watch === undefined ? 'list' : 'watch', ...texts].join(' ');
    });
  }
}

/** Never answers; the signal ends the wait. */
export const neverAnswers: Answer = (_request, signal) =>
  new Promise((_resolve, reject) => {
    const onAbort = (): void => {
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });

export const failsWith =
  (error: Error): Answer =>
  () =>
    Promise.reject(error);

/** An error response with a Status. */
export const answers = (status: number, body: object = {}, retryAfterMs?: number): Answer =>
  failsWith(apiErrorFromStatus({ what: 'GET', status, body: { kind: 'Status', ...body }, retryAfterMs }));

export const expired = answers(410, { reason: 'Expired', message: 'too old resource version' });
export const tooLarge = answers(504, {
  reason: 'Timeout',
  details: { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 },
});

export const sends =
  (text: string): Answer =>
  () =>
    bodyOf(text);

export async function* bodyOf(...chunks: (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield await Promise.resolve(Buffer.from(chunk));
}

export const sendsList = (resourceVersion: string, items: readonly object[], continueToken?: string): Answer =>
  sends(JSON.stringify({ kind: 'PodList', metadata: { resourceVersion, continue: continueToken }, items }));

export const podJson = (
  name: string,
  resourceVersion: string,
  more: { uid?: string; value?: string } = {},
): object => ({
  kind: 'Pod',
  metadata: { name, uid: more.uid ?? `uid-${name}`, resourceVersion },
  value: more.value ?? resourceVersion,
});

export const eventLine = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;

export const bookmarkLine = (resourceVersion: string): string =>
  eventLine('BOOKMARK', { kind: 'Pod', metadata: { resourceVersion }, spec: { containers: null } });

export const errorLine = (code: number, more: object = {}): string =>
  eventLine('ERROR', { kind: 'Status', metadata: {}, status: 'Failure', code, ...more });

/** A watch that the test feeds. Use it for one request. */
export class WatchFeed {
  readonly #chunks: (Buffer | Error | undefined)[] = [];
  #wake: () => void = () => undefined;
  isAborted = false;

  readonly answer: Answer = (_request, signal) => {
    const onAbort = (): void => {
      this.isAborted = true;
      this.break(signal.reason as Error);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    return this.#body();
  };

  send(...lines: string[]): void {
    this.#push(Buffer.from(lines.join('')));
  }

  end(): void {
    this.#push(undefined);
  }

  break(error: Error): void {
    this.#push(error);
  }

  #push(chunk: Buffer | Error | undefined): void {
    this.#chunks.push(chunk);
    this.#wake();
  }

  async *#body(): AsyncGenerator<Buffer> {
    for (;;) {
      while (this.#chunks.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
      const chunk = this.#chunks.shift();
      if (chunk === undefined) return;
      if (chunk instanceof Error) throw chunk;
      yield chunk;
    }
  }
}

/** A watch with these lines that the server ends at once. */
export const sendsWatch = (...lines: string[]): Answer => sends(lines.join(''));
