import { messageOf, UserError } from '../../../lib/base/errors.js';
import { commandLine, escapeLines } from '../../../lib/base/text.js';
import type { CommandContext } from '../../context.js';
import { connectionWords } from '../../setting-flags.js';
import { type DirectoryOptions, parseDirectories, writeDirectories } from './directory-report.js';
import { runKubectl, shellScript } from './kubectl.js';

const script = shellScript('walk-node.sh');
const defaultMs = 1_800_000;

/**
 * Measures the disk of a node in a pod of `kubectl debug node`, with the permissions of the person who asks. The pod is deleted in the
 * end, also when the command is stopped. Throws UserError where kubectl reports a failure.
 */
export async function explainNodeDirectories(options: DirectoryOptions, context: CommandContext): Promise<void> {
  const { name, image, isDryRun, output } = options;
  const place = [...connectionWords(options), ...(options.namespace === undefined ? [] : ['-n', options.namespace])];
  const flags = [`--image=${image}`, '--profile=sysadmin', '--', 'sh', '-c', script, 'sh', '/host'];
  const debug = [...place, 'debug', `node/${name}`, ...flags];
  if (isDryRun) {
    const steps = [debug, ...Object.values(stepsAfter('POD', place, options))];
    context.writeOut(steps.map((words) => `${escapeLines(commandLine(['kubectl', ...words]))}\n`).join(''));
    return;
  }
  // Not stopped: a pod that was created must be known to be deleted.
  const created = await runKubectl(debug, context);
  const pod = /\bnode-debugger-[a-z0-9.-]+/.exec(created.output + created.errors)?.[0];
  if (pod === undefined) throw new UserError(`kubectl debug: ${created.problem ?? 'it did not name its pod'}`);
  const { wait, logs, remove } = stepsAfter(pod, place, options);
  const { stopSignal: signal } = context;
  try {
    const waited = await runKubectl(wait, context, { signal });
    const read = await runKubectl(logs, context, { signal });
    if (read.problem !== undefined) throw new UserError(`kubectl logs: ${read.problem}`);
    const problems = waited.problem === undefined ? [] : [{ text: `Not all is measured: ${waited.problem}.` }];
    writeDirectories({ title: `Node ${name}, by du:`, ...parseDirectories(read.output), problems }, output, context);
  } finally {
    const removed = await runKubectl(remove, context).catch((error: unknown) => ({ problem: messageOf(error) }));
    if (removed.problem !== undefined)
      context.writeError(`The debug pod may still be there: ${commandLine(['kubectl', ...remove])}\n`);
  }
}

/** Returns the arguments of the kubectl that does what comes after the debug pod was created. */
function stepsAfter(pod: string, place: readonly string[], { requestTimeoutMs = 0 }: DirectoryOptions) {
  const seconds = Math.ceil((requestTimeoutMs || defaultMs) / 1000);
  return {
    wait: [...place, 'wait', `pod/${pod}`, '--for=jsonpath={.status.phase}=Succeeded', `--timeout=${seconds}s`],
    logs: [...place, 'logs', pod],
    remove: [...place, 'delete', 'pod', pod, '--ignore-not-found', '--wait=false'],
  };
}
