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

it.each([
  {
    title: 'that is created, starts two containers, completes and is deleted',
    states: [
      sent('Pending', {}),
      sent('Running', { app: [running(10)], log: [waiting] }),
      sent('Running', { app: [running(10)], log: [running(12)] }),
      sent('Succeeded', { app: [ended(30)], log: [ended(31)] }),
    ],
    isRemoved: true,
    expected: ['', 'started app#0 10 *', 'started log#0 12 *', 'died app#0 31, died log#0 31 *', 'removed'],
  },
  {
    title: 'with more containers than are kept one by one, of which those beyond are one',
    states: [
      sent('Running', { ...manyRunning(100), x: [running(10)], y: [running(10)], z: [waiting] }),
      sent('Running', { ...manyRunning(100), x: [running(10)], y: [running(10)], z: [running(12)] }),
      sent('Running', { ...manyRunning(100), x: [ended(13)], y: [running(10)], z: [running(12)] }),
      sent('Running', { ...manyRunning(100), x: [ended(13)], y: [running(14), 1, ended(13)], z: [running(12)] }),
      sent('Running', { ...manyRunning(100), x: [ended(13)], y: [ended(15)], z: [ended(15)] }),
    ].map((pod) => ({ ...pod, runs: pod.runs.slice(-1) })),
    expected: [
      'started (others)#2@10000 10 *',
      'died (others)#2@10000 12, started (others)#3@12000 12 *',
      'died (others)#3@12000 13, started (others)#2@13000 13 *',
      'died (others)#2@13000 14, started (others)#2@14000 14 *',
      'died (others)#2@14000 15, started c99#0 15 *',
    ],
  },
  {
    title: 'in a crash loop, also when a restart is one update',
    states: [
      sent('Running', { app: [running(10)] }),
      sent('Running', { app: [waiting, 0, ended(20)] }),
      sent('Running', { app: [running(30), 1, ended(20)] }),
      sent('Running', { app: [running(50), 2, ended(49)] }),
    ],
    expected: ['started app#0 10 *', 'died app#0 20 *', 'started app#1 30 *', 'died app#1 50, started app#2 50 *'],
  },
  {
    title: 'that is evicted: the values before its end stay',
    states: [
      sent('Running', { app: [running(10)] }),
      sent('Failed', { app: [running(10)] }, 'Evicted'),
      sent('Failed', { app: [ended(40)] }, 'Evicted'),
    ],
    isRemoved: true,
    expected: ['started app#0 10 *', 'evicted', 'died app#0 40', 'removed'],
  },
  {
    title: 'that is deleted while it runs',
    states: [sent('Running', { app: [running(10)] })],
    isRemoved: true,
    expected: ['started app#0 10 *', 'died app#0 10, removed *'],
  },
  {
    title: 'whose update changes nothing',
    states: [sent('Running', { app: [running(10)] }), sent('Running', { app: [running(10)] })],
    expected: ['started app#0 10 *', ''],
  },
])('the steps of a pod $title give its events', ({ states, isRemoved, expected }) => {
  expect(stepsOf(states, isRemoved)).toEqual(expected);
});
