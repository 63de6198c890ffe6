import { type Json, type KubeObject, listAt } from './manifests/documents.js';
import { type Workload, workloadsOf } from './manifests/policies.js';
import { PodNetwork } from './pod-network.js';
import { RealApiServer } from './real-api-server.js';

export interface InstalledPod {
  readonly name: string;
  readonly address: string;
}

/**
 * A real API server that reaches the pods of exporters, through its proxies for services and pods. It has what kubelets and
 * controllers would write: ready pods with addresses, and the EndpointSlices of Services.
 */
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
   * the server of the pod listens; they run on the nodes `node-0`, `node-1` and so on.
   */
  async install(objects: readonly KubeObject[], ports: readonly number[]): Promise<readonly InstalledPod[]> {
    const [workload] = workloadsOf(objects);
    if (workload === undefined) throw new Error('a workload is missing');
    const namespace = String(workload.object.metadata['namespace']);
    this.#applyAll([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }]);
    this.#applyAll(objects);
    const podPort = Number(portsOf(workload).find(({ name }) => name === 'metrics')?.['containerPort']);
    const pods = ports.map((port, index) => ({
      name: `${workload.object.metadata.name}-${suffixOf(workload, index)}`,
      address: this.#network.assign(podPort, port),
    }));
    for (const [index, pod] of pods.entries()) await this.#runPod(pod, workload, index);
    const services = objects.filter(({ kind }) => kind === 'Service');
    this.#applyAll(services.map((service) => endpointSlice(service, workload, pods)));
    return pods;
  }

  /** Binds the user `reader` to a Role. */
  bindReader(namespace: string, role: string): void {
    this.server.kubectl(['-n', namespace, 'create', 'rolebinding', role, `--role=${role}`, '--user=reader']);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    await this.#network[Symbol.asyncDispose]();
  }

  #applyAll(items: readonly KubeObject[]): void {
    this.server.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  }

  async #runPod({ name, address }: InstalledPod, workload: Workload, index: number): Promise<void> {
    const { object, pod, podLabels } = workload;
    const path = `/api/v1/namespaces/${String(object.metadata['namespace'])}/pods`;
    const spec = { ...pod, nodeName: `node-${index}` };
    const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: podLabels }, spec };
    await this.server.request(path, { method: 'POST', body });
    const conditions = [{ type: 'Ready', status: 'True' }];
    await this.server.request(`${path}/${name}/status`, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/merge-patch+json' },
      body: { status: { phase: 'Running', podIP: address, podIPs: [{ ip: address }], conditions } },
    });
  }
}

function portsOf({ containers }: Workload): readonly Json[] {
  return containers.flatMap((container) => listAt(container, 'ports'));
}

/** Pods of a StatefulSet have ordinals, others random suffixes. */
function suffixOf({ object }: Workload, index: number): string {
  return object.kind === 'StatefulSet' ? String(index) : `x${(0x5eed + index * 0x101).toString(16)}`;
}

function endpointSlice(service: KubeObject, workload: Workload, pods: readonly InstalledPod[]): KubeObject {
  const { name, namespace } = service.metadata;
  const ports = listAt(service, 'spec', 'ports').map(({ name: portName, targetPort }) => ({
    name: portName,
    port: portsOf(workload).find((port) => port['name'] === targetPort)?.['containerPort'],
  }));
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name, namespace, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports,
    endpoints: pods.map((pod) => ({
      addresses: [pod.address],
      conditions: { ready: true },
      targetRef: { kind: 'Pod', namespace, name: pod.name },
    })),
  };
}
