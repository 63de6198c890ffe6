// @module-tag sockets

import { describe, expect, test } from 'vitest';

import type { Rule } from '../../sim/access.js';
import { SimulatedCluster } from '../../sim/cluster.js';
import { addExporter } from '../../sim/model/exporter-pod.js';
import { emptyScenario } from '../../sim/model/scenario.js';
import { type Credentials, staticCredentials } from '../../src/cluster/credentials/credentials.js';
import { wholeCluster } from '../../src/cluster/kube/scope.js';
import type { ClusterReading } from '../../src/people/query/cluster-reading.js';
import { evictionReport } from '../../src/people/report/eviction-report.js';
import { defaultExporter } from '../../src/serve/source/exporter-address.js';
import { openExporter } from '../../src/serve/source/exporter-source.js';
import type { ReadViews } from '../../src/serve/source/view-source.js';
import { failureOf, LoopbackServer, replyWith } from '../http/loopback-server.js';
import { podSpec } from '../sim/pods.js';
import { TestAuthority } from '../support/certificates.js';
import { commandRequests } from '../support/command-context.js';
import { anEvictionRecord } from '../support/eviction-builders.js';
import { untilEnd } from '../support/fixtures.js';
import { ManualClock } from '../support/manual-clock.js';
import { never } from '../support/signals.js';
import {
  aClusterSnapshot,
  aFreshNode,
  aMeasuredPod,
  anAbsentNode,
  aNodeSnapshot,
  aReading,
} from '../support/snapshot-builders.js';
import { answersOf, serveReading } from './served-reading.js';

const namespace = 'ephemeral-storage-exporter';
const labels = { 'app.kubernetes.io/name': namespace };

const readerRules: readonly Rule[] = [
  { verbs: ['list', 'get'], resources: ['services', 'pods'] },
  { verbs: ['get'], resources: ['services/proxy', 'pods/proxy'] },
];

const it = test
  .extend('sim', ({ onTestFinished }) =>
    untilEnd(onTestFinished, SimulatedCluster.start({ scenario: emptyScenario('node-1', 'node-2', 'node-3') })),
  )
  .extend(
    'serve',
    ({ onTestFinished }) =>
      (reading: ClusterReading) =>
        untilEnd(onTestFinished, serveReading(reading)),
  );

/** A node with a pod of the name. */
function readingOf(nodeName: string, pod: string, scope = wholeCluster): ClusterReading {
  const nodes = [aFreshNode(aNodeSnapshot({ nodeName, pods: [aMeasuredPod({ name: pod })] }))];
  const evictions = [evictionReport(anEvictionRecord({ pod: `${pod}-evicted`, uid: pod }))];
  return aReading({ scope, snapshot: aClusterSnapshot({ nodes, workloads: [] }), evictions });
}

function credentialsOf(sim: SimulatedCluster, rules: readonly Rule[]): Credentials {
  const token = sim.issueToken({ user: 'operator', rules });
  return { ...staticCredentials({ server: new URL(sim.apiUrl), ca: sim.caPem, token }), namespace: 'shop' };
}

type Question = Parameters<typeof openExporter>[0];

async function open(
  credentials: Credentials | undefined,
  question: Partial<Question> = {},
): Promise<{ readonly read: ReadViews } & Disposable> {
  const clock = new ManualClock();
  const defaults = { address: undefined, files: undefined, place: {}, clock, version: '0.0.0-test' };
  return openExporter({ ...defaults, requests: commandRequests(clock), credentials, ...question }, never);
}

async function podsOf(source: { readonly read: ReadViews }): Promise<readonly string[]> {
  const { items } = await (await source.read(never)).list('pods', { order: 'name' });
  return items.map(({ pod }) => pod);
}

/** Adds a pod of the exporter that listens on a port of 127.0.0.1. */
function addPod(sim: SimulatedCluster, name: string, nodeName: string, listensOn: number): void {
  const still = { initialBytes: 0 };
  const app = {
    name: 'exporter',
    rootfs: still,
    logs: still,
    ports: [{ name: 'metrics', containerPort: 9797, listensOn }],
  };
  sim.model.addPod(podSpec(name, { namespace, nodeName, labels, containers: [app] }));
}

