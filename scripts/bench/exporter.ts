import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { Child } from './child.js';
import type { ClusterAccess } from './cluster/protocol.js';
import { imageLaunch } from './image-launch.js';
import { scrape } from './scraper.js';

/** Of the exporter's process, since its start. */
export interface Usage {
  readonly cpuMs: number;
  readonly rssBytes: number;
  /** Since `watchBlocks`. */
  readonly peakRssBytes: number;
  readonly heapBytes: number;
  readonly externalBytes: number;
  /** Longest run of the main thread without a turn of the event loop, between `watchBlocks` and this reading. */
  readonly longestBlockMs: number;
  readonly gcCount: number;
  readonly gcMs: number;
}

export interface ExporterOptions {
  /** The built `cli.js`. */
  readonly cli: string;
  readonly access: ClusterAccess;
  /** As `PATH=VALUE`. */
  readonly settings: readonly string[];
}

const probe = new URL('exporter-probe.mjs', import.meta.url).href;
const dockerfile = new URL('../../Dockerfile', import.meta.url);
const pollMs = 20;
/** A process that uses less CPU time in this time, a tenth of a core, rests: measuring blocks costs some too. */
const restMs = 500;
const restTicks = 5;

/** The built exporter in a process of its own, started as the image starts it, with a probe in it. */
export class BenchExporter implements AsyncDisposable {
  readonly port: number;
  /** From the start of the process, in milliseconds. */
  readonly listeningMs: number;
  readonly #startMs: number;
  readonly #child: Child<'watch' | 'read' | 'collect'>;
  readonly #folder: string;

  private constructor(child: ChildProcess, started: { port: number; startMs: number; folder: string }) {
    this.#child = new Child(child);
    this.port = started.port;
    this.#startMs = started.startMs;
    this.#folder = started.folder;
    this.listeningMs = performance.now() - started.startMs;
  }

  static async start({ cli, access, settings }: ExporterOptions): Promise<BenchExporter> {
    const folder = mkdtempSync(path.join(tmpdir(), 'ephemeral-storage-exporter-bench-'));
    const kubeconfig = path.join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, kubeconfigOf(access));
    const startMs = performance.now();
    const flags = ['--web.listen-address=127.0.0.1:0', `--kubeconfig=${kubeconfig}`];
    const launch = imageLaunch(readFileSync(dockerfile, 'utf8'));
    const child = spawn(
      process.execPath,
      [
        ...launch.flags,
        '--import',
        probe,
        cli,
        'serve',
        ...flags,
        ...settings.flatMap((setting) => ['--set', setting]),
      ],
      {
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
        env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...launch.environment },
      },
    );
    return new BenchExporter(child, { port: await listeningPort(child), startMs, folder });
  }

  async usage(): Promise<Usage> {
    return this.#child.ask('read');
  }

  async watchBlocks(): Promise<void> {
    await this.#child.ask('watch');
  }

  /** What is not reachable goes. */
  async collectGarbage(): Promise<void> {
    await this.#child.ask('collect');
  }

  /** Resolves when the process does next to nothing. */
  async rested(): Promise<void> {
    let before = -Infinity;
    for (let now = this.#ticks(); now - before > restTicks; now = this.#ticks()) {
      before = now;
      await delay(restMs);
    }
  }

  /** Hundredths of a second of CPU time, without a question to the process. https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
  #ticks(): number {
    const fields = readFileSync(`/proc/${this.#child.pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  }

  /** Milliseconds from the start of the process until it says that it is ready. */
  async ready(): Promise<number> {
    for (;;) {
      const { status } = await scrape(this.port, { path: '/readyz' });
      if (status === 200) return performance.now() - this.#startMs;
      await delay(pollMs);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function kubeconfigOf({ server, caPem }: ClusterAccess): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'bench',
    clusters: [
      { name: 'bench', cluster: { server, 'certificate-authority-data': Buffer.from(caPem).toString('base64') } },
    ],
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
    users: [{ name: 'bench', user: { token: 'bench' } }],
  });
}

async function listeningPort({ stderr }: ChildProcess): Promise<number> {
  if (stderr === null) throw new Error('the log is not piped');
  let log = '';
  return new Promise<number>((resolve, reject) => {
    stderr.setEncoding('utf8').on('data', (text: string) => {
      if (log.length < 100_000) log += text;
      const port = /msg=listening\b.*\bports=(\d+)/.exec(log)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
    stderr.once('end', () => {
      reject(new Error(`the exporter did not listen:\n${log}`));
    });
  });
}
