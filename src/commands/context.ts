import { homedir, hostname } from 'node:os';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';

import { systemClock } from '../lib/base/clock.js';
import { readOpenFileLimit } from '../lib/base/open-files.js';
import { programName, shellWord } from '../lib/base/text.js';
import type { ReadingProcess } from '../serve/source/command-requests.js';
import { readVersion } from '../version.js';
import type { CommandOutput } from './text/output.js';

/** What a command has of the process that it runs in. */
export interface CommandContext extends ReadingProcess, CommandOutput {
  /** How a shell in any folder calls the program, such as `node /src/dist/cli.js`. */
  readonly invocation: string;
  /** Calls `listener` at each SIGHUP. */
  readonly onHangUp: (listener: () => void) => void;
  /** Compiles no code from then on: less memory, for less speed. */
  readonly interpretOnly: () => void;
}

/** After a stop signal the event loop drains; what still holds the process then is ended by force. */
const forcedExitMs = 25_000;

/** V8's compilers, all but that of regular expressions. https://v8.dev/docs */
const noCompilers = ['--no-opt', '--no-maglev', '--no-sparkplug'];

/** The first SIGINT or SIGTERM stops gracefully, the second ends the process at once. */
export function createContext(process: NodeJS.Process): CommandContext {
  const stop = new AbortController();
  const stopOrExit = (): void => {
    if (stop.signal.aborted) process.exit(1);
    stop.abort(new Error('stopped by a signal'));
    setTimeout(() => process.exit(1), forcedExitMs).unref();
  };
  const outputClosed = new AbortController();
  // Who reads the output may leave early (`| head`); a log that nobody reads needs no message.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    outputClosed.abort(error);
    if (error.code === 'EPIPE') return;
    process.exitCode = 1;
    process.stderr.write(`standard output: ${error.message}\n`);
  });
  process.stderr.on('error', () => undefined);
  process.on('SIGINT', stopOrExit).on('SIGTERM', stopOrExit);
  return {
    environment: process.env,
    homeDir: readHomeDir(),
    hostName: hostname(),
    clock: systemClock,
    random: Math.random,
    version: readVersion(),
    invocation: invocationOf(process.argv[1] ?? ''),
    openFileLimit: readOpenFileLimit(),
    stopSignal: stop.signal,
    outputClosed: outputClosed.signal,
    onHangUp: (listener) => {
      process.on('SIGHUP', listener);
    },
    interpretOnly: () => {
      for (const flag of noCompilers) setFlagsFromString(flag);
    },
    terminal: () => (process.stdout.isTTY ? { columns: process.stdout.columns, rows: process.stdout.rows } : undefined),
    writeOut: (text) => process.stdout.write(text),
    writeError: (text) => process.stderr.write(text),
  };
}

/** `/` for a user without $HOME and without an entry in /etc/passwd, as container runtimes set it: Node.js throws. */
function readHomeDir(): string {
  try {
    return homedir();
  } catch {
    return '/';
  }
}

/** kubectl finds plugins as programs of such a name: https://kubernetes.io/docs/tasks/extend-kubectl/kubectl-plugins/ */
const pluginFile = 'kubectl-ephemeral_storage';

/** Returns how a shell in any folder calls the program that was started by its file: a script, or an installed program. */
export function invocationOf(file: string): string {
  if (path.extname(file) === '.js') return `node ${shellWord(path.resolve(file))}`;
  const name = path.basename(file);
  return name === pluginFile ? programName : name;
}
