import { expect, it } from 'vitest';

import type { EvictionThreshold } from '../../src/cluster/kubelet/kubelet-configuration.js';
import { firstThresholds, nodeThresholds } from '../../src/facts/node/node-thresholds.js';
import { anFsStats, aNodeSummary, aThreshold } from '../support/builders.js';

const stats = anFsStats({ availableBytes: 30, capacityBytes: 100, inodes: 9, inodesFree: 4 });

/** Signal, threshold and headroom. */
function headrooms(thresholds: readonly EvictionThreshold[] | undefined, nodefs = stats) {
  const summary = aNodeSummary({ nodefs, imagefs: stats, containerfs: stats });
  const node = { layout: 'shared', kubeletVersion: 'v1.37.1', operatingSystem: 'linux' } as const;
  return firstThresholds(nodeThresholds({ ...node, summary, thresholds })).map(({ signal, threshold, headroom }) => [
    signal,
    threshold,
    headroom,
  ]);
}

it.each([
  ['thresholds', []],
  ['hard thresholds', [aThreshold({ gracePeriodMs: 1000 })]],
])('there are no headrooms without %s', (_what, thresholds) => {
  expect(headrooms(thresholds)).toEqual([]);
});

it('there is one headroom for each signal of nodefs and imagefs with a threshold, also with an assumed one', () => {
  const thresholds = [
    aThreshold({ signal: 'nodefs.available', value: { amount: 10 } }),
    aThreshold({ signal: 'nodefs.inodesFree', value: { amount: 1 } }),
    aThreshold({ signal: 'imagefs.available', value: { ratio: 0.5 } }),
  ];
  expect(headrooms(thresholds)).toEqual([
    ['nodefs.available', 10, 20],
    ['nodefs.inodesFree', 1, 3],
    ['imagefs.available', 50, -20],
  ]);
  expect(headrooms(undefined)).toEqual([
    ['nodefs.available', 10, 20],
    ['nodefs.inodesFree', 0, 4],
    ['imagefs.available', 15, 15],
    ['imagefs.inodesFree', 0, 4],
  ]);
});

it('a headroom is that of the threshold that is crossed first, once where two are equal', () => {
  const thresholds = [7, 25, 12, 25].map((amount) => aThreshold({ value: { amount } }));
  expect(headrooms(thresholds)).toEqual([['nodefs.available', 25, 5]]);
});

it('a headroom is unknown where the summary does not report what is available', () => {
  const thresholds = [aThreshold({ value: { amount: 7 } })];
  expect(headrooms(thresholds, anFsStats())).toEqual([['nodefs.available', 7, undefined]]);
});
