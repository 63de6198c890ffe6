// @module-tag sockets

import { expect, it } from 'vitest';

import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario } from '../../sim/model/scenario.js';
import { podSpec } from './pods.js';
import { callApi, type ListBody, type StatusBody } from './wire.js';

async function startWithPods(...names: readonly string[]): Promise<SimulatedCluster> {
  const sim = await SimulatedCluster.start({ scenario: emptyScenario('node-1', 'node-2') });
  for (const name of names) sim.model.addPod(podSpec(name));
  return sim;
}

async function list(sim: SimulatedCluster, query: string): Promise<ListBody> {
  const { status, text } = await callApi(sim, `/api/v1/pods?${query}`);
  expect(status, text).toBe(200);
  return JSON.parse(text) as ListBody;
}

async function refusal(sim: SimulatedCluster, query: string): Promise<StatusBody> {
  const { text, status } = await callApi(sim, `/api/v1/pods?${query}`);
  const body = JSON.parse(text) as StatusBody;
  expect(body.code).toBe(status);
  return body;
}

const names = (body: ListBody): readonly string[] => body.items.map(({ metadata }) => metadata.name);

it('lists return pages of one consistent snapshot', async () => {
  await using sim = await startWithPods('a', 'b', 'c');
  const first = await list(sim, 'limit=2');
  expect(names(first)).toEqual(['a', 'b']);
  expect(first.metadata.remainingItemCount).toBe(1);
  sim.model.deletePod('default', 'c');
  sim.model.addPod(podSpec('d'));
  const second = await list(sim, `limit=2&continue=${first.metadata.continue ?? ''}`);
  expect(names(second)).toEqual(['c']);
  expect(second.metadata).toEqual({ resourceVersion: first.metadata.resourceVersion });
});

it('lists respond to an expired token with a token for the inconsistent remainder', async () => {
  await using sim = await startWithPods('a', 'b');
  const first = await list(sim, 'limit=1');
  sim.model.addPod(podSpec('c'));
  sim.expireResourceVersions();
  const expired = await refusal(sim, `limit=1&continue=${first.metadata.continue ?? ''}`);
  expect(expired).toMatchObject({ code: 410, reason: 'Expired' });
  expect(names(await list(sim, `continue=${expired.metadata.continue ?? ''}`))).toEqual(['b', 'c']);
});

it('lists return the past state for an exact resourceVersion, until it expires', async () => {
  await using sim = await startWithPods('a');
  const { resourceVersion } = (await list(sim, '')).metadata;
  sim.model.updatePod('default', 'a', { labels: { changed: 'yes' } });
  sim.model.addPod(podSpec('b'));
  const past = await list(sim, `resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`);
  expect(names(past)).toEqual(['a']);
  expect(past.items[0]?.metadata.labels).toBeUndefined();
  expect(past.metadata.resourceVersion).toBe(resourceVersion);
  sim.expireResourceVersions();
  expect(await refusal(sim, `resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`)).toMatchObject({
    code: 410,
    reason: 'Expired',
  });
});
