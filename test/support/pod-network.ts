import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect } from 'node:net';
import path from 'node:path';
import type { Duplex } from 'node:stream';

import { temporaryFolder } from './programs.js';

interface Parts {
  readonly folder: AsyncDisposable & { readonly path: string };
  readonly proxy: Server;
}

/**
 * Addresses of pods behind which servers of loopback stand. A real API server reaches them as it reaches a network that is
 * not its own: https://kubernetes.io/docs/tasks/extend-kubernetes/setup-konnectivity/
 */
export class PodNetwork implements AsyncDisposable {
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
