import { once } from 'node:events';

import { shellWord } from '../lib/base/text.js';
import type { CommandContext } from './context.js';
import { kubeconfigFile, simulatedCluster } from './simulation.js';
import type { SimulationFlags } from './simulation-flags.js';

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
