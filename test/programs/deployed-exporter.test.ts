import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import type { Rule } from '../../sim/access.js';
import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario, type Scenario } from '../../sim/model/scenario.js';
import { staticCredentials } from '../../src/cluster/credentials/credentials.js';
import { runApp } from '../../src/commands/run-app.js';
import { loadSettings } from '../../src/config/load.js';
import type { FlagValues } from '../../src/config/text-layers.js';
import { aCommandContext } from '../support/command-context.js';
import { type ParsedSample, parseExposition } from '../support/exposition-parser.js';
import { send } from '../support/http-get.js';
import type { KubeObject } from '../support/manifests/documents.js';
import { environmentOf, flagsOf } from '../support/manifests/exporter-settings.js';
import { canRender, renderOverlay, renderOwn } from '../support/manifests/kustomize.js';
import { configOf, exporterOf, grantsOf } from '../support/manifests/policies.js';
import { readmeBlocks } from '../support/manifests/readme.js';
import { temporaryFolder } from '../support/programs.js';

const replacedConfig =
  'configMapGenerator: [{name: ephemeral-storage-exporter, behavior: replace, files: [config.yaml], options: {disableNameSuffixHash: true}}]\n';

const nodeNames = Array.from({ length: 8 }, (_, index) => `node-${index + 1}`);

const scenario: Scenario = {
  ...emptyScenario(...nodeNames),
  populate: ({ model }) => {
    for (const nodeName of nodeNames) {
      model.addPod({
        namespace: 'shop',
        name: `cart-${nodeName}`,
        nodeName,
        containers: [{ name: 'main', rootfs: { initialBytes: 4096 }, logs: { initialBytes: 0 } }],
      });
    }
  },
};

interface Scraped {
  readonly samples: (family: string) => readonly ParsedSample[];
  /** Names of the nodes whose data it has, sorted. */
  readonly nodes: readonly (string | undefined)[];
}

interface DeployedPod {
  readonly hostName?: string;
  readonly nodeName?: string;
  /** Scrapes until then: values that are read in the background appear in a later scrape. */
  readonly until?: (scraped: Scraped) => boolean;
}

/** The exposition of the exporter of the rendered objects, with their settings and permissions. */
async function scrapeDeployed(objects: readonly KubeObject[], pod: DeployedPod = {}): Promise<Scraped> {
  await using folder = await temporaryFolder();
  await using cluster = await SimulatedCluster.start({ scenario });
  const rules = grantsOf(objects).map((grant): Rule => {
    const [verb = '', resource = ''] = grant.split(' ');
    return { verbs: [verb], resources: [resource] };
  });
  const token = cluster.issueToken({ user: 'exporter', rules });
  const configFile = path.join(folder.path, 'config.yaml');
  await writeFile(configFile, configOf(objects));
  const container = exporterOf(objects);
  const { context, stop } = aCommandContext({
    hostName: pod.hostName ?? 'ephemeral-storage-exporter-7d4b9c6f5-x2x4z',
    environment: environmentOf(container, pod.nodeName ?? 'node-1'),
  });
  const values = { ...settingFlags(flagsOf(container, configFile)), 'web.listen-address': ['127.0.0.1:0'] };
  const settings = await loadSettings({ configFile, values }, context);
  const credentials = staticCredentials({ server: new URL(cluster.apiUrl), ca: cluster.caPem, token });
  const { running, listening } = run({ settings, credentials, context });
  try {
    const port = await Promise.race([listening, running.then(() => 0)]);
    await expect.poll(async () => (await send({ port, path: '/readyz' })).status).toBe(200);
    const until = pod.until ?? (({ nodes }: Scraped) => nodes.length > 0);
    await expect.poll(async () => until(await scrape(port))).toBe(true);
    return await scrape(port);
  } finally {
    stop();
    await running;
  }
}

async function scrape(port: number): Promise<Scraped> {
  const families = parseExposition((await send({ port, path: '/metrics' })).body, 'text');
  const samples: Scraped['samples'] = (name) =>
    families.find((family) => family.name === `ephemeral_storage_${name}`)?.samples ?? [];
  const up = samples('node_data_available').filter(({ value }) => value === 1);
  return { samples, nodes: up.map(({ labels }) => labels['node']).sort() };
}

