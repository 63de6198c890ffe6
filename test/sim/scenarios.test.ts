import { expect, it, test } from 'vitest';

import { ObjectStore } from '../../sim/api-server/versioned-objects.js';
import { EvictionManager, evictionPeriodMs } from '../../sim/kubelets/eviction-manager.js';
import { ClusterModel } from '../../sim/model/cluster-model.js';
import { podUsage } from '../../sim/model/pod-usage.js';
import { Random } from '../../sim/model/random.js';
import type { Scenario } from '../../sim/model/scenario.js';
import { Schedule } from '../../sim/model/schedule.js';
import { imageOf, isTerminal, type SimulatedPod } from '../../sim/model/simulated-pod.js';
import type { ImageSpec } from '../../sim/model/specs.js';
import { scenarioOf } from '../../sim/scenarios/catalogue.js';
import { scenarioNames } from '../../src/commands/simulate.js';
import { UsageError } from '../../src/lib/base/errors.js';
import { ManualClock } from '../support/manual-clock.js';
import { gib, mib } from '../support/units.js';

const minuteMs = 60_000;
const sizes = [2, 200] as const;

interface Life {
  readonly model: ClusterModel;
  readonly scenario: Scenario;
  readonly failed: SimulatedPod[];
  readonly advance: (durationMs: number) => Promise<void>;
  readonly clock: ManualClock;
}

/** A scenario without sockets: kubelets evict, and answer nobody. */
function live(options: Partial<Parameters<typeof scenarioOf>[0]> & { readonly seed?: number }): Life {
  const { name = 'mixed', nodeCount = 2, podCount, seed = 1 } = options;
  const scenario = scenarioOf({ name, nodeCount, podCount });
  const clock = new ManualClock();
  const schedule = new Schedule(clock);
  const model = new ClusterModel({
    store: new ObjectStore({ keptEventCount: 10 }),
    schedule,
    random: new Random(seed),
  });
  const failed: SimulatedPod[] = [];
  model.onPodFailed((pod) => failed.push(pod));
  for (const node of scenario.nodes) model.addNode(node, 0);
  const managers = scenario.nodes.map(({ name: nodeName }) => {
    const observation = () => ({ nowMs: clock.nowMs() });
    return new EvictionManager({ model, nodeName, observation });
  });
  schedule.every(evictionPeriodMs, () => {
    for (const manager of managers) manager.pass();
  });
  scenario.populate({ model, schedule, random: new Random(seed + 1) });
  return { model, scenario, failed, clock, advance: (durationMs) => clock.advance(durationMs) };
}

const namesOf = ({ model }: Life): readonly string[] => model.pods.map(({ spec }) => spec.name);
const nodeNumbers = (names: readonly string[]): readonly number[] =>
  names.map((name) => Number(name.slice('node-'.length)));

it.each(scenarioNames.flatMap((name) => sizes.map((nodeCount) => [name, nodeCount] as const)))(
  '%s has as many nodes as it is told, %i, and pods on each',
  (name, nodeCount) => {
    const life = live({ name, nodeCount });
    expect(nodeNumbers(life.model.nodes.map(({ spec }) => spec.name))).toEqual(
      Array.from({ length: nodeCount }, (_, index) => index + 1),
    );
    for (const { spec } of life.model.nodes) expect(life.model.podsOn(spec.name).length).toBeGreaterThan(0);
    const { nodeName = '', namespace, deployment } = life.scenario.highlights ?? {};
    expect(life.model.node(nodeName)).toBeDefined();
    const isHighlighted = ({ spec }: SimulatedPod): boolean =>
      spec.namespace === namespace && spec.labels?.['app'] === deployment && spec.owner?.kind === 'ReplicaSet';
    expect(life.model.pods.some(isHighlighted)).toBe(true);
  },
);

