import { UserError } from '../../../lib/base/errors.js';
import { didYouMean } from '../../../lib/base/suggestion.js';
import { commandLine, escapeLines } from '../../../lib/base/text.js';
import { formatBytes } from '../../../lib/base/units.js';
import { terminalText } from '../../../people/pens/terminal-text.js';
import type { CommandContext } from '../../context.js';
import { connectionWords } from '../../setting-flags.js';
import { podName } from '../explain-command.js';
import { type DirectoryOptions, type DirectoryReport, parseDirectories, writeDirectories } from './directory-report.js';
import { runKubectl, shellScript } from './kubectl.js';

const script = shellScript('walk-container.sh');
const defaultSeconds = 30;
const maxSeconds = 86_400;
/** For what is not a walk. */
const extraSeconds = 10;
const maxTimerMs = 2 ** 31 - 1;
/** Until a person has run the next command. */
const spareSeconds = 270;

/** A pod as kubectl prints it, as far as it is read. */
export interface PrintedPod {
  readonly metadata: { readonly namespace: string; readonly name: string };
  readonly spec: {
    readonly nodeName?: string;
    readonly shareProcessNamespace?: boolean;
    readonly hostPID?: boolean;
    readonly volumes?: readonly { readonly name: string; readonly emptyDir?: { readonly medium?: string } }[];
    readonly initContainers?: readonly PrintedContainer[];
    readonly containers: readonly PrintedContainer[];
    readonly ephemeralContainers?: readonly PrintedContainer[];
  };
  readonly status: { readonly phase: string } & Readonly<
    Partial<Record<(typeof statusLists)[number], PrintedStatus[]>>
  >;
}

interface PrintedContainer {
  readonly name: string;
  readonly targetContainerName?: string;
  readonly volumeMounts?: readonly {
    readonly name: string;
    readonly mountPath: string;
    readonly subPath?: string;
    readonly subPathExpr?: string;
  }[];
}

interface PrintedStatus {
  readonly name: string;
  readonly state?: { readonly running?: { readonly startedAt: string } };
}

const statusLists = ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'] as const;

/** What all containers of a pod are walked with. */
interface PodWalk {
  readonly pod: PrintedPod;
  readonly options: DirectoryOptions;
  readonly context: CommandContext;
}

type WalkedContainer = Omit<DirectoryReport, 'title'>;

/**
 * Lists what is in a pod: its containers one after the other, for the sake of the disk, and each volume in the first one that can.
 * Throws UserError for a pod that is not there or does not run, and where the user may not.
 */
export async function explainPodDirectories(options: DirectoryOptions, context: CommandContext): Promise<void> {
  const pod = await readPod(options, context);
  const walk = { pod, options, context };
  const shown = new Set<string>();
  const found: WalkedContainer[] = [];
  for (const container of runningContainers(walk)) {
    const places = placesOf(container, pod, shown);
    if (options.isDryRun) {
      const words = ['kubectl', ...execWords(container.name, container.name, places, walk)];
      context.writeOut(`${escapeLines(commandLine(words))}\n`);
      for (const place of places) shown.add(place.replace(/:.*/, ''));
    } else {
      const walked = await walkContainer(container.name, places, walk);
      for (const { part } of walked.parts) shown.add(part);
      found.push(walked);
    }
  }
  if (options.isDryRun) return;
  const parts = found.flatMap((one) => one.parts);
  const bytes = formatBytes(parts.reduce((sum, part) => sum + part.bytes, 0));
  const title = `Pod ${nameOf(pod)} on ${pod.spec.nodeName ?? 'no node'}: ${bytes} found. Logs are not in it.`;
  const [largest, problems] = [found.flatMap((one) => one.largest), found.flatMap((one) => one.problems)];
  writeDirectories({ title, parts, largest, problems }, options.output, context);
}

function nameOf({ metadata: { namespace, name } }: PrintedPod): string {
  return `${namespace}/${name}`;
}

async function readPod(options: DirectoryOptions, context: CommandContext): Promise<PrintedPod> {
  const { namespace, name } = podName(options);
  const place = namespace === undefined ? [] : ['-n', namespace];
  const words = [...connectionWords(options), 'get', `pod/${name}`, ...place, '-o', 'json'];
  const { problem, output } = await runKubectl(words, context, { signal: context.stopSignal });
  if (problem !== undefined) throw new UserError(problem);
  return JSON.parse(output) as PrintedPod;
}

/** Throws UserError without any. */
function runningContainers({ pod, options: { container: wanted } }: PodWalk): readonly PrintedContainer[] {
  const { initContainers = [], containers } = pod.spec;
  const all = [...initContainers, ...containers];
  const place = `pod ${nameOf(pod)}`;
  const names = all.map(({ name }) => name);
  if (wanted !== undefined && !names.includes(wanted))
    throw new UserError(`no container "${terminalText(wanted)}" in ${place}${didYouMean(wanted, names)}`);
  const running = all.filter(({ name }) => name === (wanted ?? name) && startOf(pod, name) !== undefined);
  if (running.length > 0) return running;
  const what = wanted === undefined ? `no container of ${place} runs` : `container ${wanted} of ${place} does not run`;
  throw new UserError(`${what} (phase ${pod.status.phase})`);
}

