import { expect, it } from 'vitest';

import type { LimitReport } from '../../src/report/limit-report.js';
import { whatIf } from '../../src/report/what-if.js';
import { mib } from '../support/units.js';

const pod = { usedBytes: 100 * mib, dataState: 'fresh', dataAgeMs: 10_000 } as const;
const others = { limits: [] };
const growing = [0, 1, 2, 3].map((index) => ({ atMs: index * 10_000, usedBytes: (70 + index * 10) * mib }));

it.each([
  ['above the usage', 200 * mib, { ratio: 0.5, isEvicted: false, timeToLimitMs: 90_000 }],
  ['below the usage', 50 * mib, { ratio: 2, isEvicted: true, timeToLimitMs: 0 }],
  ['as large as the usage', 100 * mib, { ratio: 1, isEvicted: false }],
  ['of 0', 0, { ratio: Infinity, isEvicted: true, timeToLimitMs: 0 }],
  ['that is reached in more than a day', 2 ** 50, { isEvicted: false, timeToLimitMs: undefined }],
])('a limit %s', (_case, limit, expected) => {
  expect(whatIf(pod, { limit, samples: growing, unenforced: undefined, others })).toMatchObject(expected);
});

it('a limit with a fraction of a byte is compared exactly', () => {
  const limit = { roundedUp: 100 * mib, nanosBelow: 500_000_000 };
  expect(whatIf(pod, { limit, samples: [], unenforced: undefined, others })).toMatchObject({
    podLimitBytes: 100 * mib,
    isEvicted: true,
  });
});

it('the percentage is that of the limit that is shown, with separators', () => {
  const limit = { roundedUp: 1, nanosBelow: 900_000_000 };
  const { text, ratio } = whatIf(pod, { limit, samples: [], unenforced: undefined, others });
  expect([ratio, text]).toEqual([
    100 * mib,
    'With a limit of 1B: 100Mi is 10,485,760,000 % of it, and the kubelet evicts the pod.',
  ]);
});

it.each([
  ['is measured too seldom', { ...pod }, growing.slice(1)],
  ['does not grow', { ...pod }, growing.map((sample) => ({ ...sample, usedBytes: 5 }))],
  ['is on a silent node', { ...pod, dataState: 'absent' as const }, growing],
])('a pod that %s has no time to the limit', (_case, of, samples) => {
  expect(whatIf(of, { limit: 200 * mib, samples, unenforced: undefined, others }).timeToLimitMs).toBeUndefined();
});

it('a limit that never evicts evicts nobody, now or later', () => {
  const found = whatIf(pod, { limit: 50 * mib, samples: growing, unenforced: 'exempt', others });
  expect(found).toMatchObject({ ratio: 2, isEvicted: false, unenforced: 'exempt' });
  expect(found.timeToLimitMs).toBeUndefined();
  expect(whatIf(pod, { limit: 50 * mib, samples: growing, unenforced: 'rootfs_not_measured', others }).isEvicted).toBe(
    true,
  );
});

const index: LimitReport = {
  rule: 'emptydir',
  volume: 'index',
  usedBytes: 1_660 * mib,
  limitBytes: 2_048 * mib,
  ratio: 0.83,
};
const app: LimitReport = {
  rule: 'container',
  container: 'app',
  usedBytes: 10 * mib,
  limitBytes: 100 * mib,
  ratio: 0.1,
};
const ofPod: LimitReport = { rule: 'pod', usedBytes: 100 * mib, limitBytes: 110 * mib, ratio: 0.91 };
const soon = { rule: 'emptydir', volume: 'index', timeToLimitMs: 60_000 } as const;
const head = 'With a limit of 200Mi: 100Mi is 50 % of it; evicted in 1m30s if it goes on to grow 60Mi a minute.';

it.each([
  ['of a higher ratio', { limits: [app, index] }, ' But emptyDir index stays at 83 % of its 2Gi.'],
  [
    'that is exceeded before',
    { limits: [index, app], next: soon },
    ' But emptyDir index stays at 83 % of its 2Gi, exceeded in 1m.',
  ],
  [
    'that is exceeded before, though another has a higher ratio',
    { limits: [index, app], next: { rule: 'container', container: 'app', timeToLimitMs: 0 } },
    ' But container app stays at 10 % of its 100Mi, exceeded at any moment.',
  ],
  ['of a lower ratio', { limits: [app] }, ''],
  ['of a lower ratio that is exceeded later', { limits: [app], next: { ...soon, timeToLimitMs: 90_001 } }, ''],
  ['that is the one of the pod, which is replaced', { limits: [ofPod], next: { rule: 'pod', timeToLimitMs: 0 } }, ''],
  ['that evicts nobody', { limits: [{ ...index, unenforced: 'exempt' }] }, ''],
] as const)('another limit %s is named where it binds first', (_case, others, text) => {
  const found = whatIf(pod, { limit: 200 * mib, samples: growing, unenforced: undefined, others });
  expect(found.text).toBe(`${head}${text}`);
});

it('any use is above a limit of 0, in words', () => {
  const { text } = whatIf(
    { usedBytes: 100 * mib, dataState: 'fresh', dataAgeMs: 0 },
    { limit: 0, samples: [], unenforced: undefined, others: { limits: [] } },
  );
  expect(text).toBe('With a limit of 0B: 100Mi is above it, as any use is, and the kubelet evicts the pod.');
});
