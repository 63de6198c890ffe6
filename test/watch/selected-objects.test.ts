// @module-tag sockets

import { expect, it } from 'vitest';

import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario, type Scenario } from '../../sim/model/scenario.js';
import { staticCredentials } from '../../src/cluster/credentials/credentials.js';
import { ApiClient } from '../../src/cluster/http/api-client.js';
import { type Scope, wholeCluster } from '../../src/cluster/kube/scope.js';
import { parseSelector } from '../../src/cluster/kube/selector-parser.js';
import type { ClusterStore } from '../../src/cluster/watch/cluster-store.js';
import { ManualClock } from '../support/manual-clock.js';
import { startStore } from '../support/running-store.js';

type Selection = Pick<
  ConstructorParameters<typeof ClusterStore>[0],
  'scope' | 'namespaces' | 'podSelector' | 'nodeSelector'
>;
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

it('each resource has its own selectors, all of them, in lists and watches alike', async () => {
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

it('one node is requested by its name, not by labels: it may not have them', async () => {
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
