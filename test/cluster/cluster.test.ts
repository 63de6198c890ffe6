// @module-tag sockets

/**
 * A read-only check against whatever cluster the kubeconfig names: the exporter syncs, is scraped, and serves the
 * kubelets' values for each pod. Settings come from the environment, such as
 * `EPHEMERAL_STORAGE_EXPORTER_KUBELET_ACCESS=proxy`.
 */
import { homedir } from 'node:os';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Credentials } from '../../src/cluster/credentials/credentials.js';
import { kubeletCredentials } from '../../src/cluster/credentials/kubelet-credentials.js';
import { loadCredentials } from '../../src/cluster/credentials/load-credentials.js';
import { ApiClient } from '../../src/cluster/http/api-client.js';
import type { Node } from '../../src/cluster/kube/objects.js';
import { projectNode } from '../../src/cluster/kube/projection.js';
import { directTransport } from '../../src/cluster/kubelet/direct-transport.js';
import { proxyTransport } from '../../src/cluster/kubelet/proxy-transport.js';
import type { KubeletTransport } from '../../src/cluster/kubelet/transport.js';
import { loadConfig } from '../../src/config/load.js';
import type { Config } from '../../src/config/schema.js';
import { systemClock } from '../../src/lib/base/clock.js';
import { createLogger } from '../../src/metrics/telemetry/line-logger.js';
import { App } from '../../src/serve/app/app.js';
import { textOf } from '../http/loopback-server.js';
import { type ParsedSample, parseExposition } from '../support/exposition-parser.js';
import { send } from '../support/http-get.js';
import { eventually } from '../support/programs.js';
import { never } from '../support/signals.js';

const clock = systemClock;
const version = '0.0.0-test';
const { signal } = new AbortController();

/** By `namespace/pod`; undefined where the kubelet reports no total. */
type Totals = ReadonlyMap<string, number | undefined>;

interface RawSummary {
  readonly pods?: readonly {
    readonly podRef: { readonly namespace: string; readonly name: string };
    readonly 'ephemeral-storage'?: { readonly usedBytes?: number };
  }[];
}

let config: Config;
let credentials: Credentials;
let api: ApiClient;
let app: App;
let transport: KubeletTransport;

beforeAll(async () => {
  config = loadConfig({
    file: {
      path: 'test',
      text: 'cache: {ttl: 0}\nworkloads: {controllers: true}',
    },
    environment: process.env,
    flags: { 'web.listen-address': ['127.0.0.1:0'] },
  });
  credentials = await loadCredentials({ environment: process.env, homeDir: homedir(), clock });
  api = new ApiClient({ credentials, clock, version });
  transport = rawTransport();
  const logger = createLogger({ level: 'warn', format: 'logfmt', write: (line) => process.stderr.write(line), clock });
  const host = { name: 'test-host', nodeName: undefined };
  app = await App.start({ config, credentials, host, clock, random: Math.random, logger, version }, never);
  await eventually('the first lists', () => Promise.resolve(app.hasSynced || undefined));
});

afterAll(async () => {
  await app[Symbol.asyncDispose]();
  api[Symbol.dispose]();
});

function rawTransport(): KubeletTransport {
  const { access, addressTypes, port, bearerTokenFile, tls } = config.kubelet;
  if (access === 'proxy') return proxyTransport(api);
  const ofKubelets = kubeletCredentials({ api: credentials, bearerTokenFile, tls, clock });
  return directTransport({
    addressTypes,
    port,
    credentials: ofKubelets,
    clock,
    version,
    isApiServerAway: () => false,
  });
}

async function listNodes(): Promise<readonly Node[]> {
  const { items } = JSON.parse(await textOf(api.open({ path: '/api/v1/nodes' }, signal))) as {
    items: readonly unknown[];
  };
  return items.map((item) => projectNode(item, (text) => text));
}

/** The kubelet's summary, read without the exporter's decoder; undefined when it does not respond. */
async function totalsOf(node: Node): Promise<Totals | undefined> {
  try {
    const text = await textOf(transport.locate(node, '/stats/summary').open(signal));
    const { pods = [] } = JSON.parse(text) as RawSummary;
    return new Map(
      pods.map(({ podRef, ...pod }) => [`${podRef.namespace}/${podRef.name}`, pod['ephemeral-storage']?.usedBytes]),
    );
  } catch {
    return undefined;
  }
}

async function scrape(): Promise<(family: string) => readonly ParsedSample[]> {
  const { status, body } = await send({ port: app.ports[0] ?? 0, path: '/metrics' });
  expect(status).toBe(200);
  const families = parseExposition(body, 'text');
  return (family) => families.find(({ name }) => name === `ephemeral_storage_${family}`)?.samples ?? [];
}

describe('the exporter in this cluster', () => {
  it('the exporter has a state for every node of this cluster', async () => {
    const nodes = await listNodes();
    const samples = await scrape();
    const known = [...samples('node_data_available'), ...samples('node_absent_info')].map(
      ({ labels }) => labels['node'],
    );
    expect(new Set(known)).toEqual(new Set(nodes.map(({ name }) => name)));
  });

  it('the exporter serves for each pod the value of its kubelet at the same moment', async () => {
    const nodes = await listNodes();
    const before = await Promise.all(nodes.map(totalsOf));
    const samples = await scrape();
    const after = await Promise.all(nodes.map(totalsOf));
    let comparedCount = 0;
    for (const { labels, value } of samples('pod_used_bytes')) {
      const index = nodes.findIndex(({ name }) => name === labels['node']);
      const name = `${labels['namespace'] ?? ''}/${labels['pod'] ?? ''}`;
      const bounds = [before[index]?.get(name), after[index]?.get(name)].filter((bytes) => bytes !== undefined);
      if (bounds.length < 2) continue;
      expect(value, `${name}: from ${bounds.join(' to ')}`).toBeGreaterThanOrEqual(Math.min(...bounds));
      expect(value, `${name}: from ${bounds.join(' to ')}`).toBeLessThanOrEqual(Math.max(...bounds));
      comparedCount += 1;
    }
    expect(comparedCount).toBeGreaterThan(0);
  });

  it('the exporter has components and containers that add up to each pod', async () => {
    const samples = await scrape();
    const keyOf = ({ labels }: ParsedSample) =>
      `${labels['namespace'] ?? ''}/${labels['pod'] ?? ''}/${labels['node'] ?? ''}`;
    for (const family of ['pod_component_used_bytes', 'container_used_bytes']) {
      const sums = new Map<string, number>();
      for (const sample of samples(family)) sums.set(keyOf(sample), (sums.get(keyOf(sample)) ?? 0) + sample.value);
      for (const pod of samples('pod_used_bytes')) expect(sums.get(keyOf(pod)), keyOf(pod)).toBe(pod.value);
    }
  });
});
