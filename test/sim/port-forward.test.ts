// @module-tag sockets

import { PassThrough } from 'node:stream';

import { KubeConfig, PortForward } from '@kubernetes/client-node';
import { expect, test } from 'vitest';

import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario } from '../../sim/model/scenario.js';
import { LoopbackServer, replyWith } from '../http/loopback-server.js';
import { untilEnd } from '../support/fixtures.js';
import { podSpec } from './pods.js';
import { callApi, callKubelet, type StatusBody } from './wire.js';

const containers = (listensOn: number) =>
  podSpec('web').containers.map((container) => ({ ...container, ports: [{ containerPort: 8080, listensOn }] }));

const it = test
  .extend('server', ({ onTestFinished }) => untilEnd(onTestFinished, LoopbackServer.listen()))
  .extend('sim', async ({ onTestFinished, server }) => {
    const sim = await untilEnd(onTestFinished, SimulatedCluster.start({ scenario: emptyScenario('node-1') }));
    sim.model.addPod(podSpec('web', { containers: containers(Number(server.url.port)) }));
    return sim;
  });

/** What client-node receives from a pod's port. */
class Forwarded implements Disposable {
  readonly input = new PassThrough();
  readonly #output = new PassThrough();
  readonly #error = new PassThrough();
  readonly #received: Buffer[] = [];
  readonly #errors: Buffer[] = [];
  /** Undefined until it is open. */
  socket: Pick<WebSocket, 'close' | 'readyState' | 'protocol'> | undefined;

  static async open(kubeconfig: string, pod: string, port: number): Promise<Forwarded> {
    const config = new KubeConfig();
    config.loadFromString(kubeconfig);
    const forwarded = new Forwarded();
    forwarded.#output.on('data', (content: Buffer) => forwarded.#received.push(content));
    forwarded.#error.on('data', (content: Buffer) => forwarded.#errors.push(content));
    const forwarder = new PortForward(config, false);
    const socket = await forwarder.portForward(
      'default',
      pod,
      [port],
      forwarded.#output,
      forwarded.#error,
      forwarded.input,
    );
    if (typeof socket === 'function') throw new Error('no retries were asked for');
    forwarded.socket = socket;
    return forwarded;
  }

