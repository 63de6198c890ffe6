import { SimulatedCluster } from '../../sim/cluster.js';
import type { Scenario } from '../../sim/model/scenario.js';
import type { SimulatedPod } from '../../sim/model/simulated-pod.js';
import type { Clock } from '../../src/lib/base/clock.js';
import { RealApiServer } from './real-api-server.js';
import { RealObjects } from './real-objects.js';
import { WebhookAccess } from './webhook-access.js';

interface Parts {
  readonly server: RealApiServer;
  readonly simulated: SimulatedCluster;
  readonly objects: RealObjects;
}

/**
 * A real API server with simulated kubelets. Each change of the simulated cluster's model becomes a request to the real
 * API server, as of controllers, schedulers and kubelets. The kubelets know a pod by the UID that it was given there, and
 * authorize requests by reviews there. Nobody uses the simulated API server.
 */
export class RealCluster implements AsyncDisposable {
  readonly server: RealApiServer;
  readonly simulated: SimulatedCluster;
  readonly #objects: RealObjects;

  private constructor({ server, simulated, objects }: Parts) {
    this.server = server;
    this.simulated = simulated;
    this.#objects = objects;
  }

  /** Resolves when the API server has the objects of the scenario. */
  static async start(options: { readonly scenario?: Scenario; readonly clock?: Clock } = {}): Promise<RealCluster> {
    const server = await RealApiServer.start();
    const objects = new RealObjects(server);
    const kubeletAccess = new WebhookAccess(server);
    const kubeletUidOf = (pod: SimulatedPod): string | undefined => objects.kubeletUidOf(pod);
    const simulated = await SimulatedCluster.start({ ...options, kubeletAccess, kubeletUidOf });
    const cluster = new RealCluster({ server, simulated, objects });
    try {
      objects.follow(simulated.objects);
      await cluster.settled();
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
    return cluster;
  }

  /** Resolves when the API server has the objects of the model. Rejects when it has refused one. */
  async settled(): Promise<void> {
    await this.#objects.settled();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.simulated[Symbol.asyncDispose]();
    await this.#objects.settled().catch(() => undefined);
    await this.server[Symbol.asyncDispose]();
  }
}
