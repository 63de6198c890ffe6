import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** Of the exporter's process. */
export interface Resources {
  readonly timerCount: number;
  readonly rssBytes: number;
  readonly descriptorCount: number;
  /** Of the event loop since the last reading, in milliseconds. */
  readonly longestBlockMs: number;
}

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const probe = new URL('probe.mjs', import.meta.url).href;

/** The built exporter in a process of its own, with a probe in it. */
export class ExporterProcess implements AsyncDisposable {
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  /** `prefix`: a command that runs the one behind it, in the same process. */
  static async start(flags: readonly string[], prefix: readonly string[] = []): Promise<ExporterProcess> {
    const serve = [process.execPath, '--import', probe, cli, 'serve', '--web.listen-address=127.0.0.1:0', ...flags];
    const [program = '', ...rest] = [...prefix, ...serve];
    const child = spawn(program, rest, {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: { PATH: process.env['PATH'], HOME: '/nonexistent' },
    });
    return new ExporterProcess(child, await listeningPort(child));
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  async resources(): Promise<Resources> {
    const answer = once(this.#child, 'message');
    this.#child.send('resources');
    const [reading] = (await answer) as [Omit<Resources, 'descriptorCount'>];
    const descriptors = await readdir(`/proc/${String(this.#child.pid)}/fd`);
    return { ...reading, descriptorCount: descriptors.length };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.hasEnded) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}

async function listeningPort({ stderr }: ChildProcess): Promise<number> {
  if (stderr === null) throw new Error('the log is not piped');
  let log = '';
  const found = new Promise<number>((resolve, reject) => {
    stderr.setEncoding('utf8').on('data', (text: string) => {
      if (log.length < 100_000) log += text;
      const port = /msg=listening\b.*\bports=(\d+)/.exec(log)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
    stderr.once('end', () => {
      reject(new Error(`the exporter did not listen:\n${log}`));
    });
  });
  return found;
}
