// @module-tag sockets

import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import type { Rule } from '../../sim/access.js';
import { SimulatedCluster } from '../../sim/cluster.js';
import { addExporter } from '../../sim/model/exporter-pod.js';
import { emptyScenario, type Scenario } from '../../sim/model/scenario.js';
import { runArguments } from '../../src/commands/command-line.js';
import type { CommandContext } from '../../src/commands/context.js';
import { evictionReport } from '../../src/people/report/eviction-report.js';
import { podSpec } from '../sim/pods.js';
import { serveReading } from '../source/served-reading.js';
import { assignmentsOf } from '../support/assignments.js';
import { aCommandContext, type RecordedCommand } from '../support/command-context.js';
import { anEvictionRecord } from '../support/eviction-builders.js';
import { leastRules } from '../support/exporter.js';
import { untilEnd } from '../support/fixtures.js';
import { temporaryFolder } from '../support/programs.js';
import {
  aClusterSnapshot,
  aDeployment,
  aFreshNode,
  aMeasuredPod,
  aNodeSnapshot,
  aReading,
} from '../support/snapshot-builders.js';

const scenario: Scenario = {
  ...emptyScenario('node-1', 'node-2'),
  populate: ({ model }) => {
    model.addPod(podSpec('cart-1', { labels: { app: 'cart' } }));
    model.addPod(podSpec('cart-2', { nodeName: 'node-2', labels: { app: 'cart' } }));
    model.addPod(podSpec('search-1', { namespace: 'find', labels: { app: 'search' } }));
  },
};

const wideTerminal = { columns: 100, rows: 30 };

interface Prepared extends AsyncDisposable {
  readonly cluster: SimulatedCluster;
  readonly flags: readonly string[];
}

