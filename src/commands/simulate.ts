import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { type Command, Option } from 'commander';

import type { SimulatedCluster } from '../../sim/cluster.js';
import type { ScenarioName } from '../../sim/scenarios/catalogue.js';
import { codeOf, UsageError, UserError } from '../lib/base/errors.js';
import { shellWord } from '../lib/base/text.js';
import type { CommandContext } from './context.js';

/** Named here too, as the production image has the flags and no simulated cluster. */
export const scenarioNames = [
  'mixed',
  'images-full',
  'log-flood',
  'lost-kubelet',
  'ci-burst',
] as const satisfies readonly ScenarioName[];

export interface SimulationFlags {
  readonly scenario: ScenarioName;
  readonly nodes?: string;
  readonly pods?: string;
  readonly seed: string;
}

const maxNodeCount = 1000;
const defaultNodeCount = '5';

/** Takes what the simulated cluster consists of. */
export function withSimulation(command: Command): Command {
  return command
    .addOption(
      new Option('--scenario <name>', 'what happens in the cluster').choices(scenarioNames).default(scenarioNames[0]),
    )
    .option('--nodes <number>', `number of nodes, from 2 to ${maxNodeCount} (default: ${defaultNodeCount})`)
    .option('--pods <number>', 'number of pods at the start, in all, up to 110 a node (default: those of the scenario)')
    .option('--seed <number>', 'seed of names, sizes and growth', '1');
}

/** What `demo` and `simulate` share. */

/** Throws UsageError for a flag that is no number of its range, and UserError without the simulated cluster. */
export async function simulatedCluster(flags: SimulationFlags, { clock }: Pick<CommandContext, 'clock'>) {
  const seed = wholeNumber('--seed', flags.seed, { max: 2 ** 32 - 1 });
  const { nodes, pods } = flags;
  const nodeCount = wholeNumber('--nodes', nodes ?? defaultNodeCount, { min: 2, max: maxNodeCount });
  const podCount = pods === undefined ? undefined : wholeNumber('--pods', pods, { max: 110 * maxNodeCount });
  const { SimulatedCluster, addExporter, scenarioOf } = await loadSimulation();
  const scenario = scenarioOf({ name: flags.scenario, nodeCount, podCount });
  return {
    scenario,
    start: (): Promise<SimulatedCluster> => SimulatedCluster.start({ seed, clock, controlPort: 0, scenario }),
    /** Of an exporter that listens on this port. */
    addExporter: ({ model }: SimulatedCluster, port: number): void => {
      addExporter(model, port);
    },
  };
}

function wholeNumber(
  flag: string,
  text: string,
  { min = 0, max }: { readonly min?: number; readonly max: number },
): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= min && number <= max) return number;
  throw new UsageError(`${flag}: found "${text}", allowed: a whole number from ${min} to ${max}`);
}

/** Loads the simulated cluster. Throws UserError if it is not part of the bundle, as in the production image. */
async function loadSimulation() {
  try {
    const [{ SimulatedCluster }, { addExporter }, { scenarioOf }] = await Promise.all([
      import('../../sim/cluster.js'),
      import('../../sim/model/exporter-pod.js'),
      import('../../sim/scenarios/catalogue.js'),
    ]);
    return { SimulatedCluster, addExporter, scenarioOf };
  } catch (error) {
    if (codeOf(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new UserError(
      'the simulated cluster is not part of this installation; run it from a checkout: npm ci && npm run demo',
    );
  }
}

/** A file that is readable by its owner alone, until disposal. */
export async function kubeconfigFile(text: string): Promise<AsyncDisposable & { readonly path: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ephemeral-storage-exporter-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const file = path.join(folder, 'kubeconfig');
  await writeFile(file, text, { mode: 0o600 }).catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  return { path: file, [Symbol.asyncDispose]: remove };
}

/** The simulated cluster alone, until the stop signal. */
export async function simulate(flags: SimulationFlags, context: CommandContext): Promise<void> {
  const { stopSignal, writeOut } = context;
  const simulation = await simulatedCluster(flags, context);
  await using cluster = await simulation.start();
  await using kubeconfig = await kubeconfigFile(cluster.kubeconfig());
  writeOut(
    [
      `kubeconfig   ${kubeconfig.path}`,
      `API server   ${cluster.apiUrl}`,
      `faults       ${cluster.controlUrl ?? ''}/sim/nodes`,
      `try          kubectl --kubeconfig ${shellWord(kubeconfig.path)} get pods -A -o wide`,
      '',
    ].join('\n'),
  );
  if (!stopSignal.aborted) await once(stopSignal, 'abort');
}
