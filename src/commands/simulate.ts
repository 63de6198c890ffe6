import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { SimulatedCluster } from '../../sim/cluster.js';
import type { parseFault } from '../../sim/simulated-faults.js';
import { messageOf, UserError } from '../base/errors.js';
import type { CommandContext } from './context.js';
import { UsageError } from './usage-error.js';

export interface SimulateOptions {
  readonly port: string;
  readonly seed: string;
  /** `NODE=FAULT`. */
  readonly fault?: readonly string[];
}

/** The simulated cluster alone, until the stop signal. */
export async function simulate(options: SimulateOptions, context: CommandContext): Promise<void> {
  const { clock, stopSignal, writeOut } = context;
  const { SimulatedCluster, parseFault } = await loadSimulation();
  const faults = (options.fault ?? []).map((text) => parseNodeFault(text, parseFault));
  await using cluster = await SimulatedCluster.start({
    clock,
    seed: wholeNumber('--seed', options.seed, 2 ** 32 - 1),
    apiPort: wholeNumber('--port', options.port, 65_535),
    controlPort: 0,
  });
  for (const { nodeName, fault } of faults) await cluster.setFault(nodeName, fault);
  const folder = await mkdtemp(path.join(tmpdir(), 'ephemeral-storage-exporter-'));
  try {
    const kubeconfig = path.join(folder, 'kubeconfig');
    await writeFile(kubeconfig, cluster.kubeconfig(), { mode: 0o600 });
    writeOut(
      [
        `kubeconfig   ${kubeconfig}`,
        `API server   ${cluster.apiUrl}`,
        `faults       ${cluster.controlUrl ?? ''}/sim/nodes`,
        `try          kubectl --kubeconfig ${kubeconfig} get pods -A -o wide`,
        '',
      ].join('\n'),
    );
    if (!stopSignal.aborted) await once(stopSignal, 'abort');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function parseNodeFault(
  text: string,
  parse: typeof parseFault,
): { readonly nodeName: string; readonly fault: ReturnType<typeof parseFault> } {
  const [nodeName, ...fault] = text.split('=');
  if (!nodeName || fault.length === 0)
    throw new UsageError(`--fault ${text}: expected NODE=FAULT, such as node-3=hang`);
  try {
    return { nodeName, fault: parse(fault.join('=')) };
  } catch (error) {
    throw new UsageError(`--fault ${text}: ${messageOf(error)}`, { cause: error });
  }
}

function wholeNumber(flag: string, text: string, max: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number <= max) return number;
  throw new UsageError(`${flag}: found "${text}", allowed: a whole number from 0 to ${max}`);
}

/** Loads the simulated cluster. Throws UserError if it is not part of the bundle, as in the production image. */
export async function loadSimulation(): Promise<{
  readonly SimulatedCluster: typeof SimulatedCluster;
  readonly parseFault: typeof parseFault;
}> {
  try {
    const [cluster, faults] = await Promise.all([
      import('../../sim/cluster.js'),
      import('../../sim/simulated-faults.js'),
    ]);
    return { SimulatedCluster: cluster.SimulatedCluster, parseFault: faults.parseFault };
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
    if (!isMissing) throw error;
    throw new UserError(
      'the simulated cluster is not part of this installation; run it from a checkout: npm ci && npm run demo',
    );
  }
}
