import { Argument, type Command, InvalidArgumentError, Option } from 'commander';

import { UsageError } from '../base/errors.js';
import { parseDuration } from '../base/units.js';
import { parseQuantity } from '../kube/quantity.js';
import type { CommandContext } from './context.js';
import { type ExporterAddress, parseExporter, withFiles } from './evictions/exporter-address.js';
import type { ExplainOptions } from './explain/explain-command.js';
import type { ClusterFlags } from './one-shot.js';
import {
  explainForms,
  type ExplainResource,
  explainResources,
  outputFlag,
  parseExplainResource,
  parseTopResource,
  topForms,
  type TopResource,
  topResources,
} from './resources.js';
import {
  credentialFlags,
  recordingFlags,
  settingFlags,
  withCredentials,
  withRecordings,
  withSettingsFile,
} from './setting-flags.js';
import type { TopOptions } from './top/top-command.js';

interface NamespaceFlags {
  readonly namespace?: string;
  readonly allNamespaces?: true;
}

interface TopFlags extends NamespaceFlags {
  readonly selector?: string;
  readonly workload?: string;
  readonly sortBy?: string;
  readonly limit?: number;
  readonly output: TopOptions['output'];
  readonly headers: boolean;
  readonly watch?: true;
  readonly interval?: number;
}

const exporterMisuse =
  '--exporter is only for "top evictions" and "explain eviction": what is used now is read from the cluster, with the credentials of your kubeconfig';

const defaultIntervalMs = 5000;
const intervalRange = { minMs: 100, maxMs: 3_600_000 } as const;

/** The commands that read a cluster and serve nothing. */
export function addClusterCommands(program: Command, context: CommandContext): void {
  withSource(program.command('top'))
    .description('Show the largest consumers: workloads, pods, containers, volumes or nodes; or the evicted pods')
    .addArgument(
      resourceArgument('[resource]', 'what to list', topResources).argParser(parseTopResource).default('pods'),
    )
    .option('-l, --selector <selector>', 'only pods whose labels match, such as app=cart,tier!=test')
    .option('--workload <name>', 'only pods of this workload: NAME, TYPE/NAME or NAMESPACE/TYPE/NAME')
    .addOption(outputFlag(topForms))
    .option('--sort-by <column>', 'sort by a column instead of the size, such as ratio')
    .option('--no-headers', 'omit the header of the table')
    .addOption(
      new Option(
        '--limit <number>',
        'maximum number of rows; 0: all (default: 20 on a terminal, otherwise all)',
      ).argParser(parseLimit),
    )
    .option('-w, --watch', 'refresh at every interval until interrupted; kubelets are scraped once per cache.ttl')
    .addOption(new Option('--interval <duration>', 'time between refreshes (default: 5s)').argParser(parseInterval))
    .action(async (resource: TopResource, flags: TopFlags, command: Command) => {
      const exporter = exporterFlags(command);
      if (exporter !== undefined && resource !== 'evictions') throw new UsageError(exporterMisuse);
      const options = { ...clusterFlags(command), ...topOptions(flags), resource, exporter };
      if (options.recordings !== undefined && flags.watch === true)
        throw new UsageError('--watch and --summaries exclude each other');
      const { top } = await import('./top/top-command.js');
      await top(options, context);
    });
  withSource(program.command('explain'))
    .description(
      'Show what adds up to the usage of a pod, which pods a workload has, whom a node would evict first, or what an evicted pod used',
    )
    .addArgument(resourceArgument('<resource>', 'what to explain', explainResources).argParser(parseExplainResource))
    .argument('<name>', 'NAME or NAMESPACE/NAME; of a workload also TYPE/NAME or NAMESPACE/TYPE/NAME')
    .addOption(outputFlag(explainForms))
    .addOption(
      new Option(
        '--free <size>',
        'of a node: bytes that evictions are to free, such as 5Gi (default: what is missing; else 10 % of each threshold)',
      ).argParser(parseSize),
    )
    .action(
      async (
        resource: ExplainResource,
        name: string,
        flags: NamespaceFlags & Pick<ExplainOptions, 'output'> & { readonly free?: number },
        command: Command,
      ) => {
        const { output, free: freeBytes } = flags;
        const exporter = exporterFlags(command);
        if (exporter !== undefined && resource !== 'eviction') throw new UsageError(exporterMisuse);
        if (freeBytes !== undefined && resource !== 'node') throw new UsageError('--free is for nodes');
        const options = { ...clusterFlags(command), ...namespaceOptions(flags), resource, name, output };
        const { explain } = await import('./explain/explain-command.js');
        await explain({ ...options, freeBytes, exporter }, context);
      },
    );
}

