import type { SimulatedCluster } from '../../sim/cluster.js';
import type { parseFault } from '../../sim/simulated-faults.js';
import { UserError } from '../base/errors.js';

interface Simulation {
  readonly SimulatedCluster: typeof SimulatedCluster;
  readonly parseFault: typeof parseFault;
}

/** Loads the simulated cluster. Throws UserError if it is not part of the bundle, as in the production image. */
export async function loadSimulation(): Promise<Simulation> {
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
