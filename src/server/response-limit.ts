import type { ServerResponse } from 'node:http';

import { type Clock, type Deadline, startDeadline } from '../base/clock.js';
import { RequestError } from '../base/errors.js';

export interface ResponseLimitOptions {
  readonly response: ServerResponse;
  readonly clock: Clock;
  readonly durationMs: number;
}

/** Its signal aborts with a RequestError when the client disconnects, or has not read the whole response after `durationMs`. */
export function startResponseLimit({ response, clock, durationMs }: ResponseLimitOptions): Deadline {
  const gone = new AbortController();
  response.once('close', () => {
    gone.abort(new RequestError('connection', 'the client closed the connection before the response was complete'));
  });
  return startDeadline({
    clock,
    durationMs,
    error: () => new RequestError('timeout', `the client did not read the response within ${durationMs} ms`),
    parent: gone.signal,
  });
}
