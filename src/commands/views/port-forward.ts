import { type AddressInfo, createServer, type Socket } from 'node:net';

import { type RawData, WebSocket } from 'ws';

import { messageOf, RequestError, UserError } from '../../base/errors.js';
import type { Credentials } from '../../credentials/credentials.js';
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
 * Listens on loopback; each connection leads to the pod's port, through the API server and the kubelet. Needs `create` on
 * `pods/portforward`. Throws UserError for a kubeconfig with a proxy.
 */
export async function forwardPort(credentials: Credentials, pod: ExporterPod): Promise<ForwardedPort> {
  if (credentials.proxyUrl !== undefined) {
    throw new UserError(
      'ports are not forwarded through the proxy of a kubeconfig: use kubectl port-forward, and --exporter http://localhost:PORT',
    );
  }
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    connect(credentials, pod, socket).catch((error: unknown) => {
      socket.destroy(error instanceof Error ? error : undefined);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => {
          resolve();
        });
      }),
  };
}

/** Carries the bytes of one connection until either end closes. */
async function connect(
  credentials: Credentials,
  { namespace, name, port }: ExporterPod,
  socket: Socket,
): Promise<void> {
  const { headers, tls } = await credentials.material();
  const url = new URL(credentials.server);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  url.pathname = `${url.pathname.replace(/\/$/, '')}/api/v1/namespaces/${namespace}/pods/${name}/portforward`;
  url.search = `ports=${port}`;
  const { serverName, ...certificates } = tls;
  const options = { ...certificates, ...(serverName === undefined ? {} : { servername: serverName }) };
  const web = new WebSocket(url, protocol, {
    headers: headers as Record<string, string>,
    ...options,
    followRedirects: false,
  });
  const end = (): void => {
    socket.destroy();
    web.terminate();
  };
  socket.on('close', end);
  web.on('close', end).on('error', (error) => {
    socket.destroy(new RequestError('connection', `port-forward to ${namespace}/${name}: ${messageOf(error)}`));
  });
  web.on('message', receiver(socket));
  web.on('open', () => {
    socket.on('data', (chunk) => {
      web.send(Buffer.concat([Buffer.of(channels.data), chunk]));
    });
  });
}

/** An error of the kubelet ends the connection: it is text without a form. */
function receiver(socket: Socket): (data: RawData) => void {
  const begun = new Set<number>();
  return (data) => {
    const bytes = Buffer.isBuffer(data)
      ? data
      : Buffer.concat([data].flat().map((part) => Buffer.from(part as Buffer)));
    const channel = bytes[0] ?? channels.error;
    const content = bytes.subarray(1 + (begun.has(channel) ? 0 : portNumberBytes));
    begun.add(channel);
    if (content.length === 0) return;
    if (channel === channels.data) socket.write(content);
    else socket.destroy(new Error(content.toString()));
  };
}
