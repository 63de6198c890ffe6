import type { Request, Response } from 'express';

import { type Clock, startDeadline } from '../base/clock.js';
import { messageOf, RequestError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { ExpositionBody, ExpositionRequest } from '../exposition/exposition.js';
import { acceptsGzip, type NegotiatedFormat, negotiateFormat } from '../exposition/negotiate.js';
import type { FamilyFilter } from '../exposition/selection.js';
import type { ClusterSnapshot } from '../scrape/snapshot.js';
import { familyFilter } from './family-filter.js';
import { startResponseLimit } from './response-limit.js';
import { sendText } from './responses.js';
import { scrapeTimeoutHeader, scrapeTimeoutMs, type ScrapeTimes } from './scrape-timeout.js';
import { sendGzipped, sendPlain } from './send-body.js';

/** `collect` resolves at the latest when `signal` aborts, with the data that it has; undefined before the first sync. */
export interface ScrapeSource {
  collect(signal: AbortSignal): Promise<ClusterSnapshot | undefined>;
}

interface ExpositionRenderer {
  /** Whether there is a family of this name, allowed by the settings or not. */
  hasFamily(name: string): boolean;
  render(
    snapshot: ClusterSnapshot | undefined,
    request: ExpositionRequest,
    signal: AbortSignal,
  ): Promise<ExpositionBody>;
}

export interface ScrapeObserver {
  /**
   * `deadline`: a response, but time ran out before everything was collected. `aborted`: the client disconnected or read
   * too slowly.
   * `durationMs`: to the last byte.
   */
  scrapeFinished(result: 'success' | 'deadline' | 'aborted' | 'error', durationMs: number): void;
  /** Refused: too many scrapes are running. */
  scrapeRejected(): void;
}

export interface ScrapeSettings extends ScrapeTimes {
  /** Running scrapes, up to the last byte of their responses; above 0. */
  readonly maxInFlight: number;
}

export interface MetricsHandlerOptions {
  readonly source: ScrapeSource;
  readonly exposition: ExpositionRenderer;
  readonly observer: ScrapeObserver;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Read at each scrape, so that a reload takes effect. */
  readonly settings: () => ScrapeSettings;
}

/** By then the client's own timeout has expired: a client that still reads would occupy a slot in vain. */
const writeGraceMs = 5_000;

/** Serves `/metrics`. */
export class MetricsHandler {
  readonly #options: MetricsHandlerOptions;
  #inFlightCount = 0;

  constructor(options: MetricsHandlerOptions) {
    this.#options = options;
  }

  /** HEAD gets the headers without a collection. */
  async handle(request: Request, response: Response): Promise<void> {
    const { observer, settings, exposition } = this.#options;
    const asked = familyFilter(request.query, (name) => exposition.hasFamily(name));
    if ('fault' in asked) {
      sendText(response, 400, asked.fault);
      return;
    }
    if (request.method === 'HEAD') {
      setHeaders(response, negotiate(request));
      response.end();
      return;
    }
    if (this.#inFlightCount >= settings().maxInFlight) {
      observer.scrapeRejected();
      response.set('Retry-After', '1');
      sendText(response, 503, 'too many concurrent scrapes');
      return;
    }
    this.#inFlightCount += 1;
    try {
      await this.#scrape(request, response, asked.filter);
    } finally {
      this.#inFlightCount -= 1;
    }
  }

  async #scrape(request: Request, response: Response, filter: FamilyFilter): Promise<void> {
    const { observer, clock, settings } = this.#options;
    const startMs = clock.monotonicMs();
    const timeoutMs = scrapeTimeoutMs(request.get(scrapeTimeoutHeader), settings());
    using limit = startResponseLimit({ response, clock, durationMs: timeoutMs + writeGraceMs });
    const finish = (result: Parameters<ScrapeObserver['scrapeFinished']>[0]): void => {
      observer.scrapeFinished(result, clock.monotonicMs() - startMs);
    };
    try {
      const { snapshot, isLate } = await this.#collect(timeoutMs, limit.signal);
      await this.#answer(response, snapshot, { ...negotiate(request), filter }, limit.signal);
      finish(isLate ? 'deadline' : 'success');
    } catch (error) {
      finish(limit.signal.aborted ? 'aborted' : 'error');
      this.#fail(response, error, limit.signal);
    }
  }

  async #collect(
    timeoutMs: number,
    parent: AbortSignal,
  ): Promise<{ snapshot: ClusterSnapshot | undefined; isLate: boolean }> {
    const { source, clock } = this.#options;
    using deadline = startDeadline({
      clock,
      durationMs: timeoutMs,
      error: () => new RequestError('timeout', `the scrape did not complete within ${timeoutMs} ms`),
      parent,
    });
    const snapshot = await source.collect(deadline.signal);
    parent.throwIfAborted();
    return { snapshot, isLate: deadline.signal.aborted };
  }

  async #answer(
    response: Response,
    snapshot: ClusterSnapshot | undefined,
    asked: Negotiated & ExpositionRequest,
    signal: AbortSignal,
  ): Promise<void> {
    const { chunks, contentLength } = await this.#options.exposition.render(snapshot, asked, signal);
    signal.throwIfAborted();
    setHeaders(response, asked);
    if (asked.isGzipped) {
      await sendGzipped(response, chunks, signal);
      return;
    }
    response.set('Content-Length', String(contentLength));
    await sendPlain(response, chunks, signal);
  }

  #fail(response: Response, error: unknown, signal: AbortSignal): void {
    const { logger } = this.#options;
    if (signal.aborted) logger.debug('scrape aborted', { reason: messageOf(signal.reason) });
    else logger.error('scrape failed', { error: messageOf(error) });
    if (signal.aborted || response.headersSent || response.destroyed) response.destroy();
    else sendText(response, 500, 'internal error');
  }
}

interface Negotiated extends NegotiatedFormat {
  readonly isGzipped: boolean;
}

function negotiate(request: Request): Negotiated {
  return {
    ...negotiateFormat(request.get('accept')),
    isGzipped: acceptsGzip(request.get('accept-encoding')),
  };
}

function setHeaders(response: Response, { contentType, isGzipped }: Negotiated): void {
  // Not `response.set`: Express would rewrite the content type.
  response.setHeader('Content-Type', contentType);
  response.setHeader('Vary', 'Accept, Accept-Encoding');
  if (isGzipped) response.setHeader('Content-Encoding', 'gzip');
}
