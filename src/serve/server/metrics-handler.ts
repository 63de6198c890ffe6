import type { Request, Response } from 'express';

import type { Config } from '../../config/schema.js';
import type { CollectOptions } from '../../facts/scrape/collector.js';
import type { ClusterSnapshot } from '../../facts/scrape/snapshot.js';
import type { Clock } from '../../lib/base/clock.js';
import { messageOf } from '../../lib/base/errors.js';
import type { Logger } from '../../lib/base/logger.js';
import type { Scheduler } from '../../lib/base/scheduler.js';
import type { ExpositionRequest } from '../../metrics/exposition/bodies.js';
import type { Exposition } from '../../metrics/exposition/exposition.js';
import { type NegotiatedFormat, negotiateFormat } from '../../metrics/exposition/negotiate.js';
import { type FamilyFilter, familyLevels, filterText } from '../../metrics/exposition/selection.js';
import { BodySender } from './body-sender.js';
import { arrivalMs, disconnect, sendText, startResponseLimit } from './responses.js';
import { ScrapeBudgets, scrapeTimeoutHeader, scrapeTimeoutMs } from './scrape-budget.js';

/** What a request is answered from, to its end: other settings are for those that come later. */
export interface ScrapedCore {
  /** As that of the collector. `onView` is called with each node as soon as it has responded, and before with those without data yet. */
  collect(signal: AbortSignal, options: Pick<CollectOptions, 'onView'>): Promise<ClusterSnapshot | undefined>;
  readonly exposition: Pick<Exposition, 'hasFamily' | 'prepareNode' | 'render'>;
  readonly settings: Config['scrape'];
}

export interface ScrapeObserver {
  /**
   * `deadline`: a response, but time ran out before everything was collected. `aborted`: the client disconnected or read
   * too slowly.
   * `durationMs`: from the arrival of the request to the last byte.
   */
  scrapeFinished(result: 'success' | 'deadline' | 'aborted' | 'error', durationMs: number): void;
  /** Refused: too many scrapes are running. */
  scrapeRejected(): void;
}

/** By then the client's own timeout has expired: it would read in vain. */
const writeGraceMs = 5_000;

/** Serves `/metrics`. */
export class MetricsHandler {
  readonly #options;
  readonly #sender: BodySender;
  readonly #budgets: ScrapeBudgets;
  #inFlightCount = 0;

  constructor(options: {
    /** The one in force. */
    readonly core: () => ScrapedCore;
    readonly observer: ScrapeObserver;
    readonly scheduler: Scheduler;
    readonly logger: Logger;
    readonly clock: Clock;
  }) {
    this.#options = options;
    this.#sender = new BodySender(options);
    this.#budgets = new ScrapeBudgets(options.clock);
  }

  /** HEAD gets the headers without a collection. */
  async handle(request: Request, response: Response): Promise<void> {
    const { observer, clock } = this.#options;
    const core = this.#options.core();
    const { settings, exposition } = core;
    const asked = familyFilter(request.query, (name) => exposition.hasFamily(name));
    if ('fault' in asked) {
      sendText(response, 400, asked.fault);
      return;
    }
    const isGzipped = request.acceptsEncodings('gzip') !== false;
    const negotiated = { ...negotiateFormat(request.get('accept')), isGzipped };
    if (request.method === 'HEAD') {
      setHeaders(response, negotiated);
      response.end();
      return;
    }
    if (this.#inFlightCount >= settings.maxInFlight) {
      observer.scrapeRejected();
      response.set('Retry-After', '1');
      sendText(response, 503, 'too many concurrent scrapes');
      return;
    }
    const startMs = arrivalMs(response, clock);
    const totalMs = scrapeTimeoutMs(request.get(scrapeTimeoutHeader), settings);
    const timeoutMs = Math.max(0, startMs + totalMs - clock.monotonicMs());
    const client = request.socket.remoteAddress ?? '';
    await this.#scrape(response, { ...negotiated, core, filter: asked.filter, startMs, timeoutMs, client });
  }

