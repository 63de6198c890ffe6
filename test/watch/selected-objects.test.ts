// @module-tag sockets

import { describe, expect, it } from 'vitest';

import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario, type Scenario } from '../../sim/model/scenario.js';
import { staticCredentials } from '../../src/credentials/credentials.js';
import { ApiClient } from '../../src/http/api-client.js';
import { type Scope, wholeCluster } from '../../src/kube/scope.js';
import { parseSelector } from '../../src/kube/selector.js';
import type { ClusterStore, ClusterStoreOptions } from '../../src/watch/cluster-store.js';
import { ManualClock } from '../support/manual-clock.js';
import { startStore } from '../support/running-store.js';
import { eventLine, ScriptedApi, sends, WatchFeed } from './scripted-api.js';

type Selection = Pick<ClusterStoreOptions, 'scope' | 'namespaces' | 'podSelector' | 'nodeSelector'>;
const oneNode: Scope = { ...wholeCluster, nodeName: 'node-1' };

const scenario: Scenario = {
  ...emptyScenario('node-1', 'node-2'),
  populate: ({ model }) => {
    for (const namespace of ['x', 'y', 'z']) model.addPod({ namespace, name: 'a', nodeName: 'node-1', containers: [] });
  },
};

/** What a store with this selection requests of a simulated API server: each list and watch, in order of its text. */
async function requestsOf(selection: Partial<Selection>): Promise<readonly string[]> {
  await using cluster = await SimulatedCluster.start({ scenario });
  const clock = new ManualClock();
  const credentials = staticCredentials({ server: new URL(cluster.apiUrl), ca: cluster.caPem, token: cluster.token });
  using api = new ApiClient({ credentials, clock, version: '0' });
  const running = startStore({ ...selection, api, clock });
  const requested = (): readonly string[] =>
    cluster.apiRequests.map(({ path, query }) => {
      const selectors = ['labelSelector', 'fieldSelector'].flatMap((name) =>
        query.has(name) ? [`${name}=${query.get(name) ?? ''}`] : [],
      );
      return [query.get('watch') === 'true' ? 'watch' : 'list', path, ...selectors].join(' ');
    });
  const watches = 1 + Math.max(1, (selection.namespaces ?? []).length);
  await expect.poll(() => requested().filter((text) => text.startsWith('watch')).length, { interval: 5 }).toBe(watches);
  await running[Symbol.asyncDispose]();
  return [...new Set(requested())].sort();
}

describe('requests of the store', () => {
  it('S96: nodes have no namespace, whichever namespaces are read', async () => {
    const requests = await requestsOf({ namespaces: ['x'] });
    expect(requests.filter((request) => request.includes('nodes'))).toEqual([
      'list /api/v1/nodes',
      'watch /api/v1/nodes',
    ]);
  });

  it('S97: pods of two namespaces are two collections', async () => {
    const requests = await requestsOf({ namespaces: ['x', 'y'] });
    expect(requests.filter((request) => request.includes('pods'))).toEqual([
      'list /api/v1/namespaces/x/pods',
      'list /api/v1/namespaces/y/pods',
      'watch /api/v1/namespaces/x/pods',
      'watch /api/v1/namespaces/y/pods',
    ]);
  });

  it('S98, S99: each resource has its own selectors, all of them, in lists and watches alike', async () => {
    const podSelector = parseSelector('app in (cart, a),!legacy');
    const nodeSelector = parseSelector('pool=blue,zone!=z1');
    const ofPods = 'labelSelector=!legacy,app in (a,cart)';
    const ofNodes = 'labelSelector=pool=blue,zone!=z1';
    expect(await requestsOf({ podSelector, nodeSelector })).toEqual([
      `list /api/v1/nodes ${ofNodes}`,
      `list /api/v1/pods ${ofPods}`,
      `watch /api/v1/nodes ${ofNodes}`,
      `watch /api/v1/pods ${ofPods}`,
    ]);
  });

  it('S98: one node is requested by its name, not by labels: it may not have them', async () => {
    const selection = {
      scope: oneNode,
      podSelector: parseSelector('app=cart'),
      nodeSelector: parseSelector('pool=blue'),
    };
    expect(await requestsOf(selection)).toEqual([
      'list /api/v1/nodes fieldSelector=metadata.name=node-1',
      'list /api/v1/pods labelSelector=app=cart fieldSelector=spec.nodeName=node-1',
      'watch /api/v1/nodes fieldSelector=metadata.name=node-1',
      'watch /api/v1/pods labelSelector=app=cart fieldSelector=spec.nodeName=node-1',
    ]);
  });
});

