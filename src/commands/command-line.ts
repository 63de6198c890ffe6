import { Command, CommanderError, Option } from 'commander';

import { messageOf, UserError } from '../base/errors.js';
import { ConfigError } from '../config/faults.js';
import { listSettings } from '../config/settings.js';
import type { FlagValues } from '../config/text-layers.js';
import { checkConfig } from './check-config.js';
import { addClusterCommands } from './cluster-commands.js';
import { configFileOf, credentialFlags, withConfigFile, withCredentials } from './cluster-flags.js';
import type { CommandContext } from './context.js';
import { demo } from './demo.js';
import type { SettingFlags } from './load-settings.js';
import { markdownTable } from './markdown.js';
import { compatibilityTable, metricsTable } from './metrics.js';
import { createContext } from './process-context.js';
import { replay } from './replay.js';
import { serve } from './serve.js';
import { simulate } from './simulate.js';
import { UsageError } from './usage-error.js';

const exitCodes = { failure: 1, usage: 2 } as const;

/** Runs the command that the process's arguments name and sets its exit code: 1 for a failure, 2 for wrong usage. */
export async function runCommandLine(process: NodeJS.Process): Promise<void> {
  const context = createContext(process);
  try {
    await createProgram(context.version, () => context).parseAsync(process.argv);
  } catch (error) {
    process.exitCode = exitCodeOf(error);
    if (error instanceof CommanderError) return;
    context.writeError(`${error instanceof UserError ? error.message : `internal error: ${messageOf(error)}`}\n`);
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  const isUsage =
    error instanceof CommanderError ||
    error instanceof UsageError ||
    (error instanceof ConfigError && error.faults.every(({ source }) => source.startsWith('--')));
  return isUsage ? exitCodes.usage : exitCodes.failure;
}

/** The commands with their purpose, as markdown. */
export function commandTable(): string {
  const program = createProgram('', () => {
    throw new Error('nothing runs here');
  });
  return markdownTable(
    ['Command', 'What it does'],
    program.commands.map((command) => [`\`${command.name()}\``, command.description()]),
  );
}

/** Calls `context` when a command runs. */
function createProgram(version: string, context: () => CommandContext): Command {
  const program = new Command('ephemeral-storage-exporter')
    .description(
      'Prometheus exporter of the ephemeral storage of Kubernetes workloads, pods, containers, volumes and nodes',
    )
    .exitOverride()
    .configureOutput({
      outputError: (text, write) => {
        write(text.replaceAll(/\s*\n\s*/g, ' ').trim() + '\n');
      },
    })
    .version(version);
  addServingCommands(program, context);
  addClusterCommands(program, context);
  addFileCommands(program, context);
  return program;
}

function addServingCommands(program: Command, context: () => CommandContext): void {
  withCredentials(withSettings(program.command('serve', { isDefault: true })))
    .description('The exporter, for the cluster of a kubeconfig or of the pod that it runs in; the default command')
    .allowExcessArguments() // as the default command it is given the names of those that do not exist
    .action(async (_options, command: Command) => {
      const [unexpected] = command.args;
      if (unexpected !== undefined) throw unknownCommand(unexpected, program);
      await serve({ settings: settingFlags(command), ...credentialFlags(command) }, context());
    });
  withSettings(program.command('demo'))
    .description('A simulated cluster and the exporter for it')
    .action(async (_options, command: Command) => {
      await demo(settingFlags(command), context());
    });
  program
    .command('simulate')
    .description('The simulated cluster alone, for any client: prints the path of a kubeconfig for it')
    .option('--port <number>', 'port of the API server; 0 for any', '0')
    .option('--seed <number>', 'what its workloads grow by', '1')
    .option('--fault <node=fault...>', 'faults of kubelets from the start')
    .action(async (_options, command: Command) => {
      await simulate(command.opts<{ port: string; seed: string; fault?: readonly string[] }>(), context());
    });
}

function unknownCommand(name: string, program: Command): UsageError {
  const names = program.commands.map((command) => command.name());
  return new UsageError(`unexpected "${name}"; the commands are ${names.join(', ')}`);
}

function addFileCommands(program: Command, context: () => CommandContext): void {
  withSettings(program.command('check-config'))
    .description('Prints the effective settings, or every fault in one run')
    .action(async (_options, command: Command) => {
      await checkConfig(settingFlags(command), context());
    });
  withConfigFile(program.command('replay'))
    .description('The exposition that recorded summaries and API objects give')
    .requiredOption('--summaries <path>', 'folder (or file) of `/stats/summary` bodies, *.json')
    .option('--objects <path>', 'folder (or file) of pods and nodes, JSON or YAML, lists or single objects')
    .action(async (_options, command: Command) => {
      const { summaries, objects } = command.opts<{ summaries: string; objects?: string }>();
      await replay({ settings: settingFlags(command), summaries, objects }, context());
    });
  program
    .command('metrics')
    .description('The table of metric families, as markdown')
    .option('--compatibility', 'only the families that metrics.compatibility adds or changes')
    .action(({ compatibility = false }: { readonly compatibility?: boolean }) => {
      context().writeOut(`${compatibility ? compatibilityTable() : metricsTable()}\n`);
    });
}

const settingRows = listSettings().flatMap(({ flag, path, help, allowed, defaultText }) =>
  flag === undefined ? [] : [{ flag, path, help, allowed, defaultText }],
);

/** Takes the flags of the settings, and the file with all of them. */
function withSettings(command: Command): Command {
  withConfigFile(command);
  for (const { flag, help, allowed, defaultText } of settingRows) {
    const isSwitch = defaultText === 'false';
    const values = isSwitch ? '' : `${allowed}; `;
    const option = new Option(isSwitch ? flag : `${flag} <value>`, `${help} (${values}default: ${defaultText})`);
    command.addOption(defaultText.startsWith('[') ? option.argParser(collect) : option);
  }
  return command;
}

function collect(value: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), value];
}

function settingFlags(command: Command): SettingFlags {
  const values: Record<string, FlagValues[string]> = {};
  for (const option of command.options) {
    const isSetting = settingRows.some(({ flag }) => flag === option.long);
    if (!isSetting) continue;
    values[option.name()] = command.getOptionValue(option.attributeName()) as FlagValues[string];
  }
  return { configFile: configFileOf(command), values };
}
