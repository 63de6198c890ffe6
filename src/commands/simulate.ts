import { once } from 'node:events';

import type { parseFault } from '../../sim/simulated-faults.js';
import { messageOf, UsageError } from '../lib/base/errors.js';
import { shellWord } from '../lib/base/text.js';
import type { CommandContext } from './context.js';
import { kubeconfigFile, loadSimulation, simulatedCluster, wholeNumber } from './simulation.js';
import type { SimulationFlags } from './simulation-flags.js';

export interface SimulateOptions extends SimulationFlags {
  readonly port: string;
  /** `NODE=FAULT`. */
  readonly fault?: readonly string[];
}

/** The simulated cluster alone, until the stop signal. */
export async function simulate(options: SimulateOptions, context: CommandContext): Promise<void> {
  const { stopSignal, writeOut } = context;
  const apiPort = wholeNumber('--port', options.port, { max: 65_535 });
  const simulation = await simulatedCluster(options, context, apiPort);
  const { parseFault } = await loadSimulation();
  const faults = (options.fault ?? []).map((text) => parseNodeFault(text, parseFault));
  await using cluster = await simulation.start();
  for (const { nodeName, fault } of faults) await cluster.setFault(nodeName, fault);
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
