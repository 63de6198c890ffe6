// @module-tag sockets

import { expect, test } from 'vitest';

import { SimulatedCluster } from '../../sim/cluster.js';
import type { SimulatedNode } from '../../sim/model/node-object.js';
import { imageOf } from '../../sim/model/simulated-pod.js';
import { untilEnd } from '../support/fixtures.js';
import { ManualClock } from '../support/manual-clock.js';
import { callApi, callKubelet } from './wire.js';

const minuteMs = 60_000;

const it = test
  .extend('clock', () => new ManualClock())
  .extend('sim', ({ clock, onTestFinished }) => untilEnd(onTestFinished, SimulatedCluster.start({ clock, seed: 1 })));

interface Summary {
  readonly node: {
    readonly fs: FsStats;
    readonly runtime: { readonly imageFs: FsStats };
  };
  readonly pods: readonly {
    readonly podRef: { readonly name: string; readonly uid: string };
    readonly containers: readonly { readonly name: string; readonly logs: FsStats }[];
    readonly 'ephemeral-storage': FsStats;
    readonly volume?: readonly (FsStats & { readonly name: string })[];
  }[];
}

interface FsStats {
  readonly time: string;
  readonly usedBytes: number;
  readonly availableBytes: number;
  readonly capacityBytes: number;
}

async function summaryOf(sim: SimulatedCluster, nodeName: string): Promise<Summary> {
  return JSON.parse((await callKubelet(sim, nodeName)).text) as Summary;
}

const namesOf = (sim: SimulatedCluster, part: string): readonly string[] =>
  sim.model.pods.map(({ spec }) => spec.name).filter((name) => name.includes(part));

it('the demo has five nodes, and workloads of all kinds in several namespaces', ({ sim }) => {
  expect(sim.model.nodes.length).toBe(5);
  const owners = sim.model.pods.map(({ spec }) => (spec.isStatic === true ? 'Node' : spec.owner?.kind));
  expect(new Set(owners)).toEqual(new Set(['ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job', 'Node', undefined]));
  expect(new Set(sim.model.pods.map(({ spec }) => spec.namespace)).size).toBeGreaterThan(4);
});

it('the demo has a static pod above its limit, and a volume in memory that is full, and evicts neither', async ({
  clock,
  sim,
}) => {
  await clock.advance(10 * minuteMs);
  const used = (await summaryOf(sim, 'node-1')).pods.find(({ podRef }) => podRef.name === 'kube-apiserver-node-1');
  expect(used?.['ephemeral-storage'].usedBytes).toBeGreaterThan(32 * 2 ** 20);
  const [name = ''] = namesOf(sim, 'checkout');
  const { pods } = await summaryOf(sim, 'node-2');
  const cache = pods.find(({ podRef }) => podRef.name === name)?.volume?.find((volume) => volume.name === 'cache');
  expect(cache).toMatchObject({ usedBytes: 32 * 2 ** 20, capacityBytes: 32 * 2 ** 20, availableBytes: 0 });
  const phases = sim.model.pods.flatMap(({ spec, phase }) => (/apiserver|checkout/.test(spec.name) ? [phase] : []));
  expect(phases).toEqual(['Running', 'Running', 'Running']);
});

it('the demo has one image on each node that no container uses', async ({ sim }) => {
  for (const { spec } of sim.model.nodes) {
    const { status } = JSON.parse((await callApi(sim, `/api/v1/nodes/${spec.name}`)).text) as {
      status: { images: readonly { names: readonly string[] }[]; nodeInfo: object };
    };
    const names = sim.model.podsOn(spec.name).flatMap((pod) => pod.spec.containers.map(imageOf));
    const unused = status.images.filter((image) => !image.names.some((name) => names.includes(name)));
    expect(unused.map((image) => image.names.at(-1))).toEqual(['registry.example/models:2']);
    expect(status.nodeInfo).toMatchObject({ containerRuntimeVersion: 'containerd://2.1.4' });
  }
});

