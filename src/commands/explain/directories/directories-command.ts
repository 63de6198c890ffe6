import { RequestError, UsageError, UserError } from '../../../lib/base/errors.js';
import { didYouMean } from '../../../lib/base/suggestion.js';
import { commandLine, escapeLines } from '../../../lib/base/text.js';
import { formatBytes } from '../../../lib/base/units.js';
import { type Column, tableLines } from '../../../people/pens/table.js';
import { paragraphs, terminalText, wrapped } from '../../../people/pens/terminal-text.js';
import { type CredentialFlags, readPod } from '../../../serve/source/one-shot.js';
import type { CommandContext } from '../../context.js';
import { NoKubectlError } from '../../kubectl.js';
import { connectionWords } from '../../setting-flags.js';
import { dataText, screenColumns } from '../../text/output.js';
import { type ExplainOptions, podName } from '../explain-command.js';
import {
  execWords,
  listContainer,
  type ListingContext,
  planOf,
  type RunningContainer,
  unlistedMounts,
} from './container-listing.js';
import { type PodContainers, podContainers } from './container-mounts.js';
import {
  type ContainerListing,
  type EntryReport,
  hasFound,
  type PartReport,
  type PodDirectories,
  podDirectories,
} from './pod-directories.js';

export interface DirectoryOptions extends Omit<ExplainOptions, 'resource'>, CredentialFlags {
  readonly requestTimeoutMs?: number | undefined;
  /** Undefined: all that run. */
  readonly container: string | undefined;
  /** Prints what would be run. */
  readonly isDryRun: boolean;
}

/** Of the walks of a container together. */
const defaultDurationSeconds = 30;
const maxDurationSeconds = 86_400;

/**
 * Lists what is in a pod, by commands that run in its containers with the user's own permissions. Throws UserError for a pod that is
 * not there or does not run, and where the user may not.
 */
export async function explainDirectories(options: DirectoryOptions, context: CommandContext): Promise<void> {
  const pod = await readContainers(options, context);
  const { environment, clock, stopSignal: signal, invocation, terminal, writeOut } = context;
  const { namespace, name, node } = pod;
  const { output } = options;
  const containers = runningContainers(pod, options.container);
  const connection = connectionWords(options);
  const words = ['explain', 'pod', '-n', namespace, name, '--directories', ...connection];
  const ownCommand = `${invocation} ${commandLine(words)}`;
  const durationSeconds = durationOf(options);
  const listing = { environment, pod, clock, signal, durationSeconds, connection, ownCommand };
  const printCommands = (): void => {
    const commands = commandsFor(containers, listing);
    const lines = commands.map((command) => `${escapeLines(commandLine(command))}\n`);
    writeOut(output === 'text' ? lines.join('') : dataText(commands, output));
  };
  if (options.isDryRun) {
    printCommands();
    return;
  }
  const listings = await listAll(containers, listing).catch((error: unknown) => {
    if (error instanceof NoKubectlError) printCommands();
    throw error;
  });
  const report = podDirectories({ namespace, pod: name, node }, listings);
  writeOut(output === 'text' ? directoryText(report, screenColumns(terminal())) : dataText(report, output));
  if (!hasFound(report)) throw new UserError(`nothing of ${terminalText(`${namespace}/${name}`)} was listed`);
}

/** Throws UsageError for more than one pod, UserError for none, and RequestError. */
async function readContainers(options: DirectoryOptions, context: CommandContext): Promise<PodContainers> {
  const given = podName(options);
  if (options.allNamespaces && given.namespace === undefined) {
    throw new UsageError('--directories is for one pod: name it as NAMESPACE/NAME');
  }
  const found = await readPod(options, context, given).catch((error: unknown) => {
    if (!(error instanceof RequestError && error.reason === 'not_found')) throw error;
    // Without a namespace, that of the context is meant, as in the question.
    const place = given.namespace === undefined ? [] : ['-n', given.namespace];
    const list = commandLine(['top', 'pods', ...place, ...connectionWords(options)]);
    throw new UserError(`${error.message}; those that there are: ${context.invocation} ${list}`, { cause: error });
  });
  return podContainers(found);
}

function durationOf({ requestTimeoutMs }: DirectoryOptions): number {
  if (requestTimeoutMs === undefined) return defaultDurationSeconds;
  return requestTimeoutMs === 0 ? maxDurationSeconds : Math.min(Math.ceil(requestTimeoutMs / 1000), maxDurationSeconds);
}

