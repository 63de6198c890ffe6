import { expect, it } from 'vitest';

import type { WorkloadSnapshot } from '../../src/facts/workload/workload-partial.js';
import { evictionHint, evictionReport } from '../../src/people/report/eviction-report.js';
import type { LimitReport } from '../../src/people/report/limit-report.js';
import type { PodReport } from '../../src/people/report/pod-report.js';
import { workloadVerdict } from '../../src/people/report/pod-verdict.js';
import { workloadReport } from '../../src/people/report/workload-report.js';
import { aLastUsage, anEvictionRecord } from '../support/eviction-builders.js';
import { aContainerUsage, aDeployment, aPodUsage, aWorkloadSnapshot } from '../support/snapshot-builders.js';
import { aPodStatus } from '../support/status-builders.js';
import { gib, mib } from '../support/units.js';

const of = (
  overrides: Partial<WorkloadSnapshot>,
  nearCount = 0,
  eviction?: Parameters<typeof workloadVerdict>[2],
  first?: PodReport,
) =>
  workloadVerdict(
    workloadReport(aWorkloadSnapshot({ workload: aDeployment('cart'), ...overrides })),
    { items: first === undefined ? [] : [first], totalCount: nearCount },
    eviction,
  );

it.each([
  ['all of whose pods are measured', {}, 0, { kind: 'complete', text: '4Ki in 1 pod; the largest uses 4Ki.' }],
  [
    'with a pod near a limit',
    {},
    1,
    { kind: 'near', text: '4Ki in 1 pod; the largest uses 4Ki. 1 of them is near a limit.' },
  ],
  [
    'with missing pods',
    { complete: false, expectedPods: 3 },
    0,
    {
      kind: 'incomplete',
      text: 'Incomplete, at least 4Ki: 1 of 3 pods measured; of those, the largest uses 4Ki.',
    },
  ],
  [
    'with volumes that are missing',
    { complete: false },
    0,
    {
      kind: 'incomplete',
      text: 'Incomplete, at least 4Ki: pods or volumes are not measured; of those, the largest uses 4Ki.',
    },
  ],
  [
    'without a sum',
    { complete: false, usage: undefined, expectedPods: 2, measuredPods: 0, backoffMs: 30_000 },
    0,
    { kind: 'incomplete', text: 'No sum: 0 of 2 pods measured. It is collected again in 30s.' },
  ],
  [
    'that has only a pod near a limit, which is not counted yet',
    { complete: false, usage: undefined, expectedPods: 0, measuredPods: 0 },
    1,
    { kind: 'near', text: 'No sum: 0 of 0 pods measured. 1 of them is near a limit.' },
  ],
  [
    'without pods',
    { complete: false, expectedPods: 0, measuredPods: 0 },
    0,
    { kind: 'empty', text: 'No pods are expected or measured.' },
  ],
] as const)('the verdict of a workload %s', (_case, overrides, nearCount, expected) => {
  expect(of(overrides, nearCount)).toMatchObject(expected);
});

it('a workload without pods is described, and names its last eviction; one with pods does not', () => {
  const record = anEvictionRecord({ cause: 'node_bytes' });
  const eviction = { ...evictionReport(record), ageMs: 180_000 };
  expect(of({ complete: false, expectedPods: 0, measuredPods: 0 }, 0, eviction)).toEqual({
    kind: 'empty',
    text: 'No pods are expected or measured. Pod shop/cart-0 was evicted 3m ago: node low on disk space.',
    commands: [
      'kubectl ephemeral-storage explain workload shop/deployment/cart',
      'kubectl describe -n shop deployment/cart',
      'kubectl ephemeral-storage explain eviction shop/cart-0',
    ],
  });
  expect(of({}, 0, eviction)).toEqual(of({}));
});

it.each([
  [
    1,
    1_076_011_008,
    '1 of them is above a limit: shop/cart-0, container app uses 1,076,011,008 bytes of its limit of 1Gi.',
  ],
  [1, 900 * mib, '1 of them is near a limit: shop/cart-0, container app uses 900Mi of its limit of 1Gi.'],
  [
    2,
    2 * gib,
    '2 of them are near a limit or above it; above a limit: shop/cart-0, container app uses 2Gi of its limit of 1Gi.',
  ],
])('a workload of which %i pods are near a limit names the first one, with %i bytes', (count, usedBytes, text) => {
  const limit = { rule: 'container', container: 'app', usedBytes, limitBytes: gib, ratio: usedBytes / gib } as const;
  const first = aPodStatus({ pod: 'cart-0', standing: usedBytes > gib ? 'above' : 'near', nearestLimit: limit });
  expect(of({}, count, undefined, first).text).toBe(`4Ki in 1 pod; the largest uses 4Ki. ${text}`);
});

it('a workload near the limit that a pod was evicted for has the advice of that eviction, one near another has not', () => {
  const limit = { rule: 'emptydir', container: undefined, volume: 'data', usedBytes: 90 * mib, limitBytes: 100 * mib };
  const first = (overrides: object) =>
    aPodStatus({ nearestLimit: { ...limit, ratio: 0.9, ...overrides } as LimitReport });
  const [explain, edit] = of({}, 1).commands;
  const evicted = { ...evictionReport(anEvictionRecord()), ageMs: 180_000 };
  const raised = of({}, 1, evicted, first({}));
  expect(raised.commands).toEqual([explain, ...(evicted.verdict?.commands ?? [])]);
  expect(raised.commands[2]).toContain('"sizeLimit":"2304Mi"');
  expect(raised.text).toMatch(/ Pod shop\/cart-0 was evicted 3m ago: .* Raise sizeLimit of the emptyDir, or /);
  expect(of({}, 1, evicted, first({ volume: 'tmp' })).commands).toEqual([explain, edit]);
  expect(of({}, 1, evicted, first({ rule: 'pod', volume: undefined })).commands).toEqual([explain, edit]);
  expect(of({}, 0, evicted).commands).toEqual([explain]);
  const containers = [aContainerUsage({ name: 'app', rootfsBytes: mib, logsBytes: gib })];
  const lastUsage = aLastUsage({ limitForAnHourBytes: undefined, usage: aPodUsage({ usedBytes: gib, containers }) });
  const ofLogs = evictionReport(anEvictionRecord({ cause: 'pod_limit', volume: '', lastUsage }));
  const logs = of({}, 1, { ...ofLogs, ageMs: 180_000 }, first({ rule: 'pod', volume: undefined }));
  expect(logs.text).toContain(evictionHint(ofLogs));
  expect(logs.text).toContain('Have container app log less');
  expect(logs.commands).toContain('kubectl logs -n shop deployment/cart -c app --tail=20');
});