it('the demo has an eviction within four minutes, and for a limit of each kind later', async ({ clock, sim }) => {
  const startMs = clock.nowMs();
  const evictions: { readonly minute: number; readonly pod: string; readonly message: string }[] = [];
  sim.model.onPodFailed(({ spec, failure }) => {
    const minute = (clock.nowMs() - startMs) / minuteMs;
    evictions.push({ minute, pod: `${spec.namespace}/${spec.name}`, message: failure?.message ?? '' });
  });
  await clock.advance(60 * minuteMs);
  const minutes = evictions.map(({ minute }) => minute);
  expect(minutes[0]).toBeGreaterThan(2);
  expect(minutes[0]).toBeLessThan(4);
  const pauses = minutes.slice(1).map((minute, index) => minute - (minutes[index] ?? NaN));
  expect(Math.max(...pauses)).toBeLessThan(7);
  expect(evictions.length).toBeLessThan(40);
  for (const rule of [/^Usage of EmptyDir volume/, /^Container /, /^Pod ephemeral local storage/]) {
    expect(evictions.filter(({ message }) => rule.test(message)).length).toBeGreaterThan(2);
  }
  const names = new Set(evictions.map(({ pod }) => pod.split(/[-/]/)[1]));
  expect(names).toEqual(new Set(['report', 'resizer', 'profiler', 'restore']));
});

it('the demo has a node that loses images and then one pod, every 20 minutes', async ({ clock, sim }) => {
  const seen: string[] = [];
  const note = (text: string): void => {
    if (seen.at(-1) !== text) seen.push(text);
  };
  sim.model.onPodFailed(({ spec, failure }) => {
    if (failure?.message.startsWith('The node was low') === true) note(`evicted ${spec.name.split('-')[0] ?? ''}`);
  });
  const node = (): SimulatedNode | undefined => sim.model.node('node-2');
  for (let second = 0; second < 39 * 60; second += 10) {
    await clock.advance(10_000);
    note(`${node()?.images.length ?? 0} images`);
    if (seen.at(-1) === '3 images') expect(node()?.hasDiskPressure).toBe(false);
  }
  const round = ['3 images', '2 images', 'evicted restore', '2 images'];
  expect(seen).toEqual([...round, ...round]);
  expect(node()?.hasDiskPressure).toBe(false);
});

it('the demo has a kubelet that fails for one minute in every five', async ({ clock, sim }) => {
  const statuses: number[] = [];
  for (let minute = 0; minute < 10; minute++) {
    await clock.advance(minute === 0 ? 30_000 : minuteMs);
    statuses.push((await callKubelet(sim, 'node-5')).status);
  }
  expect(statuses).toEqual([200, 200, 200, 200, 500, 200, 200, 200, 200, 500]);
});

it.for(['node-1', 'node-2', 'node-3', 'node-4'])('the filesystems of %s add up', async (nodeName, { clock, sim }) => {
  await clock.advance(5 * minuteMs);
  const { node, pods } = await summaryOf(sim, nodeName);
  for (const fs of [node.fs, node.runtime.imageFs]) {
    expect(fs.usedBytes + fs.availableBytes).toBeLessThanOrEqual(fs.capacityBytes);
    expect([fs.usedBytes % 4096, fs.availableBytes % 4096, fs.capacityBytes % 4096]).toEqual([0, 0, 0]);
    expect(fs.time).toMatch(/^2026-01-01T00:05:00Z$/);
  }
  const isShared = node.fs.capacityBytes === node.runtime.imageFs.capacityBytes;
  expect(isShared).toBe(nodeName !== 'node-4');
  const podBytes = pods.reduce((sum, pod) => sum + pod['ephemeral-storage'].usedBytes, 0);
  if (isShared) expect(podBytes).toBeLessThan(node.fs.usedBytes);
});
