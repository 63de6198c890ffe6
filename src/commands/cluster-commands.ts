import { Argument, type Command, InvalidArgumentError, Option } from 'commander';

import { parseDuration } from '../base/duration.js';
import type { CommandContext } from './context.js';
import { explain, type ExplainOptions, explainSubjects } from './explain/explain-command.js';
import type { ClusterFlags } from './one-shot.js';
import { credentialFlags, settingFlags, withCredentials, withSettingsFile } from './setting-flags.js';
import { type TopSubject, topSubjects } from './top/text.js';
import { top, type TopOptions } from './top/top.js';
import { UsageError } from './usage-error.js';

interface TopFlags {
  readonly namespace?: string;
  readonly workload?: string;
  readonly limit: number;
  readonly output: TopOptions['output'];
  readonly watch?: true;
  readonly interval?: number;
}

const defaultIntervalMs = 5000;
const intervalRange = { minMs: 100, maxMs: 3_600_000 } as const;

/** The commands that read a cluster and serve nothing. */
export function addClusterCommands(program: Command, context: CommandContext): void {
  const subjects = new Argument('[subject]', 'what to list').choices(topSubjects).default('pods');
  withCredentials(withSettingsFile(program.command('top')))
    .description('Who fills the disks, biggest first: workloads, pods, containers, volumes or nodes')
    .addArgument(subjects)
    .option('--namespace <name>', 'only pods of this namespace, and the workloads and nodes that have such pods')
    .option('--workload <name>', 'only pods of this workload, and the nodes that have such pods')
    .addOption(new Option('--limit <number>', 'rows at most; 0: all').argParser(parseLimit).default(20))
    .addOption(new Option('--output <form>', 'form of the output').choices(['table', 'json']).default('table'))
    .option('--watch', 'once more at each interval, until Ctrl-C; each kubelet is asked at most once per cache.ttl')
    .addOption(new Option('--interval <duration>', 'time between two readings (default: 5s)').argParser(parseInterval))
    .action(async (subject: TopSubject, flags: TopFlags, command: Command) => {
      await top({ ...clusterFlags(command), ...topOptions(subject, flags) }, context);
    });
  withCredentials(withSettingsFile(program.command('explain')))
    .description('What makes up the number of a pod; which pods a workload has and why, and what is missing')
    .addArgument(new Argument('<kind>', 'what to explain').choices(explainSubjects))
    .argument('<name>', 'NAMESPACE/NAME of a pod, or the name of a workload')
    .addOption(new Option('--output <form>', 'form of the output').choices(['text', 'json']).default('text'))
    .action(
      async (
        subject: ExplainOptions['subject'],
        name: string,
        { output }: Pick<ExplainOptions, 'output'>,
        command: Command,
      ) => {
        await explain({ ...clusterFlags(command), subject, name, output }, context);
      },
    );
}

function clusterFlags(command: Command): ClusterFlags {
  return { ...credentialFlags(command), settings: settingFlags(command) };
}

function topOptions(subject: TopSubject, flags: TopFlags): Omit<TopOptions, keyof ClusterFlags> {
  const { namespace, workload, limit, output, watch, interval } = flags;
  if (interval !== undefined && watch === undefined) throw new UsageError('--interval goes with --watch');
  return {
    query: { subject, filter: { namespace, workload }, limit: limit === 0 ? Infinity : limit },
    output,
    watchIntervalMs: watch && (interval ?? defaultIntervalMs),
  };
}

function parseLimit(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Allowed: a whole number, 0 for all.');
  return Number(text);
}

function parseInterval(text: string): number {
  const durationMs = parseDuration(text);
  const { minMs, maxMs } = intervalRange;
  if (durationMs !== undefined && durationMs >= minMs && durationMs <= maxMs) return durationMs;
  throw new InvalidArgumentError('Allowed: a duration such as 500ms, 5s or 1m, from 100ms to 1h.');
}
