import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { evictionHeadrooms } from '../../src/eviction/eviction-headrooms.js';
import type { EvictionThresholds, Threshold } from '../../src/kubelet/eviction-thresholds.js';
import type { FsStats } from '../../src/kubelet/summary.js';
import { anFsStats, aNodeSummary } from '../support/builders.js';

const none = { available: undefined, inodesFree: undefined };

function ofNodefs(nodefs: Partial<FsStats>, available: Threshold | undefined, inodesFree?: Threshold) {
  const summary = aNodeSummary({ nodefs: anFsStats(nodefs), imagefs: undefined });
  return evictionHeadrooms(summary, { nodefs: { available, inodesFree }, imagefs: none })[0];
}

describe('headrooms', () => {
  it('are none without thresholds', () => {
    expect(evictionHeadrooms(aNodeSummary({ nodefs: anFsStats({}) }), undefined)).toEqual([]);
  });

  it('are one for each of the filesystems that the summary has', () => {
    const thresholds: EvictionThresholds = {
      nodefs: { available: { amount: 10 }, inodesFree: { amount: 1 } },
      imagefs: { available: { ratio: 0.5 }, inodesFree: undefined },
    };
    const nodefs = anFsStats({ availableBytes: 30, capacityBytes: 100, inodes: 9, inodesFree: 4 });
    const imagefs = anFsStats({ availableBytes: 30, capacityBytes: 100, inodes: 9, inodesFree: 4 });
    expect(evictionHeadrooms(aNodeSummary({ nodefs, imagefs, containerfs: imagefs }), thresholds)).toEqual([
      { filesystem: 'nodefs', thresholdBytes: 10, headroomBytes: 20, thresholdInodes: 1, headroomInodes: 3 },
      {
        filesystem: 'imagefs',
        thresholdBytes: 50,
        headroomBytes: -20,
        thresholdInodes: undefined,
        headroomInodes: undefined,
      },
    ]);
    expect(evictionHeadrooms(aNodeSummary({ nodefs: undefined, imagefs: undefined }), thresholds)).toEqual([]);
  });

  const sized = { availableBytes: 5, capacityBytes: 9 };

  it.each<[string, Partial<FsStats>, Threshold | undefined, readonly [number?, number?]]>([
    ['an amount', sized, { amount: 7 }, [7, -2]],
    ['an amount, of a filesystem of unknown size', { ...sized, capacityBytes: undefined }, { amount: 2 }, [2, 3]],
    ['an amount, without what is available', { ...sized, availableBytes: undefined }, { amount: 2 }, [2]],
    ['a ratio, of a filesystem of unknown size', { ...sized, capacityBytes: undefined }, { ratio: 0.5 }, []],
    ['a ratio, rounded towards zero', sized, { ratio: 0.5 }, [4, 1]],
    ['no threshold', sized, undefined, []],
  ])('of %s', (_case, nodefs, threshold, [thresholdBytes, headroomBytes]) => {
    expect(ofNodefs(nodefs, threshold)).toMatchObject({ thresholdBytes, headroomBytes });
  });

  it('take a percentage as the kubelets do, who keep it as a float32', () => {
    const ratio = Math.fround(0.1);
    const headroom = ofNodefs({ availableBytes: 0, capacityBytes: 100 * 2 ** 30 }, { ratio });
    expect(headroom?.thresholdBytes).toBe(10_737_418_400); // 160 bytes more than a tenth
  });

  it('add up with the threshold to what is available', () => {
    const bytes = fc.nat({ max: 2 ** 50 });
    const threshold = fc.oneof(
      bytes.map((amount) => ({ amount })),
      fc.float({ min: 0, max: 1, noNaN: true }).map((ratio) => ({ ratio })),
    );
    fc.assert(
      fc.property(bytes, bytes, threshold, (available, total, of) => {
        const headroom = ofNodefs(
          { availableBytes: available, capacityBytes: total, inodesFree: available, inodes: total },
          of,
          of,
        );
        expect((headroom?.thresholdBytes ?? NaN) + (headroom?.headroomBytes ?? NaN)).toBe(available);
        expect(headroom?.thresholdInodes).toBe(headroom?.thresholdBytes);
        if ('ratio' in of) expect(headroom?.thresholdBytes).toBeLessThanOrEqual(total);
      }),
    );
  });
});
