import { expect, it } from 'vitest';

import type { Pod } from '../../src/cluster/kube/objects.js';
import { expectedPods, isExpected } from '../../src/facts/node/node-coverage.js';
import { aPod } from '../support/builders.js';

const graceMs = 60_000;
const sinceMs = 1_000_000;
const matureAtMs = sinceMs + graceMs;

it.each<[string, Partial<Pod>, number, boolean]>([
  ['one that runs for longer than the grace period', {}, matureAtMs + 1, true],
  ['one that runs for just the grace period', {}, matureAtMs, false],
  ['one that just started', {}, sinceMs, false],
  ['one from the future, as clocks differ', {}, sinceMs - 5000, false],
  ['one that has no running container', { runningSinceMs: undefined }, matureAtMs + 1, false],
  ['one on no node', { nodeName: undefined }, matureAtMs + 1, false],
  ['one that is pending, with a container that runs', { phase: 'Pending' }, matureAtMs + 1, true],
  ['one that is pending, without one', { phase: 'Pending', runningSinceMs: undefined }, matureAtMs + 1, false],
  ['one that has succeeded', { phase: 'Succeeded' }, matureAtMs + 1, false],
  ['one that has failed', { phase: 'Failed' }, matureAtMs + 1, false],
  ['one of unknown phase', { phase: 'Unknown' }, matureAtMs + 1, false],
])('a pod is expected, or not: %s', (_, overrides, nowMs, expected) => {
  expect(isExpected(aPod({ runningSinceMs: sinceMs, ...overrides }), nowMs)).toBe(expected);
});

const old = aPod({ name: 'old', runningSinceMs: 0 });
const young = aPod({ name: 'young', runningSinceMs: sinceMs });
const younger = aPod({ name: 'younger', runningSinceMs: sinceMs + 7 });
const done = aPod({ name: 'done', runningSinceMs: sinceMs - 7, phase: 'Succeeded' });

it('expectations hold until the first grace period ends', () => {
  expect(expectedPods([young, old, done, younger], matureAtMs)).toEqual({
    pods: [old],
    validUntilMs: matureAtMs,
  });
  expect(expectedPods([younger, old, done, young], matureAtMs + 1)).toEqual({
    pods: [old, young],
    validUntilMs: matureAtMs + 7,
  });
});
