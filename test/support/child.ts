import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

interface ChildCommandOptions {
  /** As `ulimit -n`. */
  readonly maxOpenFiles?: number;
  /** Default: the one that was built. */
  readonly program?: string;
  /** The words before the arguments. Default: this Node.js and the program. */
  readonly launcher?: readonly string[];
}

/** A command of the built program in a separate process. */
export class ChildCommand implements AsyncDisposable {
  readonly #child: ReturnType<typeof spawn>;
  readonly #ended: Promise<unknown>;
  #out = '';

  constructor(
    args: readonly string[],
    { maxOpenFiles, program = cli, launcher = [process.execPath, program] }: ChildCommandOptions = {},
  ) {
    const env = { PATH: process.env['PATH'], HOME: '/nonexistent' };
    const limit = maxOpenFiles === undefined ? '' : `ulimit -n ${maxOpenFiles}; `;
    const command = ['-c', `${limit}exec "$0" "$@"`, ...launcher, ...args];
    this.#child = spawn('sh', command, { stdio: ['ignore', 'pipe', 'pipe'], env });
    this.#ended = once(this.#child, 'exit');
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#out += text;
      });
    }
  }

  /** Its output so far, of both streams. */
  get out(): string {
    return this.#out;
  }

  /** The first group of the pattern, once it is printed. */
  async printed(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = pattern.exec(this.#out)?.[1];
      if (found !== undefined) return found;
      const isOver = await Promise.race([this.#ended.then(() => true), this.#nextOutput().then(() => false)]);
      if (isOver) throw new Error(`ended before it printed ${String(pattern)}:\n${this.#out}`);
    }
  }

  signal(name: 'SIGINT' | 'SIGTERM' | 'SIGHUP'): void {
    this.#child.kill(name);
  }

  /** Its exit code; null when a signal ended it. */
  async ended(): Promise<number | null> {
    await this.#ended;
    return this.#child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGTERM');
    await this.#ended;
  }

  async #nextOutput(): Promise<void> {
    const { stdout, stderr } = this.#child;
    if (stdout === null || stderr === null) throw new Error('the output is not piped');
    const done = new AbortController();
    await Promise.race([once(stdout, 'data', { signal: done.signal }), once(stderr, 'data', { signal: done.signal })]);
    done.abort();
  }
}
