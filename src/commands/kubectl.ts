import { execFile, type ExecFileException } from 'node:child_process';
import { promisify } from 'node:util';

import { RequestError, UserError } from '../lib/base/errors.js';

const runProgram = promisify(execFile);

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
 * RequestError where the API server forbids it and for more output than `maxOutputBytes`, or the signal's reason; kubectl is ended then.
 */
export async function runKubectl(
  words: readonly string[],
  env: Readonly<NodeJS.ProcessEnv>,
  maxOutputBytes: number,
  signal: AbortSignal,
): Promise<KubectlResult> {
  try {
    const running = runProgram('kubectl', words, { env, maxBuffer: maxOutputBytes, signal });
    running.child.stdin?.end();
    const { stdout, stderr } = await running;
    return { exitCode: 0, output: stdout, errorOutput: stderr };
  } catch (error) {
    signal.throwIfAborted();
    const { code, stdout, stderr } = error as ExecFileException & { readonly stdout: string; readonly stderr: string };
    if (code === 'ENOENT') throw new NoKubectlError(error);
    if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') {
      throw new RequestError('decode', `more than ${maxOutputBytes} bytes of output`);
    }
    if (typeof code === 'string') throw error;
    if (forbidden.test(stderr)) throw new RequestError('forbidden', stderr.trim().replace(forbidden, ''));
    return { exitCode: code ?? 1, output: stdout, errorOutput: stderr };
  }
}
