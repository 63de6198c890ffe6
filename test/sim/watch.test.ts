// @module-tag sockets

import { describe, expect, test } from 'vitest';

import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario } from '../../sim/model/scenario.js';
import { untilEnd } from '../support/fixtures.js';
import { ManualClock } from '../support/manual-clock.js';
import { podSpec } from './pods.js';
import { callApi, type ListBody, type StatusBody, WatchClient } from './wire.js';

const scenario = emptyScenario('node-1');

const it = test
  .extend('clock', () => new ManualClock())
  .extend('sim', ({ clock, onTestFinished }) => untilEnd(onTestFinished, SimulatedCluster.start({ scenario, clock })));

async function currentVersion(sim: SimulatedCluster): Promise<string> {
  return (JSON.parse((await callApi(sim, '/api/v1/pods')).text) as ListBody).metadata.resourceVersion;
}

describe('watches', () => {
  it.for(['', '&resourceVersion=', '&resourceVersion=0'])(
    'watches without a version begin with all objects (%s)',
    async (query, { sim }) => {
      sim.model.addPod(podSpec('a'));
      sim.model.addPod(podSpec('b'));
      using watch = await WatchClient.open(sim, `/api/v1/pods?watch=true${query}`);
      expect(await watch.take(2)).toEqual(['ADDED a', 'ADDED b']);
      sim.model.addPod(podSpec('c'));
      expect(await watch.take(1)).toEqual(['ADDED c']);
    },
  );

  it('watches send every change after their version', async ({ sim }) => {
    const version = await currentVersion(sim);
    sim.model.addPod(podSpec('a'));
    using watch = await WatchClient.open(sim, `/api/v1/pods?watch=1&resourceVersion=${version}`);
    const added = await watch.next();
    sim.model.updatePod('default', 'a', { labels: { changed: 'yes' } });
    const modified = await watch.next();
    sim.model.setReady('node-1', false); // another resource
    sim.model.deletePod('default', 'a');
    const deleted = await watch.next();
    expect([added?.type, modified?.type, deleted?.type]).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    expect(modified?.object).toMatchObject({ kind: 'Pod', metadata: { labels: { changed: 'yes' } } });
    expect(deleted?.object.metadata.labels).toEqual({ changed: 'yes' });
    expect(deleted?.object.metadata.resourceVersion).toBe(await currentVersion(sim));
  });

  it('watches send an object that starts matching as added and one that stops matching as deleted', async ({ sim }) => {
    using watch = await WatchClient.open(sim, '/api/v1/pods?watch=true&labelSelector=app%3Dweb');
    sim.model.addPod(podSpec('a'));
    sim.model.updatePod('default', 'a', { labels: { app: 'web' } });
    sim.model.updatePod('default', 'a', { labels: { app: 'web', track: 'canary' } });
    sim.model.updatePod('default', 'a', { labels: { app: 'db' } });
    sim.model.deletePod('default', 'a');
    sim.model.addPod(podSpec('b', { labels: { app: 'web' } }));
    expect(await watch.take(2)).toEqual(['ADDED a', 'MODIFIED a']);
    const lost = await watch.next();
    expect([lost?.type, lost?.object.metadata.labels]).toEqual(['DELETED', { app: 'web', track: 'canary' }]);
    expect(await watch.take(1)).toEqual(['ADDED b']);
  });

  it('watches send the changes of their namespace only', async ({ sim }) => {
    using watch = await WatchClient.open(sim, '/api/v1/namespaces/alpha/pods?watch=true');
    sim.model.addPod(podSpec('elsewhere'));
    sim.model.addPod(podSpec('here', { namespace: 'alpha' }));
    expect(await watch.take(1)).toEqual(['ADDED here']);
  });

  it('watches send a bookmark each minute and two seconds before the limit, and end', async ({ clock, sim }) => {
    const before = await currentVersion(sim);
    sim.model.setReady('node-1', false);
    const version = await currentVersion(sim);
    const path = `/api/v1/pods?watch=true&allowWatchBookmarks=true&timeoutSeconds=130&resourceVersion=${before}`;
    using watch = await WatchClient.open(sim, path);
    for (const durationMs of [60_000, 60_000, 8_000]) {
      await clock.advance(durationMs);
      expect(await watch.next()).toEqual({
        type: 'BOOKMARK',
        object: {
          kind: 'Pod',
          apiVersion: 'v1',
          metadata: { resourceVersion: version },
          spec: { containers: null },
          status: {},
        },
      });
    }
    await clock.advance(2_000);
    expect(await watch.next()).toBeUndefined();
  });

  it('watches send no bookmarks unless the request allows them', async ({ clock, sim }) => {
    using watch = await WatchClient.open(sim, `/api/v1/pods?watch=true&timeoutSeconds=130&resourceVersion=1`);
    await clock.advance(130_000);
    expect(await watch.next()).toBeUndefined();
  });

  it('watches respond to an expired version with 200 and an error event, and end', async ({ sim }) => {
    sim.model.addPod(podSpec('a'));
    sim.expireResourceVersions();
    using watch = await WatchClient.open(sim, '/api/v1/pods?watch=true&resourceVersion=2');
    expect(watch.status).toBe(200);
    const event = await watch.next();
    expect(event).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } });
    expect(event?.object.message).toMatch(/^too old resource version: 2 /);
    expect(await watch.next()).toBeUndefined();
  });

  it('watches can start at the version of a list after earlier ones have expired', async ({ sim }) => {
    sim.model.addPod(podSpec('a'));
    sim.model.setReady('node-1', false);
    sim.expireResourceVersions();
    const { text } = await callApi(sim, '/api/v1/pods?resourceVersion=0');
    const { resourceVersion } = (JSON.parse(text) as ListBody).metadata;
    using watch = await WatchClient.open(sim, `/api/v1/pods?watch=true&resourceVersion=${resourceVersion}`);
    sim.model.addPod(podSpec('b'));
    expect(await watch.take(1)).toEqual(['ADDED b']);
  });

  it('watches send nothing for a version that is too large until it is exceeded', async ({ sim }) => {
    const version = Number(await currentVersion(sim));
    using watch = await WatchClient.open(sim, `/api/v1/pods?watch=true&resourceVersion=${version + 1}`);
    expect(watch.status).toBe(200);
    sim.model.addPod(podSpec('a'));
    sim.model.addPod(podSpec('b'));
    expect(await watch.take(1)).toEqual(['ADDED b']);
  });

  it.for([
    ['resourceVersion=abc', 500],
    ['sendInitialEvents=true&resourceVersionMatch=NotOlderThan', 422],
    ['sendInitialEvents=true', 422],
    ['labelSelector=a%20in%20(', 400],
    ['fieldSelector=spec.foo=bar', 400],
  ])('watches reject %s with %i', async ([query, code], { sim }) => {
    const { status, text } = await callApi(sim, `/api/v1/pods?watch=true&${query}`);
    expect(status).toBe(code);
    expect((JSON.parse(text) as StatusBody).code).toBe(code);
  });

  it.for([
    ['Table', { kind: 'Table', rows: [{ object: { kind: 'PartialObjectMetadata' } }] }],
    ['PartialObjectMetadata', { kind: 'PartialObjectMetadata', metadata: { name: 'a' } }],
  ] as const)('watches send objects as %s', async ([form, expected], { sim }) => {
    sim.model.addPod(podSpec('a'));
    const headers = { Accept: `application/json;as=${form};v=v1;g=meta.k8s.io` };
    using watch = await WatchClient.open(sim, '/api/v1/pods?watch=true', { headers });
    expect((await watch.next())?.object).toMatchObject(expected);
  });

  it('watches are aborted within the stream on demand', async ({ sim }) => {
    sim.model.addPod(podSpec('a'));
    using watch = await WatchClient.open(sim, '/api/v1/pods?watch=true');
    await watch.take(1);
    expect(sim.openWatchCount).toBe(1);
    sim.dropWatches();
    await expect(watch.next()).rejects.toThrow('aborted');
  });

  it('watches end with the cluster', async ({ clock }) => {
    const sim = await SimulatedCluster.start({ scenario, clock });
    using watch = await WatchClient.open(sim, '/api/v1/pods?watch=true');
    await sim[Symbol.asyncDispose]();
    await expect(watch.next()).rejects.toThrow('aborted');
    await clock.advance(0);
    expect(clock.sleeperCount).toBe(0);
  });

  it('watches respond with 410 after more changes than the server keeps', async ({ sim }) => {
    for (let change = 0; change < 2_100; change++) {
      sim.model.updatePod('default', change === 0 ? sim.model.addPod(podSpec('a')).spec.name : 'a', {});
    }
    using watch = await WatchClient.open(sim, '/api/v1/pods?watch=true&resourceVersion=5');
    expect((await watch.next())?.object.code).toBe(410);
  });
});
