import { execFile, type ExecFileException } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

import { UserError } from '../../../lib/base/errors.js';
import { oneLine } from '../../../lib/base/text.js';
import { terminalText } from '../../../people/pens/terminal-text.js';
import type { CommandContext } from '../../context.js';

const runProgram = promisify(execFile);
const maxOutputBytes = 4 * 2 ** 20;

/** The output is text of unknown origin: the programs are those of an image. */
export interface KubectlResult {
  readonly output: string;
  /** Of the program itself, from its standard error. */
  readonly errors: string;
  /** Why it failed, fit for a terminal; undefined unless it did. */
  readonly problem?: string;
  /** A program of a container is not there or cannot be run. */
  readonly hasNoProgram?: boolean;
}

/**
 * Runs kubectl without a shell and without input, for `limitMs` at most. Rejects with UserError where there is no kubectl and where the
 * API server forbids what it does, and with the signal: kubectl is ended then.
 */
export async function runKubectl(
  words: readonly string[],
  { environment: env }: Pick<CommandContext, 'environment'>,
  { signal, limitMs = 0 }: { readonly signal?: AbortSignal; readonly limitMs?: number } = {},
): Promise<KubectlResult> {
  try {
    const running = runProgram('kubectl', words, { env, maxBuffer: maxOutputBytes, signal, timeout: limitMs });
    running.child.stdin?.end();
    const { stdout: output, stderr: errors } = await running;
    return { output, errors };
  } catch (error) {
    signal?.throwIfAborted();
    return failedResult(error as ExecFileException, limitMs);
  }
}

/** Says what a person may not do, as the API server answers kubectl. */
const forbidden = 'Error from server (Forbidden): ';
/** Of runtimes that report what becomes of a program, which is not there or cannot be run, by its exit code. */
const noProgramCodes: readonly unknown[] = [126, 127];
/** What the layers of a runtime put before it is longer than what people are shown. https://github.com/opencontainers/runc/issues/3715 */
const noProgramTexts = /executable file|finding executable|no such file or directory/i;

function failedResult(error: ExecFileException, limitMs: number): KubectlResult {
  const { code, stdout: output = '', stderr: errors = '' } = error;
  if (code === 'ENOENT') throw new UserError('kubectl is not on the PATH: --directories runs it', { cause: error });
  const text = errors.replace(/^command terminated with exit code \d+\n/m, '').trim();
  if (text.startsWith(forbidden)) throw new UserError(terminalText(text.slice(forbidden.length)), { cause: error });
  if (typeof code === 'string') return { output, errors, problem: error.message };
  if (error.killed === true) return { output, errors, problem: `no complete answer within ${limitMs / 1000} s` };
  const hasNoProgram = noProgramCodes.includes(code) || noProgramTexts.test(text);
  const why = terminalText(oneLine(text.replace(/^error: /, ''), 1000));
  return { output, errors, hasNoProgram, problem: why === '' ? `kubectl ended with exit code ${code ?? 1}` : why };
}

/** Returns the text of a script without the comments that have a line of their own: it is sent with each command. */
export function shellScript(name: 'walk-container.sh' | 'walk-node.sh'): string {
  const lines = readFileSync(new URL(`./${name}`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.filter((line) => !line.startsWith('#')).join('\n');
}
