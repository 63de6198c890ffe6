import { expect, it } from 'vitest';

import { evictionReport } from '../../src/report/eviction-report.js';
import { aLastUsage, anEvictionRecord } from '../support/eviction-builders.js';
import { mib } from '../support/units.js';

it('the report of an eviction has the cause, the place, and what was last measured', () => {
  expect(evictionReport(anEvictionRecord())).toEqual({
    namespace: 'shop',
    pod: 'cart-0',
    node: 'node-1',
    uid: 'uid-cart-0',
    labels: {},
    workloads: [{ workload: 'cart', workloadType: 'deployment', workloadNamespace: 'shop' }],
    cause: 'emptydir_limit',
    container: undefined,
    volume: 'data',
    limitBytes: 100 * mib,
    verdict: {
      kind: 'pods',
      text: 'Pod shop/cart-0 is the cause: emptyDir data above its size limit of 100Mi, 80Mi in the summary 20s before (kubelets measure volumes about once a minute). A limit of 2304Mi would have let it run for an hour more at its growth of 32.7Mi a minute: 100Mi + 60 × 32.7Mi, rounded up.',
      commands: [
        'ephemeral-storage-exporter explain eviction shop/cart-0',
        `kubectl patch -n shop deployment/cart --type=strategic -p '{"spec":{"template":{"spec":{"volumes":[{"name":"data","emptyDir":{"sizeLimit":"2304Mi"}}]}}}}'`,
      ],
    },
    message: 'Usage of EmptyDir volume "data" exceeds the limit "100Mi". ',
    evictedAtMs: Date.UTC(2026, 0, 1, 12),
    seenAtMs: Date.UTC(2026, 0, 1, 12) + 500,
    diskPressure: false,
    unknownUsageReason: undefined,
    lastUsage: {
      fetchedAtMs: Date.UTC(2026, 0, 1, 12) - 20_000,
      ageMs: 20_000,
      usedBytes: 90 * mib,
      isPending: false,
      components: { rootfs: 3000, logs: 1000, emptydir: 0, configmap: 0, other: 96 },
      containers: [{ container: 'main', usedBytes: 4096, rootfsBytes: 3000, logsBytes: 1000 }],
      volumes: [{ volume: 'data', type: 'emptydir', medium: '', usedBytes: 0, isCounted: true }],
      limits: [{ rule: 'emptydir', volume: 'data', usedBytes: 80 * mib, limitBytes: 100 * mib, ratio: 0.8 }],
      samples: [
        { atMs: Date.UTC(2026, 0, 1, 12) - 75_000, usedBytes: 60 * mib },
        { atMs: Date.UTC(2026, 0, 1, 12) - 20_000, usedBytes: 90 * mib },
      ],
      growthBytesPerSecond: 571_951,
      limitForAnHourBytes: 2_304 * mib,
    },
  });
});

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
