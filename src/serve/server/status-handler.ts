import { Mutex } from 'async-mutex';
import type { Request, Response } from 'express';

import { apiPrefix, listPages, type ObjectKind, objectRoutes, openApiPath } from '../../config/served-paths.js';
import { statusPath } from '../../config/served-paths.js';
import type { Clock } from '../../lib/base/clock.js';
import { UserError } from '../../lib/base/errors.js';
import type { Lane } from '../../lib/base/lane.js';
import { oneLine } from '../../lib/base/text.js';
import { toJson } from '../../lib/json/json.js';
import { acceptsGzip } from '../../metrics/exposition/negotiate.js';
import { coverageOf } from '../../people/query/coverage.js';
import { type PageFrame, pagePolicy } from '../../people/status/html/frame.js';
import { renderError, renderPage, renderView } from '../../people/status/html/page.js';
import { readOpenApi } from '../../people/status/page-files.js';
import type { Moment } from '../../people/status/status-source.js';
import { NotFoundError, NotListedError } from '../../people/status/view-errors.js';
import { type ViewKind, viewOf, type ViewRequest } from '../../people/status/views.js';
import { SharedResponses } from './body-sender.js';
import { Answer, SharedAnswers } from './shared-answers.js';

type Form = 'page' | 'json';

/** Serves the pages, and the same as JSON. All that is asked for within a second is made from one reading; HEAD gets headers alone. */
export class StatusHandler {
  readonly #options;
  readonly #responses: SharedResponses;
  /** By form and address. */
  readonly #answers = new SharedAnswers();
  /** Views are made one by one: while a list is sorted, as many items are held as it has. */
  readonly #views = new Mutex();

  constructor(options: {
    readonly source: { read(): Promise<Moment> };
    readonly lane: Lane;
    /** Begins with `/`. */
    readonly metricsPath: string;
    readonly documentationUrl: string;
    readonly clock: Clock;
  }) {
    this.#options = options;
    this.#responses = new SharedResponses(options.clock);
  }

  async page(request: Request, response: Response): Promise<void> {
    response.type('html').set({ 'Content-Security-Policy': pagePolicy, 'Referrer-Policy': 'no-referrer' });
    await this.#respond('page', request, response);
  }

  async json(request: Request, response: Response): Promise<void> {
    response.type('json');
    await this.#respond('json', request, response);
  }

  async #respond(form: Form, request: Request, response: Response): Promise<void> {
    response.vary('Accept-Encoding');
    if (request.method === 'HEAD' && ['/', statusPath].includes(request.path)) {
      response.set('Cache-Control', 'no-store').end();
      return;
    }
    await this.#responses.respond(request, response, async () => {
      const isCompressed = acceptsGzip(request.get('accept-encoding'));
      const answer = await this.#answer(form, request, isCompressed);
      if (response.headersSent) return answer.bytes; // it was too late
      response.status(answer.status);
      if (answer.status !== 200 && form === 'json') response.type('text/plain');
      if (answer.status === 503) response.set('Retry-After', '1');
      if (!isCompressed || !answer.isWorthCompressing) return answer.bytes;
      response.set('Content-Encoding', 'gzip');
      return answer.compressed();
    });
  }

  async #answer(form: Form, request: Request, isCompressed: boolean): Promise<Answer> {
    if (request.path === openApiPath) return new Answer(200, await readOpenApi());
    const moment = await this.#options.source.read();
    const answer = this.#answers.get(moment, `${form} ${request.originalUrl}`, async () => {
      const made = await this.#make(form, request, moment);
      if (isCompressed && made.isWorthCompressing) await made.compressed();
      return made;
    });
    return answer ?? textAnswer(503, 'too many pages are requested at once: try again');
  }

  async #make(form: Form, request: Request, moment: Moment): Promise<Answer> {
    try {
      return await this.#made(form, request, moment);
    } catch (error) {
      const status = statusOf(error);
      if (status === undefined) throw error;
      const { message } = error as Error;
      if (form === 'json') return textAnswer(status, message);
      return new Answer(status, renderError(message, this.#frame(request, moment)));
    }
  }

  /** In the lane: readers of ten pages hold up others no longer than one. */
  async #made(form: Form, request: Request, moment: Moment): Promise<Answer> {
    const { status, reading, settings } = moment;
    const { lane } = this.#options;
    const frame = this.#frame(request, moment);
    if (['/', statusPath].includes(request.path)) {
      return lane.run(() => new Answer(200, form === 'page' ? renderPage(status, frame) : `${toJson(status)}\n`));
    }
    const inputs = { status, reading, settings: settings.config, lane };
    const view = await this.#views.runExclusive(() => lane.run(() => viewOf(viewRequest(request), inputs)));
    const { generatedAtMs, notListed } = status;
    return lane.run(() => {
      if (form === 'page') return new Answer(200, renderView(view, frame));
      const coverage = { ...coverageOf(reading), notListed };
      return new Answer(200, `${toJson({ generatedAtMs, coverage, ...view.data })}\n`);
    });
  }

  #frame(request: Request, { status }: Moment): PageFrame {
    const { metricsPath, documentationUrl } = this.#options;
    return { status, path: request.path, search: queryText(request), metricsPath, documentationUrl };
  }
}

function statusOf(error: unknown): Answer['status'] | undefined {
  if (error instanceof NotFoundError) return 404;
  if (error instanceof NotListedError) return 503;
  return error instanceof UserError ? 400 : undefined;
}

function textAnswer(status: Answer['status'], text: string): Answer {
  return new Answer(status, `${oneLine(text)}\n`);
}

/** With `?`; '' without a query. */
function queryText({ originalUrl }: Request): string {
  const start = originalUrl.indexOf('?');
  return start < 0 ? '' : originalUrl.slice(start);
}

/** Throws NotFoundError where there is no such page, and URIError for an address that is not well-formed. */
function viewRequest(request: Request): ViewRequest {
  const { path, query } = request;
  const [name = '', ...parts] = (path.startsWith(`${apiPrefix}/`) ? path.slice(apiPrefix.length) : path)
    .slice(1)
    .split('/');
  return {
    kind: kindOf(name, parts.length),
    path: parts.map(decodeURIComponent),
    parameters: query,
  };
}

function kindOf(list: string, partCount: number): ViewKind {
  const kinds = Object.keys(objectRoutes) as ObjectKind[];
  const found =
    partCount === 0
      ? listPages.find((kind) => kind === list)
      : kinds.find((kind) => objectRoutes[kind][0] === list && objectRoutes[kind].length === partCount + 1);
  if (found === undefined) throw new NotFoundError('There is no page at this address.');
  return found;
}
