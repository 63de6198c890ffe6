// @module-tag sockets

import { createServer } from 'node:https';

import { describe, expect, test } from 'vitest';

import { SimulatedCluster } from '../../sim/cluster.js';
import { addExporter } from '../../sim/model/exporter-pod.js';
import { emptyScenario } from '../../sim/model/scenario.js';
import { LoopbackServer, replyWith } from '../http/loopback-server.js';
import { TestAuthority } from '../support/certificates.js';
import { untilEnd } from '../support/fixtures.js';
import { podSpec } from './pods.js';
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

describe("the exporter's Service", () => {
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

  it('the Service of the exporter selects a pod that declares its port', async ({ sim }) => {
    const { spec } = JSON.parse((await callApi(sim, service)).text) as {
      spec: { selector: Readonly<Record<string, string>> };
    };
    const selector = Object.entries(spec.selector).map((pair) => pair.join('='));
    const { text } = await callApi(sim, `${namespace}/pods?labelSelector=${encodeURIComponent(selector.join())}`);
    expect((JSON.parse(text) as ListBody).items).toMatchObject([
      { spec: { containers: [{ ports: [{ name: 'metrics', containerPort: 9797 }] }] }, status: { phase: 'Running' } },
    ]);
  });

  it('kubectl shows the Service as a table', async ({ sim }) => {
    const headers = { Accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    const { text } = await callApi(sim, `${namespace}/services`, { headers });
    expect(JSON.parse(text)).toMatchObject({
      rows: [
        {
          cells: [
            'ephemeral-storage-exporter',
            'ClusterIP',
            'None',
            '<none>',
            '9797/TCP',
            expect.anything(),
            expect.anything(),
          ],
        },
      ],
    });
  });

  it('a cluster has no Service unless one is added', async () => {
    await using sim = await SimulatedCluster.start({ scenario: emptyScenario('node-1') });
    expect((JSON.parse((await callApi(sim, '/api/v1/services')).text) as ListBody).items).toEqual([]);
    expect(await statusOf(sim, `${service}:metrics/proxy/`)).toBe(
      '404 endpoints "ephemeral-storage-exporter" not found',
    );
  });
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

it('the body of a proxied request is forwarded', async ({ sim, server }) => {
  server.answer = (request, response) => request.pipe(response);
  const { status, text } = await callApi(sim, `${service}:metrics/proxy/-/reload`, { method: 'POST', body: 'now' });
  expect([status, text, server.requests[0]?.method]).toEqual([200, 'now', 'POST']);
});

it('a proxied path without a slash at its end is redirected to the same with one', async ({ sim }) => {
  const { status, headers } = await callApi(sim, `${service}:metrics/proxy?a=b`);
  expect([status, headers.location]).toEqual([301, `${service}:metrics/proxy/?a=b`]);
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

it.for([
  ['services/other:metrics', '404 endpoints "other" not found'],
  ['services/other:80', '404 services "other" not found'],
  ['services/ephemeral-storage-exporter:80', '503 no service port 80 found for service "ephemeral-storage-exporter"'],
  ['services/ephemeral-storage-exporter', '503 no endpoints available for service "ephemeral-storage-exporter"'],
  [
    'services/ephemeral-storage-exporter:web',
    '503 no endpoints available for service "ephemeral-storage-exporter:web"',
  ],
  [
    'services/ftp:ephemeral-storage-exporter:metrics',
    '400 invalid service request "ftp:ephemeral-storage-exporter:metrics"',
  ],
  ['pods/other:9797', '404 pods "other" not found'],
  ['pods/a:b:c:d', '400 invalid pod request "a:b:c:d"'],
  ['pods/silent:80', '503 error trying to reach service: dial tcp 127.0.0.1:80: connect: connection refused'],
  ['pods/pending:80', '400 address not allowed'],
] as const)('what cannot be proxied to %s is rejected with %s', async ([target, expected], { sim }) => {
  sim.model.addPod(podSpec('silent', { namespace: 'ephemeral-storage-exporter' }));
  sim.model.addPod(podSpec('pending', { namespace: 'ephemeral-storage-exporter', startAfterMs: 1e9 }));
  expect(await statusOf(sim, `${namespace}/${target}/proxy/metrics`)).toBe(expected);
});

it('a Service has no endpoints once its pod is deleted', async ({ sim }) => {
  const { namespace: of, name } = sim.model.pods[0]?.spec ?? podSpec('none');
  sim.model.deletePod(of, name);
  expect(await statusOf(sim, `${service}:metrics/proxy/metrics`)).toBe(
    '503 no endpoints available for service "ephemeral-storage-exporter"',
  );
});

it('an exporter that has stopped listening is unavailable', async ({ sim, server }) => {
  await server[Symbol.asyncDispose]();
  expect(await statusOf(sim, `${service}:metrics/proxy/metrics`)).toBe(
    '503 error trying to reach service: dial tcp 127.0.0.1:9797: connect: connection refused',
  );
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
