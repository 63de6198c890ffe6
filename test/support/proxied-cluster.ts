import { type KubeObject, listAt } from './manifests/documents.js';
import { exporterOf, workloadsOf } from './manifests/policies.js';
import { type PlacedPod, placePods } from './placed-pods.js';
import { PodNetwork } from './pod-network.js';
import { RealApiServer } from './real-api-server.js';

/** A real API server that reaches the pods of exporters, through its proxies for services and pods. */
export class ProxiedCluster implements AsyncDisposable {
  readonly server: RealApiServer;
  readonly #network: PodNetwork;

  private constructor(server: RealApiServer, network: PodNetwork) {
    this.server = server;
    this.#network = network;
  }

  static async start(): Promise<ProxiedCluster> {
    const network = await PodNetwork.start();
    try {
      return new ProxiedCluster(await RealApiServer.start(network.flags), network);
    } catch (error) {
      await network[Symbol.asyncDispose]();
      throw error;
    }
  }

  /**
   * Applies the objects of an exporter, all in one namespace. Its workload has a pod for each of these ports of loopback, where
   * the server of the pod listens.
   */
  async install(objects: readonly KubeObject[], ports: readonly number[]): Promise<readonly PlacedPod[]> {
    const { server } = this;
    const namespace = String(workloadsOf(objects)[0]?.object.metadata['namespace']);
    const parent = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
    for (const items of [[parent], objects])
      server.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    const [metrics] = listAt(exporterOf(objects), 'ports').filter(({ name }) => name === 'metrics');
    const addresses = ports.map((port) => this.#network.assign(Number(metrics?.['containerPort']), port));
    return placePods({ server, objects, namespace, addresses });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    await this.#network[Symbol.asyncDispose]();
  }
}
