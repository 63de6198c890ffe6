import type { BenchCluster } from './bench-cluster.js';
import { BenchExporter } from './exporter.js';
import { podCountOf, type Shape } from './shapes.js';

export const phases = ['start', 'warm', 'changes', 'readers', 'idle', 'lists', 'steady', 'hanging', 'library'] as const;
export type Phase = (typeof phases)[number];

export interface RunOptions {
  readonly shape: Shape;
  /** The built `cli.js`. */
  readonly cli: string;
  /** As `PATH=VALUE`, beside the profile of the shape. */
  readonly settings: readonly string[];
  /** Of each figure, at least; the median counts. */
  readonly roundCount: number;
  /** Minutes of steady scrapes, each with an interval of a minute or a compressed one. */
  readonly steadyCount: number;
  /** Whether a minute of the steady state takes one. */
  readonly isRealTime: boolean;
  readonly idleSeconds: number;
  readonly say: (line: string) => void;
}

/** One run against one cluster. */
export interface Run extends RunOptions {
  readonly cluster: BenchCluster;
}

/** An exporter with the settings of the run. */
export async function startExporter(
  { cli, cluster, settings }: Run,
  more: readonly string[] = [],
): Promise<BenchExporter> {
  return BenchExporter.start({ cli, access: cluster.access, settings: [...settings, ...more] });
}

/** What was run, for the readers of its table. */
export function describeRun({ shape, settings, steadyCount, isRealTime, idleSeconds }: RunOptions): string {
  const minutes = isRealTime
    ? `${steadyCount} minutes`
    : `${steadyCount} minutes of ${shape.intervalMs / 1_000} s each`;
  return [
    `${shape.name}: ${shape.nodeCount} nodes, ${podCountOf(shape)} pods`,
    settings.join(' '),
    `steady: ${minutes}`,
    `without scrapes: ${idleSeconds} s`,
  ].join('; ');
}
