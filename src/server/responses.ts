import type { Response } from 'express';

/**
 * A short plain text, with a newline at its end. Errors end the connection: a client keeps one only after a request that
 * was allowed, and the body of a request that is refused is not read.
 */
export function sendText(response: Response, status: number, text: string): void {
  if (status >= 400) response.set('Connection', 'close');
  response.status(status).type('text/plain').send(`${text}\n`);
}
