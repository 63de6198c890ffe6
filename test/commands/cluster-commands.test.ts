import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import type { Rule } from '../../sim/access.js';
import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario, type Scenario } from '../../sim/model/scenario.js';
import type { CommandContext } from '../../src/commands/context.js';
import { explain, type ExplainOptions } from '../../src/commands/explain/explain-command.js';
import type { ClusterFlags } from '../../src/commands/one-shot.js';
import { top, type TopOptions } from '../../src/commands/top/top.js';
import { podSpec } from '../sim/pods.js';
import { aCommandContext, type RecordedCommand } from '../support/command-context.js';
import { leastRules } from '../support/exporter.js';
import { temporaryFolder } from '../support/programs.js';

const scenario: Scenario = {
  ...emptyScenario('node-1', 'node-2'),
  populate: ({ model }) => {
    model.addPod(podSpec('cart-1', { labels: { app: 'cart' } }));
    model.addPod(podSpec('cart-2', { nodeName: 'node-2', labels: { app: 'cart' } }));
    model.addPod(podSpec('search-1', { namespace: 'find', labels: { app: 'search' } }));
  },
};

interface Prepared extends AsyncDisposable {
  readonly cluster: SimulatedCluster;
  readonly flags: ClusterFlags;
}

async function prepare({
  rules = leastRules,
  settings = '',
}: { rules?: readonly Rule[]; settings?: string } = {}): Promise<Prepared> {
  const folder = await temporaryFolder();
  const cluster = await SimulatedCluster.start({ scenario });
  const kubeconfig = path.join(folder.path, 'kubeconfig');
  const configFile = path.join(folder.path, 'config.yaml');
  const token = cluster.issueToken({ user: 'operator', rules });
  await writeFile(kubeconfig, cluster.kubeconfig(token));
  await writeFile(configFile, settings);
  return {
    cluster,
    flags: { kubeconfig, context: undefined, settings: { configFile, values: {} } },
    [Symbol.asyncDispose]: async () => {
      await cluster[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const query: TopOptions['query'] = {
  subject: 'pods',
  filter: { namespace: undefined, workload: undefined },
  limit: 20,
};

async function runTop(
  prepared: Prepared,
  options: Partial<TopOptions> = {},
  overrides: Partial<CommandContext> = {},
): Promise<RecordedCommand> {
  const command = aCommandContext(overrides);
  await top({ ...prepared.flags, query, output: 'table', watchIntervalMs: undefined, ...options }, command.context);
  return command;
}

async function runExplain(
  prepared: Prepared,
  options: Pick<ExplainOptions, 'subject' | 'name'> & Partial<ExplainOptions>,
  overrides: Partial<CommandContext> = {},
): Promise<RecordedCommand> {
  const command = aCommandContext(overrides);
  await explain({ ...prepared.flags, output: 'text', ...options }, command.context);
  return command;
}

describe('top', () => {
  it('reads the cluster with the least rights, leaves nothing open and asks each kubelet once', async () => {
    await using prepared = await prepare();
    const { out, error } = await runTop(prepared);
    expect(out()).toMatch(/^NAMESPACE +POD[^]*cart-1[^]*cart-2[^]*Data of 2 of 2 nodes/);
    expect(error()).toBe('');
    expect(prepared.cluster.kubeletRequestCount('node-1')).toBe(1);
    await expect.poll(() => prepared.cluster.openWatchCount).toBe(0);
  });

  it.each<[how: string, settings: string, overrides: Partial<CommandContext>]>([
    ['the settings name', 'cluster: {node: node-2}', {}],
    ['$NODE_NAME names', 'cluster: {nodeLocal: true}', { environment: { NODE_NAME: 'node-2' } }],
    [
      'the name of the host names',
      'cluster: {nodeLocal: true}',
      { environment: { NODE_NAME: '' }, hostName: 'node-2' },
    ],
  ])('is of the one node that %s', async (_how, settings, overrides) => {
    await using prepared = await prepare({ settings });
    const { out } = await runTop(prepared, {}, overrides);
    expect(out()).toMatch(/cart-2[^]*Data of 1 of 1 nodes/);
    expect(out()).not.toContain('cart-1');
    expect(prepared.cluster.kubeletRequestCount('node-1')).toBe(0);
  });

  it('is of all shards, whatever shard the settings and the name of the host say', async () => {
    await using prepared = await prepare({ settings: 'cluster: {totalShards: 2}' });
    expect((await runTop(prepared)).out()).toContain('Data of 2 of 2 nodes');
  });

  it.each([
    [
      'is not in the cluster',
      'cluster: {node: node-9}',
      /node-9 \(no_node\): the cluster has no node "node-9"; set cluster\.node/,
    ],
    ['cannot be found', 'cluster: {nodeLocal: true}', /no node has the label kubernetes\.io\/hostname=test-host/],
  ])('says so when the one node %s', async (_what, settings, error) => {
    await using prepared = await prepare({ settings });
    await expect(runTop(prepared)).rejects.toThrow(error);
  });

  it('gives JSON of plain rows, and what is missing on standard error', async () => {
    await using prepared = await prepare();
    await prepared.cluster.setFault('node-2', 'status:500');
    const { out, error } = await runTop(prepared, { output: 'json' });
    expect(JSON.parse(out())).toMatchObject([
      { namespace: 'default', pod: 'cart-1', node: 'node-1', usedBytes: 16_384 },
      { namespace: 'find', pod: 'search-1', usedBytes: 16_384 },
    ]);
    expect(error()).toMatch(/^No data of node-2 \(http_status\)\.\n/);
  });

  it('shows pods that belong to no workload too: they fill the disk all the same', async () => {
    await using prepared = await prepare({ settings: 'workloads: {selectors: [{name: cart, selector: app=cart}]}' });
    expect((await runTop(prepared)).out()).toContain('search-1');
  });

  it.each([
    [{ namespace: 'defualt', workload: undefined }, 'no namespace with pods "defualt"; did you mean default?'],
    [{ namespace: undefined, workload: 'cart-1' }, 'no workload "cart-1"; did you mean default/Pod/cart-1?'],
  ])('refuses a filter that names nothing: %j', async (filter, message) => {
    await using prepared = await prepare();
    await expect(runTop(prepared, { query: { ...query, filter } })).rejects.toThrow(message);
  });

  it('tells in a line per list why the API server gives nothing, without waiting for the time limit', async () => {
    await using prepared = await prepare({ rules: [{ verbs: ['get'], resources: ['nodes/stats'] }] });
    const failure: unknown = await runTop(prepared).catch((error: unknown) => error);
    const lines = String(failure).split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/nodes could not be listed: .*403/);
    expect(lines[1]).toMatch(/pods could not be listed: .*403/);
  });

  it('tells in a line per reason why no kubelet gives data', async () => {
    await using prepared = await prepare();
    await prepared.cluster.setFault('node-1', 'status:500');
    await prepared.cluster.setFault('node-2', 'html');
    const failure: unknown = await runTop(prepared).catch((error: unknown) => error);
    expect(String(failure).split('\n')).toMatchObject([
      expect.stringMatching(/no data of node-1 \(http_status\): .*500/),
      expect.stringMatching(/no data of node-2 \(decode\): /),
    ]);
  });

  it('lists the nodes all the same when none gives data', async () => {
    await using prepared = await prepare();
    for (const name of ['node-1', 'node-2']) await prepared.cluster.setFault(name, 'status:500');
    const command = aCommandContext();
    const options = { query: { ...query, subject: 'nodes' }, output: 'table', watchIntervalMs: undefined } as const;
    await expect(top({ ...prepared.flags, ...options }, command.context)).rejects.toThrow(/^no data of node-1, node-2/);
    expect(command.out()).toMatch(/node-1 .*absent .*http_status/);
  });

  it('ends at the stop signal before there was an answer', async () => {
    await using prepared = await prepare();
    await prepared.cluster.setFault('node-1', 'hang');
    const command = aCommandContext();
    const running = top({ ...prepared.flags, query, output: 'table', watchIntervalMs: undefined }, command.context);
    const ended = expect(running).rejects.toThrow('stopped before there was an answer');
    await expect.poll(() => prepared.cluster.kubeletRequestCount('node-1')).toBe(1);
    command.stop();
    await ended;
    expect(command.out()).toBe('');
  });
});

describe('top --watch', () => {
  it('draws again over what it drew until the stop signal, and asks kubelets once per TTL at most', async () => {
    await using prepared = await prepare();
    const command = aCommandContext({ terminal: () => ({ columns: 100, rows: 30 }) });
    const running = top({ ...prepared.flags, query, output: 'table', watchIntervalMs: 10 }, command.context);
    const draws = (): readonly string[] => command.out().split('\u001b[H\u001b[J').slice(1);
    await expect.poll(() => draws().length, { interval: 5, timeout: 10_000 }).toBeGreaterThanOrEqual(3);
    command.stop();
    await running;
    for (const draw of draws()) expect(draw).toMatch(/^NAMESPACE[^]*cart-1[^]*Data of 2 of 2 nodes, up to 0s old\.\n$/);
    expect(prepared.cluster.kubeletRequestCount('node-1')).toBe(1);
  });

  it('ends when nobody reads its output any more', async () => {
    await using prepared = await prepare();
    const command = aCommandContext();
    const running = top({ ...prepared.flags, query, output: 'table', watchIntervalMs: 3_600_000 }, command.context);
    await expect.poll(command.out, { interval: 5, timeout: 10_000 }).toContain('NAMESPACE');
    command.closeOutput();
    await running;
    await expect.poll(() => prepared.cluster.openWatchCount).toBe(0);
  });

  it('sends no escapes where there is no terminal', async () => {
    await using prepared = await prepare();
    const command = aCommandContext();
    const running = top({ ...prepared.flags, query, output: 'table', watchIntervalMs: 10 }, command.context);
    await expect.poll(() => command.out().match(/NAMESPACE/g)?.length ?? 0, { interval: 5 }).toBeGreaterThanOrEqual(2);
    command.stop();
    await running;
    expect(command.out()).not.toContain('\u001b');
  });

  it('gives an array per line as JSON, and says what is missing when that changes', async () => {
    await using prepared = await prepare();
    await prepared.cluster.setFault('node-2', 'status:500');
    const command = aCommandContext();
    const running = top({ ...prepared.flags, query, output: 'json', watchIntervalMs: 10 }, command.context);
    await expect.poll(() => command.out().split('\n').length, { interval: 5 }).toBeGreaterThanOrEqual(3);
    command.stop();
    await running;
    const lines = command.out().trimEnd().split('\n');
    for (const line of lines) expect(JSON.parse(line)).toHaveLength(2);
    expect(command.error().match(/No data of node-2/g)).toHaveLength(1);
  });
});

describe('explain', () => {
  it('a pod, as text and as JSON', async () => {
    await using prepared = await prepare();
    const asText = await runExplain(prepared, { subject: 'pod', name: 'default/cart-1' });
    expect(asText.out()).toMatch(/^Pod default\/cart-1 on node-1\n[^]*= total +16384/);
    const asJson = await runExplain(prepared, { subject: 'pod', name: 'default/cart-1', output: 'json' });
    expect(JSON.parse(asJson.out())).toMatchObject([{ pod: 'cart-1', measured: { usedBytes: 16_384 } }]);
  });

  it('a workload, as text and as JSON', async () => {
    const settings = 'workloads: {selectors: [{name: cart, selector: app=cart, namespaces: [default]}]}';
    await using prepared = await prepare({ settings });
    const asText = await runExplain(prepared, { subject: 'workload', name: 'cart' });
    expect(asText.out()).toMatch(/^Workload cart\nConfigured: pods with app=cart in the namespaces default\.\n/);
    const asJson = await runExplain(prepared, { subject: 'workload', name: 'cart', output: 'json' });
    expect(JSON.parse(asJson.out())).toMatchObject({ workload: 'cart', figures: { usedBytes: 32_768 } });
  });

  it.each([
    ['pod', 'default/cart-3', /^no pod "default\/cart-3"; did you mean default\/cart-1, default\/cart-2\?$/],
    ['pod', 'find/zzz', /^no pod "find\/zzz"$/],
    ['workload', 'default/Pod/crat-1', /^no workload "default\/Pod\/crat-1"; did you mean default\/Pod\/cart-1/],
    ['workload', '\u001b[2J', /^no workload "\\u001b\[2J"$/],
  ] as const)('of a %s that is not there (%j) suggests others', async (subject, name, message) => {
    await using prepared = await prepare();
    await expect(runExplain(prepared, { subject, name })).rejects.toThrow(message);
  });

  it('fits the terminal', async () => {
    await using prepared = await prepare();
    const terminal = () => ({ columns: 30, rows: 24 });
    const { out } = await runExplain(prepared, { subject: 'pod', name: 'default/cart-1' }, { terminal });
    for (const line of out().split('\n')) expect(line.length).toBeLessThanOrEqual(30);
  });
});
