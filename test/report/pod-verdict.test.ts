import { describe, expect, it } from 'vitest';

import type { Pod } from '../../src/cluster/kube/objects.js';
import type { UsageSample } from '../../src/cluster/kubelet/lookup.js';
import { podStanding } from '../../src/facts/node/standing.js';
import type { UnenforcedReason } from '../../src/facts/node/unenforced-limits.js';
import { evictionReport } from '../../src/people/report/eviction-report.js';
import type { LimitReport } from '../../src/people/report/limit-report.js';
import { podSpecReport, unmeasuredPodReport } from '../../src/people/report/pod-report.js';
import { evictedVerdict, podVerdict } from '../../src/people/report/pod-verdict.js';
import { aContainer, aMount, aPod } from '../support/builders.js';
import { anEvictionRecord } from '../support/eviction-builders.js';
import { aDeployment, aMeasuredPod, aPodUsage, noForecasts } from '../support/snapshot-builders.js';
import { aPodStatus } from '../support/status-builders.js';
import { mib } from '../support/units.js';

const id = { namespace: 'shop', name: 'cart-0' };
const cart = { workload: 'cart', workloadType: 'deployment', workloadNamespace: 'shop' };
const pod = aPod({ ...id, containers: [aContainer({ name: 'app', mounts: [aMount('cache', '/var/my cache')] })] });

const limit = (usedMib: number, more: Partial<LimitReport> = {}): LimitReport => ({
  rule: 'container',
  container: 'app',
  usedBytes: usedMib * mib,
  limitBytes: 100 * mib,
  ratio: usedMib / 100,
  ...more,
});

interface Found {
  readonly isPending?: boolean;
  readonly timeMs?: number;
}

/** Of a pod with these limits; a forecast is about the first of them. */
function standingOf(limits: readonly LimitReport[], { isPending = false, timeMs }: Found = {}) {
  const ratios = limits.map(({ container = '', volume = '', unenforced, ...of }) => ({
    ...of,
    container,
    volume,
    unenforced,
  }));
  const record = aMeasuredPod({ pod, ratios, usage: aPodUsage({ volumesPending: isPending }) });
  const { rule, container, volume } = ratios[0] ?? { rule: 'pod', container: '', volume: '' };
  const forecast = { rule, container, volume, reachedAtMs: timeMs ?? 0, endsAtMs: Infinity };
  const pods = new Map(timeMs === undefined ? [] : [[record.summary.uid, forecast]]);
  return podStanding({ state: 'fresh', snapshot: { forecasts: { ...noForecasts, pods } }, ageMs: 0 }, record, ratios);
}

function judge(
  limits: readonly LimitReport[],
  overrides: Parameters<typeof aPodStatus>[0] = {},
  timeMs?: number,
  samples: readonly UsageSample[] = [],
) {
  const report = {
    ...aPodStatus({ pod: id.name, hasLimits: limits.length > 0, workloads: [cart], usedBytes: 4 * mib, ...overrides }),
    spec: podSpecReport(pod),
  };
  const standing = standingOf(limits, {
    isPending: report.state === 'pending',
    ...(timeMs === undefined ? {} : { timeMs }),
  });
  return podVerdict({ report, limits, standing, samples, pod, eviction: undefined });
}

