import { type Command, InvalidArgumentError, Option } from 'commander';

import type { SettingFlags } from '../config/load.js';
import { listSettings } from '../config/settings.js';
import type { FlagValues } from '../config/text-layers.js';
import { UsageError } from '../lib/base/errors.js';
import { parseDuration } from '../lib/base/units.js';
import { fileWords, flagWords } from '../serve/source/exporter-address.js';
import type { ClusterFlags, CredentialFlags } from '../serve/source/one-shot.js';
import type { RecordingFlags } from '../serve/source/recorded-core.js';

/** The flags of the settings and of the credentials, for all commands that take them. */

/** The settings that have a flag of their own. */
const settingRows = listSettings().flatMap(({ flag, ...row }) => (flag === undefined ? [] : [{ flag, ...row }]));

/** `--set PATH=VALUE`. */
const assignmentFlag = 'set';

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
    if (choices !== undefined && !isSwitch) option.argChoices = [...choices]; // for the help: the settings check the value themselves
    command.addOption(defaultText.startsWith('[') ? option.argParser(collect) : option);
  }
  return command;
}

function collect(value: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), value];
}

export function settingFlags(command: Command): SettingFlags {
  const options = command.options.filter(({ long }) => settingRows.some(({ flag }) => flag === long));
  const values = Object.fromEntries(
    options.map((option) => [option.name(), command.getOptionValue(option.attributeName()) as FlagValues[string]]),
  );
  const { 'config.file': configFile, set: assignments } = command.opts<{
    'config.file'?: string;
    set?: readonly string[];
  }>();
  return { configFile, values, ...(assignments === undefined ? {} : { assignments }) };
}

/** Takes what names the credentials: the flags of kubectl. */
export function withCredentials(command: Command): Command {
  return command
    .option(
      '--kubeconfig <file>',
      'kubeconfig file (default: $KUBECONFIG, else ~/.kube/config, else the service account of the pod)',
    )
    .option('--context <name>', 'context of the kubeconfig (default: its current context)')
    .option('--cluster <name>', 'cluster of the kubeconfig (default: that of the context)')
    .option('--user <name>', 'user of the kubeconfig (default: that of the context)')
    .option('-s, --server <address>', "URL of the API server, in place of the cluster's; http:// gets no credentials")
    .option('--as <name>', 'user to impersonate, or system:serviceaccount:NAMESPACE:NAME')
    .addOption(new Option('--as-group <name>', 'with --as: group to impersonate; repeatable').argParser(collect))
    .option('--as-uid <uid>', 'with --as: UID to impersonate');
}

/** Takes recordings to read instead of a cluster, that of the flags so far. */
export function withRecordings(command: Command): Command {
  const ofClusters = command.options.map((option) => option.attributeName());
  const help = 'read recordings, not a cluster: folder (or file) of bodies of /stats/summary, *.json';
  const others = ['from', 'exporter', 'watch', 'directories'];
  return command
    .addOption(new Option('--summaries <path>', help).conflicts([...ofClusters, ...others]))
    .option('--objects <path>', 'with --summaries: folder (or file) of pods and nodes, JSON or YAML');
}

/** Undefined without them. Throws UsageError for objects alone. */
export function recordingFlags(command: Command): RecordingFlags | undefined {
  const { summaries, objects } = command.opts<{ summaries?: string; objects?: string }>();
  if (summaries !== undefined) return { summaries, objects };
  if (objects !== undefined) throw new UsageError('--objects needs --summaries');
  return undefined;
}

/** An empty value counts as not set, as with kubectl. */
export function credentialFlags(command: Command): CredentialFlags {
  const given = Object.entries(command.opts()).filter(([, value]) => value !== '');
  const { kubeconfig, context, cluster, user, server, as, asUid, asGroup } = Object.fromEntries(
    given,
  ) as CredentialFlags['overrides'] & { readonly kubeconfig?: string };
  return { kubeconfigPath: kubeconfig, overrides: { context, cluster, user, server, as, asUid, asGroup } };
}

/** Takes the limit of a single request. A server has settings for that. */
export function withRequestTimeout(command: Command): Command {
  return command.addOption(
    new Option(
      '--request-timeout <duration>',
      'limit of a single request to the API server, such as 5s; a number is seconds, 0: no limit',
    ).argParser(parseRequestTimeout),
  );
}

/** Returns milliseconds. Seconds without a unit, as with kubectl. */
export function parseRequestTimeout(text: string): number {
  const durationMs = /^\d+$/.test(text) ? Number(text) * 1000 : parseDuration(text);
  if (durationMs !== undefined && durationMs >= 0) return durationMs;
  throw new InvalidArgumentError('allowed: seconds, or a duration such as 500ms, 5s or 1m; 0 for no limit');
}

/** Returns the given flags that name the cluster and the user, as kubectl has them too: each command that is printed needs them. */
export function connectionWords({ kubeconfigPath: kubeconfig, overrides = {} }: CredentialFlags): readonly string[] {
  const { context, cluster, user, server, as, asUid, asGroup = [] } = overrides;
  const single = { kubeconfig, context, cluster, user, server, as, 'as-uid': asUid };
  return [...flagWords(single), ...asGroup.flatMap((group) => ['--as-group', group])];
}

/** Returns the given flags that name where this program reads from: each command of its own that is printed needs them. */
export function sourceWords({ from, exporter, exporterFiles }: ClusterFlags): readonly string[] {
  const address =
    exporter && 'service' in exporter
      ? `${exporter.namespace}/${exporter.service}:${exporter.port}`
      : exporter?.url.href;
  return [...flagWords({ from, exporter: address }), ...fileWords(exporterFiles ?? {})];
}
