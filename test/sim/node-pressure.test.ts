// @module-tag sockets

import { describe, expect, test } from 'vitest';

import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario, type Scenario } from '../../sim/model/scenario.js';
import { addDaemonSet, addDeployment } from '../../sim/model/simulated-workloads.js';
import type { ContainerSpec, NodeSpec, PodSpec } from '../../sim/model/specs.js';
import { untilEnd } from '../support/fixtures.js';
import { ManualClock } from '../support/manual-clock.js';
import { gib } from '../support/units.js';
import { podSpec } from './pods.js';
import { callApi, callKubelet, WatchClient } from './wire.js';

const passMs = 10_000;
const killMs = 2_500;

/** 19 GiB can be used; below 3 GiB of 20 (15 %) the node is under pressure. 9 GiB are available at the start. */
const small: NodeSpec = {
  name: 'node-1',
  capacityBytes: 20 * gib,
  systemBytes: 6 * gib,
  images: [
    { name: 'used:1', sizeBytes: 3 * gib },
    { name: 'unused:1', sizeBytes: gib, isUnused: true },
  ],
  pressureTransitionMs: 30_000,
};

const filling = (name: string, initialBytes: number, more: Partial<ContainerSpec> = {}): PodSpec =>
  podSpec(name, { containers: [{ name: 'app', rootfs: { initialBytes }, logs: { initialBytes: 0 }, ...more }] });

const start = (clock: ManualClock, more: Partial<Scenario> = {}): Promise<SimulatedCluster> =>
  SimulatedCluster.start({ clock, scenario: { ...emptyScenario(), nodes: [small], ...more } });

const it = test
  .extend('clock', () => new ManualClock())
  .extend('sim', ({ clock, onTestFinished }) => untilEnd(onTestFinished, start(clock)));

interface ApiNode {
  readonly spec: { readonly taints?: readonly Readonly<Record<string, string>>[] };
  readonly status: {
    readonly conditions: readonly Readonly<Record<string, string>>[];
    readonly images: readonly { readonly names: readonly string[] }[];
  };
}

async function nodeOf(sim: SimulatedCluster): Promise<ApiNode> {
  return JSON.parse((await callApi(sim, '/api/v1/nodes/node-1')).text) as ApiNode;
}

async function pressureOf(sim: SimulatedCluster): Promise<string | undefined> {
  return (await nodeOf(sim)).status.conditions.find(({ type }) => type === 'DiskPressure')?.['status'];
}

async function podStatus(sim: SimulatedCluster, name: string): Promise<Readonly<Record<string, unknown>>> {
  const { text } = await callApi(sim, `/api/v1/namespaces/default/pods/${name}`);
  return (JSON.parse(text) as { status: Record<string, unknown> }).status;
}

const phasesOf = (sim: SimulatedCluster): string =>
  sim.model.pods.map(({ spec, phase }) => `${spec.name} ${phase}`).join(', ');

const imageBytes = async (sim: SimulatedCluster): Promise<number> =>
  (JSON.parse((await callKubelet(sim, 'node-1')).text) as { node: { runtime: { imageFs: { usedBytes: number } } } })
    .node.runtime.imageFs.usedBytes;

it('a node under pressure loses its unused images first, and no pod if that is enough', async ({ clock, sim }) => {
  sim.model.addPod(filling('a', 6.5 * gib));
  expect(await imageBytes(sim)).toBe(10.5 * gib);
  await clock.advance(passMs);
  expect(await imageBytes(sim)).toBe(9.5 * gib);
  expect((await nodeOf(sim)).status.images.map(({ names }) => names.at(-1))).toEqual(['used:1']);
  await clock.advance(6 * passMs);
  expect(phasesOf(sim)).toBe('a Running');
});

it('a node under pressure has a condition and a taint until its transition ends', async ({ clock, sim }) => {
  expect(await pressureOf(sim)).toBe('False');
  sim.model.addPod(filling('a', 6.5 * gib));
  await clock.advance(passMs);
  const node = await nodeOf(sim);
  expect(node.spec.taints).toMatchObject([{ key: 'node.kubernetes.io/disk-pressure', effect: 'NoSchedule' }]);
  expect(node.status.conditions.find(({ type }) => type === 'DiskPressure')).toMatchObject({
    status: 'True',
    reason: 'KubeletHasDiskPressure',
    message: 'kubelet has disk pressure',
    lastTransitionTime: '2026-01-01T00:00:10Z',
  });
  await clock.advance(2 * passMs);
  expect(await pressureOf(sim)).toBe('True');
  await clock.advance(passMs);
  expect(await pressureOf(sim)).toBe('False');
  expect((await nodeOf(sim)).spec.taints).toBeUndefined();
  const { text } = await callKubelet(sim, 'node-1', { path: '/configz' });
  expect(text).toContain('"evictionPressureTransitionPeriod":"30s"');
});

