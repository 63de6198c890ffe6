import { CommanderError } from 'commander';

import { ConfigError } from '../config/faults.js';
import { messageOf, UsageError, UserError } from '../lib/base/errors.js';
import { escapeLines, programName } from '../lib/base/text.js';
import { type CommandContext, createContext } from './context.js';
import { createProgram } from './program.js';

const exitCodes = { success: 0, failure: 1, usage: 2 } as const;

/** Runs the command that the process's arguments name and sets its exit code. */
export async function runCommandLine(process: NodeJS.Process): Promise<void> {
  const exitCode = await runArguments(process.argv.slice(2), createContext(process));
  // 0 would overwrite the failure to write the output.
  if (exitCode !== exitCodes.success) process.exitCode = exitCode;
}

/** Runs the command that the arguments name. Resolves to the exit code: 1 for a failure, 2 for wrong usage. */
export async function runArguments(args: readonly string[], context: CommandContext): Promise<number> {
  const program = createProgram(context);
  try {
    // A plugin of kubectl serves nothing unless it is asked to.
    const isBare = args.length === 0 && context.invocation === programName;
    await program.parseAsync(isBare ? ['--help'] : args.map(shortFlag), { from: 'user' });
    return exitCodes.success;
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      const message = error instanceof UserError ? error.message : `internal error: ${messageOf(error)}`;
      context.writeError(`${escapeLines(message)}\n`);
    }
    return exitCodeOf(error);
  }
}

/** `-n=shop` as `-nshop`: kubectl takes both, commander the second alone. */
export function shortFlag(arg: string): string {
  return arg.replace(/^(-[A-Za-z])=(?=.)/, '$1');
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.success;
  const isUsage =
    error instanceof CommanderError ||
    error instanceof UsageError ||
    (error instanceof ConfigError && error.faults.every(({ source }) => source.startsWith('--')));
  return isUsage ? exitCodes.usage : exitCodes.failure;
}