function addService(sim: SimulatedCluster, of = namespace): void {
  const ports = [{ name: 'metrics', port: 9797, targetPort: 'metrics' }];
  sim.model.services.add({ namespace: of, name: namespace, labels, selector: labels, ports });
}

describe('the exporter of a cluster', () => {
  const mayProxy: Rule = { verbs: ['get'], resources: ['services/proxy'] };
  const own = { verbs: ['list', 'get'], resources: ['services', 'services/proxy'], namespaces: [namespace] };
  it.for<[string, readonly Rule[], Partial<Question>?]>([
    ['found by its label', readerRules],
    ['named, without a list of Services', [mayProxy], { address: defaultExporter }],
    ['of the usual name, where no Services may be listed', [mayProxy]],
    [
      'of the usual name, where Services of the own namespace alone may be listed',
      [{ verbs: ['list'], resources: ['services'], namespaces: ['shop'] }, mayProxy],
    ],
    ['in the usual namespace, where its Services alone may be listed', [own]],
  ])('the exporter that is read through the API server is %s', async ([, rules, question], { sim, serve }) => {
    const server = await serve(readingOf('node-1', 'cart-0'));
    addExporter(sim.model, server.port);
    using exporter = await open(credentialsOf(sim, rules), question);
    expect(await podsOf(exporter)).toEqual(['cart-0']);
    expect(server.requests.every(({ headers }) => headers.authorization === undefined)).toBe(true);
  });

  const awaited = (...names: readonly string[]): ClusterReading => {
    const nodes = names.map((name) => anAbsentNode(name, 'timeout'));
    return aReading({ snapshot: aClusterSnapshot({ nodes, workloads: [] }) });
  };
  const answered = readingOf('node-1', 'cart-0');

  it.for([
    ['is asked again until they have', [awaited('node-1', 'node-2'), awaited('node-2'), answered], 3],
    ['is not asked again without any', [answered], 1],
  ] as const)('an exporter with kubelets that are awaited %s', async ([, readings, count], { sim, serve }) => {
    const server = await serve(answered);
    addExporter(sim.model, server.port);
    const clock = new ManualClock();
    using exporter = await open(credentialsOf(sim, readerRules), { clock });
    const before = server.requests.length;
    const left = [...readings];
    server.answer = (...exchange) => {
      answersOf(left.shift() ?? answered)(...exchange);
    };
    let isRead = false;
    const read = exporter.read(never).then(() => (isRead = true));
    await expect.poll(() => clock.advance(100).then(() => isRead), { interval: 5 }).toBe(true);
    await read;
    expect(server.requests.length - before).toBe(count);
  });

  it('of any number of Services with the label, that of the usual name in the usual namespace is read', async ({
    sim,
    serve,
  }) => {
    const server = await serve(readingOf('node-1', 'cart-0'));
    addExporter(sim.model, server.port);
    for (let index = 0; index < 501; index += 1) addService(sim, `a-${index}`);
    for (const verbs of [['list', 'get'], ['list'], ['get']]) {
      const rules = [{ verbs, resources: ['services'] }, ...readerRules.slice(1)];
      using exporter = await open(credentialsOf(sim, rules));
      expect(await podsOf(exporter)).toEqual(['cart-0']);
    }
  });

  it('of the Services with the label, none is chosen where several are not of the usual name', async ({ sim }) => {
    for (let index = 0; index < 501; index += 1) addService(sim, `a-${index}`);
    addService(sim, 'monitoring');
    const named = Array.from({ length: 5 }, (_, index) => `a-${[0, 1, 10, 100, 101][index]}/${namespace}`).join(', ');
    await expect(open(credentialsOf(sim, readerRules))).rejects.toThrow(
      `several Services have the label app.kubernetes.io/name=${namespace}: ${named} and 497 more; name the exporter with --exporter NAMESPACE/SERVICE, or read the kubelets with --from kubelets`,
    );
  });

  it('a cluster without an exporter is not read', async ({ sim }) => {
    await expect(open(credentialsOf(sim, readerRules))).rejects.toMatchObject({
      reason: 'not_found',
      message: `no Service has the label app.kubernetes.io/name=${namespace} and a port called metrics`,
    });
  });

  it('a user who may list Services of the usual namespace alone finds none there', async ({ sim }) => {
    const rules = [{ verbs: ['list'], resources: ['services'], namespaces: [namespace] }];
    await expect(open(credentialsOf(sim, rules))).rejects.toMatchObject({ reason: 'not_found' });
  });

  it('an exporter that serves TLS is read through the API server', async ({ sim }) => {
    const { cert, key } = await (await TestAuthority.create()).issueServer();
    await using server = await LoopbackServer.listenTls({ cert, key });
    server.answer = answersOf(readingOf('node-1', 'cart-0'));
    addExporter(sim.model, server.port);
    using exporter = await open(credentialsOf(sim, readerRules));
    expect(await podsOf(exporter)).toEqual(['cart-0']);
  });

  it('an exporter that does not listen is an error of the first request', async ({ sim }) => {
    addExporter(sim.model, 1);
    const error = await failureOf(open(credentialsOf(sim, readerRules)));
    expect(error.message).toMatch(/services\/ephemeral-storage-exporter:metrics\/proxy\/api\/v1\/nodes: .*503/);
  });

  it('an exporter without a ready pod is not ready', async ({ sim }) => {
    addService(sim);
    const error = await failureOf(open(credentialsOf(sim, readerRules)));
    expect(error.message).toBe(
      `the exporter is not ready: no pod of the Service ${namespace}/${namespace} is (kubectl get pods -n ${namespace})`,
    );
  });

  it('an exporter with a URL is read without a cluster', async ({ serve }) => {
    const server = await serve(readingOf('node-1', 'cart-0'));
    using exporter = await open(undefined, { address: { url: server.url } });
    expect(await podsOf(exporter)).toEqual(['cart-0']);
  });

  it('without a cluster no exporter is found', async () => {
    await expect(open(undefined)).rejects.toThrow('no kubeconfig was found');
  });
});