it.each(scenarioNames)('%s is the same for the same seed, and another one for another', async (name) => {
  const namesWith = async (seed: number): Promise<readonly string[]> => {
    const life = live({ name, seed, podCount: 60 });
    await life.advance(3 * minuteMs);
    return namesOf(life);
  };
  const first = await namesWith(1);
  expect(await namesWith(1)).toEqual(first);
  expect(await namesWith(2)).not.toEqual(first);
});

it.each(scenarioNames.flatMap((name) => [[name, 2, 70] as const, [name, 50, 900] as const]))(
  '%s on %i nodes has %i pods at the start if it is told so, the further ones evenly on its nodes',
  (name, nodeCount, podCount) => {
    const own = live({ name, nodeCount });
    const life = live({ name, nodeCount, podCount });
    expect(life.model.pods.length).toBe(podCount);
    const further = life.model.nodes.map(
      ({ spec }) => life.model.podsOn(spec.name).length - own.model.podsOn(spec.name).length,
    );
    expect(Math.max(...further) - Math.min(...further)).toBeLessThanOrEqual(1);
  },
);

it.each([
  [2, 1, /--pods: found "1", allowed with --nodes 2: from \d+, those of mixed itself, to 220, 110 a node/],
  [2, 221, /--pods: found "221", allowed with --nodes 2/],
  [200, 22_001, /--pods: found "22001", allowed with --nodes 200: .* to 22000/],
])('a scenario on %i nodes rejects %i pods', (nodeCount, podCount, message) => {
  expect(() => live({ nodeCount, podCount })).toThrow(UsageError);
  expect(() => live({ nodeCount, podCount })).toThrow(message);
});

test.each(sizes)('mixed on %i nodes evicts for limits and for its node with little disk space', async (nodeCount) => {
  const life = live({ name: 'mixed', nodeCount });
  await life.advance(4 * minuteMs);
  expect(life.failed.length).toBeGreaterThan(0);
  await life.advance(18 * minuteMs);
  const causes = life.failed.flatMap(({ failure, spec }) =>
    failure?.kind === 'evicted' && failure.isForNode ? [spec.nodeName] : [],
  );
  expect(new Set(causes)).toEqual(new Set(['node-2']));
  expect(life.failed.length).toBeGreaterThan(causes.length + 3);
});

test.each(sizes)(
  'images-full on %i nodes: images fill every fifth disk, and deleting the unused is not enough',
  async (nodeCount) => {
    const life = live({ name: 'images-full', nodeCount });
    const pressed = (): readonly string[] =>
      life.model.nodes.filter(({ hasDiskPressure }) => hasDiskPressure).map(({ spec }) => spec.name);
    await life.advance(2 * minuteMs);
    expect(pressed()).toEqual([]);
    expect(life.model.node('node-2')?.images.some(({ isUnused }) => isUnused)).toBe(true);
    await life.advance(4 * minuteMs);
    expect(nodeNumbers(pressed())).toEqual(
      Array.from({ length: Math.ceil((nodeCount - 1) / 5) }, (_, index) => 2 + 5 * index),
    );
    expect(life.model.node('node-2')?.images.some(({ isUnused }) => isUnused)).toBe(false);
    const evicted = life.failed.filter(({ failure }) => failure?.kind === 'evicted' && failure.isForNode);
    expect(new Set(evicted.map(({ spec }) => spec.nodeName))).toEqual(new Set(pressed()));
    await life.advance(13 * minuteMs); // somebody has cleaned up, and pods run again
    expect(life.model.podsOn('node-2').some(({ phase }) => phase === 'Running')).toBe(true);
  },
);

