import type { IncomingMessage } from 'node:http';

import { type RawData, type WebSocket, WebSocketServer } from 'ws';

import type { Upgrade } from '../https-listener.js';

/** Takes a connection over, with the subprotocol that was agreed on. */
export function acceptWebSocket(
  request: IncomingMessage,
  { socket, head }: Upgrade,
  protocol: string,
  use: (web: WebSocket) => void,
): void {
  const server = new WebSocketServer({ noServer: true, clientTracking: false, handleProtocols: () => protocol });
  server.handleUpgrade(request, socket, head, (web) => {
    use(web.on('error', () => undefined));
  });
}

/** The first one of the supported subprotocols that the client offers. */
export function agreedProtocol<Protocol extends string>(
  { headers }: IncomingMessage,
  supported: readonly Protocol[],
): Protocol | undefined {
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  return supported.find((protocol) => offered.includes(protocol));
}

/** Sends a message on one of the channels that share the connection. */
export function sendOn(web: WebSocket, channel: number, content: Buffer): void {
  web.send(Buffer.concat([Buffer.of(channel), content]));
}

/** Calls `receive` with each message, split into its channel and the rest. */
export function onChannels(web: WebSocket, receive: (channel: number, content: Buffer) => void): void {
  web.on('message', (data) => {
    const message = bytesOf(data);
    receive(message[0] ?? 0, message.subarray(1));
  });
}

function bytesOf(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
