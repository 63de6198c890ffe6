import { type ChildProcess, fork, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

const stdio: StdioOptions = ['ignore', 'inherit', 'inherit', 'ipc'];

/** A process that answers each message with `{ result }` or `{ error }`, one after the other. */
export class Child<Request extends object | string> implements AsyncDisposable {
  readonly #process: ChildProcess;

  constructor(process: ChildProcess) {
    this.#process = process;
  }

  /** Runs a TypeScript file beside the caller's `base`. */
  static fork<Request extends object | string>(
    base: string,
    file: string,
    nodeFlags: readonly string[] = [],
  ): Child<Request> {
    const execArgv = ['--import', 'tsx', ...nodeFlags];
    return new Child(fork(fileURLToPath(new URL(file, base)), { execArgv, stdio }));
  }

  /** The same, compiled as the exporter is: what tsx adds to each function would be measured with it. */
  static async forkBundled<Request extends object | string>(
    base: string,
    file: string,
    nodeFlags: readonly string[] = [],
  ): Promise<Child<Request>> {
    const folder = mkdtempSync(path.join(tmpdir(), 'ephemeral-storage-exporter-bench-'));
    const outfile = path.join(folder, 'bundle.mjs');
    await build({
      entryPoints: [fileURLToPath(new URL(file, base))],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      minifyWhitespace: true,
      banner: {
        js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
      },
    });
    const child = fork(outfile, { execArgv: [...nodeFlags], stdio });
    child.once('exit', () => {
      rmSync(folder, { recursive: true, force: true });
    });
    return new Child(child);
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  get hasEnded(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null;
  }

  async ask<Result>(request: Request): Promise<Result> {
    const answered = new AbortController();
    const { signal } = answered;
    try {
      const reply = once(this.#process, 'message', { signal });
      const exit = once(this.#process, 'exit', { signal }).then(() => {
        throw new Error(`a process ended: ${this.#process.signalCode ?? this.#process.exitCode ?? ''}`);
      });
      exit.catch(() => undefined);
      this.#process.send(request);
      const [answer] = (await Promise.race([reply, exit])) as [{ result: Result; error?: string }];
      if (answer.error !== undefined) throw new Error(answer.error);
      return answer.result;
    } finally {
      answered.abort();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.hasEnded) return;
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await ended;
  }
}
