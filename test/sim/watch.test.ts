// @module-tag sockets

import { expect, test } from 'vitest';

import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario } from '../../sim/model/scenario.js';
import { untilEnd } from '../support/fixtures.js';
import { ManualClock } from '../support/manual-clock.js';
import { podSpec } from './pods.js';
import { callApi, type ListBody, WatchClient } from './wire.js';

const scenario = emptyScenario('node-1');

const it = test
  .extend('clock', () => new ManualClock())
  .extend('sim', ({ clock, onTestFinished }) => untilEnd(onTestFinished, SimulatedCluster.start({ scenario, clock })));

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

it('watches end with the cluster', async ({ clock }) => {
  const sim = await SimulatedCluster.start({ scenario, clock });
  using watch = await WatchClient.open(sim, '/api/v1/pods?watch=true');
  await sim[Symbol.asyncDispose]();
  await expect(watch.next()).rejects.toThrow('aborted');
  await clock.advance(0);
  expect(clock.sleeperCount).toBe(0);
});
