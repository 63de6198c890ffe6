// @module-tag sockets

import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';

import { apiAudience, type Rule } from '../../sim/access.js';
import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario } from '../../sim/model/scenario.js';
import { imageIdOf } from '../../sim/model/simulated-images.js';
import { untilEnd } from '../support/fixtures.js';
import { ManualClock } from '../support/manual-clock.js';
import { podSpec } from './pods.js';
import { callApi, callKubelet, type ListBody, type StatusBody } from './wire.js';

const start = async (): Promise<SimulatedCluster> => SimulatedCluster.start({ scenario: emptyScenario('node-1') });

const it = test.extend('sim', ({ onTestFinished }) => untilEnd(onTestFinished, start()));

const reviews = '/apis/authorization.k8s.io/v1';

/** A length-delimited protobuf field, of ASCII. */
function field(number: number, content: string): string {
  const length = content.length;
  const lengthBytes = length < 128 ? [length] : [(length & 0x7f) | 0x80, length >> 7];
  return String.fromCharCode((number << 3) | 2, ...lengthBytes) + content;
}

async function review(sim: SimulatedCluster, path: string, spec: object, token = sim.token): Promise<object> {
  const body = JSON.stringify({ kind: 'Review', apiVersion: 'v1', spec });
  const headers = { 'Content-Type': 'application/json' };
  const { status, text } = await callApi(sim, path, { method: 'POST', body, headers, token });
  expect(status, text).toBe(201);
  return (JSON.parse(text) as { status: object }).status;
}

describe('authentication', () => {
  it('the simulated API server accepts a client certificate, with its groups', async ({ sim }) => {
    const admin = await sim.issueClient({ commonName: 'root', organizations: ['team', 'system:masters'] });
    expect((await callApi(sim, '/api/v1/pods', admin)).status).toBe(200);
    const other = await sim.issueClient({ commonName: 'other' });
    expect((await callApi(sim, '/api/v1/pods', other)).text).toContain('User \\"other\\" cannot list');
  });

  it('the simulated API server is reached by a kubeconfig with a token and a client certificate', async ({ sim }) => {
    const config = parseYaml(sim.kubeconfig()) as {
      clusters: { cluster: { server: string; 'certificate-authority-data': string } }[];
      users: { user: { token?: string; 'client-certificate-data'?: string; 'client-key-data'?: string } }[];
    };
    expect(config.clusters[0]?.cluster.server).toBe(sim.apiUrl);
    expect(decode(config.clusters[0]?.cluster['certificate-authority-data'])).toBe(sim.caPem);
    expect(config.users[0]?.user.token).toBe(sim.token);
    const { user } = config.users[1] ?? { user: {} };
    const keyPair = { cert: decode(user['client-certificate-data']), key: decode(user['client-key-data']) };
    expect((await callApi(sim, '/api/v1/nodes', keyPair)).status).toBe(200);
  });
});

function decode(base64 = ''): string {
  return Buffer.from(base64, 'base64').toString();
}

