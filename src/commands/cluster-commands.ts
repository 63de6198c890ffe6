import { Argument, type Command, InvalidArgumentError, Option } from 'commander';

import { workloadTypeOf } from '../facts/workload/workload-types.js';
import { UsageError, UserError } from '../lib/base/errors.js';
import { parseDuration } from '../lib/base/units.js';
import { terminalText } from '../people/pens/terminal-text.js';
import type { ListResource, ObjectResource } from '../serve/source/answer-source.js';
import { checkedFiles, type ExporterAddress, parseExporter, viewOrigins } from '../serve/source/exporter-address.js';
import type { ClusterFlags } from '../serve/source/one-shot.js';
import type { CommandContext } from './context.js';
import type { ExplainOptions } from './explain/explain-command.js';
import {
  explainForms,
  explainResources,
  isPathSegment,
  outputFlag,
  parseExplainTarget,
  parseTopResource,
  topForms,
  topResources,
} from './resources.js';
import {
  credentialFlags,
  recordingFlags,
  settingFlags,
  withCredentials,
  withRecordings,
  withRequestTimeout,
  withSettingsFile,
} from './setting-flags.js';
import {
  type NamespaceFlags,
  namespaceOptions,
  parseFieldSelector,
  type TopFlags,
  topOptions,
} from './top/top-flags.js';

/** The commands that read a cluster and serve nothing. */
export function addClusterCommands(program: Command, context: CommandContext): void {
  addTop(program, context);
  addExplain(program, context);
}

function addTop(program: Command, context: CommandContext): void {
  withSource(program.command('top'))
    .description(
      'Show the largest consumers: pods, containers, volumes, workloads, nodes or namespaces; what is evicted next; or what was evicted',
    )
    .addArgument(
      resourceArgument('[resource]', 'what to list', topResources).argParser(parseTopResource).default('pods'),
    )
    .argument('[name]', 'the only pod, node or namespace')
    .option('-l, --selector <selector>', 'only pods whose labels match, such as app=cart,tier!=test')
    .option('--workload <name>', 'only pods of this workload: NAME, TYPE/NAME or NAMESPACE/TYPE/NAME')
    .option('--node <name>', 'only what is on this node')
    .addOption(
      new Option('--field-selector <selector>', 'of top: only spec.nodeName=NODE, as --node does')
        .argParser(parseFieldSelector)
        .conflicts('node')
        .hideHelp(),
    )
    .addOption(new Option('--containers', 'of top pods: their containers, as top containers').hideHelp())
    .addOption(outputFlag(topForms))
    .option('--sort-by <column>', 'sort by a column, such as ratio')
    .addOption(new Option('--no-headers', 'of top: omit the header of the table').hideHelp())
    .addOption(
      new Option(
        '--limit <number>',
        'maximum number of rows; 0: as many as an answer has, 1000 (default: 20 on a terminal, otherwise 0)',
      ).argParser(parseLimit),
    )
    .option('-w, --watch', 'refresh at every interval until interrupted')
    .addOption(
      new Option('--interval <duration>', 'with --watch: time between refreshes (default: 5s)')
        .argParser(parseInterval)
        .hideHelp(),
    )
    .helpOption(false)
    .option('-h, --help', 'show this, and what the columns of the resource mean')
    .action(async (resource: ListResource, name: string | undefined, flags: TopFlags, command: Command) => {
      if (flags.help === true) {
        const { columnsHelp } = await import('./reading-commands.js');
        command.addHelpText('after', columnsHelp(resource, context)).outputHelp();
        return;
      }
      const cluster = clusterFlags(command);
      const options = topOptions(resource, name, flags);
      const { runTop } = await import('./reading-commands.js');
      await runTop({ ...options, sortBy: flags.sortBy }, cluster, context);
    });
}

function addExplain(program: Command, context: CommandContext): void {
  withSource(program.command('explain'))
    .description(
      'Show what adds up to the usage of a pod, which pods a workload or a namespace has, whom a node would evict first, or why a pod was evicted',
    )
    .addArgument(
      resourceArgument('<resource>', 'what to explain, also as RESOURCE/NAME or deploy/NAME', explainResources),
    )
    .argument(
      '[name]',
      'NAME or NAMESPACE/NAME; of a workload, or of its newest eviction, also TYPE/NAME or NAMESPACE/TYPE/NAME',
    )
    .addOption(outputFlag(explainForms))
    .option('--all', 'of a node or a pod: with the details that are left out otherwise')
    .addOption(
      new Option(
        '--directories',
        'of a pod: the largest directories and files, by kubectl exec; of a node: whose its bytes are, by kubectl debug',
      ).conflicts(['from', 'exporter', 'allNamespaces']),
    )
    .option('-c, --container <name>', 'with --directories: only this container')
    .option('--dry-run', 'with --directories: print the commands and run none')
    .option('--image <image>', 'with --directories: the image of a debug pod or container (default: busybox:1.36)')
    .action(async (word: string, second: string | undefined, flags: ExplainFlags, command: Command) => {
      const { resource, name } = parseExplainTarget(word, second);
      checkFlags(resource, flags);
      const { output, all: isWhole = false } = flags;
      const place = resource === 'eviction' ? evictionPlace(name, flags) : namespaceOptions(flags);
      const options = { ...clusterFlags(command), ...place, resource, name, output, isWhole };
      if (flags.directories === true) {
        await runDirectories(options, flags, context);
        return;
      }
      const { runExplain } = await import('./reading-commands.js');
      await runExplain(options, options, context);
    });
}

