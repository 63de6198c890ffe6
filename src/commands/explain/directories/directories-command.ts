import { RequestError, UsageError, UserError } from '../../../lib/base/errors.js';
import { didYouMean } from '../../../lib/base/suggestion.js';
import { commandLine, escapeLines } from '../../../lib/base/text.js';
import { terminalText } from '../../../people/pens/terminal-text.js';
import { type CredentialFlags, readPod } from '../../../serve/source/one-shot.js';
import { connectionWords } from '../../connection-words.js';
import type { CommandContext } from '../../context.js';
import { NoKubectlError } from '../../kubectl.js';
import { dataText, screenColumns } from '../../text/output.js';
import { type ExplainOptions, podName } from '../explain-command.js';
import {
  execWords,
  listContainer,
  listedMounts,
  type ListingContext,
  planOf,
  type RunningContainer,
} from './container-listing.js';
import { type PodContainers, podContainers } from './container-mounts.js';
import { directoryText } from './directory-text.js';
import { type ContainerListing, hasFound, type PodDirectories, podDirectories } from './pod-directories.js';

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
  const given = givenPod(options);
  try {
    await listInContainers(podContainers(await readPod(options, context, given)), options, context);
  } catch (error) {
    if (context.stopSignal.aborted) throw new UserError('stopped before there was an answer');
    throw error instanceof RequestError ? new UserError(error.message, { cause: error }) : error;
  }
}

/** Throws UsageError for more than one pod. */
function givenPod(options: DirectoryOptions): ReturnType<typeof podName> {
  const given = podName(options);
  if (options.allNamespaces && given.namespace === undefined) {
    throw new UsageError('--directories is for one pod: name it as NAMESPACE/NAME');
  }
  return given;
}

async function listInContainers(pod: PodContainers, options: DirectoryOptions, context: CommandContext): Promise<void> {
  const containers = runningContainers(pod, options.container);
  if (options.isDryRun) {
    printCommands(pod, containers, options, context);
    return;
  }
  const report = await list(pod, containers, options, context).catch((error: unknown) => {
    if (error instanceof NoKubectlError) printCommands(pod, containers, options, context);
    throw error;
  });
  print(report, options, context);
  if (!hasFound(report)) throw new UserError(`nothing of ${terminalText(`${pod.namespace}/${pod.name}`)} was listed`);
}

async function list(
  pod: PodContainers,
  containers: readonly RunningContainer[],
  options: DirectoryOptions,
  { clock, stopSignal: signal, environment, invocation }: CommandContext,
): Promise<PodDirectories> {
  const connection = connectionWords(options);
  const words = ['explain', 'pod', '-n', pod.namespace, pod.name, '--directories', ...connection];
  const ownCommand = `${invocation} ${commandLine(words)}`;
  const durationSeconds = durationOf(options);
  const listings = await listAll(containers, {
    ...{ environment, pod, clock, signal },
    ...{ durationSeconds, connection, ownCommand },
  });
  return podDirectories({ namespace: pod.namespace, pod: pod.name, node: pod.node }, listings);
}

function print(report: PodDirectories, { output }: DirectoryOptions, { terminal, writeOut }: CommandContext): void {
  writeOut(output === 'text' ? directoryText(report, screenColumns(terminal())) : dataText(report, output));
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

function volumesOf(containers: readonly RunningContainer[]): readonly string[] {
  return [...new Set(containers.flatMap(({ emptyDirs }) => emptyDirs.map(({ volume }) => volume)))];
}

/** One after the other, for the sake of the disk. A volume is listed in the first container that can. */
async function listAll(
  containers: readonly RunningContainer[],
  context: ListingContext,
): Promise<readonly ContainerListing[]> {
  const open = new Set(volumesOf(containers));
  const listings: ContainerListing[] = [];
  for (const container of containers) {
    const listing = await listContainer(container, listedMounts(container, open), context);
    for (const volume of listing.walks.keys()) if (volume !== undefined) open.delete(volume);
    listings.push(listing);
  }
  return listings;
}

/** As kubectl would run them. */
function printCommands(
  pod: PodContainers,
  containers: readonly RunningContainer[],
  options: DirectoryOptions,
  { writeOut }: CommandContext,
): void {
  const { output } = options;
  const open = new Set(volumesOf(containers));
  const commands = containers.map((container) => {
    const mounts = listedMounts(container, open);
    for (const { volume } of mounts) open.delete(volume);
    const plan = planOf(container, mounts, { durationSeconds: durationOf(options), root: '' });
    return ['kubectl', ...execWords(pod, container.name, plan, connectionWords(options))];
  });
  if (output !== 'text') writeOut(dataText(commands, output));
  else for (const command of commands) writeOut(`${escapeLines(commandLine(command))}\n`);
}