async function prepare({
  rules = leastRules,
  settings = '',
  namespace,
  from = ['--from', 'kubelets'],
}: {
  rules?: readonly Rule[];
  settings?: string;
  namespace?: string;
  from?: readonly string[];
} = {}): Promise<Prepared> {
  const folder = await temporaryFolder();
  const cluster = await SimulatedCluster.start({ scenario });
  const kubeconfig = path.join(folder.path, 'kubeconfig');
  const token = cluster.issueToken({ user: 'operator', rules });
  const text = cluster.kubeconfig(token);
  await writeFile(kubeconfig, namespace === undefined ? text : withNamespace(text, namespace));
  return {
    cluster,
    flags: ['--kubeconfig', kubeconfig, ...assignmentsOf(settings).flatMap((one) => ['--set', one]), ...from],
    [Symbol.asyncDispose]: async () => {
      await cluster[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const it = test.extend('prepared', ({ onTestFinished }) => untilEnd(onTestFinished, prepare()));

/** The kubeconfig with the namespace in its only context. */
function withNamespace(kubeconfig: string, namespace: string): string {
  const config = parse(kubeconfig) as { contexts: { context: Record<string, string> }[] };
  for (const { context } of config.contexts) context['namespace'] = namespace;
  return JSON.stringify(config);
}

interface Finished {
  readonly status: number;
  readonly out: string;
  readonly error: string;
}

async function run({ flags }: Prepared, line: string, overrides: Partial<CommandContext> = {}): Promise<Finished> {
  const { context, out, error } = aCommandContext(overrides);
  const status = await runArguments([...line.split(' '), ...flags], context);
  return { status, out: out(), error: error() };
}

interface Started extends RecordedCommand {
  readonly finished: Promise<number>;
}

function start({ flags }: Prepared, line: string, overrides: Partial<CommandContext> = {}): Started {
  const command = aCommandContext(overrides);
  return { ...command, finished: runArguments([...line.split(' '), ...flags], command.context) };
}

describe('top', () => {
  it('top needs the least rights, leaves nothing open and scrapes each kubelet once', async ({ prepared }) => {
    const { status, out, error } = await run(prepared, 'top');
    expect(out).toMatch(/^POD +NODE[^]*cart-1[^]*cart-2/);
    expect(error).toBe('');
    expect(status).toBe(0);
    expect(prepared.cluster.kubeletRequestCount('node-1')).toBe(1);
    await expect.poll(() => prepared.cluster.openWatchCount).toBe(0);
  });

  it.each([
    ['top po -o name', undefined, 'pod/cart-1\npod/cart-2\n'],
    ['top pods -o name', 'find', 'pod/search-1\n'],
    ['top pod -n find -o name', undefined, 'pod/search-1\n'],
    ['top pods -A -o name', 'find', 'pod/cart-1\npod/cart-2\npod/search-1\n'],
    ['top pods -A -l app!=cart -o name', undefined, 'pod/search-1\n'],
    ['top no -o name', 'find', 'node/node-1\nnode/node-2\n'],
    ['top node node-2 -o name', undefined, 'node/node-2\n'],
    ['top pod cart-2 -o name', undefined, 'pod/cart-2\n'],
    ['top pods --node node-2 -A -o name', undefined, 'pod/cart-2\n'],
    ['top pods --containers -o name', undefined, 'container/cart-1/app\ncontainer/cart-2/app\n'],
    ['top wl -A -o name', undefined, 'barepod/cart-1\nbarepod/cart-2\nbarepod/search-1\n'],
    ['top pods --workload pod/cart-2 -o name', undefined, 'pod/cart-2\n'],
    ['top pods --workload find/Pod/search-1 -o name', undefined, 'pod/search-1\n'],
    ['top pods --namespace= -o=name', 'find', 'pod/search-1\n'],
  ])('%s in a context of namespace %s lists what kubectl would', async (line, namespace, names) => {
    await using prepared = await prepare(namespace === undefined ? {} : { namespace });
    expect(await run(prepared, line)).toMatchObject({ status: 0, out: names });
  });

  it('top has a column of namespaces for all of them, and no header on demand', async ({ prepared }) => {
    expect((await run(prepared, 'top pods -A')).out).toMatch(/^NAMESPACE +POD +/);
    expect((await run(prepared, 'top pods -A --no-headers')).out).toMatch(/^default +cart-1 +node-1/);
  });

  it('top lists at most 20 rows on a terminal, and all elsewhere', async ({ prepared }) => {
    for (let number = 0; number < 20; number += 1) {
      prepared.cluster.model.addPod(podSpec(`many-${number}`, { namespace: 'find' }));
    }
    const rowsOf = ({ out }: Finished): number => out.match(/^(?:many|search)-/gm)?.length ?? 0;
    expect(rowsOf(await run(prepared, 'top -n find'))).toBe(21);
    expect(rowsOf(await run(prepared, 'top -n find', { terminal: () => wideTerminal }))).toBe(20);
    expect(rowsOf(await run(prepared, 'top -n find --limit 3'))).toBe(3);
  });

  it('top of a namespace without pods writes nothing but a note', async ({ prepared }) => {
    const { status, out, error } = await run(prepared, 'top pods -n defualt');
    expect({ status, out }).toEqual({ status: 0, out: '' });
    expect(error).toMatch(/^No pods found in namespace defualt \(did you mean default\?\)\n/);
  });

  it('top is of the one node that $NODE_NAME names', async () => {
    await using prepared = await prepare({ settings: 'cluster: {nodeLocal: true}' });
    const environment = { NODE_NAME: 'node-2' };
    const { out, error } = await run(prepared, 'top', { terminal: () => wideTerminal, environment });
    expect(out).toContain('cart-2');
    expect(out).not.toContain('cart-1');
    expect(error).toContain('Data from 1 of 1 nodes');
    expect(prepared.cluster.kubeletRequestCount('node-1')).toBe(0);
  });

  it('top is of all shards, whatever shard the settings and the name of the host have', async () => {
    await using prepared = await prepare({ settings: 'cluster: {totalShards: 2}' });
    const { error } = await run(prepared, 'top', { terminal: () => wideTerminal });
    expect(error).toContain('Data from 2 of 2 nodes');
  });

  it.each([
    ['is not in the cluster', 'cluster: {node: node-9}', /node-9 \(no_node\): The cluster has no such node/],
    ['cannot be found', 'cluster: {nodeLocal: true}', /no node has the label kubernetes\.io\/hostname=test-host/],
  ])('top fails when the one node %s', async (_what, settings, error) => {
    await using prepared = await prepare({ settings });
    expect(await run(prepared, 'top')).toMatchObject({
      status: 1,
      error: expect.stringMatching(error) as unknown,
    });
  });

  it.for([
    ['json', (text: string): unknown => JSON.parse(text)],
    ['yaml', (text: string): unknown => parse(text)],
  ] as const)('top as %s has plain rows, and what is missing on standard error', async ([form, read], { prepared }) => {
    await prepared.cluster.setFault('node-2', 'status:500');
    const { out, error } = await run(prepared, `top -A -o ${form}`);
    expect(read(out)).toMatchObject([
      { namespace: 'default', pod: 'cart-1', node: 'node-1', usedBytes: 16_384 },
      { namespace: 'find', pod: 'search-1', usedBytes: 16_384 },
      { namespace: 'default', pod: 'cart-2', state: 'unmeasured', node: 'node-2' },
    ]);
    expect(error).toMatch(/^No data from node-2 \(http_status\)\.\n/);
  });

  it('top shows pods that belong to no workload', async () => {
    await using prepared = await prepare({ settings: 'workloads: {selectors: [{name: cart, selector: app=cart}]}' });
    expect((await run(prepared, 'top -A')).out).toContain('search-1');
  });

  it.for([
    ['top --workload crat-1', 1, 'no workload default/crat-1 in scope (did you mean default/barepod/cart-1'],
    ['top -l =x', 2, '--selector: '],
  ] as const)('%s fails with exit code %i', async ([line, status, message], { prepared }) => {
    const result = await run(prepared, line);
    expect(result.error).toContain(message);
    expect(result).toMatchObject({ status, out: '' });
  });

  it('top reports in a line per list why the API server refuses, without waiting for the time limit', async () => {
    await using prepared = await prepare({ rules: [{ verbs: ['get'], resources: ['nodes/stats'] }] });
    const lines = (await run(prepared, 'top')).error.trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/nodes could not be listed: .*403/);
    expect(lines[1]).toMatch(/pods could not be listed: .*403/);
  });

  it('top lists what is known when no kubelet has data, and in a line per reason why', async ({ prepared }) => {
    await prepared.cluster.setFault('node-1', 'status:500');
    await prepared.cluster.setFault('node-2', 'html');
    const { status, out, error } = await run(prepared, 'top');
    expect(status).toBe(1);
    expect(out).toMatch(/^POD .*\n(cart-.+ unmeasured\n)+$/);
    expect(error.trimEnd().split('\n')).toMatchObject([
      expect.stringMatching(/no data from node-1 \(http_status\): .*500/),
      expect.stringMatching(/no data from node-2 \(decode\): /),
    ]);
  });

  it.for([
    ['top', /\nto reach the kubelets through the API server, add --set kubelet\.access=proxy .*\n$/],
    ['top --set kubelet.access=proxy', /^no data from (?:(?!access=proxy).)*$/s],
  ] as const)(
    '%s names the other way to kubelets that cannot be reached directly',
    async ([line, error], { prepared }) => {
      for (const name of ['node-1', 'node-2']) await prepared.cluster.setFault(name, 'reset');
      expect(await run(prepared, line)).toMatchObject({ status: 1, error: expect.stringMatching(error) as unknown });
    },
  );

  it('top still lists the nodes when none has data', async ({ prepared }) => {
    for (const name of ['node-1', 'node-2']) await prepared.cluster.setFault(name, 'status:500');
    const { status, out, error } = await run(prepared, 'top nodes');
    expect(status).toBe(1);
    expect(error).toMatch(/no data from node-1, node-2/);
    expect(out).toMatch(/node-1 +no data: .*http_status/);
  });

  it('top ends at the stop signal before there was an answer', async ({ prepared }) => {
    await prepared.cluster.setFault('node-1', 'hang');
    const command = start(prepared, 'top');
    await expect.poll(() => prepared.cluster.kubeletRequestCount('node-1')).toBe(1);
    command.stop();
    expect(await command.finished).toBe(1);
    expect(command.error()).toBe('stopped before there was an answer\n');
    expect(command.out()).toBe('');
  });

  it.for<[where: string, overrides: Partial<CommandContext>, isColoured: boolean]>([
    ['on a terminal', { terminal: () => wideTerminal }, true],
    ['with NO_COLOR', { terminal: () => wideTerminal, environment: { NO_COLOR: '1' } }, false],
    ['on a dumb terminal', { terminal: () => wideTerminal, environment: { TERM: 'dumb' } }, false],
    ['in a pipe', {}, false],
  ])('top %s is coloured: %s', async ([, overrides, isColoured], { prepared }) => {
    await prepared.cluster.setFault('node-2', 'status:500');
    const { out } = await run(prepared, 'top nodes', overrides);
    expect(out.includes('\u001b[33mno data: unexpected HTTP status\u001b[0m')).toBe(isColoured);
    expect(out.includes('\u001b')).toBe(isColoured);
  });
});

it('top --watch draws again over what it drew, and scrapes kubelets once per TTL at most', async ({ prepared }) => {
  const command = start(prepared, 'top -w --interval 100ms', { terminal: () => wideTerminal });
  const draws = (): readonly string[] => command.out().split('\u001b[H\u001b[J').slice(1);
  await expect.poll(() => draws().length, { interval: 5 }).toBeGreaterThanOrEqual(3);
  command.stop();
  expect(await command.finished).toBe(0);
  expect(command.error()).toBe('');
  for (const draw of draws())
    expect(draw).toMatch(
      /^POD[^]*cart-1[^]*Data from 2 of 2 nodes, up to 0s old; the next values come within 5\ds\.\n$/,
    );
  expect(prepared.cluster.kubeletRequestCount('node-1')).toBe(1);
});

it('top --watch ends when its output is closed', async ({ prepared }) => {
  const command = start(prepared, 'top -w --interval 1h');
  await expect.poll(command.out, { interval: 5 }).toContain('POD');
  command.closeOutput();
  expect(await command.finished).toBe(0);
  await expect.poll(() => prepared.cluster.openWatchCount).toBe(0);
});

it('top --watch sends no escapes where there is no terminal', async ({ prepared }) => {
  const command = start(prepared, 'top -w --interval 100ms');
  await expect.poll(() => command.out().match(/POD/g)?.length ?? 0, { interval: 5 }).toBeGreaterThanOrEqual(2);
  command.stop();
  await command.finished;
  expect(command.out()).not.toContain('\u001b');
});

it('top --watch as JSON has an array per line, and reports what is missing', async ({ prepared }) => {
  await prepared.cluster.setFault('node-2', 'status:500');
  const command = start(prepared, 'top -A -o json -w --interval 100ms');
  await expect.poll(() => command.out().split('\n').length, { interval: 5 }).toBeGreaterThanOrEqual(3);
  command.stop();
  await command.finished;
  const lines = command.out().trimEnd().split('\n');
  for (const line of lines) expect(JSON.parse(line)).toHaveLength(3);
  expect(command.error().match(/No data from node-2/g)).toHaveLength(1);
});

describe('explain', () => {
  it.for(['explain pod cart-1', 'explain po default/cart-1', 'explain pod cart-1 -A'])(
    '%s shows the pod, as text, JSON and YAML',
    async (line, { prepared }) => {
      const asText = await run(prepared, line);
      expect(asText.out).toMatch(/^No limit bounds it: .*[^]*^Pod default\/cart-1\nUsed: +16Ki\n/m);
      const report = [{ pod: 'cart-1', state: 'measured', usedBytes: 16_384 }];
      expect(JSON.parse((await run(prepared, `${line} -o json`)).out)).toMatchObject(report);
      expect(parse((await run(prepared, `${line} -o yaml`)).out)).toMatchObject(report);
    },
  );

  it('the commands of an explanation are for the cluster and the source that were named', async ({ prepared }) => {
    await prepared.cluster.setFault('node-1', 'status:500');
    const { out } = await run(prepared, 'explain pod cart-1 --from kubelets --as me');
    expect(out).toMatch(
      /\n {2}ephemeral-storage-exporter explain node node-1 --kubeconfig \S+ --as me --from kubelets\n/,
    );
  });

  it.for([
    ['pod default/cart-3', 1, /^no pod default\/cart-3 in scope \(did you mean default\/cart-1\?\)\n$/],
    ['pod search-1', 1, /^no pod default\/search-1 in scope \(did you mean find\/search-1\?\)\n$/],
    ['pod find/zzz', 1, /^no pod find\/zzz in scope\n$/],
    ['pod find/cart-1/x', 2, /^explain pod "find\/cart-1\/x": expected NAME or NAMESPACE\/NAME\n$/],
    ['pod find/search-1 -n default', 2, /^explain pod "find\/search-1": --namespace is default\n$/],
    ['node node-9', 1, /no node node-9 in scope/],
    [
      'workload default/Pod/crat-1',
      1,
      /^no workload default\/Pod\/crat-1 in scope \(did you mean default\/barepod\/cart-1/,
    ],
    ['workload \u001b[2J', 1, /^no workload default\/\\u001b\[2J in scope\n$/],
  ] as const)('explain %j fails with exit code %i', async ([line, status, message], { prepared }) => {
    expect(await run(prepared, `explain ${line}`)).toMatchObject({
      status,
      out: '',
      error: expect.stringMatching(message) as unknown,
    });
  });

  it('explain pod waits for the configuration of the kubelet', async ({ prepared }) => {
    const { status, error } = await run(prepared, 'explain pod cart-1 --set kubelet.readConfig=true');
    expect(status).toBe(0);
    expect(error).toMatch(/^configuration of node node-\d .*answered 403.*nodes\/configz.*\n$/);
  });
});

it('explain of a workload does not say that a node without its pods is silent', async ({ prepared }) => {
  await prepared.cluster.setFault('node-2', 'status:500');
  expect(await run(prepared, 'explain workload barepod/cart-1')).toMatchObject({ status: 0, error: '' });
});

it.for([
  ['explain pod cart-1', /Pod default\/cart-1\n[^]*^Node: +node-1\n/m],
  ['top pods --node node-1', /cart-1 .*node-1/],
] as const)('%s asks no other kubelet, and misses none', async ([line, shown], { prepared }) => {
  await prepared.cluster.setFault('node-2', 'hang');
  const { out, error, status } = await run(prepared, line);
  expect(out).toMatch(shown);
  expect([status, error.replace('* Assumed: a default of Kubernetes.\n', '')]).toEqual([0, '']);
  expect(prepared.cluster.kubeletRequestCount('node-2')).toBe(0);
});

it('explain node assumes the thresholds, unless the settings have it read those of the kubelet', async () => {
  await using prepared = await prepare({ rules: [...leastRules, { resources: ['nodes/configz'], verbs: ['get'] }] });
  const assumed = await run(prepared, 'explain node node-1 -o json');
  const known = await run(prepared, 'explain node node-1 -o json --set kubelet.readConfig=true');
  const isAssumed = ({ out }: Finished): readonly unknown[] =>
    (JSON.parse(out) as { signals: { isAssumed: boolean }[] }).signals.map((signal) => signal.isAssumed);
  expect(new Set(isAssumed(assumed))).toEqual(new Set([true]));
  expect(new Set(isAssumed(known))).toEqual(new Set([false]));
  expect([assumed.error, known.error]).toEqual(['', '']);
});

it('explain node reports why it cannot read the thresholds', async ({ prepared }) => {
  const { status, out, error } = await run(prepared, 'explain node node-1 --set kubelet.readConfig=true');
  expect(status).toBe(0);
  expect(out).toContain(' assumed');
  expect(error).toMatch(/configuration of node node-1 .*answered 403.*nodes\/configz/);
});

describe('an exporter', () => {
  const readerRules = [
    { verbs: ['list', 'get'], resources: ['services', 'pods'] },
    { verbs: ['get'], resources: ['services/proxy'] },
  ];
  const served = aReading({
    snapshot: aClusterSnapshot({
      nodes: [aFreshNode(aNodeSnapshot({ pods: [aMeasuredPod({ name: 'remembered-0', namespace: 'default' })] }))],
    }),
    evictions: [
      evictionReport(
        anEvictionRecord({
          pod: 'gone-0',
          namespace: 'default',
          workloads: [{ ...aDeployment('cart'), namespace: 'default' }],
        }),
      ),
    ],
  });
  const withExporter = it.extend('reader', async ({ onTestFinished }) => {
    const reader = await untilEnd(onTestFinished, prepare({ rules: [...leastRules, ...readerRules], from: [] }));
    const server = await untilEnd(onTestFinished, serveReading(served));
    addExporter(reader.cluster.model, server.port);
    return reader;
  });

  withExporter('an exporter in the cluster is read, and no kubelet', async ({ reader }) => {
    expect(await run(reader, 'top -o name')).toEqual({ status: 0, out: 'pod/remembered-0\n', error: '' });
    expect(await run(reader, 'top ev -o name')).toEqual({ status: 0, out: 'pod/gone-0\n', error: '' });
    expect(await run(reader, 'top ns default -o name')).toMatchObject({ status: 0, out: 'namespace/default\n' });
    expect(reader.cluster.kubeletRequestCount('node-1')).toBe(0);
  });

  withExporter.for([
    ['ev gone-0', 0, /^Eviction of pod default\/gone-0\n/m],
    ['ev cart', 0, /^Eviction of pod default\/gone-0\n/m],
    ['eviction deploy/cart', 0, /^Eviction of pod default\/gone-0\n/m],
    ['eviction default/deployment/cart', 0, /^Eviction of pod default\/gone-0\n/m],
    ['eviction sts/cart', 1, /^no eviction of pod or workload sts\/cart in scope/],
    ['ns default', 0, /^Namespace default\nUsed: .*[^]*remembered-0/m],
    ['ns defalut', 1, /^no namespace defalut in scope, or it has no pods \(did you mean default\?\)\n$/],
  ] as const)('explain %j is about what is named', async ([line, status, expected], { reader }) => {
    const found = await run(reader, `explain ${line}`);
    expect([found.status, found.out + found.error]).toEqual([status, expect.stringMatching(expected)]);
  });

  withExporter('top --watch of an exporter ends with success at the first signal', async ({ reader }) => {
    const command = start(reader, 'top -w --interval 1h');
    await expect.poll(command.out, { interval: 5 }).toContain('remembered-0');
    command.stop();
    expect([await command.finished, command.error()]).toEqual([0, '']);
  });

  withExporter.for([
    ['explain pod remembered-0', /^No limit bounds it.*[^]*^Pod default\/remembered-0\n/m],
    ['explain po/remembered-0', /^Pod default\/remembered-0\n/m],
    ['explain node node-1', /^Not close to evicting pods|^No eviction threshold/],
    ['explain eviction gone-0', /^Pod default\/gone-0 is the cause[^]*^Eviction of pod default\/gone-0\n/m],
    ['explain workload cart', /^4Ki in 1 pod; /],
  ] as const)('%s shows what an exporter knows, its verdict first', async ([line, expected], { reader }) => {
    const { status, out, error } = await run(reader, line);
    expect([status, error]).toEqual([0, '']);
    expect(out).toMatch(expected);
  });

  withExporter('explain pod of a pod that was evicted and is gone names its eviction', async ({ reader }) => {
    const { status, error } = await run(reader, 'explain pod gone-0');
    expect([status, error]).toEqual([
      1,
      'no pod "gone-0": it was evicted (emptyDir data above its size limit of 100Mi), see explain eviction default/gone-0\n',
    ]);
  });

  withExporter('a node of an exporter has as JSON all fields of its view', async ({ reader }) => {
    const { out } = await run(reader, 'explain node node-1 -o json');
    const node = JSON.parse(out) as object;
    expect(node).toMatchObject({ node: 'node-1', state: 'fresh', condition: 'ok' });
    expect(Object.keys(node)).toEqual(expect.arrayContaining(['podsRequestedBytes', 'findings']));
  });

  it('without an exporter the kubelets are read, which is said in one line', async () => {
    await using reader = await prepare({ rules: [...leastRules, ...readerRules], from: [] });
    const { status, out, error } = await run(reader, 'top -o name');
    expect({ status, out }).toEqual({ status: 0, out: 'pod/cart-1\npod/cart-2\n' });
    expect(error).toBe(
      'No exporter was read, but the kubelets: no Service has the label app.kubernetes.io/name=ephemeral-storage-exporter and a port called metrics\n',
    );
  });

  it('without the right to read an exporter the kubelets are read', async () => {
    await using reader = await prepare({ from: [] });
    const { status, out, error } = await run(reader, 'top -o name');
    expect({ status, out }).toEqual({ status: 0, out: 'pod/cart-1\npod/cart-2\n' });
    expect(error).toMatch(/^No exporter was read, but the kubelets: GET .*services\/proxy.*\n$/);
  });

  it('a reader of an exporter that is not ready is not advised to read the kubelets', async () => {
    const usual = 'ephemeral-storage-exporter';
    const rules = readerRules.map((rule) => ({ ...rule, namespaces: [usual] }));
    await using reader = await prepare({ rules, from: [] });
    const ports = [{ name: 'metrics', port: 9797, targetPort: 'metrics' }];
    const labels = { 'app.kubernetes.io/name': usual };
    reader.cluster.model.services.add({ namespace: usual, name: usual, labels, selector: labels, ports });
    const { status, error } = await run(reader, 'top');
    expect(status).toBe(1);
    expect(error).toMatch(/^the exporter is not ready: [^\n]*\n$/);
  });

  it('a user without any right is advised to bind the Role of readers, and nothing else', async () => {
    await using reader = await prepare({ rules: [], from: [] });
    const { status, error } = await run(reader, 'top');
    expect(status).toBe(1);
    expect(error).toMatch(/^GET [^\n]*; bind the Role of readers: kubectl create rolebinding [^\n]*\n$/);
  });

  it.for([
    ['top --from exporter', /^no Service has the label [^\n]*\n$/],
    [
      'top --exporter other/exporter',
      /^GET \/api\/v1\/namespaces\/other\/services\/exporter:metrics\/proxy[^\n]*404[^\n]*\n$/,
    ],
    ['explain pod cart-1 --exporter http://127.0.0.1:1', /^GET \/api\/v1\/nodes: connection failed: [^\n]*\n$/],
  ] as const)('%s fails when that exporter cannot be read', async ([line, message]) => {
    await using reader = await prepare({ rules: [...leastRules, ...readerRules], from: [] });
    const result = await run(reader, line);
    expect(result).toMatchObject({ status: 1, out: '' });
    expect(result.error).toMatch(message);
  });

  withExporter('an exporter without the object is no reason to read the kubelets', async ({ reader }) => {
    const { status, error } = await run(reader, 'explain pod cart-1');
    expect(status).toBe(1);
    expect(error).toBe('no pod default/cart-1 in scope\n');
    expect(reader.cluster.kubeletRequestCount('node-1')).toBe(0);
  });
});