describe('shards', () => {
  const readings = [0, 1, 2].map((shard) =>
    readingOf(`node-${shard + 1}`, `pod-${shard}`, { ...wholeCluster, shard, totalShards: 3 }),
  );
  const sharded = it.extend('servers', async ({ sim, serve }) => {
    addService(sim);
    const servers = await Promise.all(readings.map(serve));
    for (const [shard, { port }] of servers.entries()) addPod(sim, `exporter-${shard}`, `node-${shard + 1}`, port);
    return servers;
  });

  sharded('shards are asked pod by pod, and shown as one', async ({ sim, servers }) => {
    expect(servers).toHaveLength(3);
    using exporter = await open(credentialsOf(sim, readerRules));
    expect(await podsOf(exporter)).toEqual(['pod-0', 'pod-1', 'pod-2']);
    const { notes, coverage } = await (await exporter.read(never)).list('nodes', {}, 1);
    expect([notes, coverage.freshNodeCount]).toEqual([[], 3]);
  });

  it('shards that are missing are counted in a note', async ({ sim, serve }) => {
    addService(sim);
    addPod(sim, 'exporter-1', 'node-1', (await serve(readings[1] ?? aReading())).port);
    using exporter = await open(credentialsOf(sim, readerRules));
    const { items, notes } = await (await exporter.read(never)).list('pods', {});
    expect(items).toMatchObject([{ pod: 'pod-1' }]);
    expect(notes).toEqual(['1 of 3 shards are ready: the nodes of the others are missing.']);
  });

  it('one shard that is read by its URL is not taken for all of them', async ({ serve }) => {
    const { url } = await serve(readings[1] ?? aReading());
    using exporter = await open(undefined, { address: { url } });
    const { items, notes, shards } = await (await exporter.read(never)).list('pods', {});
    expect(items).toMatchObject([{ pod: 'pod-1' }]);
    expect(notes).toEqual(['1 of 3 shards are ready: the nodes of the others are missing.']);
    expect(shards).toEqual({ answeredCount: 1, totalCount: 3 });
  });

  sharded('a shard that does not answer is missing, and is not asked for each list', async ({ sim, servers }) => {
    using exporter = await open(credentialsOf(sim, readerRules));
    const [, broken] = servers;
    if (broken === undefined) throw new Error('a shard is missing');
    broken.answer = replyWith({ status: 503, body: 'starting' });
    const before = broken.requests.length;
    const reader = await exporter.read(never);
    for (const kind of ['pods', 'nodes'] as const) {
      const { items, notes } = await reader.list(kind, {});
      expect(items).toHaveLength(2);
      expect(notes).toEqual([expect.stringMatching(/^The nodes of shard exporter-1 are missing: GET .*503/)]);
    }
    expect(broken.requests.length - before).toBe(1);
    broken.answer = answersOf(readings[1] ?? aReading());
    expect(await podsOf(exporter)).toEqual(['pod-0', 'pod-1', 'pod-2']);
  });

  it('shards of which no pod is ready any more are an error', async () => {
    await using api = await LoopbackServer.listen();
    const answer = answersOf(readings[0] ?? aReading());
    api.answer = (request, response) => {
      const [, url] = request.url?.split('/proxy') ?? [];
      if (url === undefined) replyWith({ body: '{"items":[]}' })(request, response);
      else answer(Object.assign(request, { url }), response);
    };
    const error = await failureOf(open(staticCredentials({ server: api.url }), { address: defaultExporter }));
    expect(error.message).toMatch(/^none of the 3 shards of \S+ is ready$/);
  });

  sharded.for([0, 1, 2])(
    'shards are read although number %i fails from the first request on',
    async (index, { sim, servers }) => {
      const broken = servers[index];
      if (broken === undefined) throw new Error('a shard is missing');
      broken.answer = replyWith({ status: 500, body: 'broken' });
      using exporter = await open(credentialsOf(sim, readerRules));
      const { items, notes } = await (await exporter.read(never)).list('pods', {});
      expect(items).toHaveLength(2);
      expect(notes).toEqual([expect.stringContaining(`The nodes of shard exporter-${index} are missing`)]);
    },
  );

  it('shards need the right to read their pods', async ({ sim, serve }) => {
    addService(sim);
    addPod(sim, 'exporter-0', 'node-1', (await serve(readings[0] ?? aReading())).port);
    const rules = readerRules.map((rule) => ({
      ...rule,
      resources: rule.resources?.filter((of) => of !== 'pods') ?? [],
    }));
    await expect(open(credentialsOf(sim, rules))).rejects.toMatchObject({ reason: 'forbidden' });
  });
});

