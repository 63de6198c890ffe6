import type { ServerResponse } from 'node:http';

import { type Clock, type Deadline, startDeadline } from '../base/clock.js';
import { RequestError } from '../base/errors.js';

export interface AnswerLimitOptions {
  readonly response: ServerResponse;
  readonly clock: Clock;
  readonly durationMs: number;
}

/** Its signal aborts with a RequestError when the client leaves, or has not taken the whole answer after `durationMs`. */
export function startAnswerLimit({ response, clock, durationMs }: AnswerLimitOptions): Deadline {
  const gone = new AbortController();
  response.once('close', () => {
    gone.abort(new RequestError('connection', 'the client closed the connection before its answer was complete'));
  });
  return startDeadline({
    clock,
    durationMs,
    error: () => new RequestError('timeout', `the client did not take the answer within ${durationMs} ms`),
    parent: gone.signal,
  });
}