test('images-full: the images that no container uses are those that the kubelets delete', async () => {
  const life = live({ name: 'images-full', nodeCount: 3 });
  const unused = (nodeName: string) => {
    const { images = [] } = life.model.node(nodeName) ?? {};
    const active = life.model.podsOn(nodeName).filter((pod) => !isTerminal(pod));
    const used = new Set(active.flatMap(({ spec }) => spec.containers.map(imageOf)));
    const nameOf = ({ name }: ImageSpec): string => name;
    return {
      byContainers: images.map(nameOf).filter((name) => !used.has(name)),
      byKubelet: images.filter(({ isUnused }) => isUnused).map(nameOf),
    };
  };
  for (let minute = 0; minute < 6; minute++) {
    for (const nodeName of ['node-1', 'node-2']) {
      const { byContainers, byKubelet } = unused(nodeName);
      expect({ minute, nodeName, unused: byContainers }).toEqual({ minute, nodeName, unused: byKubelet });
    }
    if (minute < 3) expect(unused('node-2').byKubelet).toEqual(['registry.example/vllm-openai:0.13']);
    await life.advance(minuteMs);
  }
});

test.each(sizes)(
  'log-flood on %i nodes: logs grow to the limit of their container, again and again',
  async (nodeCount) => {
    const life = live({ name: 'log-flood', nodeCount });
    const flooding = life.model.pods.filter(({ spec }) => spec.name.startsWith('ledger'));
    expect(flooding.length).toBe(Math.ceil(nodeCount / 5));
    await life.advance(2 * minuteMs);
    for (const pod of flooding) {
      const usage = podUsage(pod, { nowMs: life.clock.nowMs() });
      const [container] = usage?.containers ?? [];
      expect(container?.logsBytes).toBeGreaterThan(500 * mib);
      expect(container?.rootfsBytes).toBeLessThan(10 * mib);
    }
    await life.advance(6 * minuteMs);
    expect(life.failed.length).toBeGreaterThanOrEqual(2 * flooding.length);
    for (const { failure } of life.failed)
      expect(failure?.message).toMatch(/^Container ledger exceeded|^Pod ephemeral/);
  },
);

test.each(sizes)('lost-kubelet on %i nodes: nothing but kubelets fails, hanging and refusing', async (nodeCount) => {
  const life = live({ name: 'lost-kubelet', nodeCount });
  const { faults = {}, faultSchedules = [] } = life.scenario;
  const kubelets = Object.entries(faults).map(([name, fault]) => [Number(name.slice(5)) % 5, fault].join(' '));
  expect(kubelets.length).toBe(nodeCount === 2 ? 1 : 80);
  expect(new Set(kubelets)).toEqual(new Set(nodeCount === 2 ? ['2 hang'] : ['2 hang', '4 down']));
  expect(faultSchedules.length).toBe(nodeCount === 2 ? 0 : 40);
  await life.advance(10 * minuteMs);
  expect(life.failed).toEqual([]);
});

test.each([
  [2, 8, 0],
  [200, 2, 0.9],
] as const)(
  'ci-burst on %i nodes: pods live for minutes, write at once, and some more than their limit',
  async (nodeCount, laterMinutes, remainingShare) => {
    const life = live({ name: 'ci-burst', nodeCount });
    const atStart = namesOf(life).filter((name) => !name.startsWith('buildkit'));
    expect(atStart.length).toBe(4 * nodeCount);
    await life.advance(2 * minuteMs);
    const bytes = life.model.pods
      .filter(({ phase, spec }) => phase === 'Running' && spec.runMs !== undefined)
      .map((pod) => podUsage(pod, { nowMs: life.clock.nowMs() })?.totalBytes ?? 0);
    expect(Math.max(...bytes)).toBeGreaterThan(gib);
    await life.advance(laterMinutes * minuteMs);
    const later = new Set(namesOf(life));
    expect(atStart.filter((name) => later.has(name)).length).toBeLessThanOrEqual(remainingShare * atStart.length);
    expect(later.size).toBeGreaterThan(4 * nodeCount);
    const evicted = life.failed.filter(({ failure }) => failure?.kind === 'evicted' && !failure.isForNode);
    expect(evicted.length).toBeGreaterThan(0);
    expect(new Set(life.model.pods.map(({ spec }) => spec.owner?.kind))).toEqual(
      new Set(['ReplicaSet', 'EphemeralRunner', 'Sandbox', 'Job']),
    );
  },
  60_000,
);