  readonly received = (): string => Buffer.concat(this.#received).toString();
  readonly errors = (): string => Buffer.concat(this.#errors).toString();
  readonly isClosed = (): boolean => this.socket?.readyState === 3;

  [Symbol.dispose](): void {
    this.socket?.close();
  }
}

const request = 'POST /reload HTTP/1.1\r\nHost: pod\r\nContent-Length: 3\r\nConnection: close\r\n\r\nnow';

it('client-node forwards a port of a pod: the server behind it answers, and the end of its connection ends it', async ({
  sim,
  server,
}) => {
  server.answer = (incoming, response) => {
    response.writeHead(200, { 'X-Path': incoming.url });
    incoming.pipe(response);
  };
  using forwarded = await Forwarded.open(sim.kubeconfig(), 'web', 8080);
  expect(forwarded.socket?.protocol).toBe('v4.channel.k8s.io');
  forwarded.input.write(request);
  await expect.poll(forwarded.received).toMatch(/^HTTP\/1.1 200 OK[^]*X-Path: \/reload[^]*now/);
  await expect.poll(forwarded.isClosed).toBe(true);
  expect(forwarded.errors()).toBe('');
});

it('a forwarded port carries megabytes', async ({ sim, server }) => {
  server.answer = replyWith({ body: 'x'.repeat(3 * 2 ** 20) });
  using forwarded = await Forwarded.open(sim.kubeconfig(), 'web', 8080);
  forwarded.input.write(request);
  await expect.poll(() => forwarded.received().length).toBeGreaterThan(3 * 2 ** 20);
});

it('closing a forwarded port ends the connection to the pod', async ({ sim, server }) => {
  server.answer = () => undefined;
  const forwarded = await Forwarded.open(sim.kubeconfig(), 'web', 8080);
  forwarded.input.write(request);
  await expect.poll(() => server.requests.length).toBe(1);
  forwarded[Symbol.dispose]();
  await expect.poll(() => server.connections[0]?.destroyed).toBe(true);
});

it('a port on which the pod does not listen is an error on its channel', async ({ sim }) => {
  using forwarded = await Forwarded.open(sim.kubeconfig(), 'web', 81);
  await expect.poll(forwarded.errors).toMatch(/^error forwarding port 81 to pod web, uid .*connection refused$/);
});

it.for([
  ['create', 'pods/portforward', 'open'],
  ['get', 'pods/portforward', 'Unexpected server response: 403'],
  ['create', 'pods/proxy', 'Unexpected server response: 403'],
])('port-forward with the permission to %s %s: %s', async ([verb = '', resource = '', expected], { sim }) => {
  const verbs = verb === 'get' ? ['get'] : ['get', verb];
  const token = sim.issueToken({ user: 'viewer', rules: [{ verbs, resources: [resource] }] });
  const result = await Forwarded.open(sim.kubeconfig(token), 'web', 8080).then(
    (forwarded) => {
      forwarded[Symbol.dispose]();
      return 'open';
    },
    (error: unknown) => (error as { readonly message: string }).message,
  );
  expect(result).toBe(expected);
});

it.for([
  ['other', 404, 'pods "other" not found'],
  ['pending', 400, 'pod pending does not have a host assigned'],
  ['web', 400, 'Upgrade request required'],
] as const)('port-forward to %s without an upgrade is rejected with %i: %s', async ([name, code, message], { sim }) => {
  const { containers: of, namespace } = podSpec('pending');
  sim.model.addPod({ namespace, name: 'pending', containers: of });
  const answer = await callApi(sim, `/api/v1/namespaces/default/pods/${name}/portforward?ports=8080`);
  expect(JSON.parse(answer.text) as StatusBody).toMatchObject({ code, message });
});

const handshake = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': Buffer.alloc(16).toString('base64'),
  'Sec-WebSocket-Protocol': 'v4.channel.k8s.io',
};

it.for([
  ['/portForward/default/web', {}, 400, 'query parameter "port" is required'],
  ['/portForward/default/web?port=0', {}, 400, 'query parameter "port" is required'],
  ['/portForward/default/other?port=80', {}, 404, 'pod does not exist'],
  ['/portForward/default/web?port=80', { 'Sec-WebSocket-Protocol': 'chat' }, 400, 'unsupported WebSocket subprotocol'],
] as const)('a kubelet rejects the upgrade of %s with %j by %i: %s', async ([path, headers, status, text], { sim }) => {
  const answer = await callKubelet(sim, 'node-1', { path, headers: { ...handshake, ...headers } });
  expect([answer.status, answer.text]).toEqual([status, text]);
});

it('the API server passes on the refusal of a kubelet, and reports that it is down', async ({ sim }) => {
  const path = '/api/v1/namespaces/default/pods/web/portforward';
  expect(await callApi(sim, path, { headers: handshake })).toMatchObject({ status: 400 });
  await sim.setFault('node-1', 'down');
  const { status, text } = await callApi(sim, `${path}?ports=8080`, { headers: handshake });
  expect([status, (JSON.parse(text) as StatusBody).message]).toEqual([
    500,
    expect.stringMatching(/^error dialing backend: dial tcp .* connection refused$/),
  ]);
});

it('a request that wants another protocol elsewhere is answered as any other', async ({ sim }) => {
  const headers = { Connection: 'Upgrade', Upgrade: 'h2c' };
  expect(await callApi(sim, '/api/v1/nodes/node-1', { headers })).toMatchObject({ status: 200 });
  expect(await callKubelet(sim, 'node-1', { headers })).toMatchObject({ status: 200 });
});

it('a kubelet that goes down ends the ports that it forwards', async ({ sim, server }) => {
  server.answer = () => undefined;
  using forwarded = await Forwarded.open(sim.kubeconfig(), 'web', 8080);
  await sim.setFault('node-1', 'down');
  await expect.poll(forwarded.isClosed).toBe(true);
});
