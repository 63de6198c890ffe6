/** The flags of the settings and of the credentials, for all commands that take them. */
import { type Command, Option } from 'commander';

import { UsageError } from '../base/errors.js';
import { listSettings } from '../config/settings.js';
import type { FlagValues } from '../config/text-layers.js';
import type { CredentialFlags, SettingFlags } from './load-settings.js';
import type { RecordingFlags } from './recorded-collection.js';

/** The settings that have a flag of their own. */
export const settingRows = listSettings().flatMap(({ flag, ...row }) => (flag === undefined ? [] : [{ flag, ...row }]));

/** Whether the flag, with its dashes, sets one setting. */
export function isSettingFlag(flag: string): boolean {
  return settingRows.some((row) => row.flag === flag);
}

/** `--set PATH=VALUE`. */
export const assignmentFlag = 'set';

/** Takes the settings file and `--set`. */
export function withSettingsFile(command: Command): Command {
  return command
    .addOption(new Option('--config.file <file>', 'settings file (YAML)'))
    .addOption(
      new Option(`--${assignmentFlag} <path=value>`, 'any setting, such as cache.ttl=10s; repeatable').argParser(
        collect,
      ),
    );
}

/** Takes the flags of single settings too. */
export function withSettings(command: Command): Command {
  withSettingsFile(command);
  for (const { flag, help, allowed, choices, defaultText } of settingRows) {
    const isSwitch = defaultText === 'false';
    const values = isSwitch || choices !== undefined ? '' : `${allowed}; `;
    const option = new Option(isSwitch ? flag : `${flag} <value>`, `${help} (${values}default: ${defaultText})`);
    if (choices !== undefined && !isSwitch) option.argChoices = [...choices]; // for completion: the settings check the value themselves
    command.addOption(defaultText.startsWith('[') ? option.argParser(collect) : option);
  }
  return command;
}

export function collect(value: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), value];
}

export function settingFlags(command: Command): SettingFlags {
  const values: Record<string, FlagValues[string]> = {};
  for (const option of command.options.filter(({ long }) => long !== undefined && isSettingFlag(long))) {
    values[option.name()] = command.getOptionValue(option.attributeName()) as FlagValues[string];
  }
  const { 'config.file': configFile, set: assignments } = command.opts<{
    'config.file'?: string;
    set?: readonly string[];
  }>();
  return { configFile, values, ...(assignments === undefined ? {} : { assignments }) };
}

/** Takes what names the credentials. */
export function withCredentials(command: Command): Command {
  return command
    .option(
      '--kubeconfig <file>',
      'kubeconfig file (default: $KUBECONFIG, else ~/.kube/config, else the service account of the pod)',
    )
    .option('--context <name>', 'context of the kubeconfig (default: its current context)');
}

/** Takes recordings to read instead of a cluster. */
export function withRecordings(command: Command): Command {
  return command
    .option(
      '--summaries <path>',
      'read recordings, not a cluster: folder (or file) of bodies of /stats/summary, *.json',
    )
    .option('--objects <path>', 'with --summaries: folder (or file) of pods and nodes, JSON or YAML');
}

/** Undefined without them. Throws UsageError for flags that exclude each other. */
export function recordingFlags(command: Command): RecordingFlags | undefined {
  const { summaries, objects } = command.opts<{ summaries?: string; objects?: string }>();
  if (summaries === undefined) {
    if (objects !== undefined) throw new UsageError('--objects needs --summaries');
    return undefined;
  }
  const { kubeconfig, context } = credentialFlags(command);
  if (kubeconfig !== undefined) throw new UsageError('--summaries and --kubeconfig exclude each other');
  if (context !== undefined) throw new UsageError('--summaries and --context exclude each other');
  return { summaries, objects };
}

export function credentialFlags(command: Command): CredentialFlags {
  const { kubeconfig, context } = command.opts<{ kubeconfig?: string; context?: string }>();
  return { kubeconfig, context };
}
