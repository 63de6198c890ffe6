import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Whether a program is on the PATH. */
export const isInstalled = (program: string): boolean =>
  spawnSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' }).status === 0;

export async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ephemeral-storage-exporter-test-'));
  return { path: folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

/** Polls until `probe` gives something; fails with `what` after a minute. For programs that only can be polled. */
export async function eventually<T>(what: string, probe: () => Promise<T | undefined>): Promise<T> {
  for (let attempt = 0; attempt < 240; attempt++) {
    const found = await probe().catch(() => undefined);
    if (found !== undefined) return found;
    await delay(250);
  }
  throw new Error(`waited in vain for ${what}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

export interface QueryResult {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface ScrapeTarget {
  /** Host and port. */
  readonly target: string;
  /** Before relabelling. */
  readonly labels?: Readonly<Record<string, string>>;
}

export interface PrometheusOptions {
  readonly targets: readonly ScrapeTarget[];
  /** What else the scrape configuration says. */
  readonly scrape?: Readonly<Record<string, unknown>>;
}

/** A real Prometheus server that scrapes its targets once a second. */
export class PrometheusServer implements AsyncDisposable {
  readonly #url: string;
  readonly #stop: () => Promise<void>;

  private constructor(url: string, stop: () => Promise<void>) {
    this.#url = url;
    this.#stop = stop;
  }

  static async start({ targets, scrape = {} }: PrometheusOptions): Promise<PrometheusServer> {
    const folder = await temporaryFolder();
    const port = await freePort();
    const config = {
      global: { scrape_interval: '1s', scrape_timeout: '1s' },
      scrape_configs: [
        {
          job_name: 'exporter',
          honor_labels: true,
          ...scrape,
          static_configs: targets.map(({ target, labels = {} }) => ({ targets: [target], labels })),
        },
      ],
    };
    const file = path.join(folder.path, 'prometheus.yml');
    await writeFile(file, JSON.stringify(config));
    const child = spawn(
      'prometheus',
      [
        `--config.file=${file}`,
        `--storage.tsdb.path=${path.join(folder.path, 'data')}`,
        `--web.listen-address=127.0.0.1:${String(port)}`,
      ],
      { stdio: 'ignore' },
    );
    const ended = once(child, 'exit');
    const server = new PrometheusServer(`http://127.0.0.1:${String(port)}`, async () => {
      child.kill('SIGTERM');
      await ended;
      await folder[Symbol.asyncDispose]();
    });
    await eventually('Prometheus to be ready', async () =>
      (await fetch(`${server.#url}/-/ready`)).ok ? true : undefined,
    );
    return server;
  }

  /** The instant vector that `expression` gives now. */
  async query(expression: string): Promise<readonly QueryResult[]> {
    const answer = await fetch(`${this.#url}/api/v1/query?query=${encodeURIComponent(expression)}`);
    const body = (await answer.json()) as {
      data: { result: { metric: Record<string, string>; value: [number, string] }[] };
    };
    return body.data.result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
  }
}
