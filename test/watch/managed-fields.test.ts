// @module-tag sockets

import { expect, it } from 'vitest';

import type { DropParameter } from '../../sim/api-server/representation.js';
import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario } from '../../sim/model/scenario.js';
import { staticCredentials } from '../../src/cluster/credentials/credentials.js';
import { ApiClient } from '../../src/cluster/http/api-client.js';
import { listObjects } from '../../src/cluster/watch/list-session.js';
import { collectionOf } from '../../src/cluster/watch/resource-path.js';
import { watchObjects } from '../../src/cluster/watch/watch-session.js';
import { podSpec } from '../sim/pods.js';
import { atOnce } from '../support/lanes.js';
import { ManualClock } from '../support/manual-clock.js';
import { never } from '../support/signals.js';

interface SeenObject {
  readonly metadata: { readonly name: string; readonly managedFields?: readonly object[] };
}

const seenOf = (object: unknown): string => {
  const { name, managedFields } = (object as SeenObject).metadata;
  return managedFields === undefined ? name : `${name} with managedFields`;
};

/** Lists the pods of a cluster with two, and watches until a third one has come. */
async function follow(dropParameter: DropParameter) {
  await using cluster = await SimulatedCluster.start({ scenario: emptyScenario('node-1'), dropParameter });
  for (const name of ['a', 'b']) cluster.model.addPod(podSpec(name));
  const clock = new ManualClock();
  const credentials = staticCredentials({ server: new URL(cluster.apiUrl), ca: cluster.caPem, token: cluster.token });
  using api = new ApiClient({ credentials, clock, version: '0' });
  const options = { api, clock, collection: collectionOf({ resource: 'pods' }), background: atOnce };
  const ignored = (): void => undefined;
  const list = await listObjects({ ...options, project: seenOf, onExpired: ignored }, '0', never);
  const watched: string[] = [];
  const stopping = new AbortController();
  const onEvent = (event: { readonly object?: unknown }): void => {
    watched.push(seenOf(event.object));
    stopping.abort();
  };
  const onConnected = (): void => {
    cluster.model.addPod(podSpec('c'));
  };
  const { resourceVersion } = list;
  const watch = { ...options, resourceVersion, timeoutSeconds: 300, onConnected, onOtherKind: ignored, onEvent };
  await watchObjects(watch, stopping.signal).catch(ignored);
  const accepts = cluster.apiRequests.map(({ accept }) => accept);
  return { listed: list.objects, watched: watched[0], accepts };
}

const lean = 'application/json;drop=metadata.managedFields, application/json';
const plain = 'application/json';

it('a server that knows how leaves managedFields out of lists and watches', async () => {
  const { listed, watched, accepts } = await follow('known');
  expect(listed).toEqual(['a', 'b']);
  expect(watched).toBe('c');
  expect(accepts).toEqual([lean, lean]);
});

it.each([
  ['ignores the parameter', 'ignored', [lean, lean]],
  ['takes the other media type', 'skipped', [lean, lean]],
  ['answers 406', 'refused', [lean, plain, plain]],
] as const)('objects are the same from a server that %s', async (_case, dropParameter, expected) => {
  const { listed, watched, accepts } = await follow(dropParameter);
  expect(listed).toEqual(['a with managedFields', 'b with managedFields']);
  expect(watched).toBe('c with managedFields');
  expect(accepts).toEqual(expected);
});
