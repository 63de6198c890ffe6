import { type AddressInfo, createServer, type Socket } from 'node:net';

import { type RawData, WebSocket } from 'ws';

import { messageOf, RequestError, UserError } from '../../base/errors.js';
import type { Credentials } from '../../credentials/credentials.js';
import { reasonForStatus } from '../../http/api-error.js';
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
  if (credentials.proxyUrl !== undefined) {
    throw new UserError(
      'ports are not forwarded through the proxy of a kubeconfig: use kubectl port-forward, and --exporter http://localhost:PORT',
    );
  }
  // The first one is opened at once: its refusal is the message that a person needs.
  let opened: Promise<WebSocket> | undefined = open(credentials, pod);
  await opened;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    const web = opened ?? open(credentials, pod);
    opened = undefined;
    web.then(
      (open) => {
        carry(socket, open);
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
      (await opened?.catch(() => undefined))?.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Throws RequestError. */
async function open(credentials: Credentials, { namespace, name, port }: ExporterPod): Promise<WebSocket> {
  const { headers, tls } = await credentials.material();
  const url = new URL(credentials.server);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  url.pathname = `${url.pathname.replace(/\/$/, '')}/api/v1/namespaces/${namespace}/pods/${name}/portforward`;
  url.search = `ports=${port}`;
  const { serverName, ...certificates } = tls;
  const web = new WebSocket(url, protocol, {
    ...certificates,
    ...(serverName === undefined ? {} : { servername: serverName }),
    headers: headers as Record<string, string>,
    followRedirects: false,
    perMessageDeflate: false,
  });
  const what = `port-forward to pod ${namespace}/${name}`;
  return new Promise((resolve, reject) => {
    web.once('open', () => {
      web.off('error', reject).on('error', () => undefined); // its end is what counts then
      resolve(web);
    });
    web.on('error', (error) => {
      reject(new RequestError('connection', `${what}: ${messageOf(error)}`));
    });
    web.once('unexpected-response', (_request, { statusCode: status = 0 }) => {
      const hint = status === 403 ? ': needs get and create on pods/portforward' : '';
      reject(new RequestError(reasonForStatus(status), `${what}: ${status}${hint}`, { status }));
      web.terminate();
    });
  });
}

/** Carries the bytes of one connection until either end closes. */
function carry(socket: Socket, web: WebSocket): void {
  const end = (): void => {
    socket.destroy();
    web.terminate();
  };
  socket.on('close', end);
  web.on('close', end).on('message', receiver(socket));
  socket.on('data', (chunk) => {
    web.send(Buffer.concat([Buffer.of(channels.data), chunk]));
  });
  if (web.readyState !== WebSocket.OPEN) end();
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
