// @module-tag sockets

import { expect, test } from 'vitest';

import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario, type Scenario } from '../../sim/model/scenario.js';
import { addCronJob, addDaemonSet, addDeployment, addStatefulSet } from '../../sim/model/simulated-workloads.js';
import type { ContainerSpec, PodSpec } from '../../sim/model/specs.js';
import { untilEnd } from '../support/fixtures.js';
import { ManualClock } from '../support/manual-clock.js';
import { mib } from '../support/units.js';
import { podSpec } from './pods.js';
import { callApi, callKubelet, WatchClient } from './wire.js';

const passMs = 10_000;
/** From the kubelet's decision to the phase Failed, and from there until its summary no longer lists the pod. */
const killMs = 2_500;
const cleanUpMs = 1_000;

const overLimit: ContainerSpec = {
  name: 'app',
  rootfs: { initialBytes: mib },
  logs: { initialBytes: 0, bytesPerSecond: mib },
  limitBytes: 4 * mib,
};
const message = 'Pod ephemeral local storage usage exceeds the total limit of containers 4Mi. ';

const start = (clock: ManualClock, more: Partial<Scenario> = {}): Promise<SimulatedCluster> =>
  SimulatedCluster.start({ clock, scenario: { ...emptyScenario('node-1'), ...more } });

const it = test
  .extend('clock', () => new ManualClock())
  .extend('sim', ({ clock, onTestFinished }) => untilEnd(onTestFinished, start(clock)));

interface ApiPod {
  readonly metadata: { readonly name: string; readonly uid: string; readonly deletionTimestamp?: string };
  readonly status: {
    readonly phase: string;
    readonly reason?: string;
    readonly message?: string;
    readonly startTime?: string;
    readonly conditions?: readonly Readonly<Record<string, unknown>>[];
    readonly containerStatuses?: readonly Readonly<Record<string, unknown>>[];
  };
}

interface PodEvent {
  readonly type: string;
  readonly object: ApiPod;
}

async function take(watch: WatchClient, count: number): Promise<readonly PodEvent[]> {
  const events: PodEvent[] = [];
  while (events.length < count) events.push((await watch.next()) as unknown as PodEvent);
  return events;
}

async function podsOf(sim: SimulatedCluster): Promise<readonly ApiPod[]> {
  return (JSON.parse((await callApi(sim, '/api/v1/pods')).text) as { items: readonly ApiPod[] }).items;
}

async function listed(sim: SimulatedCluster): Promise<readonly string[]> {
  const { pods } = JSON.parse((await callKubelet(sim, 'node-1')).text) as { pods: { podRef: { name: string } }[] };
  return pods.map(({ podRef }) => podRef.name);
}

const phasesOf = (sim: SimulatedCluster): readonly string[] =>
  sim.model.pods.map(({ spec, phase }) => `${spec.name} ${phase}`);

it('a pod above a limit is Failed soon after the next pass, and leaves the summary', async ({ clock, sim }) => {
  sim.model.addPod(podSpec('a', { containers: [overLimit] }));
  await clock.advance(passMs + killMs - 1);
  expect(phasesOf(sim)).toEqual(['a Running']);
  await clock.advance(1);
  expect(phasesOf(sim)).toEqual(['a Failed']);
  expect(await listed(sim)).toEqual(['a']);
  await clock.advance(cleanUpMs);
  expect(await listed(sim)).toEqual([]);
  expect((await podsOf(sim)).map(({ status }) => status)).toMatchObject([
    { phase: 'Failed', reason: 'Evicted', message, startTime: '2026-01-01T00:00:00Z' },
  ]);
  await clock.advance(10 * passMs);
  expect(phasesOf(sim)).toEqual(['a Failed']);
});

it('a pod above a limit is watched as running, then as failed and cleaned up', async ({ clock, sim }) => {
  sim.model.addPod(podSpec('a', { containers: [overLimit] }));
  using watch = await WatchClient.open(sim, '/api/v1/pods?watch=true');
  await clock.advance(passMs + killMs + cleanUpMs);
  const events = await take(watch, 4);
  const seen = events.map(({ type, object: { status } }) => [type, status.phase, status.reason]);
  expect(seen).toEqual([
    ['ADDED', 'Running', undefined],
    ['MODIFIED', 'Running', undefined],
    ['MODIFIED', 'Failed', 'Evicted'],
    ['MODIFIED', 'Failed', 'Evicted'],
  ]);
});

it('a pod above a limit has containers that were killed or not found', async ({ clock, sim }) => {
  for (let index = 0; index < 20; index++) sim.model.addPod(podSpec(`a${index}`, { containers: [overLimit] }));
  const states = async (): Promise<ReadonlySet<string>> => {
    const statuses = (await podsOf(sim)).flatMap(({ status }) => status.containerStatuses ?? []);
    return new Set(
      statuses.map(({ state, lastState, restartCount }) => JSON.stringify([state, lastState, restartCount])),
    );
  };
  await clock.advance(passMs + killMs);
  const times = { startedAt: '2026-01-01T00:00:00Z', finishedAt: '2026-01-01T00:00:12Z' };
  const killed = [{ terminated: { exitCode: 137, reason: 'Error', ...times } }, {}, 0];
  const lost = (where: string): object => ({
    terminated: {
      exitCode: 137,
      reason: 'ContainerStatusUnknown',
      message: `The container could not be located when the pod was ${where}`,
      startedAt: null,
      finishedAt: null,
    },
  });
  const deleted = lost('deleted.  The container used to be Running');
  const creating = [{ waiting: { reason: 'ContainerCreating' } }, deleted, 1];
  expect(await states()).toEqual(new Set([killed, creating].map((each) => JSON.stringify(each))));
  await clock.advance(cleanUpMs);
  const unknown = [lost('terminated'), deleted, 1];
  expect(await states()).toEqual(new Set([killed, unknown].map((each) => JSON.stringify(each))));
});