it('a node under pressure loses one pod after the other, until the pressure is gone', async ({ clock, sim }) => {
  for (const [name, size] of [
    ['a', 1],
    ['b', 4],
    ['c', 5],
  ] as const)
    sim.model.addPod(filling(name, size * gib));
  await clock.advance(passMs + killMs);
  expect(phasesOf(sim)).toBe('a Running, b Running, c Failed');
  await clock.advance(10 * passMs);
  expect(phasesOf(sim)).toBe('a Running, b Running, c Failed');
  sim.model.addPod(filling('d', 4 * gib, { requestBytes: 4 * gib }));
  await clock.advance(2 * passMs);
  expect(phasesOf(sim)).toBe('a Running, b Failed, c Failed, d Running');
});

it('a node under pressure is named in the status of its victim, with containers', async ({ clock, sim }) => {
  sim.model.addPod(filling('a', 7.5 * gib, { requestBytes: gib }));
  await clock.advance(passMs + killMs);
  const message =
    'The node was low on resource: ephemeral-storage. Threshold quantity: 3221225600, available: 2621436Ki. ' +
    'Container app was using 7680Mi, request is 1Gi, has larger consumption of ephemeral-storage. ';
  const status = await podStatus(sim, 'a');
  expect(status).toMatchObject({ phase: 'Failed', reason: 'Evicted', message, startTime: '2026-01-01T00:00:00Z' });
  const conditions = status['conditions'] as readonly Readonly<Record<string, string>>[];
  expect(conditions[0]).toMatchObject({
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'TerminationByKubelet',
    message,
  });
  expect(conditions).toHaveLength(6); // the others as above a limit
});

it('a node under pressure keeps the images of another filesystem', async ({ clock }) => {
  await using sim = await start(clock, {
    nodes: [{ ...small, imageFsCapacityBytes: 40 * gib, capacityBytes: 8 * gib }],
  });
  const content = { initialBytes: gib };
  sim.model.addPod(podSpec('a', { volumes: [{ name: 'e', source: 'emptyDir', content }] }));
  await clock.advance(passMs + killMs);
  expect(phasesOf(sim)).toBe('a Failed');
  expect((await nodeOf(sim)).status.images.length).toBe(2);
});

it('a node under pressure runs out of inodes', async ({ clock }) => {
  await using sim = await start(clock, { nodes: [{ ...small, inodeCount: 300_000 }] });
  sim.model.addPod(podSpec('a')); // 263,840 inodes are in use
  sim.model.addPod(filling('b', 3 * gib));
  await clock.advance(passMs + killMs);
  expect((await nodeOf(sim)).status.images.length).toBe(1);
  expect((await podStatus(sim, 'b'))['message']).toBe(
    'The node was low on resource: inodes. Threshold quantity: 15000, available: 3392. ',
  );
});

describe('a pod that comes to a node under pressure', () => {
  const workload = { namespace: 'default', name: 'late', nodeNames: ['node-1'], containers: podSpec('x').containers };
  const large: ContainerSpec = { name: 'app', rootfs: { initialBytes: 8 * gib }, logs: { initialBytes: 0 } };

  it('a pod of a DaemonSet is refused, deleted and created again after growing pauses', async ({ clock }) => {
    await using sim = await start(clock, {
      populate: (context) => {
        addDaemonSet(context, { ...workload, containers: [large] });
      },
    });
    using watch = await WatchClient.open(sim, '/api/v1/pods?watch=true');
    await clock.advance(passMs + killMs + 20_000);
    const refused: unknown[] = [];
    const deletedAt: string[] = [];
    for (let index = 0; index < 20 && deletedAt.length < 4; index++) {
      const event = (await watch.next()) as unknown as {
        readonly type: string;
        readonly object: { metadata: { deletionTimestamp: string }; status: Record<string, unknown> };
      };
      const { metadata, status } = event.object;
      if (event.type === 'MODIFIED' && String(status['message']).startsWith('Pod was rejected')) refused.push(status);
      if (event.type === 'DELETED') deletedAt.push(metadata.deletionTimestamp.slice(14, 19));
    }
    expect(refused[0]).toEqual({
      phase: 'Failed',
      message: 'Pod was rejected: The node had condition: [DiskPressure]. ',
      reason: 'Evicted',
      startTime: '2026-01-01T00:00:12Z',
      qosClass: 'BestEffort',
    });
    expect(deletedAt).toEqual(['00:12', '00:13', '00:15', '00:19']);
  });

  it('a pod of a Deployment waits for another time', async ({ clock }) => {
    await using sim = await start(clock, {
      populate: (context) => {
        addDeployment(context, { ...workload, containers: [large] });
      },
    });
    await clock.advance(passMs + killMs + 5_000);
    expect(sim.model.pods.map(({ phase, spec }) => [phase, spec.nodeName])).toEqual([
      ['Failed', 'node-1'],
      ['Pending', undefined],
    ]);
    await clock.advance(60_000);
    expect(sim.model.pods[1]?.spec.nodeName).toBe('node-1');
  });

  it('a critical pod runs on a node under pressure', async ({ clock, sim }) => {
    sim.model.addPod(filling('a', 8 * gib));
    await clock.advance(passMs);
    sim.model.addPod({ ...podSpec('critical'), priority: 2_000_000_000 });
    sim.model.addPod(podSpec('other'));
    expect(phasesOf(sim)).toBe('a Running, critical Running, other Failed');
  });
});