it.for<[string, Rule, string, number]>([
  ['a verb', { verbs: ['list'], resources: ['pods'] }, '/api/v1/pods', 200],
  ['a verb', { verbs: ['list'], resources: ['pods'] }, '/api/v1/pods?watch=true&resourceVersion=abc', 403],
  ['a verb', { verbs: ['watch'], resources: ['pods'] }, '/api/v1/pods', 403],
  ['a resource', { verbs: ['list'], resources: ['pods'] }, '/api/v1/nodes', 403],
  ['a name', { verbs: ['get'], resources: ['nodes'], resourceNames: ['node-1'] }, '/api/v1/nodes/node-1', 200],
  ['a name', { verbs: ['get'], resources: ['nodes'], resourceNames: ['node-2'] }, '/api/v1/nodes/node-1', 403],
  ['a name', { verbs: ['list'], resources: ['nodes'], resourceNames: ['node-1'] }, '/api/v1/nodes', 403],
  ['a namespace', { verbs: ['*'], resources: ['*'], namespaces: ['default'] }, '/api/v1/namespaces/default/pods', 200],
  ['a namespace', { verbs: ['*'], resources: ['*'], namespaces: ['default'] }, '/api/v1/pods', 403],
  ['a subresource', { verbs: ['get'], resources: ['*/proxy'] }, '/api/v1/nodes/node-1/proxy/healthz', 404],
  ['a subresource', { verbs: ['get'], resources: ['nodes'] }, '/api/v1/nodes/node-1/proxy/healthz', 403],
  ['a path', { verbs: ['get'], nonResourceURLs: ['/metrics'] }, '/metrics', 404],
  ['a path', { verbs: ['get'], nonResourceURLs: ['/metrics'] }, '/metrics/more', 403],
])('access rules grant %s: %j to %s results in %i', async ([, rule, path, status], { sim }) => {
  const token = sim.issueToken({ user: 'exporter', rules: [rule] });
  expect((await callApi(sim, path, { token })).status).toBe(status);
});

it.for([
  [field(1, field(2, 'get') + field(5, 'nodes') + field(6, 'stats') + field(7, 'n'.repeat(200))), true],
  [field(1, field(2, 'get') + field(5, 'nodes')), false],
  [field(2, field(1, '/metrics') + field(2, 'get')), false],
] as const)('reviews support the encoding of kubectl (%j)', async ([spec, allowed], { sim }) => {
  const token = sim.issueToken({ user: 'exporter', rules: [{ verbs: ['get'], resources: ['nodes/stats'] }] });
  const { status, text } = await callApi(sim, `${reviews}/selfsubjectaccessreviews`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/vnd.kubernetes.protobuf' },
    body: Buffer.from(
      `k8s\0${field(1, field(2, 'SelfSubjectAccessReview'))}${field(2, field(1, '') + field(2, spec))}`,
      'latin1',
    ),
    token,
  });
  expect(status).toBe(201);
  expect(JSON.parse(text)).toMatchObject({ kind: 'SelfSubjectAccessReview', status: { allowed } });
});

it('reviews return the user of a token', async ({ sim }) => {
  const token = sim.issueToken({ user: 'prometheus', groups: ['monitoring'], rules: [] });
  const tokenReviews = '/apis/authentication.k8s.io/v1/tokenreviews';
  const user = { username: 'prometheus', uid: 'prometheus', groups: ['monitoring', 'system:authenticated'] };
  expect(await review(sim, tokenReviews, { token })).toEqual({ authenticated: true, user, audiences: [apiAudience] });
  const other = sim.issueToken({ user: 'prometheus', groups: ['monitoring'], rules: [], audiences: ['a', 'b'] });
  const wanted = { token: other, audiences: ['b', 'c'] };
  expect(await review(sim, tokenReviews, wanted)).toEqual({ authenticated: true, user, audiences: ['b'] });
  expect(await review(sim, tokenReviews, { token: other })).toMatchObject({ error: 'invalid bearer token' });
  expect(await review(sim, tokenReviews, { token: 'unknown' })).toMatchObject({ error: 'invalid bearer token' });
});

it('reviews issue the token of a service account, for the audiences of the request', async ({ sim }) => {
  const path = '/api/v1/namespaces/monitoring/serviceaccounts/prometheus/token';
  const name = 'system:serviceaccount:monitoring:prometheus';
  sim.access.setRules(name, [{ verbs: ['get'], nonResourceURLs: ['/metrics'] }]);
  const status = (await review(sim, path, { audiences: ['exporter'] })) as { token: string };
  const tokenReviews = '/apis/authentication.k8s.io/v1/tokenreviews';
  expect(await review(sim, tokenReviews, { token: status.token, audiences: ['exporter'] })).toMatchObject({
    authenticated: true,
    user: {
      username: name,
      groups: ['system:serviceaccounts', 'system:serviceaccounts:monitoring', 'system:authenticated'],
    },
  });
  const spec = { user: name, nonResourceAttributes: { verb: 'get', path: '/metrics' } };
  expect(await review(sim, `${reviews}/subjectaccessreviews`, spec)).toEqual({ allowed: true });
  const token = sim.issueToken({ user: 'viewer', rules: [{ verbs: ['list'], resources: ['pods'] }] });
  expect((await callApi(sim, path, { method: 'POST', token })).status).toBe(403);
});