describe('exporters of one node each', () => {
  const nodeLocal = it.extend('credentials', async ({ sim, serve }) => {
    addService(sim);
    for (const nodeName of ['node-1', 'node-2']) {
      const { port } = await serve(readingOf(nodeName, `on-${nodeName}`, { ...wholeCluster, nodeName }));
      addPod(sim, `exporter-${nodeName}`, nodeName, port);
    }
    sim.model.addPod(podSpec('cart-0', { namespace: 'shop', nodeName: 'node-2' }));
    return credentialsOf(sim, readerRules);
  });

  nodeLocal.for([
    [{ node: 'node-1' }, 'on-node-1'],
    [{ node: 'node-2' }, 'on-node-2'],
    [{ pod: { namespace: 'shop', name: 'cart-0' } }, 'on-node-2'],
  ] as const)('exporters of one node each: that of %j is asked', async ([place, pod], { credentials }) => {
    using exporter = await open(credentials, { place });
    expect(await podsOf(exporter)).toEqual([pod]);
  });

  nodeLocal.for([
    [{}, /^the exporter runs on each node and measures that node alone: name one with --node, or .* --from kubelets$/],
    [{ node: 'node-3' }, /^no ready exporter runs on node node-3: try --from kubelets$/],
    [{ pod: { namespace: 'shop', name: 'none' } }, /pods\/none.*404/],
  ] as const)('exporters of one node each: none is asked for %j', async ([place, message], { credentials }) => {
    await expect(open(credentials, { place })).rejects.toThrow(message);
  });
});

const refused = (user: string) =>
  JSON.stringify({
    kind: 'Status',
    message: `services "x" is forbidden: User "${user}" cannot get resource "services/proxy" in API group "" in the namespace "${namespace}"`,
  });
