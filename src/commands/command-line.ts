import path from 'node:path';

import { CommanderError } from 'commander';

import { messageOf, UsageError, UserError } from '../base/errors.js';
import { programName } from '../base/text.js';
import { ConfigError } from '../config/faults.js';
import { type CommandContext, createContext } from './context.js';
import { commandFirst, plainFlags } from './flag-order.js';
import { createProgram } from './program.js';
import { pluginFiles, pluginName, programNameOf } from './program-name.js';
import { terminalLines } from './text/terminal-text.js';

/** Hidden: the program does not list them. The words behind them are those of an unfinished command line. */
const completeCommands = { shell: '__complete', kubectl: '__complete_kubectl' } as const;

const exitCodes = { success: 0, failure: 1, usage: 2 } as const;

/** Runs the command that the process's arguments name and sets its exit code. */
export async function runCommandLine(process: NodeJS.Process): Promise<void> {
  const [, file = '', ...args] = process.argv;
  const context = createContext(process);
  if (path.basename(file) === pluginFiles.completion) args.unshift(completeCommands.kubectl);
  const exitCode = await runArguments(args, context, programNameOf(file));
  // An exec plugin may still be running, and a shell would wait for it.
  if (isCompletion(args)) process.stdout.write('', () => process.exit(exitCode));
  // 0 would overwrite the failure to write the output.
  if (exitCode !== exitCodes.success) process.exitCode = exitCode;
}

/** Runs the command that the arguments name. Resolves to the exit code: 1 for a failure, 2 for wrong usage. */
export async function runArguments(
  args: readonly string[],
  context: CommandContext,
  name = programName,
): Promise<number> {
  if (isCompletion(args)) return await complete(args, name, context);
  const program = createProgram(name, context, args);
  try {
    // A plugin of kubectl serves nothing unless it is asked to.
    const isBare = args.length === 0 && name === pluginName;
    const given = isBare ? ['--help'] : commandFirst(plainFlags(args, program), program);
    await program.parseAsync(given, { from: 'user' });
    return exitCodes.success;
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      const message = error instanceof UserError ? error.message : `internal error: ${messageOf(error)}`;
      context.writeError(`${terminalLines(message)}\n`);
    }
    return exitCodeOf(error);
  }
}

function isCompletion([command]: readonly string[]): boolean {
  return command === completeCommands.shell || command === completeCommands.kubectl;
}

async function complete([form, ...words]: readonly string[], name: string, context: CommandContext): Promise<0 | 1> {
  const { printCompletion, printKubectlCompletion } = await import('./complete.js');
  const print = form === completeCommands.kubectl ? printKubectlCompletion : printCompletion;
  return await print(words, name, context);
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.success;
  const isUsage =
    error instanceof CommanderError ||
    error instanceof UsageError ||
    (error instanceof ConfigError && error.faults.every(({ source }) => source.startsWith('--')));
  return isUsage ? exitCodes.usage : exitCodes.failure;
}
