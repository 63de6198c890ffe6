// @module-tag sockets

import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario, type Scenario } from '../../sim/model/scenario.js';
import { runArguments } from '../../src/commands/command-line.js';
import { LoopbackServer, replyWith } from '../http/loopback-server.js';
import { podSpec } from '../sim/pods.js';
import { aCommandContext } from '../support/command-context.js';
import { untilEnd } from '../support/fixtures.js';
import { ManualClock } from '../support/manual-clock.js';
import { temporaryFolder } from '../support/programs.js';

const scenario: Scenario = {
  ...emptyScenario('node-1', 'node-2'),
  populate: ({ model }) => {
    model.addPod(podSpec('cart-1'));
    model.addPod(podSpec('cart-2', { nodeName: 'node-2' }));
    model.addPod(podSpec('search-1', { namespace: 'find' }));
  },
};

/** The output for an unfinished line, with its exit code. */
async function complete(line: string, { form = '__complete', kubeconfig = '', clock = new ManualClock() } = {}) {
  const environment = { KUBECONFIG: kubeconfig };
  const { context, out, error } = aCommandContext({ environment, clock });
  const status = await runArguments([form, ...line.split(' ')], context);
  return { status, lines: out().split('\n').slice(0, -1), error: error() };
}

async function prepare() {
  const folder = await temporaryFolder();
  const cluster = await SimulatedCluster.start({ scenario });
  const rules = [{ resources: ['namespaces', 'nodes', 'pods'], verbs: ['list'] }];
  const kubeconfig = path.join(folder.path, 'config');
  await writeFile(kubeconfig, cluster.kubeconfig(cluster.issueToken({ user: 'operator', rules })));
  return {
    kubeconfig,
    [Symbol.asyncDispose]: async () => {
      await cluster[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const it = test.extend('prepared', ({ onTestFinished }) => untilEnd(onTestFinished, prepare()));

it.for<[string, readonly string[]]>([
  ['top -n ', ['default', 'find', 'kube-system']],
  ['top -n f', ['find']],
  ['top -An f', ['find']],
  ['-n f', ['find']],
  ['top --namespace d', ['default']],
  ['serve --node ', ['node-1', 'node-2']],
  ['--node node-2', ['node-2']],
  ['explain node ', ['node-1', 'node-2']],
  ['explain nodes node-1', ['node-1']],
  ['explain pod ', ['cart-1', 'cart-2']],
  ['explain pod -n=find ', ['search-1']],
  ['-n find explain po s', ['search-1']],
  ['explain pod -A ', ['default/cart-1', 'default/cart-2', 'find/search-1']],
  ['explain pod/', ['pod/cart-1', 'pod/cart-2']],
  ['explain -n find po/', ['po/search-1']],
  ['explain pod/find/', ['pod/find/search-1']],
  ['explain node/', ['node/node-1', 'node/node-2']],
  ['explain po ', ['cart-1', 'cart-2']],
  ['top po cart-2', ['cart-2']],
  ['explain node node-1 --without ', ['default/cart-1', 'find/search-1']],
  ['explain node/node-2 --without default/', ['default/cart-2']],
  ['explain --without f', ['find/search-1']],
  ['top --field-selector ', ['spec.nodeName=node-1', 'spec.nodeName=node-2']],
  ['top --field-selector spec.nodeName=node-2', ['spec.nodeName=node-2']],
  ['explain shop/', ['pod', 'workload', 'node', 'eviction']],
  ['explain eviction ', []],
  ['top evictions ', []],
  ['explain pod find/', ['find/search-1']],
  ['explain pod -A find/', ['find/search-1']],
  ['explain pod nobody/', []],
  ['explain workload ', []],
  ['explain pod cart-1 ', []],
  ['explain disk ', []],
  ['top --context ', ['simulated', 'simulated-certificate']],
  ['top --cluster s', ['simulated']],
  ['--context no', []],
  ['top --context no-such -n ', []],
  ['top -A=maybe -n f', ['find']],
  ['top --namespace=f', ['--namespace=find']],
  ['top -n=f', ['-n=find']],
  ['explain node --without=f', ['--without=find/search-1']],
  ['explain pod cart-1 -c ', ['app']],
  ['explain pod find/search-1 --container=', ['--container=app']],
  ['explain pod/cart-1 -n find -c ', []],
  ['explain node node-1 -c ', []],
])('the completion of "%s" offers the names %j', async ([line, names], { prepared: { kubeconfig } }) => {
  const { status, lines, error } = await complete(line, { kubeconfig });
  const offered = lines.filter((name) => !/^(?:kube-(?:node-lease|public))$/.test(name));
  expect({ status, offered, error }).toEqual({ status: 0, offered: names, error: '' });
});

describe('kubectl_complete-ephemeral_storage', () => {
  const form = '__complete_kubectl';

  it.for<[string, readonly string[]]>([
    ['top -n f', ['find', ':4']],
    ['top no', ['nodes', ':4']],
    ['top --kubeconfig ', [':0']],
    ['top --set cache.tt', ['cache.ttl=', ':6']],
    ['top --set kubelet.access=p', ['kubelet.access=proxy', ':4']],
    ['explain pod x', [':4']],
    ['top --namespace=f', ['--namespace=find', ':4']],
  ])('kubectl receives for "%s" the lines %j', async ([line, lines], { prepared: { kubeconfig } }) => {
    expect(await complete(line, { kubeconfig, form })).toMatchObject({ status: 0, lines });
  });
});

/** An API server for a kubeconfig of its own. */
async function startServer() {
  const folder = await temporaryFolder();
  const server = await LoopbackServer.listen();
  const kubeconfig = path.join(folder.path, 'config');
  const names = ['dev', '$(touch /tmp/x)', 'a b', 'arn:aws:eks:eu-1:1:cluster/x', '\u001b[2J', '`id`'];
  const contexts = names.map((name) => ({ name, context: { cluster: 'c' } }));
  const clusters = [{ name: 'c', cluster: { server: server.url.href } }];
  await writeFile(kubeconfig, JSON.stringify({ 'current-context': 'dev', contexts, clusters }));
  return {
    ...{ server, kubeconfig },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const listOf = (names: readonly string[], next = ''): string =>
  JSON.stringify({ items: names.map((name) => ({ metadata: { name } })), metadata: { continue: next } });

it('names that a shell would run, or a terminal obey, are not offered', async () => {
  await using started = await startServer();
  started.server.answer = replyWith({ body: listOf(['good', '$(reboot)', 'a;b', 'x\u0007']) });
  expect((await complete('top --context ', started)).lines).toEqual(['dev', 'arn:aws:eks:eu-1:1:cluster/x']);
  expect((await complete('top -n ', started)).lines).toEqual(['good']);
});

it('completion reads pages until there are enough names', async () => {
  await using started = await startServer();
  const { server } = started;
  const page = (index: number): string =>
    listOf(
      Array.from({ length: 90 }, (_, number) => `n${index}-${number}`),
      String(index + 1),
    );
  server.answer = (request, response) => {
    replyWith({ body: page(Number(new URL(request.url ?? '', server.url).searchParams.get('continue') ?? '0')) })(
      request,
      response,
    );
  };
  expect((await complete('explain node ', started)).lines).toHaveLength(200);
  expect(server.requests.map(({ url }) => url)).toEqual([
    '/api/v1/nodes?limit=500',
    '/api/v1/nodes?limit=500&continue=1',
    '/api/v1/nodes?limit=500&continue=2',
  ]);
});

it('completion offers after a second what the API server has answered until then, and is silent about the rest', async () => {
  await using started = await startServer();
  const { server } = started;
  server.answer = (request, response) => {
    if (request.url?.includes('continue') !== true) replyWith({ body: listOf(['shop'], 'more') })(request, response);
  };
  const clock = new ManualClock();
  const completed = complete('top -n ', { ...started, clock });
  await expect.poll(() => server.requests.length).toBe(2);
  await clock.advance(1000);
  expect(await completed).toEqual({ status: 0, lines: ['shop'], error: '' });
  server.answer = replyWith({ status: 403, body: '{}' });
  expect(await complete('top -n ', started)).toEqual({ status: 0, lines: [], error: '' });
});

describe('workloads and evicted pods', () => {
  const lists: Readonly<Record<string, readonly object[]>> = {
    '/apis/apps/v1/namespaces/media/deployments': [{ metadata: { name: 'web', namespace: 'media' } }],
    '/apis/apps/v1/namespaces/media/statefulsets': [{ metadata: { name: 'db', namespace: 'media' } }],
    '/apis/apps/v1/deployments': [{ metadata: { name: 'web', namespace: 'media' } }],
    '/apis/batch/v1/namespaces/media/cronjobs': [{ metadata: { name: 'web-report', namespace: 'media' } }],
    '/api/v1/namespaces/ops/pods?status.phase=Failed': [
      { metadata: { name: 'gone', namespace: 'ops' }, status: { reason: 'Evicted' } },
      { metadata: { name: 'broken', namespace: 'ops' }, status: { reason: 'Error' } },
    ],
  };

  it.each([
    ['explain workload -n media ', ['web', 'db', 'web-report']],
    ['explain wl -n media w', ['web', 'web-report']],
    ['explain workload media/', ['media/web', 'media/db', 'media/web-report']],
    ['explain workload -n media deploy/', ['deploy/web']],
    ['explain -n media workload/sts/', ['workload/sts/db']],
    ['explain -n media deploy/', ['deploy/web']],
    ['explain -n media deployment.apps/w', ['deployment.apps/web']],
    ['explain cj -n media ', ['web-report']],
    ['explain deploy -A ', ['media/web']],
    ['top -n media --workload ', ['web', 'db', 'web-report']],
    ['explain job -n media ', []],
    ['explain eviction -n ops ', ['gone']],
    ['explain -n ops ev/', ['ev/gone']],
  ])('the completion of "%s" offers %j, although some lists are forbidden', async (line, names) => {
    await using started = await startServer();
    const { server } = started;
    server.answer = (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', server.url);
      const selector = searchParams.get('fieldSelector');
      const items = lists[selector === null ? pathname : `${pathname}?${selector}`];
      const answer = items === undefined ? { status: 403, body: '{}' } : { body: JSON.stringify({ items }) };
      replyWith(answer)(request, response);
    };
    const { status, lines, error } = await complete(line, started);
    expect({ status, lines: lines.toSorted(), error }).toEqual({ status: 0, lines: names.toSorted(), error: '' });
  });
});
