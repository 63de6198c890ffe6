import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import type { SimulatedCluster } from '../../sim/cluster.js';
import { leastRules } from './exporter.js';
import { type HttpAnswer, send } from './http-get.js';
import type { ChildOptions } from './measured-child.js';

export interface Measured<T> {
  readonly result: T;
  /** Longest time that the exporter's main thread ran between two turns of its event loop, in milliseconds. */
  readonly blockedMs: number;
  /** Its resident memory before, and the peak since. */
  readonly idleBytes: number;
  readonly peakBytes: number;
}

const childFile = fileURLToPath(new URL('measured-child.ts', import.meta.url));

/** The exporter in a process of its own (Linux). */
export class MeasuredExporter implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #port: number;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.#port = port;
  }

  /** Resolves when nodes and pods have been listed. */
  static async start(
    cluster: SimulatedCluster,
    settings: string,
    { maxHeapMib }: { readonly maxHeapMib?: number } = {},
  ): Promise<MeasuredExporter> {
    const heap = maxHeapMib === undefined ? [] : [`--max-old-space-size=${maxHeapMib}`];
    const execArgv = ['--import', 'tsx', '--expose-gc', ...heap];
    const child = fork(childFile, { execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const token = cluster.issueToken({ user: 'exporter', rules: leastRules });
    const start: ChildOptions = { server: cluster.apiUrl, ca: cluster.caPem, token, settings };
    return new MeasuredExporter(child, await ask(child, { start }));
  }

  async scrape(): Promise<HttpAnswer> {
    return this.get('/metrics');
  }

  /** Rejects when the signal aborts before the response is complete. */
  async get(path: string, signal?: AbortSignal): Promise<HttpAnswer> {
    return send({ port: this.#port, path, ...(signal && { signal }) });
  }

  /** Memory that it uses, without garbage. */
  async usedBytes(): Promise<number> {
    return ask(this.#child, 'used');
  }

  /** Its event loop never turns again. */
  async block(): Promise<void> {
    await ask(this.#child, 'block');
  }

  /** What the work costs the exporter. */
  async measured<T>(work: () => Promise<T>): Promise<Measured<T>> {
    const { pid = 0 } = this.#child;
    await delay(200); // what was started before the work ends
    await ask(this.#child, 'reset');
    writeFileSync(`/proc/${pid}/clear_refs`, '5'); // resets the peak
    const idleBytes = residentBytes(pid, 'VmRSS');
    const result = await work();
    await delay(100);
    const blockedMs = await ask(this.#child, 'measure');
    return { result, blockedMs, idleBytes, peakBytes: residentBytes(pid, 'VmHWM') };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }
}

/** Rejects when the process ends before it replies. */
async function ask(child: ChildProcess, message: object | string): Promise<number> {
  const replied = new AbortController();
  const { signal } = replied;
  try {
    const reply = once(child, 'message', { signal });
    const exit = once(child, 'exit', { signal }).then(() => {
      throw new Error(`the exporter ended: ${child.signalCode ?? child.exitCode ?? ''}`);
    });
    exit.catch(() => undefined);
    child.send(message);
    const [value] = (await Promise.race([reply, exit])) as [number];
    return value;
  } finally {
    replied.abort();
  }
}

/** https://man7.org/linux/man-pages/man5/proc_pid_status.5.html */
function residentBytes(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const [, kibibytes] =
    new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) * 1024;
}
