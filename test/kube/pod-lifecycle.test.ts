import { expect, it } from 'vitest';

import type { Pod } from '../../src/cluster/kube/objects.js';
import { lifecycleEvents, outdatesSummary } from '../../src/cluster/kube/pod-lifecycle.js';
import { projectPod } from '../../src/cluster/kube/projection.js';
import { aPod } from '../support/builders.js';

type State = Readonly<Record<string, unknown>>;

const second = (value: number): string => new Date(value * 1_000).toISOString();
const running = (startedAt: number): State => ({ running: { startedAt: second(startedAt) } });
const ended = (finishedAt: number): State => ({ terminated: { finishedAt: second(finishedAt) } });
const waiting: State = { waiting: { reason: 'CrashLoopBackOff' } };

/** As the API server sends it: containers by name, with their state and restarts. */
function sent(
  phase: string,
  containers: Readonly<Record<string, readonly [State, number?, State?]>>,
  reason?: string,
): Pod {
  const containerStatuses = Object.entries(containers).map(([name, [state, restartCount = 0, lastState = {}]]) => {
    return { name, state, restartCount, lastState };
  });
  const metadata = { name: 'cart-0', namespace: 'shop', uid: 'u', resourceVersion: '1' };
  return projectPod({ metadata, status: { phase, reason, message: 'm', containerStatuses } }, (text) => text);
}

function manyRunning(count: number): Readonly<Record<string, readonly [State]>> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`c${index}`, [running(5)]]));
}

/** The events of a sequence of states, one line for each step. */
function stepsOf(states: readonly Pod[], isRemoved = false): readonly string[] {
  const changes = states.map((object, index) => {
    const previous = states[index - 1];
    return { type: previous === undefined ? ('added' as const) : ('updated' as const), object, previous };
  });
  const last = states.at(-1) ?? aPod();
  const removal = isRemoved ? [{ type: 'removed' as const, object: last, previous: last }] : [];
  return [...changes, ...removal].map((change) => {
    const events = lifecycleEvents(change);
    const mark = outdatesSummary(change.object, events) ? ' *' : '';
    return `${events.map(({ type, run, atMs }) => [type, run, atMs === undefined ? '' : atMs / 1_000].join(' ').trim()).join(', ')}${mark}`;
  });
}

it('runs of a pod are those of its first hundred containers, and one for the others that run', () => {
  const { runs, runningContainerCount } = sent('Running', manyRunning(5_000));
  expect(runs).toHaveLength(101);
  expect([runs[0], runs[99], runs[100]]).toEqual(['c0#0', 'c99#0', '(others)#4900@5000']);
  expect(runningContainerCount).toBe(5_000);
  expect(sent('Running', manyRunning(100)).runs.at(-1)).toBe('c99#0');
});

it('runs of a pod stay those of its first containers when one of these ends', () => {
  const containers = { ...manyRunning(101), c0: [ended(7)] as const };
  expect(sent('Running', containers).runs.slice(-2)).toEqual(['c99#0', '(others)#1@5000']);
});

type Containers = Parameters<typeof sent>[1];

const run = (app: Containers[string], others: Containers = {}): Pod => sent('Running', { app, ...others });

/** Beside a hundred others. */
const many = (x: State, y: Containers[string], z: State): Pod => {
  const pod = sent('Running', { ...manyRunning(100), x: [x], y, z: [z] });
  return { ...pod, runs: pod.runs.slice(-1) };
};
const [ten, thirteen, fifteen] = [running(10), ended(13), ended(15)];

it.each<readonly [title: string, states: readonly Pod[], expected: readonly string[]]>([
  [
    'that is created, starts two containers, completes and is deleted',
    [
      sent('Pending', {}),
      ...[waiting, running(12)].map((state) => run([ten], { log: [state] })),
      sent('Succeeded', { app: [ended(30)], log: [ended(31)] }),
    ],
    ['', 'started app#0 10 *', 'started log#0 12 *', 'died app#0 31, died log#0 31 *', 'removed'],
  ],
  [
    'with more containers than are kept one by one, of which those beyond are one',
    [
      many(ten, [ten], waiting),
      many(ten, [ten], running(12)),
      many(thirteen, [ten], running(12)),
      many(thirteen, [running(14), 1, thirteen], running(12)),
      many(thirteen, [fifteen], fifteen),
    ],
    [
      'started (others)#2@10000 10 *',
      'died (others)#2@10000 12, started (others)#3@12000 12 *',
      'died (others)#3@12000 13, started (others)#2@13000 13 *',
      'died (others)#2@13000 14, started (others)#2@14000 14 *',
      'died (others)#2@14000 15, started c99#0 15 *',
    ],
  ],
  [
    'in a crash loop, also when a restart is one update',
    [run([ten]), run([waiting, 0, ended(20)]), run([running(30), 1, ended(20)]), run([running(50), 2, ended(49)])],
    ['started app#0 10 *', 'died app#0 20 *', 'started app#1 30 *', 'died app#1 50, started app#2 50 *'],
  ],
  [
    'that is evicted: the values before its end stay',
    [run([ten]), ...[ten, ended(40)].map((state) => sent('Failed', { app: [state] }, 'Evicted'))],
    ['started app#0 10 *', 'evicted', 'died app#0 40', 'removed'],
  ],
  ['that is deleted while it runs', [run([ten])], ['started app#0 10 *', 'died app#0 10, removed *']],
  ['whose update changes nothing', [run([ten]), run([ten])], ['started app#0 10 *', '']],
])('the steps of a pod %s give its events', (_title, states, expected) => {
  expect(stepsOf(states, expected.at(-1)?.includes('removed'))).toEqual(expected);
});
