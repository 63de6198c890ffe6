import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Clock } from '../base/clock.js';

/** Between two signs of life. */
const intervalMs = 1_000;

/**
 * Notices a client that has left before its response begins. One that has closed only its half of the connection looks the same:
 * the difference shows when both are sent something, since the system of one that has left then resets the connection. So each
 * gets an interim response now and then, which clients must expect. https://www.rfc-editor.org/rfc/rfc9110#status.100
 *
 * HTTP/1.0 has no such responses: there, a client that has left is noticed as the response is written.
 */
export function noticeLeaving({ socket, httpVersion }: IncomingMessage, response: ServerResponse, clock: Clock): void {
  if (httpVersion === '1.0') return;
  const over = new AbortController();
  const onEnd = (): void => {
    showLife(response, clock, over.signal).catch(() => undefined); // the response is over
  };
  socket.once('end', onEnd);
  response.once('close', () => {
    socket.off('end', onEnd);
    over.abort();
  });
}

async function showLife(response: ServerResponse, clock: Clock, signal: AbortSignal): Promise<void> {
  for (;;) {
    await clock.sleep(intervalMs, signal);
    if (response.headersSent) return;
    response.writeContinue();
  }
}
