import type { Request, Response } from 'express';

import type { Clock } from '../base/clock.js';
import { Memo } from '../base/memo.js';
import { toJson } from '../json/json.js';
import { type PageLinks, pagePolicy, renderPage } from '../status/html/page.js';
import type { Status } from '../status/status.js';
import { SharedResponses } from './body-sender.js';
import { evictionsPath, statusPath } from './paths.js';

/** Serves the status as a page and as JSON. HEAD gets the headers without a status. */
export class StatusHandler {
  readonly #source;
  readonly #responses: SharedResponses;
  readonly #links: PageLinks;
  /** Of the last status; shared by all its responses. */
  readonly #page = new Memo<Buffer>();
  readonly #json = new Memo<Buffer>();

  constructor({
    source,
    metricsPath,
    documentationUrl,
    clock,
  }: {
    readonly source: { read(): Promise<Status> };
    /** Begins with `/`. */
    readonly metricsPath: string;
    readonly documentationUrl: string;
    readonly clock: Clock;
  }) {
    this.#source = source;
    this.#responses = new SharedResponses(clock);
    const evictionsHref = relative(evictionsPath);
    this.#links = {
      evictionsHref,
      footer: [
        { href: relative(metricsPath), text: 'Metrics' },
        { href: relative(statusPath), text: 'This page as JSON' },
        { href: evictionsHref, text: 'Evictions as JSON' },
        { href: relative('/readyz?verbose'), text: 'Readiness' },
        { href: relative('/livez'), text: 'Liveness' },
        { href: documentationUrl, text: 'Documentation' },
      ],
    };
  }

  async page(request: Request, response: Response): Promise<void> {
    response.type('html').set({ 'Content-Security-Policy': pagePolicy, 'Referrer-Policy': 'no-referrer' });
    await this.#respond(request, response, (status) =>
      this.#page.of([status], () => Buffer.from(renderPage(status, this.#links))),
    );
  }

  async json(request: Request, response: Response): Promise<void> {
    response.type('json');
    await this.#respond(request, response, (status) =>
      this.#json.of([status], () => Buffer.from(`${toJson(status)}\n`)),
    );
  }

  async #respond(request: Request, response: Response, bytesOf: (status: Status) => Buffer): Promise<void> {
    await this.#responses.respond(request, response, async () => bytesOf(await this.#source.read()));
  }
}

/** Relative to the page at `/`, which may be served below a prefix. */
function relative(path: string): string {
  return `.${path}`;
}
