import type { ServerResponse } from 'node:http';

import { type Clock, startDeadline } from '../base/clock.js';
import { RequestError } from '../base/errors.js';

export interface ResponseLimitOptions {
  readonly response: ServerResponse;
  readonly clock: Clock;
  readonly durationMs: number;
}

/** How long a response may take. The holder disposes of it (`using`) when the response is complete. */
export interface ResponseLimit extends Disposable {
  /** Aborts with a RequestError when the client disconnects, has not read the whole response in time, or by `abort`. */
  readonly signal: AbortSignal;
  abort(error: RequestError): void;
}

/** `durationMs`: to the last byte of the response. */
export function startResponseLimit({ response, clock, durationMs }: ResponseLimitOptions): ResponseLimit {
  const gone = new AbortController();
  response.once('close', () => {
    if (response.writableFinished) return; // a complete response closes, too, before a compressor's pipeline has ended
    gone.abort(new RequestError('connection', 'the client closed the connection before the response was complete'));
  });
  const deadline = startDeadline({
    clock,
    durationMs,
    error: () => new RequestError('timeout', `the client did not read the response within ${durationMs} ms`),
    parent: gone.signal,
  });
  return {
    signal: deadline.signal,
    abort: (error) => {
      gone.abort(error);
    },
    [Symbol.dispose]: () => {
      deadline[Symbol.dispose]();
    },
  };
}