describe('the verdict of a pod', () => {
  it.each([
    [
      'above a limit',
      [limit(101)],
      'above',
      'Above a limit: container app uses 101Mi of its limit of 100Mi. The kubelet evicts the pod.',
    ],
    [
      'just above a limit, in bytes',
      [limit(100, { usedBytes: 100 * mib + 1, ratio: 1.0000001 })],
      'above',
      'Above a limit: container app uses 104,857,601 bytes of its limit of 100Mi. The kubelet evicts the pod.',
    ],
    [
      'near a limit',
      [limit(80)],
      'near',
      'Near a limit: container app uses 80Mi of its limit of 100Mi. Its growth is not known: it was measured less than twice.',
    ],
    [
      'above half a byte',
      [limit(101, { limitBytes: 1, limitQuantity: '500m', ratio: 2e8 })],
      'above',
      'Above a limit: container app uses 101Mi of its limit of 500m. The kubelet evicts the pod.',
    ],
    ['far from one', [limit(79)], 'within', 'Within its limits: container app uses 79Mi of its limit of 100Mi.'],
    ['without limits', [], 'unbounded', 'No limit bounds it: it may fill the disk of its node. It uses 4Mi.'],
    [
      'above two limits',
      [limit(150, { rule: 'emptydir', container: undefined, volume: 'cache' }), limit(200)],
      'above',
      'Above a limit: emptyDir cache uses 150Mi of its size limit of 100Mi. The kubelet evicts the pod.',
    ],
    [
      'exactly at a limit',
      [limit(100)],
      'near',
      'Near a limit: container app uses 100Mi of its limit of 100Mi. Its growth is not known: it was measured less than twice.',
    ],
  ] as const)('a pod %s', (_case, limits, kind, text) => {
    expect(judge(limits)).toMatchObject({ kind, text });
  });

  it.each<[UnenforcedReason, string, RegExp]>([
    ['exempt', 'unenforced', /^None of its limits evicts it: static or critical pod\. It uses 4Mi\.$/],
    ['memory_medium', 'unenforced', /^None of its limits evicts it: in memory, cannot hold more\./],
    ['dedicated_imagefs', 'unknown', /only a part of what it writes is compared \(writable layers not compared\)/],
  ])('a limit that is not enforced, because of %s, is never a good sign: %s', (unenforced, kind, text) => {
    expect(judge([limit(50, { unenforced })])).toMatchObject({ kind, text: expect.stringMatching(text) as unknown });
  });

  it('a limit that never evicts hides no other one, however far above it the usage is', () => {
    expect(judge([limit(300, { unenforced: 'memory_medium' }), limit(81)])).toMatchObject({ kind: 'near' });
  });

  it('limits that a kubelet compares none of evict nobody', () => {
    expect(judge([], { hasLimits: true }).text).toBe(
      'None of its limits evicts it: its kubelet enforces none. It uses 4Mi.',
    );
  });

  it.each([
    [0, 60, 'near', 'Evicted at any moment if it goes on to grow: container app'],
    [60_000, 60, 'near', 'Evicted in 1m if it goes on to grow: container app'],
    [7_200_000, 60, 'within', 'Evicted in 2h if it goes on to grow: container app'],
    [7_200_000, 85, 'near', 'Evicted in 2h if it goes on to grow: container app'],
  ])('a pod that reaches a limit in %i ms at %i %% is %s', (timeToLimitMs, used, kind, text) => {
    const found = judge([limit(used), limit(1, { rule: 'pod', container: undefined })], {}, timeToLimitMs);
    expect(found).toMatchObject({ kind, text: expect.stringContaining(text) as unknown });
  });

  it('growth towards a limit that sees only a part is no good sign, however far the limit is', () => {
    expect(judge([limit(60, { unenforced: 'dedicated_imagefs' })], {}, 7_200_000).kind).toBe('unknown');
  });

  it('a pod of a silent node is told as last known, with age and reason, and asks for its node', () => {
    const silent = { dataState: 'absent', dataAgeMs: 300_000, absenceReason: 'timeout' } as const;
    expect(judge([limit(90)], silent)).toEqual({
      kind: 'near',
      text: 'No data from node node-1 (timeout). As last known 5m ago: near a limit: container app uses 90Mi of its limit of 100Mi. Its growth is not known: it was measured less than twice.',
      commands: ['kubectl ephemeral-storage explain node node-1'],
    });
  });

  it('a pod of a silent node has how it grew, and no reason why nothing is forecast', () => {
    const silent = { dataState: 'absent', dataAgeMs: 300_000, absenceReason: 'timeout' } as const;
    const samples = [0, 1, 2, 3].map((minute) => ({ atMs: minute * 60_000, usedBytes: (80 + minute) * mib }));
    expect(judge([limit(83)], silent, undefined, samples).text).toMatch(/limit of 100Mi\. It grew 1Mi a minute\.$/);
    expect(judge([limit(83)], {}, undefined, samples).text).toContain('No forecast: ');
  });

  it('old data is said to be old', () => {
    expect(judge([limit(10)], { dataState: 'stale', dataAgeMs: 70_000 }).text).toMatch(/The data is 1m10s old\.$/);
  });

  it('a pod of which a limit counts what is unknown is not within its limits', () => {
    expect(judge([limit(10)], { hasUnknownUsage: true })).toMatchObject({
      kind: 'unknown',
      text: expect.stringContaining('impossible size of what a limit counts') as unknown,
    });
    expect(judge([limit(90)], { hasUnknownUsage: true })).toMatchObject({ kind: 'near' });
  });

  it('a pod whose volumes are not measured is not within its limits', () => {
    expect(judge([limit(10)], { state: 'pending' })).toMatchObject({
      kind: 'unknown',
      text: expect.stringContaining('at least 4Mi') as unknown,
    });
    expect(judge([limit(90)], { state: 'pending' })).toMatchObject({ kind: 'near' });
  });

  it('a pod that the API server does not know has unknown limits', () => {
    expect(judge([], { isKnown: false, hasLimits: undefined })).toMatchObject({ kind: 'unknown' });
  });

  it('a pod that has ended still holds what it wrote', () => {
    const ended = { ...pod, phase: 'Succeeded' };
    const report = { ...aPodStatus({ pod: id.name }), spec: podSpecReport(ended) };
    const found = podVerdict({ report, limits: [], standing: undefined, samples: [], pod: ended, eviction: undefined });
    expect(found).toMatchObject({ kind: 'ended', text: expect.stringContaining('(phase Succeeded)') as unknown });
  });
});