it.for<[string, Partial<PodSpec>, string]>([
  ['static', { isStatic: true }, 'Running'],
  ['critical', { priority: 2_000_000_000 }, 'Running'],
  ['almost critical', { priority: 1_999_999_999 }, 'Failed'],
  ['named critical', { priorityClassName: 'system-node-critical' }, 'Failed'],
])('a pod above a limit that is %s is evicted or spared as by a kubelet', async ([, more, phase], { clock, sim }) => {
  sim.model.addPod(podSpec('a', { containers: [overLimit], ...more }));
  await clock.advance(passMs + killMs);
  expect(phasesOf(sim)).toEqual([`a ${phase}`]);
});

it('a pod above a limit is not evicted before its kubelet has measured its volumes', async ({ clock, sim }) => {
  const content = { initialBytes: 2 * mib };
  sim.model.addPod(podSpec('a', { volumes: [{ name: 'e', source: 'emptyDir', sizeLimitBytes: mib, content }] }));
  await sim.setFault('node-1', 'restarted');
  const firstPassMs = sim.model.pods[0]?.firstVolumePassMs ?? NaN;
  await clock.advance(Math.floor(firstPassMs / passMs) * passMs + killMs);
  expect(phasesOf(sim)).toEqual(['a Running']);
  await clock.advance(passMs);
  expect(phasesOf(sim)).toEqual(['a Failed']);
});

const workload = { namespace: 'shop', name: 'cart', nodeNames: ['node-1'], containers: [overLimit] };

it('a Deployment replaces its evicted pod, and keeps the failed one', async ({ clock }) => {
  await using sim = await start(clock, {
    populate: (context) => {
      addDeployment(context, workload);
    },
  });
  await clock.advance(passMs + killMs);
  const [failed, replacement, ...others] = await podsOf(sim).then((pods) =>
    pods.toSorted((a, b) => (a.status.phase < b.status.phase ? -1 : 1)),
  );
  expect([failed?.status.phase, replacement?.status.phase, others.length]).toEqual(['Failed', 'Pending', 0]);
  expect(replacement?.metadata.name).not.toBe(failed?.metadata.name);
  expect(replacement?.metadata.name).toMatch(/^cart-\w{10}-\w{5}$/);
});

it('a StatefulSet replaces its evicted pod by one of the same name', async ({ clock }) => {
  await using sim = await start(clock, {
    populate: (context) => {
      addStatefulSet(context, workload);
    },
  });
  const uid = sim.model.pods[0]?.uid;
  await clock.advance(passMs + killMs + 100);
  const pods = await podsOf(sim);
  expect(pods.map(({ metadata, status }) => [metadata.name, status.phase])).toEqual([['cart-0', 'Pending']]);
  expect(pods[0]?.metadata.uid).not.toBe(uid);
});

it('a DaemonSet deletes its evicted pod within 0.1 s, and creates another', async ({ clock }) => {
  await using sim = await start(clock, {
    populate: (context) => {
      addDaemonSet(context, workload);
    },
  });
  const [before] = await podsOf(sim);
  using watch = await WatchClient.open(sim, '/api/v1/pods?watch=true');
  await clock.advance(passMs + killMs + 100);
  const events = await take(watch, 5);
  const deleted = events.find(({ type }) => type === 'DELETED')?.object;
  expect(deleted?.metadata).toMatchObject({
    uid: before?.metadata.uid,
    deletionTimestamp: '2026-01-01T00:00:12Z',
    deletionGracePeriodSeconds: 0,
  });
  expect(deleted?.status).toMatchObject({ phase: 'Failed', reason: 'Evicted', message });
  expect(await listed(sim)).toContain(before?.metadata.name);
  await clock.advance(cleanUpMs);
  expect(await listed(sim)).not.toContain(before?.metadata.name);
  const after = await podsOf(sim);
  expect(after.length).toBe(1);
  expect(after[0]?.metadata.name).not.toBe(before?.metadata.name);
});

it.for([
  [undefined, 2],
  [0, 1],
])('a Job with the backoff limit %s replaces its evicted pod', async ([backoffLimit, expected], { clock }) => {
  const job = { ...workload, everyMs: 3_600_000, runMs: 600_000, keptCount: 1 };
  await using sim = await start(clock, {
    populate: (context) => {
      addCronJob(context, { ...job, ...(backoffLimit !== undefined && { backoffLimit }) });
    },
  });
  await clock.advance(2 * passMs + killMs + 1_000);
  const pods = await podsOf(sim);
  expect(pods.length).toBe(expected);
  expect(pods.filter(({ status }) => status.phase === 'Failed').length).toBe(1);
  expect(new Set(pods.map(({ metadata }) => metadata.name.replace(/-\w{5}$/, ''))).size).toBe(1);
});
