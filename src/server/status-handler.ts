import type { Request, Response } from 'express';

import { type PageLink, pagePolicy, renderPage } from '../status/html/page.js';
import type { Status } from '../status/status.js';

/** `read` gives the same object to all who get the same status. */
interface StatusReader {
  read(): Promise<Status>;
}

export interface StatusHandlerOptions {
  readonly source: StatusReader;
  /** Begins with `/`. */
  readonly metricsPath: string;
}

export const statusPath = '/api/v1/status';

/** Answers with the status, as a page for people and as JSON. HEAD is answered without making one. */
export class StatusHandler {
  readonly #source: StatusReader;
  readonly #links: readonly PageLink[];
  #page: { readonly status: Status; readonly text: string } | undefined;

  constructor({ source, metricsPath }: StatusHandlerOptions) {
    this.#source = source;
    this.#links = [
      { href: relative(metricsPath), text: 'Metrics' },
      { href: relative(statusPath), text: 'This page as JSON' },
      { href: relative('/readyz?verbose'), text: 'Readiness' },
      { href: relative('/livez'), text: 'Liveness' },
    ];
  }

  async page(request: Request, response: Response): Promise<void> {
    response.type('html').set({ 'Content-Security-Policy': pagePolicy, 'Referrer-Policy': 'no-referrer' });
    await this.#send(request, response, (status) => this.#pageOf(status));
  }

  async json(request: Request, response: Response): Promise<void> {
    response.type('json');
    await this.#send(request, response, (status) => `${JSON.stringify(status)}\n`);
  }

  async #send(request: Request, response: Response, textOf: (status: Status) => string): Promise<void> {
    response.set('Cache-Control', 'no-store');
    if (request.method === 'HEAD') response.end();
    else response.send(textOf(await this.#source.read()));
  }

  #pageOf(status: Status): string {
    if (this.#page?.status !== status) this.#page = { status, text: renderPage(status, this.#links) };
    return this.#page.text;
  }
}

/** From the page at `/`, which may have a prefix before it. */
function relative(path: string): string {
  return `.${path}`;
}
