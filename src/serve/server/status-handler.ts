import { Mutex } from 'async-mutex';
import type { Request, Response } from 'express';

import {
  apiPrefix,
  exporterPath,
  isObjectKind,
  listPages,
  type ObjectKind,
  objectRoutes,
  openApiPath,
  statusPath,
} from '../../config/served-paths.js';
import type { Clock } from '../../lib/base/clock.js';
import { UserError } from '../../lib/base/errors.js';
import type { Lane } from '../../lib/base/lane.js';
import { oneLine, truncate } from '../../lib/base/text.js';
import { toJson } from '../../lib/json/json.js';
import { onlyHit } from '../../people/answers/search-document.js';
import type { Document } from '../../people/pens/document.js';
import { addressOf, linksFrom } from '../../people/pens/html-line.js';
import { writeText } from '../../people/pens/text-pen.js';
import { coverageOf, missingNotes } from '../../people/query/coverage.js';
import { documentOf, statusDocument } from '../../people/status/document-of.js';
import { type PageFrame, pagePolicy } from '../../people/status/html/frame.js';
import { renderError, renderPage, renderView } from '../../people/status/html/page.js';
import { readOpenApi } from '../../people/status/page-files.js';
import type { Moment } from '../../people/status/status-source.js';
import { NotFoundError, NotListedError } from '../../people/status/view-errors.js';
import { type PageView, type ViewKind, viewOf, type ViewRequest } from '../../people/status/views.js';
import { SharedResponses } from './body-sender.js';
import { Answer, SharedAnswers } from './shared-answers.js';

/** What an answer is written as; `document` is what page and text are made from. */
const forms = ['html', 'text', 'json', 'document'] as const;
type Form = (typeof forms)[number];

const types: Readonly<Record<Form, string>> = { html: 'html', text: 'text/plain', json: 'json', document: 'json' };

/** What is made of the status alone. */
const statusPaths: readonly string[] = ['/', exporterPath, statusPath];

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

  /** Below the path of the API JSON; of a page HTML for a browser, and text for all that does not ask for HTML. */
  async handle(request: Request, response: Response): Promise<void> {
    const isPage = !request.path.startsWith(`${apiPrefix}/`);
    if (isPage) response.vary('Accept');
    const pageForm = request.get('accept')?.includes('text/html') === true ? 'html' : 'text';
    const form = forms.find((each) => each === request.query['as']) ?? (isPage ? pageForm : 'json');
    response.type(types[form]).vary('Accept-Encoding');
    if (form === 'html') response.set({ 'Content-Security-Policy': pagePolicy, 'Referrer-Policy': 'no-referrer' });
    if (request.method === 'HEAD' && statusPaths.includes(request.path)) {
      response.set('Cache-Control', 'no-store').end();
      return;
    }
    await this.#responses.respond(request, response, async () => {
      const isCompressed = request.acceptsEncodings('gzip') !== false;
      const answer = await this.#answer(form, request, isCompressed);
      if (response.headersSent) return answer.bytes; // it was too late
      response.status(answer.status);
      if (answer.location !== undefined) response.location(answer.location);
      if (answer.status !== 200 && form !== 'html') response.type('text/plain');
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
      if (form !== 'html') return textAnswer(status, (error as Error).message);
      return new Answer(status, renderError(error as Error, this.#frame(request, moment)));
    }
  }

  /** In the lane: readers of ten pages hold up others no longer than one. */
  async #made(form: Form, request: Request, moment: Moment): Promise<Answer> {
    const { status, reading, settings } = moment;
    const { lane } = this.#options;
    const { as, width, ...parameters } = request.query;
    checkForm(as);
    const frame = this.#frame(request, moment);
    const writer = { generatedAtMs: status.generatedAtMs, form, width: widthOf(width) };
    if (statusPaths.includes(request.path)) {
      return lane.run(() => {
        if (form === 'json') return new Answer(200, `${toJson(status)}\n`);
        const document = statusDocument(request.path, moment);
        return form === 'html' ? new Answer(200, renderPage(document, frame)) : written(document, writer);
      });
    }
    const inputs = { status, reading, settings, lane };
    const view = await this.#views.runExclusive(() => lane.run(() => viewOf(viewRequest(request, parameters), inputs)));
    return lane.run(() => {
      if (form === 'html') return pageAnswer(view, frame);
      const coverage = { ...coverageOf(reading), notListed: status.notListed };
      if (form === 'json')
        return new Answer(200, `${toJson({ generatedAtMs: status.generatedAtMs, coverage, ...view.data })}\n`);
      const document = documentOf(view, status);
      return written({ ...document, notes: missingNotes(coverage, isObjectKind(view.kind)) }, writer);
    });
  }

  #frame(request: Request, { status }: Moment): PageFrame {
    const { metricsPath, documentationUrl } = this.#options;
    return { status, path: request.path, search: queryText(request), metricsPath, documentationUrl };
  }
}

/** Writes a document as a text, or as the data that it is. */
function written(
  document: Document,
  { generatedAtMs, form, width }: { readonly generatedAtMs: number; readonly form: Form; readonly width: number },
): Answer {
  const text =
    form === 'document' ? `${toJson({ generatedAtMs, ...document })}\n` : writeText(document, { width, isWhole: true });
  return new Answer(200, text);
}

function checkForm(as: unknown): void {
  if (as === undefined || forms.some((form) => form === as)) return;
  throw new UserError(`parameter as: found ${shown(as)}, allowed: ${forms.join(', ')}`);
}

/** Returns the columns of a text; without the parameter, nothing is shortened or left out. */
function widthOf(width: unknown): number {
  if (width === undefined || width === '') return Infinity;
  const columns = typeof width === 'string' && /^\d{1,4}$/.test(width) ? Number(width) : NaN;
  if (columns >= minWidth) return columns;
  throw new UserError(`parameter width: found ${shown(width)}, allowed: an integer from ${minWidth} to 9999`);
}

function shown(value: unknown): string {
  return typeof value === 'string' ? `"${truncate(value, 60)}"` : 'it more than once';
}

const minWidth = 20;

function statusOf(error: unknown): Answer['status'] | undefined {
  if (error instanceof NotFoundError) return 404;
  if (error instanceof NotListedError) return 503;
  return error instanceof UserError ? 400 : undefined;
}

function textAnswer(status: Answer['status'], text: string): Answer {
  return new Answer(status, `${oneLine(text)}\n`);
}

/** A search that finds one thing leads to its page. */
function pageAnswer(view: PageView, frame: PageFrame): Answer {
  const hit = view.kind === 'search' ? onlyHit(view.data) : undefined;
  if (hit === undefined) return new Answer(200, renderView(view, frame));
  return new Answer(302, '', addressOf(linksFrom(frame.path).root, hit));
}

/** With `?`; '' without a query. */
function queryText({ originalUrl }: Request): string {
  const start = originalUrl.indexOf('?');
  return start < 0 ? '' : originalUrl.slice(start);
}

/** Throws NotFoundError where there is no such page, and URIError for an address that is not well-formed. */
function viewRequest({ path }: Request, parameters: ViewRequest['parameters']): ViewRequest {
  const [name = '', ...parts] = (path.startsWith(`${apiPrefix}/`) ? path.slice(apiPrefix.length) : path)
    .slice(1)
    .split('/');
  return {
    kind: kindOf(name, parts.length),
    path: parts.map(decodeURIComponent),
    parameters,
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
