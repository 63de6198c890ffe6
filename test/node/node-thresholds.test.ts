import { describe, expect, it } from 'vitest';

import type { EvictionThreshold, ThresholdValue } from '../../src/cluster/kubelet/kubelet-configuration.js';
import type { FsStats } from '../../src/cluster/kubelet/summary.js';
import {
  firstThresholds,
  nodeThresholds,
  type NodeThresholdsInput,
  unsetSignals,
} from '../../src/facts/node/node-thresholds.js';
import { anFsStats, aNodeSummary, aThreshold } from '../support/builders.js';

const stats = anFsStats({ availableBytes: 30, capacityBytes: 100, inodes: 9, inodesFree: 4 });

function thresholds(overrides: Partial<NodeThresholdsInput>) {
  return nodeThresholds({
    summary: aNodeSummary({ nodefs: stats, imagefs: stats, containerfs: stats }),
    layout: 'shared',
    thresholds: undefined,
    kubeletVersion: 'v1.37.1',
    operatingSystem: 'linux',
    ...overrides,
  });
}

function ofNodefs(nodefs: Partial<FsStats>, value: ThresholdValue, rest: Partial<EvictionThreshold> = {}) {
  const summary = aNodeSummary({ nodefs: anFsStats(nodefs), imagefs: undefined, containerfs: undefined });
  return thresholds({ summary, thresholds: [aThreshold({ ...rest, value })] })[0];
}

describe('unsetSignals', () => {
  const unset = (signals: readonly EvictionThreshold['signal'][], overrides: Partial<NodeThresholdsInput> = {}) =>
    unsetSignals({
      summary: aNodeSummary({ nodefs: stats, imagefs: stats, containerfs: stats }),
      layout: 'shared',
      thresholds: signals.map((signal) => aThreshold({ signal })),
      kubeletVersion: 'v1.37.1',
      operatingSystem: 'linux',
      ...overrides,
    }).join(' ');
  const all = 'nodefs.available nodefs.inodesFree imagefs.available imagefs.inodesFree';
  const ofNodefs = ['nodefs.available', 'nodefs.inodesFree'] as const;
  const [ofImagefs, ofBytes] = ['imagefs.available imagefs.inodesFree', 'nodefs.available imagefs.available'];
  const withoutInodes = anFsStats({ availableBytes: 30, capacityBytes: 100, inodes: 0, inodesFree: 0 });
  const inodeless = aNodeSummary({ nodefs: withoutInodes, imagefs: withoutInodes });

  it.each<[string, string, string]>([
    ['none', unset([]), all],
    ['an unknown configuration', unset([], { thresholds: undefined }), ''],
    ['those of nodefs where images share it', unset(ofNodefs), ''],
    ['those of imagefs that is nodefs', unset(['imagefs.available']), 'nodefs.inodesFree imagefs.inodesFree'],
    ['those of nodefs beside a disk of images', unset(ofNodefs, { layout: 'dedicated' }), ofImagefs],
    ['those of nodefs beside a part of it', unset(ofNodefs, { layout: 'split' }), ofImagefs],
    ['none before 1.30', unset([], { kubeletVersion: 'v1.29.9' }), all.replace(' imagefs.inodesFree', '')],
    ['none on Windows', unset([], { operatingSystem: 'windows' }), ofBytes],
    ['none on a filesystem without inodes', unset([], { summary: inodeless }), ofBytes],
  ])('the signals without a threshold are those that bound no disk: %s', (_case, found, expected) => {
    expect(found).toBe(expected);
  });
});

describe('nodeThresholds: assumed', () => {
  const assumed = (overrides: Partial<NodeThresholdsInput>) =>
    thresholds(overrides).map(({ signal, threshold, isAssumed }) => [signal, threshold, isAssumed]);

  it.each([
    ['v1.29.9', ['nodefs.available', 'nodefs.inodesFree', 'imagefs.available', 'containerfs.available']],
    ['v1.28.1', ['nodefs.available', 'nodefs.inodesFree', 'imagefs.available']],
  ])('the thresholds assumed before 1.30 lack one for the inodes of imagefs: %s', (kubeletVersion, expected) => {
    const signals = assumed({ kubeletVersion, layout: 'dedicated' }).map(([signal]) => signal);
    expect(signals).toEqual(expected);
  });

  it('the thresholds assumed on Windows are about bytes only', () => {
    expect(assumed({ operatingSystem: 'windows' }).map(([signal]) => signal)).toEqual([
      'nodefs.available',
      'imagefs.available',
      'containerfs.available',
    ]);
  });
});

const sized = { availableBytes: 5, capacityBytes: 9 };

it.each<[string, Partial<FsStats>, ThresholdValue, object]>([
  ['an amount', sized, { amount: 7 }, { threshold: 7, headroom: -2, isCrossed: true }],
  ['what is available', sized, { amount: 5 }, { threshold: 5, headroom: 0, isCrossed: false }],
  ['an amount, size unknown', { availableBytes: 5 }, { amount: 2 }, { threshold: 2, headroom: 3, isCrossed: false }],
  ['an amount, nothing known', {}, { amount: 2 }, { threshold: 2, headroom: undefined, isCrossed: false }],
  ['a ratio, size unknown', { availableBytes: 5 }, { ratio: 0.5 }, { threshold: undefined, headroom: undefined }],
  ['a ratio, rounded towards zero', sized, { ratio: 0.5 }, { threshold: 4, headroom: 1 }],
  ['a fraction', sized, { amount: { roundedUp: 6, nanosBelow: 1 } }, { threshold: 6, isCrossed: true }],
])('a threshold has its value, its headroom and its state: %s', (_case, nodefs, value, expected) => {
  expect(ofNodefs(nodefs, value)).toMatchObject({ ...expected, isAssumed: false });
});

/** Signal, threshold and headroom. */
function headrooms(configured: readonly EvictionThreshold[] | undefined, nodefs = stats) {
  const summary = aNodeSummary({ nodefs, imagefs: stats, containerfs: stats });
  return firstThresholds(thresholds({ summary, thresholds: configured })).map(({ signal, threshold, headroom }) => [
    signal,
    threshold,
    headroom,
  ]);
}

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
