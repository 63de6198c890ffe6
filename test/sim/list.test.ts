// @module-tag sockets

import { gunzipSync } from 'node:zlib';

import { describe, expect, it } from 'vitest';

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

describe('lists', () => {
  it('lists are ordered by namespace and name, with items without kind', async () => {
    await using sim = await startWithPods('b', 'a');
    sim.model.addPod(podSpec('z', { namespace: 'alpha' }));
    const body = await list(sim, '');
    expect(body.kind).toBe('PodList');
    expect(names(body)).toEqual(['z', 'a', 'b']);
    expect(body.items[0]).not.toHaveProperty('kind');
  });

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

  it('lists respond to resourceVersion 0 with the version of the last change of the resource', async () => {
    await using sim = await startWithPods('a');
    const before = await list(sim, 'resourceVersion=0');
    sim.model.setReady('node-1', false);
    expect((await list(sim, 'resourceVersion=0')).metadata).toEqual(before.metadata);
  });

  it.each([
    ['labelSelector=app', ['web', 'web-canary']],
    ['labelSelector=!app', ['db']],
    ['labelSelector=app=web', ['web', 'web-canary']],
    ['labelSelector=app==web,track!=canary', ['web']],
    ['labelSelector=track in (canary,beta)', ['web-canary']],
    ['labelSelector=track notin (canary, beta)', ['db', 'web']],
    ['labelSelector=app in (web),track', ['web-canary']],
    ['labelSelector=weight>5', ['db']],
    ['labelSelector=weight<5', ['web']],
    ['fieldSelector=spec.nodeName=node-2', ['db']],
    ['fieldSelector=spec.nodeName!=node-2', ['web', 'web-canary']],
    ['fieldSelector=metadata.name==web', ['web']],
    ['fieldSelector=metadata.namespace=default,status.phase=Running', ['web', 'web-canary']],
    ['fieldSelector=status.phase=Succeeded', ['db']],
    ['labelSelector=app=web&fieldSelector=metadata.name!=web', ['web-canary']],
  ])('lists select by %s', async (query, expected) => {
    await using sim = await startWithPods();
    sim.model.addPod(podSpec('web', { labels: { app: 'web', weight: '3' } }));
    sim.model.addPod(podSpec('web-canary', { labels: { app: 'web', track: 'canary' } }));
    sim.model.addPod(podSpec('db', { namespace: 'data', nodeName: 'node-2', labels: { weight: '7' } }));
    sim.model.completePod('data', 'db');
    const search = new URLSearchParams(query).toString();
    expect(names(await list(sim, search)).toSorted()).toEqual(expected);
  });

  it('lists compress a large answer for a client that accepts it', async () => {
    await using sim = await startWithPods(...Array.from({ length: 150 }, (_, index) => `pod-${index}`));
    const accepting = await callApi(sim, '/api/v1/pods', { headers: { 'Accept-Encoding': 'gzip' } });
    expect(accepting.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    const plain = await callApi(sim, '/api/v1/pods');
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(gunzipSync(accepting.body).toString()).toBe(plain.text);
  });
});

describe('forms of lists', () => {
  const asTable = 'application/json;as=Table;v=v1;g=meta.k8s.io';

  it.each([
    ['*/*', 'PodList'],
    ['application/vnd.kubernetes.protobuf,application/json', 'PodList'],
    [`application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json`, 'PodList'],
    [`application/json;q=0.5,${asTable}`, 'Table'],
  ])('lists respond to Accept: %s with %s', async (accept, kind) => {
    await using sim = await startWithPods('a');
    const { text, headers } = await callApi(sim, '/api/v1/pods', { headers: { Accept: accept } });
    expect((JSON.parse(text) as ListBody).kind).toBe(kind);
    expect(headers['content-type']).toBe('application/json');
  });

  it.each([
    ['', 'PartialObjectMetadata'],
    ['?includeObject=Object', 'Pod'],
    ['?includeObject=None', undefined],
  ])('lists return the object that "%s" requests beside the cells', async (query, kind) => {
    await using sim = await startWithPods('a');
    const { text } = await callApi(sim, `/api/v1/pods${query}`, { headers: { Accept: asTable } });
    const table = JSON.parse(text) as {
      rows: { cells: unknown[]; object?: { kind: string } }[];
      columnDefinitions: unknown[];
    };
    expect(table.rows[0]?.object?.kind).toBe(kind);
    expect(table.rows[0]?.cells.slice(0, 4)).toEqual(['a', '1/1', 'Running', '0']);
    expect(table.rows[0]?.cells.length).toBe(table.columnDefinitions.length);
  });
});
