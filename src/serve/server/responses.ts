import type { ServerResponse } from 'node:http';

import type { Response } from 'express';

import { startDeadline } from '../../lib/base/abortable.js';
import type { Clock } from '../../lib/base/clock.js';
import { RequestError } from '../../lib/base/errors.js';

/**
 * A short plain text, with a newline at its end. Errors end the connection: a client keeps one only after a request that
 * was allowed, and the body of a request that is refused is not read.
 */
export function sendText(response: Response, status: number, text: string): void {
  if (status >= 400) response.set('Connection', 'close');
  response.status(status).type('text/plain').send(`${text}\n`);
}

/**
 * Ends the connection of a response that is not complete, by a reset: otherwise the system would keep what the client has
 * not read, some megabytes, for minutes. https://www.rfc-editor.org/rfc/rfc9293#name-reset-generation
 */
export function disconnect(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
  response.destroy();
}

/** How long a response may take. The holder disposes of it (`using`) when the response is complete. */
export interface ResponseLimit extends Disposable {
  /** Aborts with a RequestError when the client disconnects, has not read the whole response in time, or by `abort`. */
  readonly signal: AbortSignal;
  abort(error: RequestError): void;
}

/** `durationMs`: to the last byte of the response. */
export function startResponseLimit(response: ServerResponse, clock: Clock, durationMs: number): ResponseLimit {
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

const key = 'arrivalMs';

/** Notes when the request of this response arrived: what holds it up before its endpoint comes off its time. */
export function noteArrival({ locals }: Response, clock: Clock): void {
  locals[key] = clock.monotonicMs();
}

/** When it arrived, in monotonic milliseconds; now when nobody has noted it. */
export function arrivalMs({ locals }: Response, clock: Clock): number {
  const noted: unknown = locals[key];
  return typeof noted === 'number' ? noted : clock.monotonicMs();
}