function run(options: Omit<Parameters<typeof runApp>[0], 'onListening'>): {
  running: Promise<void>;
  listening: Promise<number>;
} {
  let running = Promise.resolve();
  const listening = new Promise<number>((resolve) => {
    running = runApp({
      ...options,
      onListening: ([port = 0]) => {
        resolve(port);
      },
    });
  });
  return { running, listening };
}

/** The flags of settings, without that of the file. */
function settingFlags(flags: readonly string[]): FlagValues {
  const values = flags.map((flag): readonly [string, string] => {
    const [, name, value] = /^--([^=]+)=(.*)$/.exec(flag) ?? [];
    if (name === undefined || value === undefined) throw new Error(`not --name=value: ${flag}`);
    return [name, value];
  });
  return Object.fromEntries(values.filter(([name]) => name !== 'config.file'));
}

/** With the settings, and with the permission that they need, which the README shows how to grant. */
function withPermission(config: string, resource: string): readonly KubeObject[] {
  const [, , , grant = ''] = readmeBlocks('Your image, namespace and settings', 'yaml');
  const text = grant.replace('nodes/configz', resource);
  return renderOwn({ text: `resources: [MANIFESTS/overlays/deployment]\n${text}${replacedConfig}`, config });
}

const podCount = ({ samples }: Scraped): number => samples('pod_used_bytes').length;

describe.skipIf(!canRender())('the exporter as it is deployed (needs kubectl 1.27)', () => {
  it.each(['deployment', 'sidecar'])('every node is measured with %s', async (overlay) => {
    const scraped = await scrapeDeployed(renderOverlay(overlay));
    expect(scraped.nodes).toEqual(nodeNames);
    expect(podCount(scraped)).toBe(nodeNames.length);
  });

  it('the sharded exporter measures each node once, by the number of shards and the names of the pods', async () => {
    const objects = renderOverlay('sharded');
    const shards = await Promise.all(
      [0, 1, 2].map((ordinal) => scrapeDeployed(objects, { hostName: `ephemeral-storage-exporter-${ordinal}` })),
    );
    expect(shards.flatMap(({ nodes }) => nodes).sort()).toEqual(nodeNames);
    expect(shards.reduce((sum, shard) => sum + podCount(shard), 0)).toBe(nodeNames.length);
    const scopes = shards.flatMap(({ samples }) => samples('exporter_scope_info'));
    expect(scopes.map(({ labels }) => [labels['shard'], labels['total_shards']])).toEqual([
      ['0', '3'],
      ['1', '3'],
      ['2', '3'],
    ]);
  });

  it('the node-local exporter measures its own node', async () => {
    const scraped = await scrapeDeployed(renderOverlay('node-local'), { nodeName: 'node-3' });
    expect(scraped.nodes).toEqual(['node-3']);
    expect(podCount(scraped)).toBe(1);
  });

  it('the exporter with nodes/proxy scrapes kubelets through the API server', async () => {
    const objects = withPermission('kubelet: {access: proxy}', 'nodes/proxy');
    // The API server scrapes the kubelets: without nodes/stats the exporter can only use the proxy.
    const withoutStats = objects.map(
      (object) => JSON.parse(JSON.stringify(object).replace('nodes/stats', 'nodes/none')) as KubeObject,
    );
    expect((await scrapeDeployed(withoutStats)).nodes).toEqual(nodeNames);
  });

  it('the exporter with nodes/configz knows the eviction thresholds', async () => {
    const hasConfigured = ({ samples }: Scraped): boolean =>
      samples('node_eviction_threshold_bytes').some(({ labels }) => labels['threshold'] === 'configured');
    expect(hasConfigured(await scrapeDeployed(renderOverlay('deployment')))).toBe(false);
    const objects = withPermission('kubelet: {readConfig: true}', 'nodes/configz');
    expect((await scrapeDeployed(objects, { until: hasConfigured })).nodes).toEqual(nodeNames);
  });
});
