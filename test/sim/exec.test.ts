// @module-tag sockets

import { PassThrough } from 'node:stream';

import { Exec, KubeConfig, type V1Status } from '@kubernetes/client-node';
import { expect, test } from 'vitest';

import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario } from '../../sim/model/scenario.js';
import { untilEnd } from '../support/fixtures.js';
import { podSpec } from './pods.js';
import { callApi, callKubelet, type StatusBody } from './wire.js';

/** Runs commands of this machine, in any directory. */
const launcher = ['env'];

const containersWith = (more: object) => podSpec('web').containers.map((container) => ({ ...container, ...more }));

const it = test.extend('sim', async ({ onTestFinished }) => {
  const sim = await untilEnd(onTestFinished, SimulatedCluster.start({ scenario: emptyScenario('node-1') }));
  sim.model.addPod(podSpec('web', { containers: containersWith({ launcher }) }));
  sim.model.addPod(podSpec('bare'));
  return sim;
});

interface Ran {
  readonly output: string;
  readonly error: string;
  readonly status: V1Status;
  readonly protocol: string;
}

/** Runs a command as client-node does. */
async function run(
  sim: SimulatedCluster,
  command: readonly string[],
  {
    pod = 'web',
    container = 'app',
    input,
    token,
  }: { pod?: string; container?: string; input?: string; token?: string } = {},
): Promise<Ran> {
  const config = new KubeConfig();
  config.loadFromString(sim.kubeconfig(token));
  const [output, error, stdin] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const [outputText, errorText] = [output, error].map((stream) => stream.setEncoding('utf8').toArray());
  return new Promise((resolve, reject) => {
    const finish = (status: V1Status): void => {
      void Promise.all([outputText, errorText, socket]).then(([out = [], err = [], { protocol }]) => {
        resolve({ output: out.join(''), error: err.join(''), status, protocol });
      }, reject);
    };
    const given = input === undefined ? null : stdin;
    const socket = new Exec(config).exec('default', pod, container, [...command], output, error, given, false, finish);
    socket.then(() => stdin.end(input), reject);
  });
}

it('client-node runs a command: its output, its errors and its success', async ({ sim }) => {
  const { output, error, status, protocol } = await run(sim, ['sh', '-c', 'echo "$1"; echo no >&2', 'sh', '$HOME a&b']);
  expect([output, error, status.status]).toEqual(['$HOME a&b\n', 'no\n', 'Success']);
  expect(protocol).toBe('v5.channel.k8s.io');
});

it('the standard input reaches the command, and its end ends it', async ({ sim }) => {
  const { output, status } = await run(sim, ['tr', 'a-z', 'A-Z'], { input: 'hello' });
  expect([output, status.status]).toEqual(['HELLO', 'Success']);
});

it('an exit code is the cause of a failure', async ({ sim }) => {
  const { status } = await run(sim, ['sh', '-c', 'exit 3']);
  expect(status).toMatchObject({
    status: 'Failure',
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: '3' }] },
  });
});

it('a command carries megabytes of output', async ({ sim }) => {
  const { output } = await run(sim, ['head', '-c', String(3 * 2 ** 20), '/dev/zero']);
  expect(output.length).toBe(3 * 2 ** 20);
});

it('an image without any program has none of this name', async ({ sim }) => {
  const { status } = await run(sim, ['sh', '-c', 'true'], { pod: 'bare' });
  expect(status).toMatchObject({ status: 'Failure', reason: 'InternalError', code: 500 });
  expect(status.message).toMatch(/exec: "sh": executable file not found in \$PATH: unknown$/);
});

it.for([
  ['create', 'pods/exec', 'Success'],
  ['get', 'pods/exec', 'Unexpected server response: 403'],
  ['create', 'pods/portforward', 'Unexpected server response: 403'],
])('exec with the permission to %s %s: %s', async ([verb = '', resource = '', expected], { sim }) => {
  const verbs = verb === 'get' ? ['get'] : ['get', verb];
  const token = sim.issueToken({ user: 'viewer', rules: [{ verbs, resources: [resource] }] });
  const result = await run(sim, ['true'], { token }).then(
    ({ status }) => status.status,
    (error: unknown) => (error as { readonly message: string }).message,
  );
  expect(result).toBe(expected);
});

