import { expect, it } from 'vitest';

import type { EvictionThreshold } from '../../src/cluster/kubelet/kubelet-configuration.js';
import type { FsStats } from '../../src/cluster/kubelet/summary.js';
import { evictionHeadrooms, nodeThresholds } from '../../src/facts/node/node-thresholds.js';
import { anFsStats, aNodeSummary, aThreshold } from '../support/builders.js';

const stats = anFsStats({ availableBytes: 30, capacityBytes: 100, inodes: 9, inodesFree: 4 });

function headrooms(thresholds: readonly EvictionThreshold[] | undefined, nodefs: FsStats | undefined = stats) {
  const summary = aNodeSummary({ nodefs, imagefs: stats, containerfs: stats });
  return evictionHeadrooms(
    nodeThresholds({ summary, layout: 'shared', thresholds, kubeletVersion: 'v1.37.1', operatingSystem: 'linux' }),
  );
}

it.each([
  ['a known configuration', undefined],
  ['thresholds', []],
  ['hard thresholds', [aThreshold({ gracePeriodMs: 1000 })]],
])('there are no headrooms without %s', (_what, thresholds) => {
  expect(headrooms(thresholds)).toEqual([]);
});

it('there is one headroom for each filesystem with thresholds of its own', () => {
  const thresholds = [
    aThreshold({ signal: 'nodefs.available', value: { amount: 10 } }),
    aThreshold({ signal: 'nodefs.inodesFree', value: { amount: 1 } }),
    aThreshold({ signal: 'imagefs.available', value: { ratio: 0.5 } }),
  ];
  expect(headrooms(thresholds)).toEqual([
    { filesystem: 'nodefs', thresholdBytes: 10, headroomBytes: 20, thresholdInodes: 1, headroomInodes: 3 },
    {
      filesystem: 'imagefs',
      thresholdBytes: 50,
      headroomBytes: -20,
      thresholdInodes: undefined,
      headroomInodes: undefined,
    },
  ]);
});

it('a headroom is that of the threshold that is crossed first', () => {
  const thresholds = [7, 25, 12].map((amount) => aThreshold({ value: { amount } }));
  expect(headrooms(thresholds)).toMatchObject([{ thresholdBytes: 25, headroomBytes: 5 }]);
});

it('a headroom is unknown where the summary does not report what is available', () => {
  expect(headrooms([aThreshold({ value: { amount: 7 } })], anFsStats())).toMatchObject([
    { thresholdBytes: 7, headroomBytes: undefined },
  ]);
});