function withSource(command: Command): Command {
  return withSettingsFile(withRecordings(withCredentials(withNamespace(command))))
    .addOption(
      new Option(
        '--exporter <address>',
        'exporter whose evictions are read: URL or NAMESPACE/SERVICE[:PORT] (default: ephemeral-storage-exporter/ephemeral-storage-exporter:metrics)',
      ).argParser(parseExporter),
    )
    .option('--exporter-token-file <file>', 'with --exporter URL: file with the bearer token that it requires')
    .option('--exporter-basic-auth-file <file>', 'with --exporter URL: file with the line USER:PASSWORD')
    .option('--exporter-ca-file <file>', 'with --exporter URL: CA of its certificate, PEM');
}

function exporterFlags(command: Command): ExporterAddress | undefined {
  const { exporter, ...files } = command.opts<{
    readonly exporter?: ExporterAddress;
    readonly exporterTokenFile?: string;
    readonly exporterBasicAuthFile?: string;
    readonly exporterCaFile?: string;
  }>();
  const { exporterTokenFile: tokenFile, exporterBasicAuthFile: basicAuthFile, exporterCaFile: caFile } = files;
  return withFiles(exporter, { tokenFile, basicAuthFile, caFile });
}

function withNamespace(command: Command): Command {
  return command
    .option('-n, --namespace <name>', 'namespace (default: that of the context)')
    .option('-A, --all-namespaces', 'all namespaces');
}

/** The choices are for help and completion: the parser understands more forms. */
function resourceArgument(name: string, description: string, choices: readonly string[]): Argument {
  const argument = new Argument(name, `${description}: ${choices.join(', ')}`);
  argument.argChoices = [...choices];
  return argument;
}

function clusterFlags(command: Command): ClusterFlags {
  return { ...credentialFlags(command), settings: settingFlags(command), recordings: recordingFlags(command) };
}

function namespaceOptions(flags: NamespaceFlags): Pick<TopOptions, 'namespace' | 'allNamespaces'> {
  const { namespace } = flags;
  const allNamespaces = flags.allNamespaces === true;
  if (namespace !== undefined && allNamespaces)
    throw new UsageError('--namespace and --all-namespaces exclude each other');
  return { namespace, allNamespaces };
}

function topOptions(flags: TopFlags): Omit<TopOptions, keyof ClusterFlags | 'resource' | 'exporter'> {
  const { selector = '', workload, sortBy, limit, output, headers, watch, interval } = flags;
  if (interval !== undefined && watch === undefined) throw new UsageError('--interval needs --watch');
  return {
    ...namespaceOptions(flags),
    selector,
    workload,
    sortBy,
    limit: limit === 0 ? Infinity : limit,
    output,
    hasHeader: headers,
    watchIntervalMs: watch && (interval ?? defaultIntervalMs),
  };
}

function parseLimit(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Allowed: a whole number, 0 for all.');
  return Number(text);
}

function parseSize(text: string): number {
  const bytes = parseQuantity(text);
  if (bytes !== undefined && bytes > 0) return bytes;
  throw new InvalidArgumentError('Allowed: a quantity above 0, such as 500Mi or 5Gi.');
}

function parseInterval(text: string): number {
  const durationMs = parseDuration(text);
  const { minMs, maxMs } = intervalRange;
  if (durationMs !== undefined && durationMs >= minMs && durationMs <= maxMs) return durationMs;
  throw new InvalidArgumentError('Allowed: a duration such as 500ms, 5s or 1m, from 100ms to 1h.');
}
