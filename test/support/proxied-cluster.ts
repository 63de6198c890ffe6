import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect } from 'node:net';
import path from 'node:path';
import type { Duplex } from 'node:stream';

import { type KubeObject, listAt } from './manifests/documents.js';
import { exporterOf, workloadsOf } from './manifests/policies.js';
import { type PlacedPod, placePods } from './placed-pods.js';
import { temporaryFolder } from './programs.js';
import { RealApiServer } from './real-api-server.js';

interface Parts {
  readonly folder: AsyncDisposable & { readonly path: string };
  readonly proxy: Server;
}

/**
 * Addresses of pods behind which servers of loopback stand. A real API server reaches them as it reaches a network that is
 * not its own: https://kubernetes.io/docs/tasks/extend-kubernetes/setup-konnectivity/
 */
class PodNetwork implements AsyncDisposable {
  readonly #parts: Parts;
  /** Of loopback, by address and port of the pod. */
  readonly #ports = new Map<string, number>();

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  static async start(): Promise<PodNetwork> {
    const network = new PodNetwork({ folder: await temporaryFolder(), proxy: createServer() });
    const { proxy } = network.#parts;
    proxy.on('connect', (request, socket) => {
      network.#tunnel(request, socket);
    });
    // A plain TCP socket would need certificates.
    const socketPath = network.#file('proxy.sock');
    proxy.listen(socketPath);
    await once(proxy, 'listening');
    await writeFile(network.#file('egress.json'), JSON.stringify(egressThrough(socketPath)));
    return network;
  }

  /** Of kube-apiserver. */
  get flags(): readonly string[] {
    return [`--egress-selector-config-file=${this.#file('egress.json')}`];
  }

  /** Returns a new address, at whose `podPort` there is what listens on `port` of loopback. */
  assign(podPort: number, port: number): string {
    const address = `10.1.0.${this.#ports.size + 1}`;
    this.#ports.set(`${address}:${podPort}`, port);
    return address;
  }

  /** To be called after the end of the API server. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { proxy, folder } = this.#parts;
    proxy.close();
    proxy.closeAllConnections();
    await folder[Symbol.asyncDispose]();
  }

  #file(name: string): string {
    return path.join(this.#parts.folder.path, name);
  }

  #tunnel({ url = '' }: IncomingMessage, socket: Duplex): void {
    const port = this.#ports.get(url);
    if (port === undefined) {
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
      return;
    }
    const target = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      target.pipe(socket).pipe(target);
    });
    target.on('error', () => socket.destroy());
    socket.on('error', () => target.destroy());
    socket.on('close', () => target.destroy());
  }
}

function egressThrough(udsName: string): object {
  const connection = { proxyProtocol: 'HTTPConnect', transport: { uds: { udsName } } };
  return {
    apiVersion: 'apiserver.k8s.io/v1beta1',
    kind: 'EgressSelectorConfiguration',
    egressSelections: [{ name: 'cluster', connection }],
  };
}

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
