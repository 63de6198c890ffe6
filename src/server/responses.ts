import type { Response } from 'express';

/** A short plain text, with a newline at its end. */
export function sendText(response: Response, status: number, text: string): void {
  response.status(status).type('text/plain').send(`${text}\n`);
}

/** For requests whose body, if any, is not read: the connection cannot be reused. */
export function sendFinalText(response: Response, status: number, text: string): void {
  response.set('Connection', 'close');
  sendText(response, status, text);
}
