import { describe, expect, it } from 'vitest';

import type { EvictionRecord } from '../../src/facts/history/eviction-record.js';
import { evictionReport, evictionReports } from '../../src/people/report/eviction-report.js';
import { aLastUsage, anEvictionRecord } from '../support/eviction-builders.js';
import { aDeployment, aLimitRatio, aPodUsage, aVolumeUsage } from '../support/snapshot-builders.js';
import { gib, mib } from '../support/units.js';

it('the report of an eviction shows why nothing was measured', () => {
  const report = evictionReport(anEvictionRecord({ lastUsage: 'before_start' }));
  expect([report.lastUsage, report.unknownUsageReason]).toEqual([undefined, 'before_start']);
});

it('the report of an eviction has no total where the kubelet reported none, and no age below 0', () => {
  const lastUsage = aLastUsage({ usage: undefined, fetchedAtMs: Date.UTC(2026, 0, 1, 12) + 400 });
  expect(evictionReport(anEvictionRecord({ lastUsage })).lastUsage).toMatchObject({
    ageMs: 0,
    usedBytes: undefined,
    containers: [],
    limits: [{ ratio: 0.8 }],
  });
});

it('a volume in memory is listed for the evicted pod, and is not said to count', () => {
  const usage = aPodUsage({ volumes: [aVolumeUsage({ name: 'shm', medium: 'Memory' })] });
  expect(evictionReport(anEvictionRecord({ lastUsage: aLastUsage({ usage }) })).lastUsage?.volumes).toMatchObject([
    { volume: 'shm', medium: 'Memory', isCounted: false },
  ]);
});

describe('the evictions of one workload', () => {
  const evictionOf = (pod: string, limitMib: number | undefined, overrides: Partial<EvictionRecord> = {}) =>
    anEvictionRecord({ pod, lastUsage: aLastUsage({ limitForAnHourBytes: limitMib && limitMib * mib }), ...overrides });
  const ratio = { rule: 'emptydir', volume: 'data', usedBytes: 90 * mib, limitBytes: 100 * mib } as const;
  const leak = aLastUsage({
    limitForAnHourBytes: undefined,
    ratios: [aLimitRatio(ratio)],
    growthBytesPerSecond: mib / 2,
  });
  const refused = (pod: string, used: string, capacityBytes: number): EvictionRecord => {
    const message = `The node was low on resource: ephemeral-storage. Threshold quantity: 10Gi, available: 9Gi. Container app was using ${used}, request is 0, has larger consumption of ephemeral-storage. `;
    const lastUsage = aLastUsage({ nodeCapacityBytes: capacityBytes });
    return evictionOf(pod, undefined, { cause: 'node_bytes', volume: '', limitBytes: undefined, message, lastUsage });
  };
  const sizesOf = (records: readonly EvictionRecord[]) =>
    evictionReports(records).map(({ verdict }) => /\d+[MG]i/.exec(verdict?.commands.at(-1) ?? '')?.[0]);

  const a = evictionOf('a', 200);
  const ofWeb = { workloads: [aDeployment('web')] };
  const moved = refused('a', '2Gi', 40 * gib);

  it.each<[string, readonly EvictionRecord[], readonly (string | undefined)[]]>([
    ['is the one that holds for all', [a, evictionOf('a', 300), evictionOf('a', 250)], Array(3).fill('300Mi')],
    ['is for one volume', [a, evictionOf('b', 300, { volume: 'logs' })], ['200Mi', '300Mi']],
    ['is none of another workload', [a, evictionOf('b', 300, ofWeb)], ['200Mi', '300Mi']],
    ['is none where one of them leaks', [a, evictionOf('b', 0, { lastUsage: leak })], [undefined, undefined]],
    ['is not for an unknown one', [a, evictionOf('b', 0, { lastUsage: 'no_exporter' })], ['200Mi', undefined]],
    ['of a request is the one that holds for all', [moved, refused('b', '3Gi', 40 * gib)], ['3Gi', '3Gi']],
    ['of a request is none above a tenth of a disk', [moved, refused('b', '5Gi', 40 * gib)], [undefined, undefined]],
  ])('their limit %s', (_what, records, sizes) => {
    expect(sizesOf(records)).toEqual(sizes);
    expect(sizesOf(records.toReversed())).toEqual(sizes.toReversed());
  });

  it('the text of each names the pod that needs most', () => {
    const [a, b] = evictionReports([evictionOf('a', 200), evictionOf('b', 300)]).map(
      ({ verdict }) => verdict?.text ?? '',
    );
    expect(a).toContain(
      'A limit of 300Mi would have let all evicted pods of its workload run for an hour more; b needs most, at its growth of 32.7Mi a minute: 100Mi + 60 × 32.7Mi, rounded up.',
    );
    expect(b).toContain('A limit of 300Mi would have let it run for an hour more at its growth');
    const [ofLeak] = evictionReports([evictionOf('a', 200), evictionOf('b', 0, { lastUsage: leak })]);
    expect(ofLeak?.verdict?.text).toContain(
      'Pod b leaks 30Mi a minute: no limit holds that, so look at what it writes.',
    );
  });
});
