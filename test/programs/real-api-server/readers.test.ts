import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { emptyScenario } from '../../../sim/model/scenario.js';
import { LoopbackServer, replyWith } from '../../http/loopback-server.js';
import { TestAuthority } from '../../support/certificates.js';
import { Exporter } from '../../support/exporter.js';
import type { HttpAnswer } from '../../support/http-get.js';
import { type Json, type KubeObject, objectsOf } from '../../support/manifests/documents.js';
import { chartFolder, runHelm } from '../../support/manifests/helm.js';
import { canRender, renderOwn } from '../../support/manifests/kustomize.js';
import { readmeBlocks } from '../../support/manifests/readme.js';
import type { PlacedPod } from '../../support/placed-pods.js';
import { isInstalled } from '../../support/programs.js';
import { ProxiedCluster } from '../../support/proxied-cluster.js';
import { hasRealApiServer, readerToken } from '../../support/real-api-server.js';

const apiPath = '/api/v1/pods?limit=1';

const canRun = hasRealApiServer() && canRender() && isInstalled('helm4');

const overlayIn = (namespace: string, overlay: string, text = ''): readonly KubeObject[] =>
  renderOwn({ text: `namespace: ${namespace}\nresources: [MANIFESTS/overlays/${overlay}]\n${text}` });

function chartIn(namespace: string, values: Json): readonly KubeObject[] {
  const command = ['template', 'ephemeral-storage-exporter', chartFolder, '--namespace', namespace];
  const { out, error } = runHelm('helm4', command, { testPod: { enabled: false }, ...values });
  return objectsOf(out, error);
}

/** An exporter, in a namespace of its own. */
interface Shipped {
  readonly title: string;
  /** Of its Service. Default: `ephemeral-storage-exporter`. */
  readonly name?: string;
  readonly podCount: number;
  readonly isSharded?: boolean;
  /** Whether its objects bind the reader. */
  readonly isBound?: boolean;
  readonly objectsIn: (namespace: string) => readonly KubeObject[];
}

const reader = { kind: 'User', name: 'reader' };
const [, , , , , fiveShards = ''] = readmeBlocks('Your image, namespace and settings', 'yaml');
const [second = ''] = readmeBlocks('A second installation', 'yaml');

const shipped: readonly Shipped[] = [
  { title: 'the overlay deployment', podCount: 1, objectsIn: (namespace) => overlayIn(namespace, 'deployment') },
  {
    title: 'the overlay sharded',
    podCount: 3,
    isSharded: true,
    objectsIn: (namespace) => overlayIn(namespace, 'sharded'),
  },
  {
    title: 'the overlay sharded with five shards, as the README shows',
    podCount: 5,
    isSharded: true,
    objectsIn: (namespace) => overlayIn(namespace, 'sharded', fiveShards),
  },
  {
    title: 'a second overlay, as the README shows',
    name: 'second-ephemeral-storage-exporter',
    podCount: 1,
    objectsIn: (namespace) =>
      renderOwn({
        text: second
          .replace(/https:\S+v0.1.0/, 'MANIFESTS/overlays/deployment')
          .replace('e: second', `e: ${namespace}`),
      }),
  },
  { title: 'the chart', podCount: 1, objectsIn: (namespace) => chartIn(namespace, {}) },
  {
    title: 'the chart with shards, another name and a subject',
    name: 'disks',
    podCount: 12,
    isSharded: true,
    isBound: true,
    objectsIn: (namespace) =>
      chartIn(namespace, {
        mode: 'sharded',
        shards: 12,
        fullnameOverride: 'disks',
        reader: { subjects: [reader] },
      }),
  },
];

const podProxy = (folder: string, pod: string, port = ':9797'): string =>
  `${folder}/pods/${pod}${port}/proxy${apiPath}`;

/** What no reader may get. */
const pathsOfOthers = (own: Readonly<Record<'folder' | 'service' | 'pod', string>>): readonly string[] => {
  const { folder, service, pod } = own;
  return [
    podProxy(folder, pod, ':80'),
    podProxy(folder, pod, ''),
    podProxy(folder, 'other'),
    `${folder}/pods/${pod}/log`,
    `${folder}/pods/${pod}/exec?command=id`,
    `${folder}/pods/${pod}/portforward`,
    `${folder}/services/${service}/proxy/`,
    `${folder}/services/${service}:9797/proxy/`,
    `${folder}/services/http:${service}:metrics/proxy/`,
    `${folder}/services/other:metrics/proxy/`,
    `${folder}/services/other`,
    `${folder}/services?watch=true`,
    `${folder}/secrets`,
    `${folder}/configmaps`,
    `${folder}/endpoints`,
    '/api/v1/services',
    '/api/v1/pods',
    '/api/v1/nodes',
    '/api/v1/nodes/node-0/proxy/stats/summary',
    '/api/v1/namespaces/default/services',
    `/api/v1/namespaces/default/services/${service}:metrics/proxy/`,
    '/metrics',
  ];
};

