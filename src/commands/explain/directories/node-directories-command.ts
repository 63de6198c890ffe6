import { messageOf, RequestError, UserError } from '../../../lib/base/errors.js';
import { commandLine, escapeLines, oneLine } from '../../../lib/base/text.js';
import { formatBytes } from '../../../lib/base/units.js';
import { type Column, tableLines } from '../../../people/pens/table.js';
import { paragraphs, terminalText, wrapped } from '../../../people/pens/terminal-text.js';
import { requireNode } from '../../../serve/source/one-shot.js';
import type { CommandContext } from '../../context.js';
import { type KubectlResult, NoKubectlError, runKubectl } from '../../kubectl.js';
import { connectionWords } from '../../setting-flags.js';
import { dataText, screenColumns } from '../../text/output.js';
import type { DirectoryOptions } from './directories-command.js';
import { type NodeDirectories, nodeDirectories, ownerNames } from './node-directories.js';
import { shellScript } from './walk-script.js';

/** The namespace is that of the debug pod. */
interface NodeDirectoryOptions extends Omit<DirectoryOptions, 'container'> {
  readonly image: string;
  readonly profile: string;
}

const script = shellScript(new URL('./walk-node.sh', import.meta.url));
const maxOutputBytes = 16 * 2 ** 20;
const defaultMs = 1_800_000;

/**
 * Measures the disk of a node in a pod of `kubectl debug node`, with the permissions of the person who asks. The pod is deleted in the
 * end, also when the command is stopped. Throws UserError where kubectl reports a failure.
 */
export async function explainNodeDirectories(options: NodeDirectoryOptions, context: CommandContext): Promise<void> {
  if (options.isDryRun) {
    await printCommand(options, context);
    return;
  }
  try {
    const uids = await podUids(options, context);
    const text = await inDebugPod(debugWords(options, uids), options, context);
    const report = nodeDirectories(options.name, text);
    context.writeOut(
      options.output === 'text' ? textOf(report, screenColumns(context.terminal())) : dataText(report, options.output),
    );
    if (report.owners.length === 0) throw new UserError(`nothing of ${terminalText(options.name)} was measured`);
  } catch (error) {
    if (error instanceof NoKubectlError) await printCommand(options, context);
    throw error;
  }
}

/** Throws RequestError for a node that there is not; without an answer about it, the command is of use too. */
async function printCommand(options: NodeDirectoryOptions, context: CommandContext): Promise<void> {
  const { writeOut, writeError } = context;
  await requireNode(options, context, options.name).catch((error: unknown) => {
    const isMissing = error instanceof RequestError && error.reason === 'not_found';
    if (isMissing || !(error instanceof RequestError || error instanceof UserError)) throw error;
    writeError(`Whether the node exists was not checked: ${terminalText(messageOf(error))}\n`);
  });
  writeOut(`${escapeLines(commandLine(['kubectl', ...debugWords(options, undefined)]))}\n`);
  writeError('kubectl debug names its pod: kubectl logs of it has what was measured, then kubectl delete pod\n');
}

/** `uids`: those of all pods of the node; undefined where they are not known, and no pod is orphaned. */
function debugWords({ name, image, profile, ...flags }: NodeDirectoryOptions, uids: readonly string[] | undefined) {
  const pod = [`--image=${image}`, `--profile=${profile}`];
  const walk = ['sh', '-c', script, 'sh', '/host', uids === undefined ? '0' : '1', ...(uids ?? [])];
  return [...connectionWords(flags), 'debug', `node/${name}`, ...namespaceWords(flags), ...pod, '--', ...walk];
}

function namespaceWords({ namespace }: Pick<NodeDirectoryOptions, 'namespace'>): readonly string[] {
  return namespace === undefined ? [] : ['-n', namespace];
}

/** Static pods have directories by the hash in their annotations. */
const uidPath =
  '{range .items[*]}{.metadata.uid}{"\\n"}{.metadata.annotations.kubernetes\\.io/config\\.hash}{"\\n"}{.metadata.annotations.kubernetes\\.io/config\\.mirror}{"\\n"}{end}';

