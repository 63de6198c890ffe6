import { messageOf, RequestError, UserError } from '../../../base/errors.js';
import { formatAge } from '../../../base/units.js';
import { problemsOf } from '../../../report/directory-texts.js';
import type { PartReport, PodDirectories, SummarizedPod } from '../../../report/pod-directories.js';
import { NotFoundError } from '../../../status/view-errors.js';
import type { Views } from '../../../status/views.js';
import type { CommandContext } from '../../context.js';
import { type ClusterFlags, withViews } from '../../one-shot.js';
import { terminalText } from '../../text/terminal-text.js';
import type { ViewReader } from '../../views/view-source.js';

interface AskedPod {
  readonly namespace: string;
  readonly name: string;
}

/** How a pod is to be listed. */
interface ListingFlags extends ClusterFlags {
  /** The only one to list; undefined: all. */
  readonly container: string | undefined;
  readonly isDryRun: boolean;
}

export interface ExporterAnswer {
  /** Undefined where there is none: a pod can be listed without it. */
  readonly summary: SummarizedPod | undefined;
  /** By the agent on its node; undefined where commands in its containers are to list them. */
  readonly measured: PodDirectories | undefined;
  /** Lines about what is missing. */
  readonly notes: readonly string[];
}

/** Whether an agent is to measure the pod, where there is one: it measures all containers, and an exporter has to be read. */
export function asksAgent({ container, isDryRun, from }: ListingFlags): boolean {
  return container === undefined && !isDryRun && from !== 'kubelets';
}

/** Reads what an exporter has of the pod, or the kubelet. A line on standard error names the agent when it has measured the pod. */
export async function askExporter(
  { namespace, name }: AskedPod,
  options: ListingFlags,
  context: CommandContext,
): Promise<ExporterAnswer> {
  const summaries: SummarizedPod[] = [];
  const notes: string[] = [];
  let measured: PodDirectories | undefined;
  const subject = { namespaceOf: () => namespace, podName: name };
  try {
    await withViews(options, context, subject, async ({ source }) => {
      const reader = await source.read(context.stopSignal);
      const { data } = await reader.object('pod', [namespace, name], {});
      summaries.push(...data.pods.flatMap((pod) => (pod.state === 'unmeasured' ? [] : [pod])));
      if (!asksAgent(options)) return;
      const hasAgent = data.pods.some((pod) => pod.measured !== undefined);
      const found = hasAgent ? await agentAnswer([namespace, name], reader, options, context) : 'no agent measures it';
      if (typeof found === 'string') notes.push(`Listed by commands in its containers: ${found}.`);
      else measured = found;
    });
  } catch (error) {
    if (!(error instanceof UserError || error instanceof NotFoundError)) throw error;
    notes.push(`No summary to compare with: ${messageOf(error)}`);
  }
  return { summary: summaries[0], measured, notes };
}

const pauseMs = 1_000;
/** A walk takes a minute at most, and others may be before it. */
const defaultWaitMs = 90_000;

/** Returns why there is none, in words. */
async function agentAnswer(
  path: readonly string[],
  reader: ViewReader,
  options: ListingFlags,
  context: CommandContext,
): Promise<PodDirectories | string> {
  try {
    const measured = await untilMeasured([...path, 'directories'], reader, options, context);
    if (measured?.directories === undefined) return 'the agent on its node has not measured it in time';
    const { state, directories, ageMs = 0 } = measured;
    if (state === 'failed') return `the agent on its node could not measure it${reasonOf(directories)}`;
    const node = terminalText(directories.node ?? '');
    context.writeError(`Measured by the agent on node ${node} ${formatAge(ageMs)} ago.\n`);
    if (directories.parts.some(isCut)) context.writeError(cutNote);
    return directories;
  } catch (error) {
    if (!(error instanceof RequestError || error instanceof NotFoundError)) throw error;
    return `the agent on its node does not measure it (${messageOf(error)})`;
  }
}

function reasonOf(directories: PodDirectories): string {
  const [problem] = problemsOf(directories);
  return problem === undefined ? '' : ` (${problem.text})`;
}

const cutNote = 'Not all of it was measured: with --from kubelets it is listed by commands in its containers.\n';

/** What is in a container, and not all of it was found. */
function isCut({ part, state }: PartReport): boolean {
  if (part === 'logs' || part === 'other') return false;
  return state === 'unmeasured' || state === 'timeout' || state === 'stopped';
}

async function untilMeasured(
  path: readonly string[],
  reader: ViewReader,
  { requestTimeoutMs = defaultWaitMs }: ListingFlags,
  { clock, stopSignal }: CommandContext,
): Promise<Views['directories'] | undefined> {
  const endMs = clock.monotonicMs() + (requestTimeoutMs === 0 ? Infinity : requestTimeoutMs);
  do {
    const { data } = await reader.object('directories', path, {});
    if (data.state === 'measured' || data.state === 'failed') return data;
    await clock.sleep(pauseMs, stopSignal);
  } while (clock.monotonicMs() < endMs);
  return undefined;
}
