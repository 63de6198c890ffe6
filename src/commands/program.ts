import { Command, Option } from 'commander';

import { didYouMean } from '../config/suggestion.js';
import { UsageError } from '../lib/base/errors.js';
import { terminalText } from '../people/pens/terminal-text.js';
import { addClusterCommands } from './cluster-commands.js';
import type { CommandContext } from './context.js';
import { addExamples } from './examples.js';
import { pluginName } from './program-name.js';
import { outputFlag } from './resources.js';
import {
  collect,
  credentialFlags,
  settingFlags,
  withCredentials,
  withSettings,
  withSettingsFile,
} from './setting-flags.js';
import type { SimulateOptions } from './simulate.js';
import { type SimulationFlags, withSimulation } from './simulation-flags.js';
import { dataText } from './text/output.js';

const defaultColumns = 80;

const description =
  'Prometheus exporter of the ephemeral storage of Kubernetes workloads, pods, containers, volumes and nodes';
const pluginDescription =
  'Show what fills the disks of Kubernetes nodes: the ephemeral storage of workloads, pods, containers, volumes and nodes';

/**
 * All commands. Of a context without the rest, only the descriptions are of use. What a command runs is loaded when it
 * runs: the exporter needs no code of `top`, and `top` none of the exporter. `args` are those that it is to parse.
 */
export function createProgram(
  name: string,
  context: Pick<CommandContext, 'version' | 'terminal' | 'writeOut' | 'writeError'> & Partial<CommandContext>,
  args: readonly string[] = [],
): Command {
  const isPlugin = name === pluginName;
  const program = new Command(name)
    .description(isPlugin ? pluginDescription : description)
    .exitOverride()
    .configureOutput({
      writeOut: context.writeOut,
      writeErr: context.writeError,
      getOutHelpWidth: () => context.terminal()?.columns ?? defaultColumns,
      getErrHelpWidth: () => context.terminal()?.columns ?? defaultColumns,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      outputError: (text, write) => {
        write(`${terminalText(argumentError(text))}${terminalText(commandHint(args, program))}\n`);
      },
    })
    .version(context.version, '--version', 'show the version');
  const running = context as CommandContext;
  const addCluster = (): void => {
    addClusterCommands(program, running);
  };
  // The help lists them in this order.
  const parts = isPlugin
    ? [addCluster, addProgramCommands, addServingCommands, addFileCommands]
    : [addServingCommands, addCluster, addFileCommands, addProgramCommands];
  for (const add of parts) add(program, running);
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
    .option('--port <number>', 'port of the API server; 0 for any', '0')
    .addOption(
      new Option(
        '--fault <node=fault>',
        'fault of a kubelet from the start, such as node-3=hang; repeatable',
      ).argParser(collect),
    )
    .action(async (options: SimulateOptions) => {
      const { simulate } = await import('./simulate.js');
      await simulate(options, context);
    });
}

/** A flag of a command is unknown before it. */
function commandHint([first = '', ...others]: readonly string[], program: Command): string {
  const name = first.startsWith('-') ? others.find((word) => isCommand(word, program)) : undefined;
  return name === undefined ? '' : `; ${commandFirst(name, program)}`;
}

function isCommand(word: string, program: Command): boolean {
  return program.commands.some((command) => command.name() === word);
}

function commandFirst(name: string, program: Command): string {
  return `the command comes first, as in "${program.name()} ${name}"`;
}

function unknownCommand(name: string, program: Command): UsageError {
  if (isCommand(name, program)) return new UsageError(commandFirst(name, program));
  const names = program.commands.map((command) => command.name());
  const hint = didYouMean(name, names) || `; the commands are ${names.join(', ')}`;
  return new UsageError(`unknown command "${name}"${hint}`);
}

function addFileCommands(program: Command, context: CommandContext): void {
  withSettings(program.command('check-config'))
    .description('Validate the settings: print the effective ones, or all errors at once')
    .action(async (_options, command: Command) => {
      const { checkConfig } = await import('./check-config.js');
      await checkConfig(settingFlags(command), context);
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

function addProgramCommands(program: Command, context: CommandContext): void {
  program
    .command('version')
    .description('Show the version')
    .addOption(outputFlag(versionForms))
    .action(({ output }: { readonly output: (typeof versionForms)[number] }) => {
      printVersion(output, context);
    });
}

const versionForms = ['text', 'json', 'yaml'] as const;

/** The version of the program and of what it runs on. */
function printVersion(form: (typeof versionForms)[number], { version, writeOut }: CommandContext): void {
  const nodeVersion = process.version.replace(/^v/, '');
  const platform = `${process.platform}/${process.arch}`;
  if (form === 'text') writeOut(`ephemeral-storage-exporter ${version}, Node.js ${nodeVersion}, ${platform}\n`);
  else writeOut(dataText({ version, nodeVersion, platform }, form));
}

const invalidOption = /^option '.*?(?<name>--[\w.-]+).*?' argument '(?<value>.*)' is invalid\. (?<hint>.*)$/;
const tooMany = /^too many arguments for '(.*)'\. Expected (\d+) arguments? but got (\d+)\.$/;

/** Returns commander's text on one line in the style of the program's own errors: `--limit: found "x", allowed: …`. */
function argumentError(text: string): string {
  const line = text.replaceAll(/\s*\n\s*/g, ' ').trim();
  const message = line.replace(/^error: /, '').replace(tooMany, '$1: found $3 arguments, allowed: at most $2');
  const { name, value = '', hint = '' } = invalidOption.exec(message)?.groups ?? {};
  if (name === undefined) return message;
  return `${name}: found "${value}", ${hint.replace(/^Allowed choices are (.*)\.$/, 'allowed: $1')}`;
}