async function podUids(options: NodeDirectoryOptions, context: CommandContext): Promise<readonly string[] | undefined> {
  const query = ['get', 'pods', '-A', `--field-selector=spec.nodeName=${options.name}`, '-o', `jsonpath=${uidPath}`];
  try {
    const { exitCode, output } = await run([...connectionWords(options), ...query], context, context.stopSignal);
    if (exitCode === 0) return output.split('\n').filter((uid) => /^[\w-]+$/.test(uid));
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
  }
  context.writeError('Pods of all namespaces cannot be listed: directories of pods that are gone count as pods.\n');
  return undefined;
}

async function inDebugPod(
  words: readonly string[],
  options: NodeDirectoryOptions,
  context: CommandContext,
): Promise<string> {
  const signal = context.stopSignal;
  const place = [...connectionWords(options), ...namespaceWords(options)];
  // Not stopped: a pod that was created must be known to be deleted.
  const created = await run(words, context, new AbortController().signal);
  const pod = /\b(node-debugger-[a-z0-9.-]+)/.exec(created.output + created.errorOutput)?.[1];
  try {
    throwIfFailed('kubectl debug', created);
    if (pod === undefined) throw new UserError('kubectl debug did not name its pod');
    const { requestTimeoutMs = 0 } = options;
    const seconds = Math.ceil((requestTimeoutMs === 0 ? defaultMs : requestTimeoutMs) / 1000);
    const phase = ['wait', `pod/${pod}`, '--for=jsonpath={.status.phase}=Succeeded', `--timeout=${seconds}s`];
    const waited = await run([...place, ...phase], context, signal);
    if (waited.exitCode !== 0) context.writeError(`${terminalText(oneLine(waited.errorOutput))}\n`);
    const logs = await run([...place, 'logs', pod], context, signal);
    throwIfFailed('kubectl logs', logs);
    return logs.output;
  } finally {
    if (pod !== undefined) await deletePod(pod, place, context);
  }
}

async function deletePod(pod: string, place: readonly string[], context: CommandContext): Promise<void> {
  const words = [...place, 'delete', 'pod', pod, '--ignore-not-found', '--wait=false'];
  const isDeleted = await run(words, context, new AbortController().signal).then(
    ({ exitCode }) => exitCode === 0,
    () => false,
  );
  if (!isDeleted) context.writeError(`The debug pod may still be there: ${commandLine(['kubectl', ...words])}\n`);
}

function run(words: readonly string[], { environment }: CommandContext, signal: AbortSignal): Promise<KubectlResult> {
  return runKubectl(words, environment, maxOutputBytes, signal);
}

function throwIfFailed(what: string, { exitCode, errorOutput }: KubectlResult): void {
  if (exitCode !== 0) throw new UserError(`${what}: ${terminalText(oneLine(errorOutput))}`);
}

const columns: readonly Column<NodeDirectories['owners'][number]>[] = [
  { header: 'OWNER', text: ({ owner }) => ownerNames[owner] },
  { header: 'SIZE', text: ({ usedBytes }) => formatBytes(usedBytes), align: 'right' },
  { header: 'PLACES', text: ({ placeCount }) => String(placeCount || '-'), align: 'right', dropRank: 2 },
  { header: 'LARGEST', text: ({ largest: [first] }) => first?.path ?? '-', minWidth: 20, dropRank: 1 },
];

function textOf({ node, owners, unreadable, isComplete }: NodeDirectories, width: number): string {
  const early = isComplete ? [] : ['The list ended early: each owner has at least this much, and others are missing.'];
  const parts = unreadable.map((path) => `${path} could not be measured as a whole.`);
  return paragraphs([
    wrapped([`Node ${node}, by du:`], width),
    tableLines(columns, owners, width),
    wrapped([...early, ...parts.slice(0, 3)], width),
  ]);
}