describe('a pod without figures', () => {
  const lack = (of: Pod, limits: readonly LimitReport[] = []) => {
    const found = { pod: of, workloads: [aDeployment('cart')] };
    const report = unmeasuredPodReport(found, { reason: 'it hangs.', isExpected: true });
    return podVerdict({ report, limits, standing: standingOf(limits), samples: [], pod: of, eviction: undefined });
  };

  it('a pod without figures says why, and what to look at', () => {
    expect(lack(pod)).toEqual({
      kind: 'unknown',
      text: 'Not measured: it hangs.',
      commands: ['kubectl ephemeral-storage explain node node-1', 'kubectl describe pod -n shop cart-0'],
    });
    expect(lack({ ...pod, nodeName: undefined }).commands).toEqual(['kubectl describe pod -n shop cart-0']);
  });

  it('a pod without a total may be above the limit of a volume', () => {
    expect(lack(pod, [limit(150, { rule: 'emptydir', container: undefined, volume: 'cache' })]).kind).toBe('above');
  });

  it('a pod that was evicted has the verdict of its eviction, once it has ended', () => {
    const eviction = evictionReport(anEvictionRecord());
    const failed = { ...pod, phase: 'Failed' };
    const report = unmeasuredPodReport({ pod: failed, workloads: [] }, { reason: 'evicted', isExpected: false });
    const found = podVerdict({ report, limits: [], standing: undefined, samples: [], pod: failed, eviction });
    expect(found).toEqual({
      kind: 'evicted',
      text: `Evicted. ${eviction.verdict?.text ?? ''}`,
      commands: eviction.verdict?.commands,
    });
  });
});

it('a pod that was evicted for its node leads to the explanation of its eviction', () => {
  const eviction = evictionReport(anEvictionRecord({ cause: 'node_bytes', volume: '' }));
  expect(evictedVerdict(eviction).commands).toEqual([
    'kubectl ephemeral-storage explain eviction shop/cart-0',
    'kubectl ephemeral-storage explain node node-1',
  ]);
});

describe('the commands for a pod that is near a limit', () => {
  it.each([
    [limit(90), 'kubectl ephemeral-storage explain pod shop/cart-0 --directories -c app'],
    [
      limit(90, { rule: 'emptydir', container: undefined, volume: 'cache' }),
      'kubectl ephemeral-storage explain pod shop/cart-0 --directories',
    ],
  ])('they look where the limit counts, and lead to its owner', (of, look) => {
    expect(judge([of]).commands).toEqual([
      'kubectl ephemeral-storage explain pod shop/cart-0',
      look,
      'kubectl edit -n shop deployment/cart',
    ]);
  });

  it('hostile names are one word of the command each', () => {
    const { commands } = judge([limit(10)], { namespace: '$(id)', pod: '; rm -rf /' });
    expect(commands).toEqual(["kubectl ephemeral-storage explain pod '$(id)/; rm -rf /'"]);
  });
});