async function runDirectories(
  options: ClusterFlags & ExplainOptions,
  { container, dryRun: isDryRun = false, image = 'busybox:1.36' }: ExplainFlags,
  context: CommandContext,
): Promise<void> {
  const directoryOptions = { ...options, container, image, isDryRun };
  try {
    if (options.resource === 'node') {
      const { explainNodeDirectories } = await import('./explain/directories/node-directories.js');
      await explainNodeDirectories(directoryOptions, context);
    } else {
      const { explainPodDirectories } = await import('./explain/directories/pod-directories.js');
      await explainPodDirectories(directoryOptions, context);
    }
  } catch (error) {
    throw context.stopSignal.aborted ? new UserError('stopped before there was an answer') : error;
  }
}

interface ExplainFlags extends NamespaceFlags, Pick<ExplainOptions, 'output'> {
  readonly all?: boolean;
  readonly directories?: boolean;
  readonly container?: string;
  readonly dryRun?: boolean;
  readonly image?: string;
}

/** Throws UsageError for a flag that is for other resources, or that needs another flag. */
function checkFlags(resource: ObjectResource, { directories = false, container, image, dryRun }: ExplainFlags): void {
  const [needing] = Object.entries({ container, image, 'dry-run': dryRun }).filter(([, value]) => value !== undefined);
  if (needing !== undefined && !directories) throw new UsageError(`--${needing[0]} needs --directories`);
  if (container !== undefined && resource !== 'pod') throw new UsageError('--container is for pods');
  if (directories && resource !== 'pod' && resource !== 'node')
    throw new UsageError('--directories is for pods and nodes');
}

/** The name of a pod or a workload may begin with its namespace, or with the type of the workload. Throws UsageError. */
function evictionPlace(name: string, flags: NamespaceFlags): ReturnType<typeof namespaceOptions> {
  const given = namespaceOptions(flags);
  const [namespace = '', ...others] = name.split('/');
  if (others.length === 0 || (others.length === 1 && workloadTypeOf(namespace) !== undefined)) return given;
  if (given.namespace === undefined || given.namespace === namespace) return { namespace, allNamespaces: false };
  throw new UsageError(`explain eviction "${terminalText(name)}": --namespace is ${terminalText(given.namespace)}`);
}

/** As with kubectl, the flags of the connection are not in the help of the command, but in that of `options`. */
function withSource(command: Command): Command {
  withSettingsFile(withRequestTimeout(withRecordings(withCredentials(command))))
    .addOption(
      new Option(
        '--from <source>',
        'what to read (default: an exporter in the cluster; the kubelets where none can be read)',
      ).choices(viewOrigins),
    )
    .addOption(
      new Option(
        '--exporter <address>',
        'exporter to read: URL or NAMESPACE/SERVICE[:PORT] (default: ephemeral-storage-exporter/ephemeral-storage-exporter, else the only Service with the label app.kubernetes.io/name=ephemeral-storage-exporter)',
      ).argParser(parseExporter),
    )
    .option('--exporter-token-file <file>', 'file with the bearer token that an exporter with a URL requires')
    .option(
      '--exporter-basic-auth-file <file>',
      'file with the line USER:PASSWORD that an exporter with a URL requires',
    )
    .option('--exporter-ca-file <file>', "CA of the exporter's certificate, PEM");
  for (const option of command.options) option.hideHelp();
  return withNamespace(command);
}

/** Throws UsageError for flags that exclude each other. */
function exporterFlags(command: Command): Pick<ClusterFlags, 'from' | 'exporter' | 'exporterFiles'> {
  const { exporter, from, ...files } = command.opts<{
    readonly exporter?: ExporterAddress;
    readonly from?: ClusterFlags['from'];
    readonly exporterTokenFile?: string;
    readonly exporterBasicAuthFile?: string;
    readonly exporterCaFile?: string;
  }>();
  const { exporterTokenFile: tokenFile, exporterBasicAuthFile: basicAuthFile, exporterCaFile: caFile } = files;
  if (exporter !== undefined && from === 'kubelets') {
    throw new UsageError('--exporter and --from kubelets exclude each other');
  }
  const exporterFiles = checkedFiles(exporter, { tokenFile, basicAuthFile, caFile });
  return { from, exporter, exporterFiles };
}

function withNamespace(command: Command): Command {
  return command
    .addOption(
      new Option('-n, --namespace <name>', 'namespace (default: that of the context)').argParser(parseNamespace),
    )
    .option('-A, --all-namespaces', 'all namespaces');
}

/** The choices are for the help: the parser understands more forms. */
function resourceArgument(name: string, description: string, choices: readonly string[]): Argument {
  const argument = new Argument(name, description);
  argument.argChoices = [...choices];
  return argument;
}

function clusterFlags(command: Command): ClusterFlags {
  const { requestTimeout: requestTimeoutMs } = command.opts<{ readonly requestTimeout?: number }>();
  const [recordings, source] = [recordingFlags(command), exporterFlags(command)];
  return { ...credentialFlags(command), settings: settingFlags(command), requestTimeoutMs, recordings, ...source };
}

function parseNamespace(text: string): string {
  if (text === '' || (isPathSegment(text) && !text.includes('='))) return text; // empty: as if it was not given
  throw new InvalidArgumentError('allowed: the name of a namespace');
}

function parseLimit(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('allowed: a whole number, 0 for all');
  return Number(text);
}

function parseInterval(text: string): number {
  const durationMs = parseDuration(text);
  if (durationMs !== undefined && durationMs >= 100 && durationMs <= 3_600_000) return durationMs;
  throw new InvalidArgumentError('allowed: a duration such as 500ms, 5s or 1m, from 100ms to 1h');
}
