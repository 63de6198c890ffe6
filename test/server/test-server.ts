import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';

import type { Config } from '../../src/config/schema.js';
import type { WebTls } from '../../src/config/web/web-config.js';
import type { ClusterSnapshot } from '../../src/facts/scrape/snapshot.js';
import type { Clock } from '../../src/lib/base/clock.js';
import { type Logger, silentLogger } from '../../src/lib/base/logger.js';
import { Scheduler } from '../../src/lib/base/scheduler.js';
import type { ExpositionBody } from '../../src/metrics/exposition/bodies.js';
import type { Moment } from '../../src/people/status/status-source.js';
import { Connections } from '../../src/serve/server/connections.js';
import { Listener } from '../../src/serve/server/listener.js';
import { MetricsHandler, type ScrapedCore, type ScrapeObserver } from '../../src/serve/server/metrics-handler.js';
import { createRoutes } from '../../src/serve/server/routes.js';
import { StatusHandler } from '../../src/serve/server/status-handler.js';
import { ManualClock } from '../support/manual-clock.js';
import { aClusterSnapshot } from '../support/snapshot-builders.js';
import { aMoment } from '../support/status-builders.js';

export class RunningServer implements AsyncDisposable {
  readonly port: number;
  readonly #listener: Listener;

  private constructor(listener: Listener, port: number) {
    this.#listener = listener;
    this.port = port;
  }

  /** The listener's own clock stands still unless one is given: nothing is closed by force. */
  static async start(
    handler: RequestListener,
    clock: Clock = new ManualClock(),
    { logger = silentLogger, tls }: Partial<Pick<ConstructorParameters<typeof Listener>[0], 'tls' | 'logger'>> = {},
  ): Promise<RunningServer> {
    const listener = new Listener({
      host: '127.0.0.1',
      port: 0,
      tls,
      handler,
      connections: new Connections({ maxCount: 400, clock, logger }),
      clock,
      logger,
    });
    await listener.start();
    const { port } = listener;
    if (port === undefined) throw new Error('a listener that started has a port');
    return new RunningServer(listener, port);
  }

  setTls(tls: WebTls): void {
    this.#listener.setTls(tls);
  }

  close(graceMs: number): Promise<void> {
    return this.#listener.close(graceMs);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close(60_000);
  }
}

export const scrapeSettings: Config['scrape'] = {
  timeoutOffsetMs: 500,
  defaultTimeoutMs: 10_000,
  maxInFlight: 2,
};

export const emptySnapshot: ClusterSnapshot = aClusterSnapshot({ nodes: [], workloads: [] });

export function aBody(...texts: readonly string[]): ExpositionBody {
  const chunks = texts.map((text) => Buffer.from(text));
  return { chunks, contentLength: chunks.reduce((total, { length }) => total + length, 0) };
}

/** Remembers; `finished` resolves with the next result. */
export class FakeObserver implements ScrapeObserver {
  readonly results: string[] = [];
  readonly durationsMs: number[] = [];
  readonly #waiting: ((result: string) => void)[] = [];

  scrapeFinished(result: string, durationMs: number): void {
    this.results.push(result);
    this.durationsMs.push(durationMs);
    this.#waiting.shift()?.(result);
  }

  scrapeRejected(): void {
    this.results.push('rejected');
  }

  finished(): Promise<string> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

export interface RecordingLogger extends Logger {
  readonly lines: readonly string[];
}

export function aLogger(): RecordingLogger {
  const lines: string[] = [];
  const writerOf =
    (level: string): Logger['info'] =>
    (message, fields = {}) => {
      lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
    };
  return { lines, debug: writerOf('debug'), info: writerOf('info'), warn: writerOf('warn'), error: writerOf('error') };
}

/** Knows every family but those that begin with `un`. Compresses what `render` returns when the client accepts that. */
export function rendering(render: ScrapedCore['exposition']['render']): ScrapedCore['exposition'] {
  return {
    hasFamily: (name) => !name.startsWith('un'),
    prepareNode: () => undefined,
    render: async (snapshot, request, signal) => {
      const body = await render(snapshot, request, signal);
      if (request.isGzipped !== true) return body;
      const compressed = gzipSync(Buffer.concat(body.chunks));
      const pageBytes = 100_000;
      const chunks = Array.from({ length: Math.ceil(compressed.length / pageBytes) }, (_, index) =>
        compressed.subarray(index * pageBytes, (index + 1) * pageBytes),
      );
      return { chunks, contentLength: compressed.length };
    },
  };
}

export type ScrapeSource = Pick<ScrapedCore, 'collect'>;

export type HandlerParts = Partial<
  ConstructorParameters<typeof MetricsHandler>[0] & Omit<ScrapedCore, 'collect'> & { readonly source: ScrapeSource }
>;

export function aMetricsHandler(parts: HandlerParts = {}): MetricsHandler {
  const { source = { collect: () => Promise.resolve(emptySnapshot) } } = parts;
  const core: ScrapedCore = {
    exposition: rendering(() => Promise.resolve(aBody('up 1\n'))),
    settings: scrapeSettings,
    ...parts,
    collect: (...scrape) => source.collect(...scrape),
  };
  return new MetricsHandler({
    core: () => core,
    observer: new FakeObserver(),
    scheduler: new Scheduler(new ManualClock()),
    logger: aLogger(),
    clock: new ManualClock(),
    ...parts,
  });
}

/** The answers about one moment, unless it has another source. */
export function aStatusHandler({
  moment = aMoment(),
  ...parts
}: Partial<ConstructorParameters<typeof StatusHandler>[0]> & { readonly moment?: Moment } = {}): StatusHandler {
  return new StatusHandler({
    source: { read: () => Promise.resolve(moment) },
    lane: new Scheduler(new ManualClock()).newLane(),
    metricsPath: '/metrics',
    documentationUrl: 'https://docs.example.com/',
    clock: new ManualClock(),
    ...parts,
  });
}

export function someRoutes(overrides: Partial<Parameters<typeof createRoutes>[0]> = {}): RequestListener {
  return createRoutes({
    metricsPath: '/metrics',
    metrics: aMetricsHandler(),
    status: aStatusHandler(),
    liveness: { failure: () => undefined },
    readiness: { checks: () => [] },
    reload: undefined,
    hasStatus: true,
    guard: {
      check: (_request, _response, next) => {
        next();
        return Promise.resolve();
      },
    },
    logger: aLogger(),
    ...overrides,
  });
}