const readerRole = `-n ${namespace} --role=${namespace}-reader`;

test.each([
  [
    401,
    'text/plain; charset=utf-8',
    'unauthorized\n',
    /the exporter answered 401.* passes none on; type kubectl -n \S+ port-forward service\/\S+ 9797, then --exporter http:\/\/127.0.0.1:9797 with --exporter-token-file /,
  ],
  [401, 'application/json', '{"kind":"Status","message":"Unauthorized"}', /the API server answered 401: Unauthorized/],
  [500, 'text/plain', 'internal error', /the exporter answered 500: internal error$/],
  [429, 'text/plain', 'too many requests', /the exporter answered 429: too many requests$/],
  [404, 'application/json', '{"error":"no such view"}', /the exporter answered 404/],
  [503, 'text/plain', 'error trying to reach service: dial tcp: refused', /the API server answered 503: error trying/],
  [502, 'text/html', '<html>', /the API server answered 502$/],
  [
    403,
    'application/json',
    refused('jane@example.com'),
    new RegExp(
      `; bind the Role of readers: kubectl create rolebinding ${namespace}-reader-jane-example-com ${readerRole} --user=jane@example.com$`,
    ),
  ],
  [403, 'application/json', refused('x'.repeat(600)), new RegExp(`${readerRole} --user=x{600}$`)],
  [
    403,
    'application/json',
    refused('system:serviceaccount:ci:bot'),
    new RegExp(`${readerRole} --serviceaccount=ci:bot$`),
  ],
  [
    403,
    'application/json',
    '{"kind":"Status","message":"User \\"joe\\" cannot impersonate resource \\"users\\" in API group \\"\\" at the cluster scope"}',
    /resources: \["users"\], verbs: \["impersonate"\]\} in its ClusterRole$/,
  ],
])('the error behind the API server names who refused: %i as %s %s', async (status, type, body, message) => {
  await using api = await LoopbackServer.listen();
  api.answer = replyWith({ status, headers: { 'content-type': type }, body });
  const credentials = staticCredentials({ server: api.url, token: 'operator-token' });
  const error = await failureOf(open(credentials, { address: defaultExporter }));
  expect(error.message).toMatch(message);
  expect(error.message).not.toContain('operator-token');
});

test('a Service that there is not is no exporter that is not ready', async () => {
  await using api = await LoopbackServer.listen();
  const status = (code: number, message: string) => ({
    status: code,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'Status', message }),
  });
  api.answer = (request, response) => {
    const isProxy = request.url?.includes('/proxy/') === true;
    const answer = isProxy ? status(503, 'no endpoints available for service "nosuch"') : status(404, 'not found');
    replyWith(answer)(request, response);
  };
  const address = { namespace: 'nosuch', service: 'nosuch', port: 'metrics' };
  const error = await failureOf(open(staticCredentials({ server: api.url }), { address }));
  expect(error.message).toMatch(/^GET \/api\/v1\/namespaces\/nosuch\/services\/nosuch: the API server answered 404/);
});

test('of the pods behind a Service that fail, no more than three are asked', async () => {
  await using api = await LoopbackServer.listen();
  const port = { name: 'metrics', containerPort: 9797 };
  const status = { conditions: [{ type: 'Ready', status: 'True' }] };
  const items = ['a', 'b', 'c', 'd'].map((name) => ({
    metadata: { namespace: 'shop', name },
    spec: { containers: [{ ports: [port] }] },
    status,
  }));
  const spec = { selector: { app: 'exporter' }, ports: [{ name: 'metrics', port: 9797, targetPort: 'metrics' }] };
  api.answer = (request, response) => {
    const isProxy = request.url?.includes('/proxy/') === true;
    replyWith(isProxy ? { status: 503, body: 'no route to host' } : { body: JSON.stringify({ items, spec }) })(
      request,
      response,
    );
  };
  await failureOf(open(staticCredentials({ server: api.url }), { address: { ...defaultExporter, namespace: 'shop' } }));
  const asked = api.requests.filter(({ url }) => url?.includes('/proxy/'));
  expect(asked).toHaveLength(8); // with and without TLS: the Service, and three pods
});