describe.skipIf(!canRun)('readers of the exporter (need api-server, kubectl and helm4)', () => {
  let cluster: ProxiedCluster;
  const servers: LoopbackServer[] = [];

  beforeAll(async () => {
    cluster = await ProxiedCluster.start();
  });
  afterAll(async () => {
    await cluster[Symbol.asyncDispose]();
    for (const server of servers) await server[Symbol.asyncDispose]();
  });

  const as = (path: string, method = 'GET'): Promise<HttpAnswer> =>
    cluster.server.call(path, { method, token: readerToken });

  const statusOf = async (path: string, method = 'GET'): Promise<number> => (await as(path, method)).status;

  /** Installs an exporter whose pods answer with their ordinals. */
  async function install(
    { objectsIn, podCount }: Pick<Shipped, 'objectsIn' | 'podCount'>,
    namespace: string,
  ): Promise<readonly PlacedPod[]> {
    const started = await Promise.all(Array.from({ length: podCount }, () => LoopbackServer.listen()));
    servers.push(...started);
    for (const [ordinal, server] of started.entries()) server.answer = replyWith({ body: String(ordinal) });
    const ports = started.map(({ port }) => port);
    return cluster.install(objectsIn(namespace), ports);
  }

  /** The command of the documentation, for this namespace and user. */
  function bind(namespace: string, role: string): void {
    const [command = ''] = readmeBlocks('People with the command line', 'sh', 'docs/operate.md');
    const [kubectl, ...args] = command.trim().split(' ');
    expect(kubectl).toBe('kubectl');
    const own = new Map([
      ['ephemeral-storage-exporter', namespace],
      ['--role=ephemeral-storage-exporter-reader', `--role=${role}`],
      ['--group=developers', '--user=reader'],
    ]);
    cluster.server.kubectl(args.map((arg) => own.get(arg) ?? arg));
  }

  it.each(shipped.map((one, index) => ({ ...one, namespace: `shipped-${index}` })))(
    'readers of $title read all of it and nothing else',
    async ({ name = 'ephemeral-storage-exporter', isSharded = false, isBound = false, namespace, ...exporter }) => {
      const { podCount } = exporter;
      const folder = `/api/v1/namespaces/${namespace}`;
      const service = `${folder}/services/${name}:metrics/proxy`;
      const pods = await install(exporter, namespace);
      if (!isBound) {
        expect(await statusOf(service + apiPath)).toBe(403);
        bind(namespace, `${name}-reader`);
      }
      // The authorizer learns of the binding from a watch.
      await expect.poll(() => statusOf(service + apiPath)).toBe(200);

      const label = 'labelSelector=app.kubernetes.io/name%3Dephemeral-storage-exporter';
      const { items } = JSON.parse((await as(`${folder}/services?${label}`)).text) as { items: KubeObject[] };
      expect(items.map(({ metadata }) => metadata.name)).toEqual([name]);
      expect(await statusOf(`${folder}/services/${name}`)).toBe(200);
      // Permitted: this server has no TLS.
      expect(await statusOf(`${folder}/services/https:${name}:metrics/proxy${apiPath}`)).toBeGreaterThanOrEqual(500);

      const ownPods = pods.map((pod) => pod.name);
      if (isSharded) {
        expect(await statusOf(`${folder}/pods?${label}`)).toBe(200);
        const answers = ownPods.map(async (pod) => (await as(podProxy(folder, pod))).text);
        expect(await Promise.all(answers)).toEqual(ownPods.map((_, ordinal) => String(ordinal)));
      }
      const [first = ''] = ownPods;
      const others = [
        ...(isSharded ? [] : [`${folder}/pods`, podProxy(folder, first)]),
        podProxy(folder, `${name}-${podCount}`),
        ...pathsOfOthers({ folder, service: name, pod: first }),
      ];
      const statuses = await Promise.all(others.map(async (path) => `${path} ${await statusOf(path)}`));
      expect(statuses).toEqual(others.map((path) => `${path} 403`));
      const changes = ['POST', 'PUT', 'PATCH', 'DELETE'];
      expect(await Promise.all(changes.map((method) => statusOf(`${service}/-/reload`, method)))).toEqual(
        changes.map(() => 403),
      );
      expect(await statusOf(`${folder}/pods/${first}/portforward`, 'POST')).toBe(403);
    },
  );

  const single: Pick<Shipped, 'objectsIn' | 'podCount'> = {
    podCount: 1,
    objectsIn: (namespace) => overlayIn(namespace, 'deployment'),
  };
  const proxied = (namespace: string, service = 'ephemeral-storage-exporter:metrics'): string =>
    `/api/v1/namespaces/${namespace}/services/${service}/proxy${apiPath}`;

  it('readers are known to the API server alone: the exporter gets no credentials', async () => {
    await install(single, 'credentials');
    bind('credentials', 'ephemeral-storage-exporter-reader');
    await expect.poll(() => statusOf(proxied('credentials'))).toBe(200);
    const requests = servers.at(-1)?.requests ?? [];
    expect(requests.map(({ url, headers }) => [url, headers.authorization])).toEqual([[apiPath, undefined]]);
  });

  it('kubectl alone prints a node and a list as text, by the line that the documentation shows', async () => {
    const scenario = emptyScenario('node-3');
    await using exporter = await (await Exporter.start({ scenario })).synced();
    await cluster.install(single.objectsIn('text'), exporter.app.ports);
    const [line = ''] = readmeBlocks('Without the command line', 'sh', 'docs/start.md');
    const [, address = ''] = /^kubectl get --raw '(.+)'\n$/.exec(line) ?? [];
    const printed = async (page: string): Promise<string> => {
      const args = ['--kubeconfig', cluster.server.kubeconfig, 'get', '--raw'];
      const own = page.replace('/ephemeral-storage-exporter/', '/text/');
      return (await promisify(execFile)('kubectl', [...args, own])).stdout; // this process answers meanwhile
    };
    await exporter.scrape();
    expect(await printed(address)).toMatch(/^[^<{]*\nNode node-3\nState: +data fresh/);
    const list = await printed(address.replace('/nodes/node-3?', '/nodes?width=40&'));
    expect(list).toMatch(/^NODE +STATE [^]*\nnode-3 +fresh /);
    expect(list.split('\n').filter((text) => text.length > 40)).toEqual([]);
    expect(await printed(address.replace('/nodes/node-3?as=text', '/nodes?width=40'))).toBe(list);
  });

  it('readers reach an exporter with TLS by the scheme in the name, with a certificate of any authority', async () => {
    const stranger = await TestAuthority.create('stranger');
    const server = await LoopbackServer.listenTls(await stranger.issueServer({ dnsNames: ['other.example'] }));
    servers.push(server);
    await cluster.install(single.objectsIn('tls'), [server.port]);
    bind('tls', 'ephemeral-storage-exporter-reader');
    await expect.poll(() => statusOf(proxied('tls', 'https:ephemeral-storage-exporter:metrics'))).toBe(200);
    expect(await statusOf(proxied('tls'))).toBeGreaterThanOrEqual(400);
  });

  it('readers are those with the role edit in its namespace too, but not those with view', async () => {
    await install(single, 'edited');
    await install(single, 'viewed');
    // What a controller, which does not run here, makes these roles of.
    for (const [namespace, role] of [
      ['edited', 'system:aggregate-to-edit'],
      ['viewed', 'system:aggregate-to-view'],
    ] as const) {
      cluster.server.kubectl([
        '-n',
        namespace,
        'create',
        'rolebinding',
        'own',
        `--clusterrole=${role}`,
        '--user=reader',
      ]);
    }
    await expect.poll(() => statusOf(proxied('edited'))).toBe(200);
    await expect.poll(() => statusOf('/api/v1/namespaces/viewed/services')).toBe(200);
    expect(await statusOf(proxied('viewed'))).toBe(403);
  });

  /** Applies the Role of a section of docs/operate.md. */
  function applyDocumented(section: string, namespace: string): void {
    const [role = ''] = readmeBlocks(section, 'yaml', 'docs/operate.md');
    cluster.server.kubectl(
      ['apply', '-f', '-'],
      role.replace('namespace: ephemeral-storage-exporter', `namespace: ${namespace}`),
    );
  }

  it('readers of one exporter on each node read all of them with the Role of the documentation', async () => {
    const objectsIn = (namespace: string) => overlayIn(namespace, 'node-local');
    const pods = await install({ objectsIn, podCount: 2 }, 'node-local');
    applyDocumented('One exporter on each node', 'node-local');
    bind('node-local', 'ephemeral-storage-exporter-reader');
    await expect.poll(() => statusOf(proxied('node-local'))).toBe(200);
    const folder = '/api/v1/namespaces/node-local/pods';
    expect(await statusOf(folder)).toBe(200);
    const answers = pods.map(async ({ name }) => (await as(`${folder}/${name}:9797/proxy${apiPath}`)).text);
    expect(await Promise.all(answers)).toEqual(['0', '1']);
    expect(await statusOf(`${folder}/${pods[0]?.name ?? ''}/exec?command=id`, 'POST')).toBe(403);
  });
});
