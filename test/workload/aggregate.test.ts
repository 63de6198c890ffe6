import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { sumPods as sumsOf } from '../../src/facts/node/node-coverage.js';
import type { BoundPod, PodRecord } from '../../src/facts/node/pod-record.js';
import { workloadKey } from '../../src/facts/workload/workload.js';
import type { WorkloadPartial, WorkloadPartials } from '../../src/facts/workload/workload-partial.js';
import { Accumulator } from '../../src/facts/workload/workload-partial.js';
import { sumOf } from '../support/figures.js';
import { aBoundPod, aContainerUsage, aMeasuredPod, aPodUsage, aWorkload } from '../support/snapshot-builders.js';

const billing = aWorkload({ name: 'billing' });
const everything = aWorkload({ name: 'everything' });

interface PodFields extends Partial<Pick<BoundPod, 'workloads' | 'limitBytes' | 'requestBytes'>> {
  readonly containers: Readonly<Record<string, number>>;
  readonly volumesPending?: boolean;
}

/** Measured. */
function pod({ containers, volumesPending = false, ...fields }: PodFields): PodRecord {
  const listed = Object.entries(containers).map(([name, usedBytes]) => aContainerUsage({ name, usedBytes }));
  const usedBytes = listed.reduce((total, container) => total + container.usedBytes, 0);
  const usage = aPodUsage({ usedBytes, containers: listed, volumesPending });
  return aMeasuredPod({ workloads: [billing], usage, ...fields });
}

function unmeasured(fields: Partial<BoundPod> = {}): BoundPod {
  return aBoundPod({ workloads: [billing], ...fields });
}

function sumPods(pods: readonly (PodRecord | BoundPod)[]): WorkloadPartials {
  return sumsOf(
    pods.filter((one) => 'summary' in one),
    pods.flatMap((one) => ('summary' in one ? [] : [one])),
  );
}

function merge(parts: Iterable<WorkloadPartials>): WorkloadPartials {
  const accumulator = new Accumulator();
  for (const part of parts) accumulator.addAll(part);
  return accumulator.partials();
}

/** By name, since the order in which containers were seen is no part of the sums. */
function sorted(partials: WorkloadPartials): WorkloadPartial[] {
  return [...partials.values()]
    .map((partial) => ({
      ...partial,
      usage: {
        ...partial.usage,
        containers: partial.usage.containers.toSorted((a, b) => (a.container < b.container ? -1 : 1)),
      },
    }))
    .toSorted((a, b) => (a.workload.name < b.workload.name ? -1 : 1));
}

it('sums of sums put sums and counts of a workload together', () => {
  const merged = merge([sumPods([pod({ containers: { app: 4 } })]), sumPods([unmeasured()])]);
  expect(merged.get(workloadKey(billing))).toMatchObject({
    usage: { usedBytes: 4, podMaxUsedBytes: 4 },
    expectedPods: 2,
    measuredPods: 1,
  });
});

describe('any pods', () => {
  const declared = fc.option(fc.nat(), { nil: undefined });
  const pods = fc.array(
    fc
      .record({
        workloads: fc.subarray([billing, everything]),
        containers: fc.dictionary(fc.constantFrom('app', 'log', 'proxy'), fc.integer({ min: -100, max: 2 ** 40 })),
        limitBytes: declared,
        requestBytes: declared,
        volumesPending: fc.boolean(),
      })
      .map((fields) => pod(fields)),
    { maxLength: 20 },
  );

  it('sums over nodes, groups of nodes and any order are those over all pods', () => {
    fc.assert(
      fc.property(pods, fc.integer({ min: 1, max: 7 }), (all, nodeCount) => {
        const nodes = Array.from({ length: nodeCount }, (_, node) =>
          sumPods(all.filter((_pod, index) => index % nodeCount === node)),
        );
        const half = Math.ceil(nodes.length / 2);
        const whole = sorted(sumPods(all));
        expect(sorted(merge(nodes))).toEqual(whole);
        expect(sorted(merge(nodes.toReversed()))).toEqual(whole);
        expect(sorted(merge([merge(nodes.slice(0, half)), merge(nodes.slice(half))]))).toEqual(whole);
      }),
    );
  });

  it('containers add up to the workload, and no pod exceeds its largest', () => {
    fc.assert(
      fc.property(pods, (all) => {
        const usage = sumPods(all).get(workloadKey(billing))?.usage;
        const own = all.flatMap((one) => (one.workloads.includes(billing) ? [one.summary.usedBytes ?? 0] : []));
        expect(usage?.usedBytes ?? 0).toBe(own.reduce((a, b) => a + b, 0));
        expect(usage?.podMaxUsedBytes).toBe(own.length === 0 ? undefined : Math.max(...own));
        expect(sumOf((usage?.containers ?? []).map(({ usedBytes }) => usedBytes))).toBe(usage?.usedBytes ?? 0);
      }),
    );
  });
});
