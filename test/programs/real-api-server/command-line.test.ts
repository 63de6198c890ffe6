// @module-tag sockets

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { emptyScenario, type Scenario } from '../../../sim/model/scenario.js';
import { runArguments } from '../../../src/commands/command-line.js';
import { podSpec } from '../../sim/pods.js';
import { aCommandContext } from '../../support/command-context.js';
import { Exporter } from '../../support/exporter.js';
import { canRender, renderOverlay, renderOwn } from '../../support/manifests/kustomize.js';
import { ProxiedCluster } from '../../support/proxied-cluster.js';
import { hasRealApiServer } from '../../support/real-api-server.js';

const nodeNames = Array.from({ length: 20 }, (_, index) => `node-${index}`);
const podsOfNode = 5;

const scenario: Scenario = {
  ...emptyScenario(...nodeNames),
  populate: ({ model }) => {
    for (const nodeName of nodeNames) {
      for (let number = 0; number < podsOfNode; number += 1) {
        model.addPod(podSpec(`cart-${nodeName}-${number}`, { namespace: 'shop', nodeName, labels: { app: 'cart' } }));
      }
    }
  },
};

const shards = [0, 1, 2];
const shardedIn = (namespace: string) =>
  renderOwn({ text: `namespace: ${namespace}\nresources: [MANIFESTS/overlays/sharded]\n` });

describe.skipIf(!hasRealApiServer() || !canRender())('the command line (needs api-server and kubectl)', () => {
  let cluster: ProxiedCluster;
  let whole: Exporter;
  const parts: Exporter[] = [];

  beforeAll(async () => {
    cluster = await ProxiedCluster.start();
    whole = await (await Exporter.start({ scenario })).settled();
    for (const shard of shards) {
      const settings = `cluster: {shard: ${shard}, totalShards: ${shards.length}}`;
      parts.push(await (await whole.another({ settings })).synced());
    }
    await whole.clock.advance(60_000);
    await cluster.install(renderOverlay('deployment'), whole.app.ports);
    await cluster.install(
      shardedIn('shards'),
      parts.flatMap(({ app }) => app.ports),
    );
    for (const namespace of ['ephemeral-storage-exporter', 'shards']) {
      cluster.bindReader(namespace, 'ephemeral-storage-exporter-reader');
    }
    await vi.waitUntil(async () => (await run('top nodes --from exporter')).status === 0, { timeout: 10_000 });
  }, 120_000);
  afterAll(async () => {
    for (const part of parts) await part[Symbol.asyncDispose]();
    await whole[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
  });

  const run = async (line: string) => {
    const { context, out, error } = aCommandContext();
    const status = await runArguments([...line.split(' '), '--kubeconfig', cluster.server.readerKubeconfig], context);
    return { status, out: out(), error: error() };
  };

  it.each([
    ['top pods -A --limit 5', /^NAMESPACE +POD[^]*shop +cart-node-/],
    ['top pods -n shop -o name', /^(?:pod\/cart-node-\S+\n){100}$/],
    ['top pod cart-node-7-3 -n shop', /cart-node-7-3/],
    ['top pods -A --field-selector spec.nodeName=node-7 -o name', /^(?:pod\/cart-node-7-\d\n){5}$/],
    ['top nodes', /^NODE +USED[^]*node-19/],
    ['top next', /^$/],
    ['explain pod/cart-node-7-3 -n shop', /^[A-Z0-9].*\n[^]*Pod shop\/cart-node-7-3 on node-7/],
    ['explain node node-7', /^Not close to evicting pods[^]*node-7/],
  ])('a reader who may reach only the Service gets the answer to %s', async (line, expected) => {
    const { status, out } = await run(line);
    expect({ status, out }).toEqual({ status: 0, out: expect.stringMatching(expected) as string });
  });

  it.each(['top pods -A -o json', 'top nodes -o name', 'top workloads -A -o json'])(
    '%s of three shards is that of one exporter',
    async (line) => {
      const [one, three] = [await run(line), await run(`${line} --exporter shards/ephemeral-storage-exporter`)];
      expect(three.error).toBe('');
      expect(sorted(three.out)).toEqual(sorted(one.out));
    },
  );

  it('a shard that is not ready is named, and the others answer', async () => {
    cluster.server.kubectl([
      ...['-n', 'shards', 'patch', 'pod', 'ephemeral-storage-exporter-1', '--subresource=status', '--type=merge'],
      ...['-p', '{"status":{"conditions":[{"type":"Ready","status":"False"}]}}'],
    ]);
    const { status, out, error } = await run('top nodes -o name --exporter shards/ephemeral-storage-exporter');
    expect(error).toContain('2 of 3 shards are ready: the nodes of the others are missing.');
    expect({ status, isShort: out.split('\n').length < nodeNames.length }).toEqual({ status: 0, isShort: true });
  });

  it('without a permission to reach an exporter, the kubelets are tried, which is said in one line', async () => {
    const { status, error } = await run('top nodes --exporter nowhere/ephemeral-storage-exporter');
    expect(status).toBe(1);
    expect(error).toMatch(/forbidden/);
  });
});

/** Without what depends on the time of the answer. */
function sorted(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => !line.includes('AgeMs'))
    .sort();
}
