import { Command, CommanderError } from 'commander';

import { ConfigError } from '../config/faults.js';
import { messageOf, UsageError, UserError } from '../lib/base/errors.js';
import { didYouMean } from '../lib/base/suggestion.js';
import { escapeLines, programName } from '../lib/base/text.js';
import { terminalText } from '../people/pens/terminal-text.js';
import { addClusterCommands } from './cluster-commands.js';
import { type CommandContext, createContext } from './context.js';
import { addExamples, addOptions } from './examples.js';
import { credentialFlags, settingFlags, withCredentials, withSettings, withSettingsFile } from './setting-flags.js';
import { simulate, type SimulationFlags, withSimulation } from './simulate.js';

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

const defaultColumns = 80;

const description =
  'Show what fills the disks of Kubernetes nodes, to people and to Prometheus: the ephemeral storage of workloads, pods, containers, volumes and nodes';

/**
 * All commands. Of a context without the rest, only the descriptions are of use. What a command runs is loaded when it
 * runs: the exporter needs no code of `top`, and `top` none of the exporter.
 */
export function createProgram(
  context: Pick<CommandContext, 'invocation' | 'version' | 'terminal' | 'writeOut' | 'writeError'> &
    Partial<CommandContext>,
): Command {
  const program = new Command(context.invocation)
    .description(description)
    .exitOverride()
    .configureOutput({
      writeOut: context.writeOut,
      writeErr: context.writeError,
      getOutHelpWidth: () => context.terminal()?.columns ?? defaultColumns,
      getErrHelpWidth: () => context.terminal()?.columns ?? defaultColumns,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      outputError: (text, write) => {
        write(`${terminalText(argumentError(text))}\n`);
      },
    })
    .version(context.version, '--version', 'show the version');
  const running = context as CommandContext;
  // The help lists them in this order.
  addClusterCommands(program, running);
  addServingCommands(program, running);
  addFileCommands(program, running);
  addOptions(program);
  addExamples(program);
  return program;
}

function addServingCommands(program: Command, context: CommandContext): void {
  withCredentials(withSettings(program.command('serve', { isDefault: true })))
    .description('Run the exporter (the default command)')
    .allowExcessArguments() // as the default command it gets the names of commands that do not exist
    .action(async (_options, command: Command) => {
      const [unexpected] = command.args;
      if (unexpected !== undefined) throw unknownCommand(unexpected, program);
      const { serve } = await import('./run-app.js');
      await serve({ settings: settingFlags(command), ...credentialFlags(command) }, context);
    });
  withSettings(withSimulation(program.command('demo')))
    .description('Run a simulated cluster and the exporter for it, and print commands to try')
    .action(async (simulation: SimulationFlags, command: Command) => {
      const { demo } = await import('./demo.js');
      await demo({ settings: settingFlags(command), simulation }, context);
    });
  withSimulation(program.command('simulate'))
    .description('Run a simulated cluster alone and print the path of a kubeconfig for it')
    .action(async (flags: SimulationFlags) => {
      await simulate(flags, context);
    });
}

function unknownCommand(name: string, program: Command): UsageError {
  const names = program.commands.map((command) => command.name());
  if (names.includes(name)) return new UsageError(`the command comes first, as in "${program.name()} ${name}"`);
  const hint = didYouMean(name, names) || `; the commands are ${names.join(', ')}`;
  return new UsageError(`unknown command "${name}"${hint}`);
}

function addFileCommands(program: Command, context: CommandContext): void {
  withSettings(program.command('check-config'))
    .description('Validate the settings: print the effective ones, or all errors at once')
    .argument('[file]', 'settings file (YAML), as with --config.file')
    .action(async (file: string | undefined, _options, command: Command) => {
      const settings = settingFlags(command);
      if (file !== undefined && settings.configFile !== undefined)
        throw new UsageError('the settings file is named twice: as argument, and with --config.file');
      const { checkConfig } = await import('./check-config.js');
      await checkConfig({ ...settings, configFile: file ?? settings.configFile }, context);
    });
  withSettingsFile(program.command('replay'))
    .description('Print the exposition of recorded kubelet summaries and API objects')
    .requiredOption('--summaries <path>', 'folder (or file) of bodies of /stats/summary, *.json')
    .option('--objects <path>', 'folder (or file) of pods and nodes, JSON or YAML, lists or single objects')
    .action(async (_options, command: Command) => {
      const { summaries, objects } = command.opts<{ summaries: string; objects?: string }>();
      const { replay } = await import('./replay.js');
      await replay({ settings: settingFlags(command), summaries, objects }, context);
    });
  program
    .command('metrics')
    .description('Print the table of metric families, as markdown')
    .option('--compatibility', 'only the families that metrics.compatibility adds or changes')
    .action(async ({ compatibility = false }: { readonly compatibility?: boolean }) => {
      const { compatibilityTable, metricsTable } = await import('./metrics.js');
      context.writeOut(`${compatibility ? compatibilityTable() : metricsTable()}\n`);
    });
}

const invalidOption = /^option '.*?(?<name>--[\w.-]+).*?' argument '(?<value>.*)' is invalid\. (?<hint>.*)$/;
const tooMany = /^too many arguments for '(.*)'\. Expected (\d+) arguments? but got (\d+)\.$/;
const conflict = /^option '(?:-\w, )?(--[\w.-]+).*' cannot be used with option '(?:-\w, )?(--[\w.-]+).*'$/;

/** Returns commander's text on one line in the style of the program's own errors: `--limit: found "x", allowed: …`. */
function argumentError(text: string): string {
  const line = text.replaceAll(/\s*\n\s*/g, ' ').trim();
  const message = line
    .replace(/^error: /, '')
    .replace(tooMany, '$1: found $3 arguments, allowed: at most $2')
    .replace(conflict, '$1 and $2 exclude each other');
  const { name, value = '', hint = '' } = invalidOption.exec(message)?.groups ?? {};
  if (name === undefined) return message;
  return `${name}: found "${value}", ${hint.replace(/^Allowed choices are (.*)\.$/, 'allowed: $1')}`;
}
