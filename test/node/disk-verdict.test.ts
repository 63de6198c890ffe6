import { expect, it } from 'vitest';

import { evictionVerdict } from '../../src/facts/node/disk-verdict.js';
import { nodeThresholds } from '../../src/facts/node/node-thresholds.js';
import { aContainerSummary, anFsStats, aNodeSummary, aPod, aPodSummary, aThreshold } from '../support/builders.js';
import { aNodeSnapshot, aNodeThreshold } from '../support/snapshot-builders.js';

const stats = anFsStats({
  capacityBytes: 10_000,
  availableBytes: 9_000,
  usedBytes: 1_000,
  inodes: 1_000,
  inodesFree: 900,
});
const minReclaim = { amount: 50 };

function shortageOf(
  named: { readonly threshold: number; readonly available: number } | undefined,
  { ofInodes = false, isAssumed = false, availableBytes = 3_000 } = {},
) {
  const imagefs = { ...stats, capacityBytes: 20_000, availableBytes };
  const summary = aNodeSummary({ nodefs: stats, imagefs });
  const thresholds = nodeThresholds({
    kubeletVersion: 'v1.37.1',
    operatingSystem: 'linux',
    summary,
    layout: 'dedicated',
    thresholds: [
      aThreshold({ value: { amount: 400 }, minReclaim }),
      aThreshold({ signal: 'imagefs.available', value: { amount: 2_000 } }),
      aThreshold({ signal: 'nodefs.inodesFree', value: { amount: 100 } }),
    ],
  }).map((threshold) => ({ ...threshold, isAssumed }));
  const snapshot = aNodeSnapshot({
    summary,
    layout: { hasDedicatedImagefs: true, hasSplitImagefs: false },
    thresholds,
  });
  return evictionVerdict(snapshot, { ofInodes, named }, { samplesOf: () => [] })?.shortage;
}

it('the verdict of an eviction is about the threshold that the message names, with its reclaim', () => {
  expect(shortageOf({ threshold: 400, available: 300 })).toMatchObject({
    signal: 'nodefs.available',
    filesystem: 'nodefs',
    state: 'evicting',
    threshold: 400,
    available: 300,
    missing: 150,
  });
});

it('the verdict of an eviction is about the nearest threshold where the message names another one or none', () => {
  expect(shortageOf({ threshold: 2_500, available: 2_400 })).toMatchObject({
    signal: 'imagefs.available',
    threshold: 2_500,
    missing: 100,
  });
});

it('the verdict of an eviction assumes nothing where the message names the threshold', () => {
  expect(shortageOf({ threshold: 400, available: 300 }, { isAssumed: true })?.isAssumed).toBe(false);
  expect(shortageOf(undefined, { isAssumed: true, availableBytes: 1_999 })).toMatchObject({
    isAssumed: true,
    missing: 1,
  });
});

it('the verdict of an eviction names pods where they hold enough: the kubelet has collected images before', () => {
  const summary = aNodeSummary({
    nodefs: stats,
    imagefs: stats,
    pods: [aPodSummary({ usedBytes: 500, containers: [aContainerSummary({ rootfsBytes: 500 })] })],
  });
  const images = {
    sizes: 'unpacked',
    imageCount: 1,
    sizeBytes: 300,
    isCut: false,
    unusedBytes: 300,
    maxCopiesBytes: undefined,
    collection: undefined,
  } as const;
  const snapshot = aNodeSnapshot({ summary, images, podsOnNode: [aPod()], thresholds: [aNodeThreshold()] });
  const verdictFor = (missing: number) =>
    evictionVerdict(
      snapshot,
      { ofInodes: false, named: { threshold: 1_000, available: 1_000 - missing } },
      { samplesOf: () => [] },
    )?.kind;
  expect([verdictFor(200), verdictFor(600)]).toEqual(['pods', 'pods_and_images']);
});
