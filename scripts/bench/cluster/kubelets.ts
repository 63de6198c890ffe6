import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

import type { KeyPair } from '../../../sim/certificates.js';
import type { ClusterState } from './cluster-state.js';
import { Summaries } from './summaries.js';

export type KubeletFault = 'fail' | 'hang';

export interface KubeletCounts {
  readonly requestCount: number;
  /** Of the kubelet that was asked most often. */
  readonly mostRequestsOfOne: number;
  readonly handshakeCount: number;
  /** Of these, with a session of before. */
  readonly resumedCount: number;
  readonly openConnectionCount: number;
}

/**
 * All kubelets: a port of 127.0.0.1 for each, whose connections one HTTPS server handles. 5,000 of them with a connection
 * each take 10,000 file descriptors of this process.
 */
export class BenchKubelets implements AsyncDisposable {
  readonly #state: ClusterState;
  readonly #summaries: Summaries;
  readonly #https: HttpsServer;
  readonly #listeners: Server[] = [];
  readonly #nodeOfPort = new Map<number, number>();
  readonly #faults = new Map<number, KubeletFault>();
  readonly #requestsOfNode: number[];
  readonly #sockets = new Set<Socket>();
  #requestCount = 0;
  #handshakeCount = 0;
  #resumedCount = 0;

  private constructor(state: ClusterState, keyPair: KeyPair) {
    this.#state = state;
    this.#summaries = new Summaries(state.shape.podsPerNode);
    this.#requestsOfNode = Array.from({ length: state.shape.nodeCount }, () => 0);
    this.#https = createHttpsServer({ ...keyPair, keepAliveTimeout: 120_000 }, (request, response) => {
      this.#handle(request, response);
    });
    this.#https.on('secureConnection', (socket: TLSSocket) => {
      this.#handshakeCount += 1;
      if (socket.isSessionReused()) this.#resumedCount += 1;
    });
  }

  static async start(state: ClusterState, keyPair: KeyPair): Promise<BenchKubelets> {
    const kubelets = new BenchKubelets(state, keyPair);
    for (let nodeIndex = 0; nodeIndex < state.shape.nodeCount; nodeIndex++) await kubelets.#listen(nodeIndex);
    return kubelets;
  }

  /** In the order of the nodes. */
  get ports(): readonly number[] {
    return [...this.#nodeOfPort.keys()];
  }

  get counts(): KubeletCounts {
    return {
      requestCount: this.#requestCount,
      mostRequestsOfOne: Math.max(...this.#requestsOfNode),
      handshakeCount: this.#handshakeCount,
      resumedCount: this.#resumedCount,
      openConnectionCount: this.#sockets.size,
    };
  }

  resetCounts(): void {
    this.#requestsOfNode.fill(0);
    this.#requestCount = 0;
    this.#handshakeCount = 0;
    this.#resumedCount = 0;
  }

  /** Replaces the faults before: of the first kubelets some fail, and the next ones hang. */
  setFaults({ failCount, hangCount }: { readonly failCount: number; readonly hangCount: number }): void {
    this.#faults.clear();
    for (let index = 0; index < failCount + hangCount; index++)
      this.#faults.set(index, index < failCount ? 'fail' : 'hang');
  }

  /** Replaces pods in the cluster, and in the summaries of their nodes. */
  replacePods(count: number): void {
    for (const pod of this.#state.replace(count, Date.now())) this.#summaries.replaced(pod);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(this.#listeners.map((listener) => new Promise((resolve) => listener.close(resolve))));
  }

  async #listen(nodeIndex: number): Promise<void> {
    const listener = createTcpServer((socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined); // that of a client that has ended
      socket.once('close', () => this.#sockets.delete(socket));
      this.#https.emit('connection', socket);
    });
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    this.#listeners.push(listener);
    const address = listener.address();
    if (address === null || typeof address === 'string') throw new Error('the kubelet does not listen');
    this.#nodeOfPort.set(address.port, nodeIndex);
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const nodeIndex = this.#nodeOfPort.get(request.socket.localPort ?? 0);
    if (nodeIndex === undefined || request.url !== '/stats/summary') {
      response.writeHead(404).end('404 page not found\n');
      return;
    }
    this.#requestCount += 1;
    this.#requestsOfNode[nodeIndex] = (this.#requestsOfNode[nodeIndex] ?? 0) + 1;
    const fault = this.#faults.get(nodeIndex);
    if (fault === 'hang') return;
    if (fault === 'fail') {
      response.writeHead(500).end('Internal Error: failed to list pod stats');
      return;
    }
    response.writeHead(200, { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' });
    response.end(this.#summaries.body(nodeIndex, this.#state.podsOn(nodeIndex), Date.now()));
  }
}
