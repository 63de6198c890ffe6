// @module-tag sockets

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

import { expect, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';

import { staticCredentials } from '../../src/credentials/credentials.js';
import { execInPod } from '../../src/http/pod-exec.js';
import { never } from '../support/signals.js';

const it = test.extend('server', async ({ onTestFinished }) => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  onTestFinished(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  return server;
});

const command = { namespace: 'shop', pod: 'cart-0', container: 'app', words: ['echo', 'a b'] };
const limits = { maxOutputBytes: 100, signal: never };

const credentialsOf = (server: WebSocketServer) =>
  staticCredentials({ server: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/prefix`) });

/** The messages of a server, each with its channel. */
function answer(server: WebSocketServer, ...messages: readonly (readonly [number, string])[]): void {
  server.once('connection', (web: WebSocket) => {
    for (const [channel, text] of messages) web.send(Buffer.concat([Buffer.of(channel), Buffer.from(text)]));
    web.close();
  });
}

const success = JSON.stringify({ status: 'Success' });

it('a command has its output, its errors and its exit code, in the order of its channels', async ({ server }) => {
  const cause = { reason: 'ExitCode', message: '3' };
  const status = JSON.stringify({ status: 'Failure', reason: 'NonZeroExitCode', details: { causes: [cause] } });
  answer(server, [1, ''], [3, ''], [1, 'out'], [2, 'no'], [1, 'put'], [3, status]);
  const result = await execInPod(credentialsOf(server), command, limits);
  expect(result).toEqual({ exitCode: 3, output: 'output', errorOutput: 'no' });
});

it.for([[['v4.channel.k8s.io', 'v5.channel.k8s.io']], [['v4.channel.k8s.io']]] as const)(
  'a server that knows %j gets the best of them, and the whole request',
  async ([known], { server }) => {
    server.options.handleProtocols = (offered) => [...offered].find((one) => known.includes(one as never)) ?? false;
    const connected = once(server, 'connection');
    answer(server, [1, 'a b\n'], [3, success]);
    expect(await execInPod(credentialsOf(server), command, limits)).toMatchObject({ exitCode: 0, output: 'a b\n' });
    const [web, { url = '' }] = (await connected) as [WebSocket, { readonly url?: string }];
    expect(web.protocol).toBe(`v${known.length === 1 ? 4 : 5}.channel.k8s.io`);
    expect(url).toBe(
      '/prefix/api/v1/namespaces/shop/pods/cart-0/exec?container=app&stdin=false&stdout=true&stderr=true&tty=false&command=echo&command=a+b',
    );
  },
);

it.for([
  [
    'Internal error occurred: Post "https://node/exec/a/b?command=sh&command=-c&error=1": no such host',
    'Internal error occurred: Post "https://node/exec/a/b": no such host',
  ],
  ['exec: "sh": executable file not found in $PATH', 'exec: "sh": executable file not found in $PATH'],
])('a command that did not start has the message "%s" without the command', async ([message, failure], { server }) => {
  answer(server, [3, JSON.stringify({ status: 'Failure', reason: 'InternalError', message })]);
  expect(await execInPod(credentialsOf(server), command, limits)).toEqual({ failure });
});

it.for([
  [[[1, 'out']], /^exec in container app of pod shop\/cart-0: the connection ended before the command$/],
  [
    [
      [1, 'x'.repeat(101)],
      [3, success],
    ],
    /: more than 100 bytes of output$/,
  ],
  [
    [
      [2, 'x'.repeat(60)],
      [1, 'x'.repeat(60)],
      [3, success],
    ],
    /: more than 100 bytes of output$/,
  ],
] as const)('the messages %j are an error', async ([messages, error], { server }) => {
  answer(server, ...messages);
  await expect(execInPod(credentialsOf(server), command, limits)).rejects.toThrow(error);
});

it('a command that is no longer wanted loses its connection', async ({ server }) => {
  const stop = new AbortController();
  const connected = once(server, 'connection') as Promise<[WebSocket]>;
  const running = execInPod(credentialsOf(server), command, { ...limits, signal: stop.signal });
  const [web] = await connected;
  const closed = once(web, 'close');
  stop.abort(new Error('stopped'));
  await expect(running).rejects.toThrow('stopped');
  await closed;
});

it('the proxy of a kubeconfig is refused', async ({ server }) => {
  const credentials = { ...credentialsOf(server), proxyUrl: new URL('http://proxy:3128') };
  await expect(execInPod(credentials, command, limits)).rejects.toThrow(
    'exec in container app of pod shop/cart-0: not possible through the proxy of a kubeconfig: use a kubeconfig without one',
  );
});