it.for([
  ['other', '', 404, 'pods "other" not found'],
  ['web', '&container=sidecar', 400, 'container sidecar is not valid for pod web'],
  ['two', '', 400, 'a container name must be specified for pod two, choose one of: [a b]'],
  ['web', '', 400, 'Upgrade request required'],
] as const)('exec in %s%s without an upgrade is rejected with %i: %s', async ([name, more, code, message], { sim }) => {
  const [container] = podSpec('two').containers;
  if (container === undefined) throw new Error('a pod has a container');
  sim.model.addPod(podSpec('two', { containers: ['a', 'b'].map((one) => ({ ...container, name: one })) }));
  const answer = await callApi(sim, `/api/v1/namespaces/default/pods/${name}/exec?command=true&stdout=true${more}`);
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
  ['/exec/default/web/app?output=1', {}, 400, 'you must specify at least 1 of stdin, stdout, stderr'],
  ['/exec/default/web/app?command=true', {}, 400, 'you must specify at least 1 of stdin, stdout, stderr'],
  ['/exec/default/other/app?command=true&output=1', {}, 404, 'pod does not exist'],
  ['/exec/default/web/other?command=true&output=1', {}, 500, 'container not found ("other")'],
  [
    '/exec/default/web/app?command=true&output=1',
    { 'Sec-WebSocket-Protocol': 'chat' },
    400,
    'unsupported WebSocket subprotocol',
  ],
] as const)('a kubelet rejects the upgrade of %s with %j by %i: %s', async ([path, headers, status, text], { sim }) => {
  const answer = await callKubelet(sim, 'node-1', { path, headers: { ...handshake, ...headers } });
  expect([answer.status, answer.text]).toEqual([status, text]);
});

const patched = (container: object): string => JSON.stringify({ spec: { ephemeralContainers: [container] } });
const patch = (sim: SimulatedCluster, body: string, more: { token?: string; type?: string } = {}) =>
  callApi(sim, '/api/v1/namespaces/default/pods/bare/ephemeralcontainers', {
    method: 'PATCH',
    headers: { 'Content-Type': more.type ?? 'application/strategic-merge-patch+json' },
    body,
    ...(more.token === undefined ? {} : { token: more.token }),
  });

it('an ephemeral container is added to a running pod and runs; the same patch again changes nothing', async ({
  sim,
}) => {
  sim.model.deletePod('default', 'bare');
  sim.model.addPod(podSpec('bare', { ephemeralLauncher: launcher }));
  const body = patched({ name: 'look', image: 'busybox:1.36', targetContainerName: 'app' });
  await patch(sim, body);
  const answer = await patch(sim, body);
  expect(answer.status).toBe(200);
  const pod = JSON.parse(answer.text) as { spec: object; status: { ephemeralContainerStatuses: readonly object[] } };
  expect(pod.spec).toMatchObject({
    ephemeralContainers: [{ name: 'look', image: 'busybox:1.36', targetContainerName: 'app' }],
  });
  expect(pod.status.ephemeralContainerStatuses).toEqual([
    expect.objectContaining({ name: 'look', state: { running: { startedAt: expect.any(String) as string } } }),
  ]);
  const { output } = await run(sim, ['echo', 'seen'], { pod: 'bare', container: 'look' });
  expect(output).toBe('seen\n');
});

it.for([
  [
    patched({ name: 'look', image: 'busybox', targetContainerName: 'other' }),
    {},
    422,
    /targetContainerName: Not found/,
  ],
  [patched({ image: 'busybox' }), {}, 422, /name: Required value/],
  [patched({ name: 'look' }), {}, 422, /image: Required value/],
  ['{', {}, 400, /must be of type JSON/],
  ['{}', { type: 'application/json' }, 415, /unknown format/],
] as const)('the patch %s %j is rejected with %i', async ([body, more, status, message], { sim }) => {
  const answer = await patch(sim, body, more);
  expect([answer.status, (JSON.parse(answer.text) as StatusBody).message]).toEqual([
    status,
    expect.stringMatching(message),
  ]);
});

it('an ephemeral container needs its own permission', async ({ sim }) => {
  const token = sim.issueToken({
    user: 'viewer',
    rules: [{ verbs: ['patch', 'create'], resources: ['pods', 'pods/exec'] }],
  });
  const { status, text } = await patch(sim, patched({ name: 'look', image: 'busybox' }), { token });
  expect([status, (JSON.parse(text) as StatusBody).message]).toEqual([
    403,
    expect.stringContaining('cannot patch resource "pods/ephemeralcontainers"'),
  ]);
});
