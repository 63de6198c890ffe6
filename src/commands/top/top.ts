import { UserError } from '../../base/errors.js';
import { workloadName } from '../../workload/workload.js';
import type { ClusterReading } from '../cluster-reader.js';
import type { CommandContext } from '../context.js';
import { notFound } from '../not-found.js';
import { type ClusterFlags, withCluster } from '../one-shot.js';
import { dataText } from '../text/data-text.js';
import { screenColumns } from '../text/screen.js';
import type { PodFilter } from './filter.js';
import { causesOfSilence, missingNotes } from './missing.js';
import { type TopQuery, topRows, topText } from './text.js';

export interface TopOptions extends ClusterFlags {
  readonly query: TopQuery;
  readonly output: 'table' | 'json';
  /** Time between two readings; undefined: one reading. */
  readonly watchIntervalMs: number | undefined;
}

/** The cursor to the upper left corner, and everything below it gone. */
const clearScreen = '\u001b[H\u001b[J';

/** Lists what uses most. Throws UserError when no node gives data, unless it is to be read again. */
export async function top(options: TopOptions, context: CommandContext): Promise<void> {
  await withCluster(options, context, async (reader, config) => {
    const { query, watchIntervalMs } = options;
    const read = (): Promise<ClusterReading> => reader.read(config.scrape.maxDurationMs, context.stopSignal);
    const print = createPrinter(options, context);
    const first = await read();
    context.stopSignal.throwIfAborted();
    checkNames(first, query.filter);
    if (watchIntervalMs !== undefined) {
      await watch({ first, read, print, intervalMs: watchIntervalMs }, context);
      return;
    }
    const causes = causesOfSilence(first);
    if (causes.length === 0 || query.subject === 'nodes') print(first);
    if (causes.length > 0) throw new UserError(causes.join('\n'));
  });
}

interface Watch {
  readonly first: ClusterReading;
  readonly read: () => Promise<ClusterReading>;
  readonly print: (reading: ClusterReading) => void;
  readonly intervalMs: number;
}

/** Until the stop signal, or until nobody reads on: a reading that is cut short is not shown. */
async function watch({ first, read, print, intervalMs }: Watch, context: CommandContext): Promise<void> {
  const { clock, stopSignal, outputClosed } = context;
  const end = AbortSignal.any([stopSignal, outputClosed]);
  for (let reading = first; !end.aborted; reading = await read()) {
    print(reading);
    await clock.sleep(intervalMs, end).catch(() => undefined); // rejects only when it is to end
  }
}

function createPrinter(
  { query, output, watchIntervalMs }: TopOptions,
  context: CommandContext,
): (reading: ClusterReading) => void {
  const isWatch = watchIntervalMs !== undefined;
  let lastNotes = '';
  if (output === 'table') {
    return (reading) => {
      const terminal = context.terminal();
      const isRedrawn = isWatch && terminal !== undefined;
      const screen = { columns: screenColumns(terminal), ...(isRedrawn ? { rows: terminal.rows } : {}) };
      const text = topText(reading, query, screen);
      const separator = isWatch ? '\n' : '';
      context.writeOut(isRedrawn ? clearScreen + text : text + separator);
    };
  }
  return (reading) => {
    context.writeOut(dataText(topRows(reading, query), isWatch ? 'line' : 'json'));
    const notes = missingNotes(reading, query.filter).join('\n');
    if (notes !== lastNotes && notes !== '') context.writeError(`${notes}\n`);
    lastNotes = notes;
  };
}

/** Throws UserError when the filter names what is not there: an empty table would pass for an answer. */
function checkNames({ snapshot, knownPods }: ClusterReading, { namespace, workload }: PodFilter): void {
  const measured = snapshot.nodes.flatMap((node) => (node.state === 'absent' ? [] : node.snapshot.pods));
  const pods = [...knownPods.map(({ pod, workloads }) => ({ namespace: pod.namespace, workloads })), ...measured];
  const namespaces = new Set(pods.map((pod) => pod.namespace));
  if (namespace !== undefined && !namespaces.has(namespace))
    throw notFound('namespace with pods', namespace, namespaces);
  const workloads = new Set([
    ...snapshot.workloads.map(({ workload }) => workloadName(workload)),
    ...pods.flatMap((pod) => pod.workloads.map(workloadName)),
  ]);
  if (workload !== undefined && !workloads.has(workload)) throw notFound('workload', workload, workloads);
}
