import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

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
  expect(isExpected({ pod: aPod({ runningSinceMs: sinceMs, ...overrides }), nowMs, graceMs })).toBe(expected);
});

it('a running pod is expected at once without a grace period', () => {
  expect(isExpected({ pod: aPod({ runningSinceMs: sinceMs }), nowMs: sinceMs + 1, graceMs: 0 })).toBe(true);
});

describe('expectedPods', () => {
  const old = aPod({ name: 'old', runningSinceMs: 0 });
  const young = aPod({ name: 'young', runningSinceMs: sinceMs });
  const younger = aPod({ name: 'younger', runningSinceMs: sinceMs + 7 });
  const done = aPod({ name: 'done', runningSinceMs: sinceMs - 7, phase: 'Succeeded' });

  it('expectations hold until the first grace period ends', () => {
    expect(expectedPods({ pods: [younger, old, done, young], nowMs: matureAtMs, graceMs })).toEqual({
      pods: [old],
      validUntilMs: matureAtMs,
    });
    expect(expectedPods({ pods: [younger, old, done, young], nowMs: matureAtMs + 1, graceMs })).toEqual({
      pods: [old, young],
      validUntilMs: matureAtMs + 7,
    });
  });

  it.each([
    ['no pod', []],
    ['pods past their grace period', [old]],
    ['pods that do not run', [done, aPod({ runningSinceMs: undefined })]],
  ])('expectations hold for ever with %s', (_, pods) => {
    expect(expectedPods({ pods, nowMs: matureAtMs, graceMs }).validUntilMs).toBe(Infinity);
  });

  it('expectations are the same until the time that they name, and others after it', () => {
    const pods = fc.array(
      fc
        .record({
          runningSinceMs: fc.option(fc.nat(200), { nil: undefined }),
          phase: fc.constantFrom('Running', 'Running', 'Pending'),
        })
        .map((pod) => aPod(pod)),
    );
    fc.assert(
      fc.property(pods, fc.nat(300), fc.nat(100), (list, nowMs, grace) => {
        const at = (timeMs: number) => expectedPods({ pods: list, nowMs: timeMs, graceMs: grace });
        const { pods: expected, validUntilMs } = at(nowMs);
        if (validUntilMs === Infinity) {
          expect(at(nowMs + 1_000_000).pods).toEqual(expected);
          return;
        }
        expect(validUntilMs).toBeGreaterThanOrEqual(nowMs);
        expect(at(validUntilMs).pods).toEqual(expected);
        expect(at(validUntilMs + 1).pods.length).toBeGreaterThan(expected.length);
      }),
    );
  });
});