  async #scrape(response: Response, asked: Asked): Promise<void> {
    const { observer, clock } = this.#options;
    using limit = startResponseLimit(response, clock, asked.timeoutMs + writeGraceMs);
    const finish = (result: Parameters<ScrapeObserver['scrapeFinished']>[0]): void => {
      observer.scrapeFinished(result, clock.monotonicMs() - asked.startMs);
    };
    try {
      const { body, isLate, budget } = await this.#render(asked, limit.signal);
      setHeaders(response, asked);
      response.set('Content-Length', String(body.contentLength));
      await this.#sender.send(response, body.chunks, limit);
      budget.complete();
      finish(isLate ? 'deadline' : 'success');
    } catch (error) {
      finish(limit.signal.aborted ? 'aborted' : 'error');
      this.#fail(response, error, limit.signal);
    }
  }

  /** Takes a slot only here: a client that does not read its response keeps none. `isLate`: time ran out before all was collected. */
  async #render(asked: Asked, signal: AbortSignal) {
    const { core, filter, client, isGzipped, timeoutMs } = asked;
    const kind = { client, selection: `${isGzipped ? 'gzip' : 'identity'} ${filterText(filter)}` };
    using work = this.#options.scheduler.begin();
    using budget = this.#budgets.begin(kind, timeoutMs, signal);
    budget.signal.addEventListener('abort', work.endWait, { once: true });
    this.#inFlightCount += 1;
    try {
      const snapshot = await core.collect(budget.signal, {
        onView: (view, derived) => {
          if (!signal.aborted) core.exposition.prepareNode(view, derived, filter);
        },
      });
      signal.throwIfAborted();
      budget.collected(snapshot);
      const isLate = budget.signal.aborted;
      work.endWait();
      const body = await core.exposition.render(snapshot, asked, signal);
      signal.throwIfAborted();
      return { body, isLate, budget };
    } finally {
      this.#inFlightCount -= 1;
    }
  }

  #fail(response: Response, error: unknown, signal: AbortSignal): void {
    const { logger } = this.#options;
    if (signal.aborted) logger.debug('scrape aborted', { reason: messageOf(signal.reason) });
    else logger.error('scrape failed', { error: messageOf(error) });
    if (signal.aborted || response.headersSent || response.destroyed) disconnect(response);
    else sendText(response, 500, 'internal error');
  }
}

interface Asked extends NegotiatedFormat, ExpositionRequest {
  readonly core: ScrapedCore;
  /** When the request arrived, in monotonic milliseconds. */
  readonly startMs: number;
  /** What is left of its time until the last byte of the response. */
  readonly timeoutMs: number;
  /** Address. */
  readonly client: string;
}

function setHeaders(response: Response, { contentType, isGzipped }: Pick<Asked, 'contentType' | 'isGzipped'>): void {
  // Not `response.set`: Express would rewrite the content type.
  response.setHeader('Content-Type', contentType);
  response.setHeader('Vary', 'Accept, Accept-Encoding');
  if (isGzipped === true) response.setHeader('Content-Encoding', 'gzip');
}

/**
 * The filter in the query: `name[]=FAMILY` and `collect[]=LEVEL`, each any number of times, with or without the brackets.
 * Other parameters are ignored.
 */
export function familyFilter(
  query: object,
  isFamily: (name: string) => boolean,
): { readonly filter: FamilyFilter } | { readonly fault: string } {
  const names = new Set(valuesOf(query, 'name'));
  const levels = new Set(valuesOf(query, 'collect'));
  const known = familyLevels.filter((level) => levels.has(level));
  if (known.length < levels.size) return { fault: faultOf('collect[]') };
  if (![...names].every(isFamily)) return { fault: faultOf('name[]') };
  return { filter: { names, levels: new Set(known) } };
}

function valuesOf(query: object, parameter: string): readonly string[] {
  return Object.entries(query)
    .filter(([key]) => key === parameter || key === `${parameter}[]`)
    .flatMap(([, values]: [string, unknown]): readonly unknown[] => (Array.isArray(values) ? values : [values]))
    .map(String);
}

function faultOf(parameter: string): string {
  return `unknown value of ${parameter}: expected the name of a metric family for name[], one of ${familyLevels.join(', ')} for collect[]`;
}
