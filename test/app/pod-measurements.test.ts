import { expect, it } from 'vitest';

import { AgentMeasurements } from '../../src/app/pod-measurements.js';
import type { Pod } from '../../src/kube/objects.js';
import type { FoundPart } from '../../src/report/pod-directories.js';
import { aPod } from '../support/builders.js';
import { ManualClock } from '../support/manual-clock.js';
import {
  aClusterSnapshot,
  aFreshNode,
  aMeasuredPod,
  anAbsentNode,
  aNodeSnapshot,
} from '../support/snapshot-builders.js';

const minuteMs = 60_000;
const named = (name: string): Pod => aPod({ name });
const empty: FoundPart['walk'] = { state: 'complete', bytes: 0, skippedCount: 0, entries: [] };
const measured: readonly FoundPart[] = [{ part: 'logs', container: 'main', walk: empty }];
const waited: readonly FoundPart[] = [{ part: 'logs', container: 'main', walk: { ...empty, state: 'timeout' } }];

/** `started`: names of the pods that are measured or were, in their order. `end`: of the one that is measured now. */
function measurements({ parts = measured }: { readonly parts?: readonly FoundPart[] | Error } = {}) {
  const clock = new ManualClock();
  const stop = new AbortController();
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const agent = new AgentMeasurements({
    measure: ({ name }) => {
      started.push(name);
      return new Promise((resolve, reject) => {
        ends.push(() => {
          if (parts instanceof Error) reject(parts);
          else resolve(parts);
        });
      });
    },
    clock,
    signal: stop.signal,
  });
  const end = async (): Promise<void> => {
    ends.pop()?.();
    await clock.advance(0);
  };
  return { agent, clock, stop, started, end };
}

it('a pod that is asked for is measured once, and again after ten minutes', async () => {
  const { agent, clock, started, end } = measurements();
  const pod = named('cart');
  expect(agent.peek(pod)).toEqual({ state: 'unmeasured' });
  expect(agent.ask(pod)).toEqual({ state: 'measuring' });
  expect(agent.ask(pod)).toEqual({ state: 'measuring' });
  await end();
  await clock.advance(9 * minuteMs);
  const kept = { parts: measured, problem: undefined, measuredAtMs: Date.UTC(2026, 0, 1), ageMs: 9 * minuteMs };
  expect(agent.ask(pod)).toEqual({ state: 'measured', ...kept });
  await clock.advance(minuteMs);
  expect(agent.peek(pod).state).toBe('unmeasured');
  expect(agent.ask(pod)).toEqual({ state: 'measuring', ...kept, ageMs: 10 * minuteMs });
  expect(started).toEqual(['cart', 'cart']);
});

it('pods are measured one after the other, and beyond ten that wait none is taken', async () => {
  const { agent, started, end } = measurements();
  const pods = Array.from({ length: 12 }, (_, index) => named(`p${index}`));
  const states = pods.map((pod) => agent.ask(pod)?.state);
  expect(states).toEqual([...Array.from({ length: 11 }, () => 'measuring'), undefined]);
  expect(started).toEqual(['p0']);
  await end();
  expect(started).toEqual(['p0', 'p1']);
  expect(agent.ask(named('p11'))?.state).toBe('measuring');
});

it.each([
  ['du cannot run', { parts: new Error('du not found') }, { parts: [], problem: 'du not found' }],
  ['du has not run in time', { parts: waited }, { parts: waited }],
])('where %s nothing is measured, which is tried again after a minute', async (_what, given, kept) => {
  const { agent, clock, started, end } = measurements(given);
  agent.ask(named('cart'));
  await end();
  await clock.advance(minuteMs - 1);
  expect(agent.ask(named('cart'))).toMatchObject({ state: 'failed', ...kept });
  await clock.advance(1);
  expect(agent.ask(named('cart'))?.state).toBe('measuring');
  expect(started).toEqual(['cart', 'cart']);
});

it('fifty measurements are kept, the latest', async () => {
  const { agent, end } = measurements();
  for (let index = 0; index <= 50; index += 1) {
    agent.ask(named(`p${index}`));
    await end();
  }
  expect([0, 1, 50].map((index) => agent.peek(named(`p${index}`)).state)).toEqual([
    'unmeasured',
    'measured',
    'measured',
  ]);
});

it('nothing more is measured once the agent ends', async () => {
  const { agent, stop, started, end } = measurements();
  agent.ask(named('a'));
  agent.ask(named('b'));
  stop.abort(new Error('over'));
  await end();
  expect(started).toEqual(['a']);
});

const scrapeOf = (times: readonly (number | undefined)[], gone: readonly string[] = []) => {
  const pods = times.map((evictionMs, index) => aMeasuredPod({ name: `n${index}`, evictionMs }));
  const podsOnNode = [...pods.flatMap(({ bound }) => bound?.pod ?? []), named('asked')];
  const kept = podsOnNode.filter(({ name }) => !gone.includes(name));
  return aClusterSnapshot({ nodes: [aFreshNode(aNodeSnapshot({ pods, podsOnNode: kept }))] });
};

it('of the pods that are near an eviction for a limit the ten nearest are measured, after those that were asked for', async () => {
  const { agent, started, end } = measurements();
  const times = [undefined, Infinity, 4, 3, 2, 1, 0, 5, 6, 7, 8, 9, 10];
  agent.scraped(scrapeOf(times));
  agent.ask(named('asked'));
  for (let index = 0; index < 12; index += 1) await end();
  agent.scraped(scrapeOf(times)); // none again at once
  const nearest = ['n6', 'asked', 'n5', 'n4', 'n3', 'n2', 'n7', 'n8', 'n9', 'n10', 'n11'];
  expect(started).toEqual(nearest);
});

it('a pod that has gone is forgotten, but not while its node has no data', async () => {
  const { agent, end } = measurements();
  agent.ask(named('asked'));
  await end();
  agent.scraped(scrapeOf([]));
  agent.scraped(aClusterSnapshot({ nodes: [anAbsentNode('node-1', 'timeout')] }));
  expect(agent.peek(named('asked')).state).toBe('measured');
  agent.scraped(scrapeOf([], ['asked']));
  expect(agent.peek(named('asked'))).toEqual({ state: 'unmeasured' });
});