/** Returns the second in which a container was started that runs. */
function startOf({ status }: PrintedPod, container: string): number | undefined {
  const all = statusLists.flatMap((list) => status[list] ?? []);
  const running = all.find(({ name }) => name === container)?.state?.running;
  return running && Math.floor(Date.parse(running.startedAt) / 1000);
}

/** Returns its mounts as the script takes them. Those are walked that are a whole emptyDir on disk which no container before it has shown. */
function placesOf(
  { name, volumeMounts = [] }: PrintedContainer,
  { spec: { volumes: all = [] } }: PrintedPod,
  shown: ReadonlySet<string>,
): readonly string[] {
  const volumes = all.filter(({ emptyDir }) => emptyDir !== undefined && !emptyDir.medium);
  const taken = new Set(shown);
  const mounts = volumeMounts.map(({ name: volume, mountPath, subPath, subPathExpr }) => {
    const part = `emptydir ${volume}`;
    const isWhole = !subPath && !subPathExpr && volumes.some((one) => one.name === volume);
    const isWalked = isWhole && !taken.has(part);
    if (isWalked) taken.add(part);
    return `${isWalked ? part : ''}:${mountPath.replace(/\/+$/, '')}`;
  });
  return [`rootfs ${name}:`, ...mounts];
}

/** Returns the arguments of the kubectl that walks a container from itself, or from an ephemeral container beside it. */
function execWords(
  container: string,
  from: string,
  places: readonly string[],
  { pod, options }: PodWalk,
): readonly string[] {
  const { namespace, name } = pod.metadata;
  const root = from === container ? '' : '/proc/1/root';
  const numbers = [startOf(pod, container) ?? 0, walkSeconds(options)].map(String);
  const target = ['exec', '-n', namespace, name, '-c', from, '--'];
  return [...connectionWords(options), ...target, 'sh', '-c', script, 'sh', root, ...numbers, ...places];
}

function walkSeconds({ requestTimeoutMs = defaultSeconds * 1000 }: DirectoryOptions): number {
  return requestTimeoutMs === 0 ? maxSeconds : Math.min(Math.ceil(requestTimeoutMs / 1000), maxSeconds);
}

/** Walks a container; where it has no program for that, from an ephemeral container beside it, if one runs. */
async function walkContainer(container: string, places: readonly string[], walk: PodWalk): Promise<WalkedContainer> {
  const { ephemeralContainers = [], shareProcessNamespace, hostPID } = walk.pod.spec;
  // Process 1 is that of no container: nothing leads from it to the files of one.
  const isShared = [shareProcessNamespace, hostPID].includes(true);
  const helpers = ephemeralContainers.filter((one) => one.targetContainerName === container && !isShared);
  let from = container;
  let walked = await attempt(container, from, places, walk);
  for (const { name } of helpers) {
    if (walked.missing === undefined || startOf(walk.pod, name) === undefined) continue;
    from = name;
    walked = await attempt(container, from, places, walk);
  }
  const { missing, problem, ...measured } = walked;
  if (missing !== undefined) {
    const image = from === container ? 'its image' : `that of the ephemeral container ${from}`;
    const lack = `Container ${container} was not listed: there is no ${missing} in ${image}`;
    if (isShared) return { ...measured, problems: [{ text: `${lack}, and its processes are shared with others.` }] };
    return { ...measured, problems: [{ text: `${lack}.`, commands: debugCommands(container, walk) }] };
  }
  const problems =
    problem === undefined ? [] : [{ text: `Container ${container} was not listed as a whole: ${problem}.` }];
  return { ...measured, problems };
}

/** `missing`: a program without which nothing is listed. */
async function attempt(container: string, from: string, places: readonly string[], walk: PodWalk) {
  const { options, context } = walk;
  const walkedCount = places.filter((place) => !place.startsWith(':')).length;
  const limitMs = Math.min((walkSeconds(options) * walkedCount + extraSeconds) * 1000, maxTimerMs);
  const limits = { limitMs, signal: context.stopSignal };
  const { output, problem, hasNoProgram } = await runKubectl(execWords(container, from, places, walk), context, limits);
  const missing = hasNoProgram === true ? 'shell' : /^m\t([a-z ]{1,30})$/im.exec(output)?.[1];
  const measured = parseDirectories(output);
  const early = measured.parts.length < walkedCount ? 'the list ended early' : undefined;
  return { ...measured, missing, problem: problem ?? early };
}

/** Adds an ephemeral container that sees the files of the container, also those of another user, and that ends by itself. */
function debugCommands(container: string, { pod, options, context }: PodWalk): readonly string[] {
  const { namespace, name } = pod.metadata;
  const connection = connectionWords(options);
  const target = [`--image=${options.image}`, `--target=${container}`, '--profile=general'];
  const sleep = ['--', 'sleep', String(walkSeconds(options) + spareSeconds)];
  const again = ['explain', 'pod', '-n', namespace, name, '--directories', ...connection];
  return [
    commandLine(['kubectl', ...connection, 'debug', '-n', namespace, name, ...target, ...sleep]),
    `${context.invocation} ${commandLine(again)}`,
  ];
}
