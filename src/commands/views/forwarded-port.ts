import { type AddressInfo, createServer, type Socket } from 'node:net';

import { WebSocket } from 'ws';

import type { Credentials } from '../../credentials/credentials.js';
import { openApiSocket } from '../../http/api-socket.js';
import type { ExporterPod } from './exporter-pods.js';

export interface ForwardedPort extends AsyncDisposable {
  /** Of loopback. */
  readonly port: number;
}

/** https://github.com/kubernetes/kubernetes/blob/master/staging/src/k8s.io/kubelet/pkg/cri/streaming/portforward/websocket.go */
const protocol = 'v4.channel.k8s.io';
const channels = { data: 0, error: 1 } as const;
/** Each channel begins with the number of the port. */
const portNumberBytes = 2;

/**
 * Listens on loopback; each connection leads to the pod's port, through the API server and the kubelet. Needs `get` and `create` on
 * `pods/portforward`: servers before 1.35 check the first alone. Throws UserError for a kubeconfig with a proxy, RequestError where
 * the API server refuses.
 */
export async function forwardPort(credentials: Credentials, pod: ExporterPod): Promise<ForwardedPort> {
  // The first one is opened at once: its refusal is the message that a person needs.
  let opened: Promise<Tunnel> | undefined = open(credentials, pod);
  await opened;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    const tunnel = opened ?? open(credentials, pod);
    opened = undefined;
    tunnel.then(
      (ready) => {
        carry(socket, ready);
      },
      () => {
        socket.destroy();
      },
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      (await opened?.catch(() => undefined))?.web.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Tunnel {
  readonly web: WebSocket;
  readonly received: Channels;
}

/** Throws UserError, RequestError. */
async function open(credentials: Credentials, { namespace, name, port }: ExporterPod): Promise<Tunnel> {
  const received = new Channels();
  const request = {
    what: `port-forward to pod ${namespace}/${name}`,
    path: `/api/v1/namespaces/${namespace}/pods/${name}/portforward`,
    query: new URLSearchParams({ ports: String(port) }),
    protocols: [protocol],
    permission: 'pods/portforward',
    instead: 'use kubectl port-forward, and --exporter http://localhost:PORT',
  };
  const web = await openApiSocket(credentials, request, (channel, content) => {
    received.receive(channel, content);
  });
  return { web, received };
}

/** Carries the bytes of one connection until either end closes. */
function carry(socket: Socket, { web, received }: Tunnel): void {
  received.socket = socket;
  const end = (): void => {
    socket.destroy();
    web.terminate();
  };
  socket.on('close', end);
  web.on('close', end);
  socket.on('data', (chunk) => {
    web.send(Buffer.concat([Buffer.of(channels.data), chunk]));
  });
  if (web.readyState !== WebSocket.OPEN) end();
}

/** What comes through the channels of a connection. Before a client is there, the numbers of the ports do. */
class Channels {
  readonly #begun = new Set<number>();
  /** Receives the data. */
  socket: Socket | undefined;

  /** An error of the kubelet ends the connection: it is text without a form. */
  receive(channel: number, bytes: Buffer): void {
    const content = bytes.subarray(this.#begun.has(channel) ? 0 : portNumberBytes);
    this.#begun.add(channel);
    if (content.length === 0) return;
    if (channel === channels.data) this.socket?.write(content);
    else this.socket?.destroy(new Error(content.toString()));
  }
}
