import { describe, expect, it } from 'vitest';

import type { PodSummary } from '../../src/cluster/kubelet/summary.js';
import { haveSameSizes } from '../../src/facts/node/pod-record.js';
import { aContainerFs, aPodSummary, aVolumeSummary } from '../support/builders.js';

const container = { name: 'app', rootfs: aContainerFs({ usedBytes: 5 }), logs: aContainerFs({ usedBytes: 2 }) };
const volume = aVolumeSummary({ name: 'cache', usedBytes: 7 });
const pod: Partial<PodSummary> = {
  usedBytes: 14,
  containers: [container],
  volumes: [volume],
  others: { containerCount: 1, volumeCount: 2 },
};
const isSame = (changes: Partial<PodSummary>): boolean =>
  haveSameSizes(aPodSummary(pod), aPodSummary({ ...pod, ...changes }));

describe('haveSameSizes', () => {
  it.each<[string, Partial<PodSummary>]>([
    ['nothing', {}],
    ['the inodes of the pod', { inodesUsed: 9 }],
    ['the start of the pod', { startTimeMs: 9 }],
    ['the pressure of the pod', { ioPressure: { waitingUs: 1, stalledUs: 1 } }],
    [
      'the inodes of a container',
      { containers: [{ ...container, logs: aContainerFs({ usedBytes: 2, inodesUsed: 9 }) }] },
    ],
    [
      'the filesystem of a container',
      { containers: [{ ...container, rootfs: aContainerFs({ usedBytes: 5, availableBytes: 9 }) }] },
    ],
    ['the time of a volume', { volumes: [{ ...volume, timeMs: 9 }] }],
    ['what is available to a volume', { volumes: [{ ...volume, availableBytes: 9 }] }],
  ])('entries that differ in %s have the same sizes', (_, changes) => {
    expect(isSame(changes)).toBe(true);
  });

  it.each<[string, Partial<PodSummary>]>([
    ['the total', { usedBytes: 15 }],
    ['whether there is a total', { usedBytes: undefined }],
    ['the number of containers that one stands for', { others: { containerCount: 2, volumeCount: 2 } }],
    ['the number of volumes that one stands for', { others: { containerCount: 1, volumeCount: 3 } }],
    ['the number of containers', { containers: [container, container] }],
    ['the name of a container', { containers: [{ ...container, name: 'web' }] }],
    ['the writable layer', { containers: [{ ...container, rootfs: aContainerFs({ usedBytes: 6 }) }] }],
    ['the logs', { containers: [{ ...container, logs: aContainerFs({ usedBytes: 3 }) }] }],
    ['whether there are logs', { containers: [{ ...container, logs: undefined }] }],
    ['the number of volumes', { volumes: undefined }],
    ['the name of a volume', { volumes: [{ ...volume, name: 'data' }] }],
    ['the size of a volume', { volumes: [{ ...volume, usedBytes: 8 }] }],
    ['what a volume can hold', { volumes: [{ ...volume, capacityBytes: 10 }] }],
    ['whether a volume has a claim', { volumes: [{ ...volume, hasClaim: true }] }],
  ])('entries that differ in %s do not have the same sizes', (_, changes) => {
    expect(isSame(changes)).toBe(false);
  });

  it('the size of a persistent volume, which others may write to, is none of a pod', () => {
    const of = (capacityBytes: number): PodSummary =>
      aPodSummary({ volumes: [{ ...volume, hasClaim: true, capacityBytes }] });
    expect(haveSameSizes(of(1), of(2))).toBe(true);
  });
});
