import type { Config } from '../../config/schema.js';
import { workloadName } from '../../workload/workload.js';
import type { ClusterReading } from '../cluster-reader.js';
import type { CommandContext } from '../context.js';
import { notFound } from '../not-found.js';
import { type ClusterFlags, withCluster } from '../one-shot.js';
import { dataText } from '../text/data-text.js';
import { screenColumns } from '../text/screen.js';
import { terminalText } from '../text/terminal-text.js';
import { UsageError } from '../usage-error.js';
import { podReports } from './pod-explanation.js';
import { podText } from './pod-text.js';
import { workloadReport, workloads } from './workload-explanation.js';
import { workloadText } from './workload-text.js';

export const explainSubjects = ['pod', 'workload'] as const;

export interface ExplainOptions extends ClusterFlags {
  readonly subject: (typeof explainSubjects)[number];
  /** Of a pod `NAMESPACE/NAME`. */
  readonly name: string;
  readonly output: 'text' | 'json';
}

/** What makes up a number. Throws UserError when there is nothing of the name. */
export async function explain(options: ExplainOptions, context: CommandContext): Promise<void> {
  const print = options.subject === 'pod' ? podPrinter(options, context) : workloadPrinter(options, context);
  await withCluster(options, context, async (reader, config) => {
    const reading = await reader.read(config.scrape.maxDurationMs, context.stopSignal);
    context.stopSignal.throwIfAborted();
    print(reading, config);
  });
}

type Printer = (reading: ClusterReading, config: Config) => void;

function podPrinter({ name: fullName, output }: ExplainOptions, context: CommandContext): Printer {
  const [namespace = '', name = '', ...rest] = fullName.split('/');
  if (namespace === '' || name === '' || rest.length > 0) {
    throw new UsageError(`explain pod "${terminalText(fullName)}": expected NAMESPACE/NAME`);
  }
  return (reading, config) => {
    const reports = podReports(reading, { namespace, name }, config.attribution);
    if (reports.length === 0) throw notFound('pod', fullName, podNames(reading));
    const options = { width: screenColumns(context.terminal()), readAtMs: reading.readAtMs };
    const text =
      output === 'json' ? dataText(reports, 'json') : reports.map((report) => podText(report, options)).join('\n');
    context.writeOut(text);
  };
}

function workloadPrinter({ name, output }: ExplainOptions, context: CommandContext): Printer {
  return (reading, config) => {
    const report = workloadReport(reading, { name, settings: config.workloads });
    if (report === undefined) throw notFound('workload', name, workloads(reading).map(workloadName));
    const width = screenColumns(context.terminal());
    context.writeOut(output === 'json' ? dataText(report, 'json') : workloadText(report, width));
  };
}

function podNames({ snapshot, knownPods }: ClusterReading): readonly string[] {
  const measured = snapshot.nodes.flatMap((node) => (node.state === 'absent' ? [] : node.snapshot.pods));
  return [...knownPods.map(({ pod }) => pod), ...measured].map(({ namespace, name }) => `${namespace}/${name}`);
}
