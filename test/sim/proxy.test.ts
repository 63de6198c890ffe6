// @module-tag sockets

import { createServer } from 'node:https';

import { expect, test } from 'vitest';

import { SimulatedCluster } from '../../sim/cluster.js';
import { addExporter } from '../../sim/model/exporter-pod.js';
import { emptyScenario } from '../../sim/model/scenario.js';
import { LoopbackServer, replyWith } from '../http/loopback-server.js';
import { TestAuthority } from '../support/certificates.js';
import { untilEnd } from '../support/fixtures.js';
import { callApi, type ListBody, type StatusBody } from './wire.js';

const namespace = '/api/v1/namespaces/ephemeral-storage-exporter';
const service = `${namespace}/services/ephemeral-storage-exporter`;

const it = test
  .extend('server', ({ onTestFinished }) => untilEnd(onTestFinished, LoopbackServer.listen()))
  .extend('sim', async ({ onTestFinished, server }) => {
    const sim = await untilEnd(onTestFinished, SimulatedCluster.start({ scenario: emptyScenario('node-1', 'node-2') }));
    addExporter(sim.model, Number(server.url.port));
    return sim;
  });

const podPath = (sim: SimulatedCluster): string => `${namespace}/pods/${sim.model.pods[0]?.spec.name ?? ''}`;

async function statusOf(sim: SimulatedCluster, path: string): Promise<string> {
  const { status, text } = await callApi(sim, path);
  return `${status} ${(JSON.parse(text) as StatusBody).message}`;
}

it('the Service of the exporter is listed with its labels and its port', async ({ sim }) => {
  const selector = encodeURIComponent('app.kubernetes.io/name=ephemeral-storage-exporter');
  for (const path of [`/api/v1/services?labelSelector=${selector}`, `${namespace}/services`]) {
    const { items } = JSON.parse((await callApi(sim, path)).text) as ListBody;
    expect(items).toMatchObject([
      {
        metadata: { name: 'ephemeral-storage-exporter', namespace: 'ephemeral-storage-exporter' },
        spec: { ports: [{ name: 'metrics', port: 9797, targetPort: 'metrics' }] },
      },
    ]);
  }
});

it('a cluster has no Service unless one is added', async () => {
  await using sim = await SimulatedCluster.start({ scenario: emptyScenario('node-1') });
  expect((JSON.parse((await callApi(sim, '/api/v1/services')).text) as ListBody).items).toEqual([]);
  expect(await statusOf(sim, `${service}:metrics/proxy/`)).toBe('404 endpoints "ephemeral-storage-exporter" not found');
});

it.for([
  'services/ephemeral-storage-exporter:metrics',
  'services/ephemeral-storage-exporter:9797',
  'pods/POD:9797',
  'pods/POD',
  'pods/http:POD:9797',
])('a request is proxied to %s without its credentials', async (target, { sim, server }) => {
  server.answer = replyWith({ status: 418, headers: { 'x-answer': 'tea' }, body: 'short and stout' });
  const path = `${namespace}/${target.replace('POD', sim.model.pods[0]?.spec.name ?? '')}/proxy/api/v1/a%20b/?limit=1`;
  const { status, headers, text } = await callApi(sim, path, { headers: { 'X-Asked': 'yes' } });
  expect([status, headers['x-answer'], text]).toEqual([418, 'tea', 'short and stout']);
  const [received] = server.requests;
  expect([received?.method, received?.url, received?.headers['x-asked']]).toEqual([
    'GET',
    '/api/v1/a%20b/?limit=1',
    'yes',
  ]);
  expect(received?.headers.authorization).toBeUndefined();
});

it('https: in the name of a Service reaches an exporter that serves HTTPS, whatever its certificate', async () => {
  const { cert, key } = await (await TestAuthority.create()).issueServer();
  await using server = await LoopbackServer.listen(createServer({ cert, key }), 'https');
  await using sim = await SimulatedCluster.start({ scenario: emptyScenario('node-1') });
  addExporter(sim.model, Number(server.url.port));
  server.answer = replyWith({ body: 'encrypted' });
  const path = `${namespace}/services/https:ephemeral-storage-exporter:metrics/proxy/metrics`;
  expect((await callApi(sim, path)).text).toBe('encrypted');
});

it('the proxy needs the permission for the named port, and a rule for the pod is none for the Service', async ({
  sim,
  server,
}) => {
  server.answer = replyWith({});
  const resourceNames = ['ephemeral-storage-exporter:metrics'];
  const read = async (resource: string, path: string) => {
    const token = sim.issueToken({ user: 'viewer', rules: [{ verbs: ['get'], resources: [resource], resourceNames }] });
    return callApi(sim, `${path}/proxy/metrics`, { token });
  };
  expect(await read('services/proxy', `${service}:metrics`)).toMatchObject({ status: 200 });
  expect(await read('pods/proxy', podPath(sim))).toMatchObject({ status: 403 });
  const refused = await read('services/proxy', `${service}:9797`);
  expect([refused.status, (JSON.parse(refused.text) as StatusBody).message]).toEqual([
    403,
    'services "ephemeral-storage-exporter:9797" is forbidden: User "viewer" cannot get resource "services/proxy" in API group "" in the namespace "ephemeral-storage-exporter"',
  ]);
});
