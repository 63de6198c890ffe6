import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { codeOf, RequestError, UserError } from '../lib/base/errors.js';

/** The output is text of unknown origin: the programs are those of an image. */
export interface KubectlResult {
  readonly exitCode: number;
  readonly output: string;
  readonly errorOutput: string;
}

/** There is no kubectl on the PATH: the person who asked runs the command where there is one. */
export class NoKubectlError extends UserError {
  constructor(cause: unknown) {
    super('kubectl is not on the PATH: run the commands above where it is', { cause });
  }
}

/** Says what a person may not do, as the API server answers kubectl. */
const forbidden = /^Error from server \(Forbidden\): /m;

/**
 * Runs kubectl with these arguments, without a shell and without input, and returns all that it writes. Throws NoKubectlError,
 * RequestError where the API server forbids it and for more output than `maxOutputBytes`, or the signal's reason; kubectl has ended then.
 */
export async function runKubectl(
  words: readonly string[],
  {
    environment,
    maxOutputBytes,
    signal,
  }: {
    readonly environment: Readonly<NodeJS.ProcessEnv>;
    readonly maxOutputBytes: number;
    readonly signal: AbortSignal;
  },
): Promise<KubectlResult> {
  signal.throwIfAborted();
  const child = spawn('kubectl', words, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  const stop = (): void => {
    child.kill();
    // What it has started may hold the pipes open.
    child.stdout.destroy();
    child.stderr.destroy();
  };
  signal.addEventListener('abort', stop);
  const [output, errorOutput] = [new CappedText(maxOutputBytes, stop), new CappedText(maxOutputBytes, stop)];
  child.stdout.on('data', output.add);
  child.stderr.on('data', errorOutput.add);
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    signal.throwIfAborted();
    if (output.isCut || errorOutput.isCut) {
      throw new RequestError('decode', `more than ${maxOutputBytes} bytes of output`);
    }
    if (code !== 0 && forbidden.test(errorOutput.text)) {
      throw new RequestError('forbidden', errorOutput.text.trim().replace(forbidden, ''));
    }
    return { exitCode: code ?? 1, output: output.text, errorOutput: errorOutput.text };
  } catch (error) {
    throw codeOf(error) === 'ENOENT' ? new NoKubectlError(error) : error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

class CappedText {
  readonly #maxBytes: number;
  readonly #onCut: () => void;
  readonly #chunks: Buffer[] = [];
  #sizeBytes = 0;

  constructor(maxBytes: number, onCut: () => void) {
    this.#maxBytes = maxBytes;
    this.#onCut = onCut;
  }

  readonly add = (chunk: Buffer): void => {
    this.#sizeBytes += chunk.length;
    if (this.isCut) this.#onCut();
    else this.#chunks.push(chunk);
  };

  get isCut(): boolean {
    return this.#sizeBytes > this.#maxBytes;
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString();
  }
}
