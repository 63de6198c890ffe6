import { expect, it } from 'vitest';

import { whatIf } from '../../src/report/what-if.js';
import { mib } from '../support/units.js';

const pod = { usedBytes: 100 * mib, dataState: 'fresh', dataAgeMs: 10_000 } as const;
const growing = [0, 1, 2, 3].map((index) => ({ atMs: index * 10_000, usedBytes: (70 + index * 10) * mib }));

it.each([
  ['above the usage', 200 * mib, { ratio: 0.5, isEvicted: false, timeToLimitMs: 90_000 }],
  ['below the usage', 50 * mib, { ratio: 2, isEvicted: true, timeToLimitMs: 0 }],
  ['as large as the usage', 100 * mib, { ratio: 1, isEvicted: false }],
  ['of 0', 0, { ratio: Infinity, isEvicted: true, timeToLimitMs: 0 }],
  ['that is reached in more than a day', 2 ** 50, { isEvicted: false, timeToLimitMs: undefined }],
])('a limit %s', (_case, limit, expected) => {
  expect(whatIf(pod, { limit, samples: growing, unenforced: undefined })).toMatchObject(expected);
});

it('a limit with a fraction of a byte is compared exactly', () => {
  const limit = { roundedUp: 100 * mib, nanosBelow: 500_000_000 };
  expect(whatIf(pod, { limit, samples: [], unenforced: undefined })).toMatchObject({
    podLimitBytes: 100 * mib,
    isEvicted: true,
  });
});

it.each([
  ['is measured too seldom', { ...pod }, growing.slice(1)],
  ['does not grow', { ...pod }, growing.map((sample) => ({ ...sample, usedBytes: 5 }))],
  ['is on a silent node', { ...pod, dataState: 'absent' as const }, growing],
])('a pod that %s has no time to the limit', (_case, of, samples) => {
  expect(whatIf(of, { limit: 200 * mib, samples, unenforced: undefined }).timeToLimitMs).toBeUndefined();
});

it('a limit that never evicts evicts nobody, now or later', () => {
  const found = whatIf(pod, { limit: 50 * mib, samples: growing, unenforced: 'exempt' });
  expect(found).toMatchObject({ ratio: 2, isEvicted: false, unenforced: 'exempt' });
  expect(found.timeToLimitMs).toBeUndefined();
  expect(whatIf(pod, { limit: 50 * mib, samples: growing, unenforced: 'rootfs_not_measured' }).isEvicted).toBe(true);
});
