import { setTimeout as delay } from 'node:timers/promises';

import { send } from '../../test/support/http-get.js';

const pauseMs = 2_000;

const headersOf = [
  { accept: 'text/plain', 'x-prometheus-scrape-timeout-seconds': '10' },
  { accept: 'text/plain', 'accept-encoding': 'gzip', 'x-prometheus-scrape-timeout-seconds': '5' },
  { accept: 'application/openmetrics-text', 'x-prometheus-scrape-timeout-seconds': '2' },
];

/** Three scrapers, as fast as a careless configuration has them. */
export class Scrapers implements AsyncDisposable {
  scrapeCount = 0;
  longestMs = 0;
  readonly failures: string[] = [];
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>;

  constructor(port: number) {
    this.#running = Promise.all(headersOf.map((headers) => this.#run(port, headers)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(port: number, headers: Readonly<Record<string, string>>): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const startMs = performance.now();
      try {
        const { status } = await send({ port, path: '/metrics', headers });
        if (status !== 200) this.failures.push(`status ${status}`);
      } catch (error) {
        this.failures.push(String(error));
      }
      this.scrapeCount += 1;
      this.longestMs = Math.max(this.longestMs, performance.now() - startMs);
      await delay(pauseMs, undefined, { signal: this.#stop.signal }).catch(() => undefined);
    }
  }
}