/** Throws UserError without any. */
function runningContainers(pod: PodContainers, wanted: string | undefined): readonly RunningContainer[] {
  const { namespace, name, phase, containers } = pod;
  const place = terminalText(`pod ${namespace}/${name}`);
  const named = wanted === undefined ? containers : containers.filter((container) => container.name === wanted);
  if (wanted !== undefined && named.length === 0) {
    const names = containers.map((container) => container.name);
    throw new UserError(`no container "${terminalText(wanted)}" in ${place}${didYouMean(wanted, names)}`);
  }
  const running = named.flatMap((container) =>
    container.startedAtMs === undefined ? [] : [{ ...container, startedAtMs: container.startedAtMs }],
  );
  if (running.length > 0) return running;
  const what =
    wanted === undefined
      ? `no container of ${place} runs`
      : `container ${terminalText(wanted)} of ${place} does not run`;
  throw new UserError(`${what} (phase ${terminalText(phase)}): only running containers can be listed`);
}

/** One after the other, for the sake of the disk. A volume is listed in the first container that can. */
async function listAll(
  containers: readonly RunningContainer[],
  context: ListingContext,
): Promise<readonly ContainerListing[]> {
  const listed = new Set<string | undefined>();
  const listings: ContainerListing[] = [];
  for (const container of containers) {
    const listing = await listContainer(container, unlistedMounts(container, listed), context);
    for (const volume of listing.walks.keys()) listed.add(volume);
    listings.push(listing);
  }
  return listings;
}

/** As they are run where each of them lists all that it is to list. */
function commandsFor(containers: readonly RunningContainer[], context: ListingContext): readonly (readonly string[])[] {
  const { pod, connection } = context;
  const listed = new Set<string>();
  return containers.map((container) => {
    const mounts = unlistedMounts(container, listed);
    for (const { volume } of mounts) listed.add(volume);
    return [
      'kubectl',
      ...execWords(pod, container.name, planOf(container, mounts, { ...context, root: '' }), connection),
    ];
  });
}

const shownCount = 20;

/** Returns what is in a pod, for people. */
function directoryText(report: PodDirectories, width: number): string {
  const { namespace, pod, node, bytes, parts, largest, problems } = report;
  const place = node === undefined ? '' : ` on ${node}`;
  const found = hasFound(report) ? `${formatBytes(bytes)} found. Logs are not in it.` : 'nothing was listed.';
  const hiddenCount = largest.length - shownCount;
  const more = hiddenCount > 0 ? [`and ${hiddenCount} more; -o json has them.`] : [];
  return paragraphs([
    wrapped([`Pod ${namespace}/${pod}${place}: ${found}`], width),
    tableLines(partColumns, parts, width),
    [...tableLines(entryColumns, largest.slice(0, shownCount), width), ...wrapped(more, width)],
    // The commands are this program's own. None is broken, so that it can be copied.
    ...problems.map(({ text, commands }) => [
      ...wrapped([text], width),
      ...commands.map((command) => `  ${terminalText(command)}`),
    ]),
  ]);
}

const partColumns: readonly Column<PartReport>[] = [
  { header: 'PART', text: partName, minWidth: 12 },
  { header: 'USED', text: ({ bytes }) => formatBytes(bytes), align: 'right' },
  { header: 'FILES', text: ({ fileCount }) => String(fileCount), align: 'right', dropRank: 1 },
  { header: '', text: partNote, minWidth: 12 },
];

const entryColumns: readonly Column<EntryReport>[] = [
  { header: 'USED', text: ({ bytes }) => formatBytes(bytes), align: 'right' },
  { header: 'TYPE', text: ({ isDirectory }) => (isDirectory ? 'directory' : 'file'), dropRank: 3 },
  { header: 'IN', text: partName, minWidth: 10, dropRank: 2 },
  { header: 'PATH', text: ({ path }) => path, minWidth: 20 },
];

function partName({ container, volume }: Pick<PartReport, 'container' | 'volume'>): string {
  return volume === undefined ? `rootfs ${container}` : `emptydir ${volume}`;
}

const stateTexts = {
  complete: undefined,
  unreadable: 'some of it could not be read',
  timeout: 'the time was up: at least this much',
} as const;

/** Returns what is to be said of a part; '' for nothing. */
function partNote({ state, skippedCount }: PartReport): string {
  const notes = [stateTexts[state], skippedCount > 0 ? `${skippedCount} names skipped` : undefined];
  return notes.filter((note) => note !== undefined).join('; ');
}