it('the simulated API server reports why it cannot reach a kubelet', async ({ sim }) => {
  const port = String(sim.model.node('node-1')?.kubeletPort);
  await sim.setFault('node-1', 'down');
  const { status, text } = await callApi(sim, '/api/v1/nodes/node-1/proxy/stats/summary');
  expect(status).toBe(503);
  expect((JSON.parse(text) as StatusBody).message).toBe(
    `error trying to reach service: dial tcp 127.0.0.1:${port}: connect: connection refused`,
  );
  await sim.setFault('node-1', 'expired-certificate');
  expect((await callApi(sim, '/api/v1/nodes/node-1/proxy/stats/summary')).text).toContain('certificate has expired');
});

it.for([
  ['configz', 200],
  ['proxy', 200],
  ['stats', 403],
] as const)('a simulated kubelet grants its configuration for nodes/%s: %i', async ([subresource, status], { sim }) => {
  const token = sim.issueToken({ user: 'exporter', rules: [{ verbs: ['get'], resources: [`nodes/${subresource}`] }] });
  expect((await callKubelet(sim, 'node-1', { path: '/configz', token })).status).toBe(status);
});

it('a list in pages is of one moment, also when pods come and go between them', async ({ sim }) => {
  for (const name of ['a', 'b', 'c']) sim.model.addPod(podSpec(name));
  const list = async (query: string) => JSON.parse((await callApi(sim, `/api/v1/pods?${query}`)).text) as ListBody;
  const first = await list('limit=2');
  sim.model.deletePod('default', 'c');
  sim.model.addPod(podSpec('d'));
  const second = await list(`limit=2&continue=${first.metadata.continue ?? ''}`);
  expect([...first.items, ...second.items].map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c']);
  expect(second.metadata).toEqual({ resourceVersion: first.metadata.resourceVersion });
});

it('a node object lists its 50 largest images, by their compressed sizes', async ({ sim }) => {
  const imageOf = (index: number) => ({ name: `image:${index}`, sizeBytes: 4096, contentBytes: (index + 1) * 4096 });
  await sim.addNode({ name: 'node-2', images: Array.from({ length: 60 }, (_, index) => imageOf(index)) });
  const { text } = await callApi(sim, '/api/v1/nodes/node-2');
  const { images } = (JSON.parse(text) as { status: { images: readonly object[] } }).status;
  expect(images).toHaveLength(50);
  expect(images[0]).toEqual({ names: [imageIdOf('image:59'), 'image:59'], sizeBytes: 60 * 4096 });
});

it('a container has the ID that its image has on the node', async ({ sim }) => {
  sim.model.addPod(podSpec('a'));
  const { text } = await callApi(sim, '/api/v1/namespaces/default/pods/a');
  const image = 'registry.example/app:1';
  expect(JSON.parse(text)).toMatchObject({ status: { containerStatuses: [{ image, imageID: imageIdOf(image) }] } });
});

it('the fault restarted is a new start of the kubelet, but not of its node', async () => {
  const clock = new ManualClock();
  await using sim = await SimulatedCluster.start({ scenario: emptyScenario('node-1'), clock });
  await clock.advance(60_000);
  await sim.setFault('node-1', 'restarted');
  await sim.setFault('node-1', undefined);
  const { text } = await callKubelet(sim, 'node-1');
  expect(JSON.parse(text)).toMatchObject({
    node: {
      startTime: '2026-01-01T00:00:00Z',
      systemContainers: [{ name: 'kubelet', startTime: '2026-01-01T00:01:00Z' }, { name: 'pods' }],
    },
  });
});
