import { startDeadline } from '../../../lib/base/abortable.js';
import type { Clock } from '../../../lib/base/clock.js';
import { messageOf, RequestError } from '../../../lib/base/errors.js';
import { distinct } from '../../../lib/base/maps.js';
import { commandLine, oneLine } from '../../../lib/base/text.js';
import { formatPercent } from '../../../lib/base/units.js';
import { type KubectlResult, NoKubectlError, runKubectl } from '../../kubectl.js';
import type { PodContainer, PodContainers, VolumeMount } from './container-mounts.js';
import type { ContainerListing, Walk } from './pod-directories.js';
import { parseWalkOutput, walkCommand, type WalkOutput, type WalkPlan } from './walk-script.js';

/** What all containers of a pod are listed with. */
export interface ListingContext {
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  readonly pod: PodContainers;
  readonly durationSeconds: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The flags of kubectl that were given for the cluster. */
  readonly connection: readonly string[];
  /** The command that lists the pod again. */
  readonly ownCommand: string;
}

/** A container that runs. */
export type RunningContainer = PodContainer & { readonly startedAtMs: number };

/** The script writes far less. */
const maxOutputBytes = 2 ** 20;
/** For what is not the listing itself. */
const extraMs = 10_000;

/** Has all that the script needs. */
const usualImage = 'busybox:1.36';
/** Until a person has run the next command. */
const spareSeconds = 270;

/** Returns one mount for each of the volumes that the container has, and that are not listed yet. */
export function unlistedMounts(
  { emptyDirs }: PodContainer,
  listed: ReadonlySet<string | undefined>,
): readonly VolumeMount[] {
  const unlisted = emptyDirs.filter(({ volume }) => !listed.has(volume));
  return distinct(unlisted, ({ volume }) => volume);
}

export function planOf(
  { startedAtMs, paths }: RunningContainer,
  mounts: readonly VolumeMount[],
  { durationSeconds, root }: Pick<WalkPlan, 'durationSeconds' | 'root'>,
): WalkPlan {
  const emptyDirPaths = mounts.map(({ path }) => path);
  const otherPaths = paths.filter((path) => !emptyDirPaths.includes(path));
  return { root, startedAtMs, durationSeconds, emptyDirPaths, otherPaths };
}

/**
 * Lists a container; where it has no program for that, in an ephemeral container beside it, if there is one. Rejects with the error
 * that any other container would meet too: the user may not.
 */
export async function listContainer(
  container: RunningContainer,
  mounts: readonly VolumeMount[],
  context: ListingContext,
): Promise<ContainerListing> {
  const { name, helper } = container;
  const plan = (root: WalkPlan['root']): WalkPlan => planOf(container, mounts, { ...context, root });
  try {
    let tried = await attempt(name, plan(''), context);
    if (tried.missingTools.length > 0 && helper !== undefined)
      tried = await attempt(helper, plan('/proc/1/root'), context);
    if (tried.missingTools.length === 0) return found(container, mounts, tried);
    const where = helper === undefined ? 'its image' : `that of the ephemeral container ${helper}`;
    const tools = tried.missingTools.map((tool) => toolTexts[tool] ?? tool);
    const lack = `there is no ${tools.join(', no ')} in ${where}`;
    if (context.pod.sharesProcesses) return notListed(name, `${lack}, and its processes are shared with others`);
    return notListed(name, lack, [commandLine(debugCommand(name, context)), context.ownCommand]);
  } catch (error) {
    if (error instanceof NoKubectlError || !(error instanceof RequestError) || error.reason === 'forbidden')
      throw error;
    return notListed(name, messageOf(error));
  }
}

const toolTexts: Readonly<Record<string, string>> = { stat: 'stat that shows ctimes' };

/** Adds an ephemeral container that sees the files of the container, also those of another user, and that ends by itself. */
function debugCommand(
  target: string,
  { pod: { namespace, name }, durationSeconds, connection }: ListingContext,
): readonly string[] {
  const flags = [`--image=${usualImage}`, `--target=${target}`, '--profile=general'];
  const end = ['--', 'sleep', String(durationSeconds + spareSeconds)];
  return ['kubectl', ...connection, 'debug', '-n', namespace, name, ...flags, ...end];
}

/** Returns the arguments of the kubectl that walks a container. */
export function execWords(
  { namespace, name }: PodContainers,
  container: string,
  plan: WalkPlan,
  connection: readonly string[],
): readonly string[] {
  return [...connection, 'exec', '-n', namespace, name, '-c', container, '--', ...walkCommand(plan)];
}

async function attempt(
  containerName: string,
  plan: WalkPlan,
  { environment, pod, clock, signal, durationSeconds, connection }: ListingContext,
): Promise<WalkOutput> {
  using deadline = startDeadline({
    clock,
    durationMs: durationSeconds * 1000 + extraMs,
    error: () => new RequestError('timeout', `no complete answer within ${durationSeconds + extraMs / 1000} s`),
    parent: signal,
  });
  const words = execWords(pod, containerName, plan, connection);
  const result = await runKubectl(words, environment, maxOutputBytes, deadline.signal);
  const output = parseWalkOutput(result.output);
  if (hasNoShell(result)) return { ...output, missingTools: ['shell'] };
  const problem = problemOf(result);
  if (problem !== undefined) throw new RequestError('decode', problem);
  return output;
}

/** Codes of a program that is not there or cannot be run: of runtimes that start it and report what becomes of it. */
const noProgramCodes = [126, 127];

/**
 * Looks at the whole of the message: what the layers of a runtime put before its end is longer than what people are shown.
 * https://github.com/opencontainers/runc/issues/3715; crun and gVisor have other words than runc.
 */
function hasNoShell({ exitCode, errorOutput }: KubectlResult): boolean {
  if (noProgramCodes.includes(exitCode)) return true;
  return exitCode !== 0 && /executable file|finding executable|no such file or directory/i.test(errorOutput);
}

function problemOf({ exitCode, errorOutput }: KubectlResult): string | undefined {
  if (exitCode === 0) return undefined;
  const own = errorOutput.replace(/^command terminated with exit code \d+\n/m, '');
  const why = oneLine(own.replace(/^error: /, ''));
  return `the command ended with exit code ${exitCode}${why === '' ? '' : `: ${why}`}`;
}

function found(
  { name }: RunningContainer,
  mounts: readonly VolumeMount[],
  { walks, ioPressure }: WalkOutput,
): ContainerListing {
  if (ioPressure !== undefined) {
    const share = formatPercent(ioPressure);
    return notListed(name, `all tasks of its node waited for the disks in ${share} of the last 10 s; try again later`);
  }
  const listed = new Map(
    [undefined, ...mounts].flatMap((mount, index) => {
      const walk = walks.get(index);
      return walk === undefined ? [] : [[mount?.volume, withoutRoot(walk, mount)] as const];
    }),
  );
  if (listed.size > mounts.length) return { container: name, walks: listed };
  return { ...notListed(name, 'the list ended early'), walks: listed };
}

/** The mount of an emptyDir itself is a part already. */
function withoutRoot(walk: Walk, mount: VolumeMount | undefined): Walk {
  return { ...walk, entries: walk.entries.filter(({ path }) => path !== mount?.path) };
}

function notListed(container: string, why: string, commands: readonly string[] = []): ContainerListing {
  return {
    container,
    walks: new Map(),
    problem: { container, text: `Container ${container} was not listed: ${why}.`, commands },
  };
}