const metadata = (name: string, resourceVersion: string, labels: object = {}): object => ({
  name,
  namespace: 'shop',
  uid: `uid-${name}`,
  resourceVersion,
  labels,
});
const node = (name: string, resourceVersion = '1', pool = 'blue'): object => ({
  kind: 'Node',
  metadata: metadata(name, resourceVersion, { pool }),
});
const podOn = (nodeName: string, name: string, resourceVersion = '1'): object => ({
  kind: 'Pod',
  metadata: metadata(name, resourceVersion),
  spec: { nodeName },
  status: { phase: 'Running' },
});
const list = (kind: string, items: readonly object[]): string =>
  JSON.stringify({ kind: `${kind}List`, metadata: { resourceVersion: '10' }, items });

interface Running extends AsyncDisposable {
  readonly store: ClusterStore;
  readonly sendNode: (type: string, object: object) => Promise<void>;
  readonly sendPod: (type: string, object: object) => Promise<void>;
  readonly nodeListCount: () => number;
  readonly advance: (durationMs: number) => Promise<void>;
}

/** With the nodes of a pool, which the API server selects. */
async function start(nodes: readonly object[], pods: readonly object[]): Promise<Running> {
  const clock = new ManualClock();
  const [nodeFeed, podFeed] = [new WatchFeed(), new WatchFeed()];
  const confirmed = nodes.length === 0 ? [sends(list('Node', nodes))] : [];
  const nodeApi = new ScriptedApi(sends(list('Node', nodes)), ...confirmed, nodeFeed.answer);
  const podApi = new ScriptedApi(sends(list('Pod', pods)), podFeed.answer);
  const api = {
    open: async (...request: Parameters<ScriptedApi['open']>) =>
      (request[0].path === '/api/v1/nodes' ? nodeApi : podApi).open(...request),
  };
  const nodeSelector = parseSelector('pool=blue');
  const running = startStore({ nodeSelector, api, clock });
  await clock.advance(0);
  const sendTo = (feed: WatchFeed) => async (type: string, object: object) => {
    feed.send(eventLine(type, object));
    await clock.advance(0);
  };
  return {
    store: running.store,
    sendNode: sendTo(nodeFeed),
    sendPod: sendTo(podFeed),
    nodeListCount: () => nodeApi.requestLines.filter((line) => line.startsWith('list')).length,
    advance: (durationMs) => clock.advance(durationMs),
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}

const names = (objects: Iterable<{ readonly name: string }>): readonly string[] =>
  Array.from(objects, ({ name }) => name);

it('S100: the store has a listed pod and one of the watch', async () => {
  await using running = await start([node('n1')], [podOn('n1', 'a')]);
  await running.sendPod('ADDED', podOn('n1', 'b', '11'));
  expect(names(running.store.pods())).toEqual(['a', 'b']);
  expect(names(running.store.podsOn('n1'))).toEqual(['a', 'b']);
});

describe('the store of selected nodes', () => {
  it('does not take nodes that it has never known for gone: they may not be selected', async () => {
    await using running = await start([node('blue')], [podOn('blue', 'a'), podOn('red', 'b')]);
    expect([...running.store.boundNodeNames()]).toEqual(['blue']);
    expect(running.store.mayBeGone('red')).toBe(false);
  });

  it('takes a node that was removed for gone for 5 minutes: it may have left the selector', async () => {
    await using running = await start([node('blue')], [podOn('blue', 'a')]);
    await running.sendNode('DELETED', node('blue', '11'));
    expect(names(running.store.nodes())).toEqual([]);
    expect([...running.store.boundNodeNames()]).toEqual(['blue']);
    await running.advance(299_999);
    expect(running.store.mayBeGone('blue')).toBe(true);
    await running.advance(1);
    expect([...running.store.boundNodeNames()]).toEqual([]);
  });

  it('does not list nodes again for pods on nodes that are not selected', async () => {
    const pods = Array.from({ length: 100 }, (_, index) => podOn('red', `pod-${index}`));
    await using running = await start([node('blue')], pods);
    for (let minute = 0; minute < 3; minute += 1) {
      running.store.compare({ knownCount: 100, unknownCount: 0 });
      await running.advance(60_000);
    }
    expect(running.nodeListCount()).toBe(1);
  });

  it('passes the nodes that may be gone on to the store that replaces it', async () => {
    await using former = await start([node('blue')], [podOn('blue', 'a')]);
    await former.sendNode('DELETED', node('blue', '11'));
    await using running = await start([], [podOn('blue', 'a')]);
    expect(running.store.mayBeGone('blue')).toBe(false);
    running.store.inherit(former.store);
    expect(running.store.mayBeGone('blue')).toBe(true);
  });
});
