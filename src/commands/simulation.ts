/** What `demo` and `simulate` share. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { SimulatedCluster } from '../../sim/cluster.js';
import { codeOf, UsageError, UserError } from '../lib/base/errors.js';
import type { CommandContext } from './context.js';
import { defaultNodeCount, maxNodeCount, type SimulationFlags } from './simulation-flags.js';

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
