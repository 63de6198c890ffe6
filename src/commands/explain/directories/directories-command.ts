import { messageOf, RequestError, UsageError, UserError } from '../../../base/errors.js';
import { commandLine } from '../../../base/text.js';
import type { Credentials } from '../../../credentials/credentials.js';
import { readObject } from '../../../http/read-object.js';
import type { JsonObject } from '../../../json/json.js';
import { NotFoundError } from '../../../status/views.js';
import { CommandRequests } from '../../command-requests.js';
import { connectionWords } from '../../connection-words.js';
import type { CommandContext } from '../../context.js';
import { commandCredentials } from '../../load-settings.js';
import { withViews } from '../../one-shot.js';
import { suggestions } from '../../text/suggestions.js';
import { dataText, screenColumns, terminalLines, terminalText } from '../../text/terminal-text.js';
import { type ExplainOptions, podName } from '../explain-command.js';
import {
  listContainer,
  listedMounts,
  type ListingContext,
  planOf,
  type RunningContainer,
} from './container-listing.js';
import { type PodContainers, podContainers } from './container-mounts.js';
import { type ContainerListing, podDirectories, type SummarizedPod } from './directory-report.js';
import { directoryText } from './directory-text.js';
import { walkCommand } from './walk-script.js';

export interface DirectoryOptions extends Omit<ExplainOptions, 'resource'> {
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
  if (options.recordings !== undefined) throw new UsageError('--directories and --summaries exclude each other');
  const given = podName({ ...options, resource: 'pod' });
  if (options.allNamespaces && given.namespace === undefined) {
    throw new UsageError('--directories is for one pod: name it as NAMESPACE/NAME');
  }
  try {
    const credentials = await commandCredentials(options, context);
    const namespace = given.namespace ?? credentials.namespace ?? 'default';
    const path = `/api/v1/namespaces/${namespace}/pods/${given.name}`;
    const pod = podContainers(await readPod(path, credentials, options, context));
    const containers = runningContainers(pod, options.container);
    if (options.isDryRun) printCommands(pod, containers, options, context);
    else await list(pod, containers, options, { ...context, credentials });
  } catch (error) {
    if (context.stopSignal.aborted) throw new UserError('stopped before there was an answer');
    throw error instanceof RequestError ? new UserError(error.message, { cause: error }) : error;
  }
}

function readPod(
  path: string,
  credentials: Credentials,
  { requestTimeoutMs: timeoutMs }: DirectoryOptions,
  { clock, version, writeError, stopSignal }: CommandContext,
): Promise<JsonObject> {
  const api = new CommandRequests({ clock, version, writeError, timeoutMs }).client(credentials);
  return readObject(api, { path }, stopSignal).finally(() => {
    api[Symbol.dispose]();
  });
}

async function list(
  pod: PodContainers,
  containers: readonly RunningContainer[],
  options: DirectoryOptions,
  context: CommandContext & { readonly credentials: Credentials },
): Promise<void> {
  const { clock, stopSignal: signal, credentials, invocation } = context;
  const summary = await summaryOf(pod, options, context);
  const connection = connectionWords(options);
  const words = ['explain', 'pod', '-n', pod.namespace, pod.name, '--directories', ...connection];
  const ownCommand = `${invocation} ${commandLine(words)}`;
  const durationSeconds = durationOf(options);
  const listings = await listAll(containers, {
    credentials,
    pod,
    clock,
    signal,
    durationSeconds,
    connection,
    ownCommand,
  });
  const listing = { pod, listings, volumes: volumesOf(containers), isWhole: options.container === undefined };
  const report = podDirectories(listing, summary);
  const width = screenColumns(context.terminal());
  context.writeOut(options.output === 'text' ? directoryText(report, width) : dataText(report, options.output));
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
    throw new UserError(`no container "${terminalText(wanted)}" in ${place}${suggestions(wanted, names)}`);
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
    for (const { mount } of listing.emptyDirs) open.delete(mount.volume);
    listings.push(listing);
  }
  return listings;
}

/** Undefined where there is none, which a line on standard error reports: a pod can be listed without it. */
async function summaryOf(
  { namespace, name }: PodContainers,
  options: DirectoryOptions,
  context: CommandContext,
): Promise<SummarizedPod | undefined> {
  const found: SummarizedPod[] = [];
  const subject = { namespaceOf: () => namespace, podName: name };
  try {
    await withViews(options, context, subject, async ({ source }) => {
      const reader = await source.read(context.stopSignal);
      const { data } = await reader.object('pod', [namespace, name], {});
      found.push(...data.pods.flatMap((pod) => (pod.state === 'unmeasured' ? [] : [pod])));
    });
  } catch (error) {
    if (!(error instanceof UserError || error instanceof NotFoundError)) throw error;
    context.writeError(`No summary to compare with: ${terminalText(messageOf(error))}\n`);
  }
  return found[0];
}

/** As kubectl would run them. */
function printCommands(
  { namespace, name }: PodContainers,
  containers: readonly RunningContainer[],
  options: DirectoryOptions,
  { writeOut }: CommandContext,
): void {
  const { output } = options;
  const open = new Set(volumesOf(containers));
  const commands = containers.map((container) => {
    const mounts = listedMounts(container, open);
    for (const { volume } of mounts) open.delete(volume);
    const words = walkCommand(planOf(container, mounts, { durationSeconds: durationOf(options), root: '' }));
    const target = ['exec', '-n', namespace, name, '-c', container.name];
    return ['kubectl', ...connectionWords(options), ...target, '--', ...words];
  });
  if (output !== 'text') writeOut(dataText(commands, output));
  else for (const command of commands) writeOut(`${terminalLines(commandLine(command))}\n`);
}
