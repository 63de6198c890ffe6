import { expect, test } from 'vitest';

import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario, type Scenario, type ScenarioContext } from '../../sim/model/scenario.js';
import { addCronJob, addDaemonSet, addDeployment, addStatefulSet } from '../../sim/model/simulated-workloads.js';
import type { ContainerSpec } from '../../sim/model/specs.js';
import { ManualClock } from '../support/manual-clock.js';
import { mib } from '../support/units.js';

const passMs = 10_000;
/** From the kubelet's decision to the phase Failed. */
const killMs = 2_500;
/** Until a Job replaces its first failed pod. */
const jobBackoffMs = 10_000;

const overLimit: ContainerSpec = {
  name: 'app',
  rootfs: { initialBytes: mib },
  logs: { initialBytes: 0, bytesPerSecond: mib },
  limitBytes: 4 * mib,
};
const workload = { namespace: 'shop', name: 'cart', nodeNames: ['node-1'], containers: [overLimit] };
const job = { ...workload, everyMs: 3_600_000, runMs: 600_000, keptCount: 1 };

const adding =
  <Spec>(add: (context: ScenarioContext, spec: Spec) => void, spec: Spec): Scenario['populate'] =>
  (context) => {
    add(context, spec);
  };

test.for<[owner: string, populate: Scenario['populate'], after: readonly RegExp[]]>([
  [
    'a Deployment keeps it',
    adding(addDeployment, workload),
    [/^Failed cart-\w{10}-\w{5}$/, /^Pending cart-\w{10}-\w{5}$/],
  ],
  ['a StatefulSet replaces it by its name', adding(addStatefulSet, workload), [/^Pending cart-0$/]],
  ['a DaemonSet replaces it', adding(addDaemonSet, workload), [/^\w+ing cart-\w{5}$/]],
  ['a Job keeps it', adding(addCronJob, job), [/^Failed cart-\d+-\w{5}$/, /^Pending cart-\d+-\w{5}$/]],
  ['a Job without retries', adding(addCronJob, { ...job, backoffLimit: 0 }), [/^Failed cart-\d+-\w{5}$/]],
])('a pod above a limit fails soon after the next pass: %s', async ([, populate, expected]) => {
  const clock = new ManualClock();
  await using sim = await SimulatedCluster.start({ clock, scenario: { ...emptyScenario('node-1'), populate } });
  const [first] = sim.model.pods;
  while (sim.model.pods.some((pod) => pod.uid === first?.uid && pod.phase !== 'Failed')) await clock.advance(500);
  expect(clock.nowMs() % passMs).toBe(killMs);
  await clock.advance(first?.spec.owner?.kind === 'Job' ? jobBackoffMs : 100);
  const pods = sim.model.pods.map(({ spec, phase }) => `${phase} ${spec.name}`).sort();
  expect(pods).toEqual(expected.map((pattern) => expect.stringMatching(pattern) as unknown));
});
