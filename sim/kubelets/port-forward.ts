import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';

import type { WebSocket } from 'ws';

import type { Upgrade } from '../https-listener.js';
import { containerPorts } from '../model/pod-ports.js';
import type { SimulatedPod } from '../model/simulated-pod.js';
import { acceptWebSocket, onChannels, sendOn } from './web-sockets.js';

/** The only one of kubelets for binary data. */
export const portForwardProtocol = 'v4.channel.k8s.io';

/** The ports that a request names; undefined if it names none, or anything else. */
export function forwardedPorts({ searchParams }: URL): readonly number[] | undefined {
  const ports = searchParams.getAll('port').map(Number);
  return ports.length > 0 && ports.every((port) => Number.isInteger(port) && port > 0 && port < 65_536)
    ? ports
    : undefined;
}

/**
 * Forwards ports of a pod over a WebSocket: channel 2n carries the data of the n-th port, 2n+1 its error. The first message of
 * each is the number of the port, in two bytes.
 * https://github.com/kubernetes/kubernetes/blob/v1.37.1/staging/src/k8s.io/kubelet/pkg/cri/streaming/portforward/websocket.go
 */
export function forwardPorts(
  request: IncomingMessage,
  upgrade: Upgrade,
  { pod, ports }: { readonly pod: SimulatedPod; readonly ports: readonly number[] },
): void {
  acceptWebSocket(request, upgrade, portForwardProtocol, (web) => {
    const targets = ports.map((port, index) => forwardPort(web, { pod, port, channel: 2 * index }));
    let openCount = targets.length;
    for (const target of targets) {
      target.once('close', () => {
        openCount -= 1;
        if (openCount === 0) web.close();
      });
    }
    onChannels(web, (channel, content) => {
      if (channel % 2 === 0) targets[channel / 2]?.write(content);
    });
    web.on('close', () => {
      for (const target of targets) target.destroy();
    });
  });
}

function forwardPort(
  web: WebSocket,
  { pod, port, channel }: { readonly pod: SimulatedPod; readonly port: number; readonly channel: number },
): Socket {
  const portBytes = Buffer.of(port & 0xff, port >> 8);
  sendOn(web, channel, portBytes);
  sendOn(web, channel + 1, portBytes);
  // Port 0 refuses connections: nobody listens behind a port that the pod does not declare.
  const target = connect({ host: '127.0.0.1', port: containerPorts(pod).get(port) ?? 0 });
  target.on('data', (content: Buffer) => {
    sendOn(web, channel, content);
  });
  target.on('error', () => {
    const { name } = pod.spec;
    const cause = `failed to connect to localhost:${port} inside namespace: connection refused`;
    sendOn(web, channel + 1, Buffer.from(`error forwarding port ${port} to pod ${name}, uid : ${cause}`));
  });
  return target;
}
