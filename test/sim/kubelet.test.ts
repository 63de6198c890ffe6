// @module-tag sockets

import { expect, test } from 'vitest';

import type { Rule } from '../../sim/access.js';
import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario } from '../../sim/model/scenario.js';
import { untilEnd } from '../support/fixtures.js';
import { ManualClock } from '../support/manual-clock.js';
import { podSpec } from './pods.js';
import { callKubelet } from './wire.js';

const statsRule: Rule = { verbs: ['get'], resources: ['nodes/stats'] };

interface Summary {
  readonly node: {
    readonly nodeName: string;
    readonly startTime: string;
    readonly systemContainers: readonly { readonly name: string; readonly startTime: string }[];
    readonly fs: { readonly usedBytes: number };
  };
  readonly pods: readonly { readonly podRef: { readonly name: string }; readonly volume?: readonly object[] }[];
}

const scenario = emptyScenario('node-1', 'node-2');
const it = test
  .extend('clock', () => new ManualClock())
  .extend('sim', async ({ clock, onTestFinished }) => {
    const sim = await untilEnd(onTestFinished, SimulatedCluster.start({ scenario, clock }));
    sim.model.addPod(podSpec('a', { volumes: [{ name: 'tmp', source: 'emptyDir', content: { initialBytes: 4096 } }] }));
    return sim;
  });

async function summaryOf(sim: SimulatedCluster, nodeName = 'node-1'): Promise<Summary> {
  const { status, text } = await callKubelet(sim, nodeName);
  expect(status).toBe(200);
  return JSON.parse(text) as Summary;
}

it('a simulated kubelet serves the summary of its node, in chunks, indented and uncompressed', async ({ sim }) => {
  const { headers, text } = await callKubelet(sim, 'node-1', { headers: { 'Accept-Encoding': 'gzip' } });
  expect(headers).toMatchObject({ 'content-type': 'application/json', 'transfer-encoding': 'chunked' });
  expect(headers['content-encoding']).toBeUndefined();
  expect(text.startsWith('{\n "node": {\n  "nodeName": "node-1"')).toBe(true);
  expect((await summaryOf(sim, 'node-2')).pods).toEqual([]);
});

it.for<[string, Rule, number, number]>([
  ['nodes/stats', statsRule, 200, 200],
  ['nodes/stats of one node', { ...statsRule, resourceNames: ['node-1'] }, 200, 403],
  ['another verb', { ...statsRule, verbs: ['create'] }, 403, 403],
  ['nodes/proxy', { verbs: ['get'], resources: ['nodes/proxy'] }, 403, 403],
  ['everything', { verbs: ['*'], resources: ['*'] }, 200, 200],
])('a simulated kubelet grants %s', async ([, rule, firstStatus, secondStatus], { sim }) => {
  const token = sim.issueToken({ user: 'exporter', rules: [rule] });
  expect((await callKubelet(sim, 'node-1', { token })).status).toBe(firstStatus);
  expect((await callKubelet(sim, 'node-2', { token })).status).toBe(secondStatus);
});

it.for<[string, Rule, number]>([
  ['nodes/configz', { verbs: ['get'], resources: ['nodes/configz'] }, 200],
  ['nodes/configz of another node', { verbs: ['get'], resources: ['nodes/configz'], resourceNames: ['node-2'] }, 403],
  ['nodes/proxy', { verbs: ['get'], resources: ['nodes/proxy'] }, 200],
  ['nodes/stats', statsRule, 403],
])('a simulated kubelet grants its configuration for %s: %i', async ([, rule, expected], { sim }) => {
  const token = sim.issueToken({ user: 'exporter', rules: [rule] });
  const { status, text } = await callKubelet(sim, 'node-1', { path: '/configz', token });
  expect(status).toBe(expected);
  if (status === 403) {
    expect(text).toBe('Forbidden (user=exporter, verb=get, resource=nodes, subresource=proxy)');
  }
});

it('a simulated kubelet serves its eviction thresholds: the default ones, its own, or none', async ({ sim }) => {
  await sim.addNode({ name: 'own', evictionHard: { 'nodefs.available': '1Gi' } });
  await sim.addNode({ name: 'none', evictionHard: {} });
  const evictionHardOf = async (name: string): Promise<unknown> => {
    const { text } = await callKubelet(sim, name, { path: '/configz' });
    return (JSON.parse(text) as { kubeletconfig: { evictionHard?: object } }).kubeletconfig.evictionHard;
  };
  expect(await evictionHardOf('node-1')).toMatchObject({ 'nodefs.available': '10%', 'imagefs.available': '15%' });
  expect(await evictionHardOf('own')).toEqual({ 'nodefs.available': '1Gi' });
  expect(await evictionHardOf('none')).toBeUndefined();
});

it('the fault restarted is a new start of the kubelet, but not of its node', async ({ clock, sim }) => {
  const startTimes = async (): Promise<readonly unknown[]> => {
    const { node } = await summaryOf(sim);
    const kubelet = node.systemContainers.find(({ name }) => name === 'kubelet');
    return [node.startTime, kubelet?.startTime];
  };
  await clock.advance(60_000);
  expect(await startTimes()).toEqual(['2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z']);
  await sim.setFault('node-1', 'restarted');
  await sim.setFault('node-1', undefined);
  expect(await startTimes()).toEqual(['2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z']);
});
