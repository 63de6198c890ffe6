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

export async function temporaryFolder(parent = tmpdir()): Promise<AsyncDisposable & { readonly path: string }> {
  const folder = await mkdtemp(path.join(parent, 'ephemeral-storage-exporter-test-'));
  return { path: folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

/** Polls until `probe` returns a value; fails with `what` after a minute. For programs that can only be polled. */
export async function eventually<T>(what: string, probe: () => Promise<T | undefined>): Promise<T> {
  for (let attempt = 0; attempt < 240; attempt++) {
    const found = await probe().catch(() => undefined);
    if (found !== undefined) return found;
    await delay(250);
  }
  throw new Error(`timed out waiting for ${what}`);
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('the server is not listening');
  return address.port;
}

interface Blocks {
  readonly promtool: string;
  readonly folder: string;
  readonly data: string;
}

/** Writes the samples into the folder of a Prometheus server before its start. */
async function createBlocks(history: string, { promtool, folder, data }: Blocks): Promise<void> {
  const file = path.join(folder, 'history.txt');
  await writeFile(file, history);
  const child = spawn(promtool, ['tsdb', 'create-blocks-from', 'openmetrics', '--quiet', file, data], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${promtool} rejected the history: exit code ${String(code)}`);
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
  /** Additional settings of the scrape configuration. */
  readonly scrape?: Readonly<Record<string, unknown>>;
  /** Further jobs for the same targets: by name, their additional settings. */
  readonly furtherJobs?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Past samples with timestamps, as OpenMetrics text. */
  readonly history?: string;
  /** The content of a rule file. */
  readonly rules?: object;
  /** Default: `prometheus`. */
  readonly program?: string;
  /** Of the version of the program; for a history. Default: `promtool`. */
  readonly promtool?: string;
  /** Of scrapes and evaluations. Default: 1. */
  readonly intervalSeconds?: number;
  /** Host and port of the Alertmanager. Default: none. */
  readonly alertmanager?: string;
  /** The whole file, in place of what all other options would have in it. */
  readonly configuration?: object;
}

/** A response of Prometheus, with `data` on success. Prometheus 3 has remarks on queries that are not quite right. */
type Answer<T> =
  | {
      readonly status: 'success';
      readonly data: T;
      readonly warnings?: readonly string[];
      readonly infos?: readonly string[];
    }
  | { readonly status: 'error'; readonly error: string };

export interface ActiveAlert {
  readonly state: 'pending' | 'firing';
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface EvaluatedRule {
  readonly name: string;
  /** `unknown` until the first evaluation. */
  readonly health: 'ok' | 'err' | 'unknown';
}

function configurationOf({
  targets,
  scrape = {},
  furtherJobs = {},
  rules,
  intervalSeconds = 1,
  alertmanager,
}: PrometheusOptions): object {
  const interval = `${intervalSeconds}s`;
  const targetLists = targets.map(({ target, labels = {} }) => ({ targets: [target], labels }));
  return {
    global: { scrape_interval: interval, scrape_timeout: interval, evaluation_interval: interval },
    scrape_configs: Object.entries({ exporter: scrape, ...furtherJobs }).map(([name, settings]) => ({
      job_name: name,
      honor_labels: true,
      ...settings,
      static_configs: targetLists,
    })),
    rule_files: rules === undefined ? [] : ['rules.yml'],
    ...(alertmanager === undefined
      ? {}
      : { alerting: { alertmanagers: [{ static_configs: [{ targets: [alertmanager] }] }] } }),
  };
}

/** A real Prometheus server that scrapes its targets and evaluates rules. */
export class PrometheusServer implements AsyncDisposable {
  readonly #url: string;
  readonly #stop: () => Promise<void>;

  private constructor(url: string, stop: () => Promise<void>) {
    this.#url = url;
    this.#stop = stop;
  }

  static async start(options: PrometheusOptions): Promise<PrometheusServer> {
    // Another program may be given the port that was free a moment before.
    for (let attempt = 1; attempt < 3; attempt++) {
      const server = await PrometheusServer.#startOnce(options).catch(() => undefined);
      if (server !== undefined) return server;
    }
    return PrometheusServer.#startOnce(options);
  }

  static async #startOnce(options: PrometheusOptions): Promise<PrometheusServer> {
    const { history, rules, program = 'prometheus', promtool = 'promtool' } = options;
    const folder = await temporaryFolder();
    const port = await freePort();
    if (rules !== undefined) await writeFile(path.join(folder.path, 'rules.yml'), JSON.stringify(rules));
    const file = path.join(folder.path, 'prometheus.yml');
    await writeFile(file, JSON.stringify(options.configuration ?? configurationOf(options)));
    const data = path.join(folder.path, 'data');
    if (history !== undefined) await createBlocks(history, { promtool, folder: folder.path, data });
    const address = `127.0.0.1:${String(port)}`;
    const child = spawn(
      program,
      [
        `--config.file=${file}`,
        `--storage.tsdb.path=${data}`,
        `--web.listen-address=${address}`,
        '--log.level=error',
        // Targets are scraped from then on: by default, 5 s after the start.
        '--scrape.discovery-reload-interval=100ms',
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    const ended = once(child, 'exit');
    const server = new PrometheusServer(`http://${address}`, async () => {
      child.kill('SIGTERM');
      await ended;
      await folder[Symbol.asyncDispose]();
    });
    const isReady = await eventually('Prometheus to be ready', async () => {
      if (child.exitCode !== null) return false;
      return (await fetch(`${server.#url}/-/ready`)).ok ? true : undefined;
    });
    if (isReady) return server;
    await folder[Symbol.asyncDispose]();
    throw new Error(`${program} ended with exit code ${String(child.exitCode)}`);
  }

  /** The instant vector of `expression` at a Unix time, or now. Rejects when Prometheus rejects it or remarks on it. */
  async query(expression: string, atSeconds?: number): Promise<readonly QueryResult[]> {
    const { result } = await this.#get<{ result: { metric: Record<string, string>; value: [number, string] }[] }>(
      'query',
      { query: expression, ...(atSeconds === undefined ? {} : { time: String(atSeconds) }) },
    );
    return result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }));
  }

  /** The labels and values of each series of `expression`, at every minute of the hour before that time. */
  async queryHour(
    expression: string,
    endSeconds: number,
  ): Promise<readonly { readonly metric: QueryResult['metric']; readonly values: readonly number[] }[]> {
    const { result } = await this.#get<{ result: { metric: Record<string, string>; values: [number, string][] }[] }>(
      'query_range',
      { query: expression, start: String(endSeconds - 3_600), end: String(endSeconds), step: '60' },
    );
    return result.map(({ metric, values }) => ({ metric, values: values.map(([, value]) => Number(value)) }));
  }

  /** The values of a label in the series of `selector`. */
  async labelValues(label: string, selector: string): Promise<readonly string[]> {
    return this.#get(`label/${label}/values`, { 'match[]': selector });
  }

  /** The pending and firing alerts. */
  async alerts(): Promise<readonly ActiveAlert[]> {
    return (await this.#get<{ alerts: ActiveAlert[] }>('alerts')).alerts;
  }

  /** The rules with the results of their last evaluation. */
  async rules(): Promise<readonly EvaluatedRule[]> {
    const { groups } = await this.#get<{ groups: { rules: EvaluatedRule[] }[] }>('rules');
    return groups.flatMap(({ rules }) => rules);
  }

  async #get<T>(path: string, parameters: Readonly<Record<string, string>> = {}): Promise<T> {
    const answer = await fetch(`${this.#url}/api/v1/${path}?${new URLSearchParams(parameters).toString()}`);
    const body = (await answer.json()) as Answer<T>;
    const remarks = body.status === 'error' ? [body.error] : [...(body.warnings ?? []), ...(body.infos ?? [])];
    if (body.status === 'error' || remarks.length > 0) {
      throw new Error([...remarks, JSON.stringify(parameters)].join('\n'));
    }
    return body.data;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
  }
}
