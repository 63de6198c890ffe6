import type { ServerResponse } from 'node:http';

import type { Response } from 'express';

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
