import { describe, expect, it } from 'vitest';

import type { Pod } from '../../src/cluster/kube/objects.js';
import { parseAmount } from '../../src/cluster/kube/quantity.js';
import type { PodSummary } from '../../src/cluster/kubelet/summary.js';
import { limitRatios } from '../../src/facts/node/limit-ratios.js';
import {
  cannotExceed,
  comparedSizeLimit,
  fullVolumes,
  lacksRootfsLastingly,
  podUnenforced,
  resizesMemoryVolumes,
  type UnenforcedReason,
} from '../../src/facts/node/unenforced-limits.js';
import {
  aContainer,
  aContainerSummary,
  aMount,
  aPod,
  aPodSummary,
  aVolume,
  aVolumeSummary,
} from '../support/builders.js';
import { aLimitRatio } from '../support/snapshot-builders.js';

const mebibyte = 2 ** 20;

describe('emptyDirs in memory', () => {
  it.each([
    { limit: '64Mi', capacity: 64 * mebibyte, isBounded: true },
    { limit: '64Mi', capacity: undefined, isBounded: true },
    { limit: '64Mi', capacity: 4 * mebibyte, isBounded: true },
    { limit: '64Mi', capacity: 64 * mebibyte + 4096, isBounded: false },
    { limit: '30M', capacity: 30_003_200, isBounded: false },
    { limit: '30M', capacity: undefined, isBounded: false },
    { limit: '30M', capacity: 16 * mebibyte, isBounded: true },
    { limit: '4096500m', capacity: undefined, isBounded: false },
  ])('a tmpfs of $capacity bytes cannot exceed a limit of $limit: $isBounded', ({ limit, capacity, isBounded }) => {
    const amount = parseAmount(limit) ?? 0;
    expect(cannotExceed({ medium: 'Memory' }, amount, capacity)).toBe(isBounded);
    expect(cannotExceed({ medium: '' }, amount, capacity)).toBe(false);
  });

  it.each([
    { change: 'was lowered and its tmpfs has not followed', medium: 'Memory', capacity: 2 * mebibyte, expected: 2 },
    { change: 'is undercut by the memory limit', medium: 'Memory', capacity: mebibyte / 2, expected: 1 },
    {
      change: 'is larger by one of the largest pages',
      medium: 'Memory',
      capacity: mebibyte + 65_536,
      expected: 1.0625,
    },
    { change: 'is rounded to the largest pages', medium: 'Memory', capacity: mebibyte + 65_535, expected: 1 },
    { change: 'is of an unknown tmpfs', medium: 'Memory', capacity: undefined, expected: 1 },
    { change: 'is of the disk', medium: '', capacity: 2 * mebibyte, expected: 1 },
  ])('a limit of 1Mi that $change is compared as $expected MiB', ({ medium, capacity, expected }) => {
    const volume = { medium, sizeLimitBytes: mebibyte };
    expect(comparedSizeLimit(volume, capacity, true)).toBe(expected * mebibyte);
    expect(comparedSizeLimit(volume, capacity, false)).toBe(mebibyte);
  });

  it.each([
    ['v1.36.9', false],
    ['v1.37.0', true],
    [undefined, false],
  ])('a kubelet of version %s resizes volumes: %s', (version, expected) => {
    expect(resizesMemoryVolumes(version)).toBe(expected);
  });

  const full = (
    usedBytes: number,
    capacityBytes: number | undefined,
    sizeLimit: string | undefined,
    medium = 'Memory',
  ) =>
    fullVolumes(
      aPodSummary({ volumes: [aVolumeSummary({ usedBytes, capacityBytes })] }),
      aPod({
        volumes: [aVolume({ medium, sizeLimitBytes: sizeLimit === undefined ? undefined : parseAmount(sizeLimit) })],
      }),
      false,
    );

  it.each([
    { what: 'at 95 % of its limit', found: full(95, 100, undefined), isFull: true },
    { what: 'below', found: full(94, 100, undefined), isFull: false },
    { what: 'undercut by the memory limit', found: full(4 * mebibyte, 4 * mebibyte, '64Mi'), isFull: true },
    { what: 'that is evicted before', found: full(30_003_200, 30_003_200, '30M'), isFull: false },
    { what: 'of unknown size', found: full(95, undefined, '64Mi'), isFull: false },
    { what: 'without a size', found: full(95, 0, undefined), isFull: false },
    { what: 'on disk', found: full(95, 100, undefined, ''), isFull: false },
  ])('an emptyDir $what is full: $isFull', ({ found, isFull }) => {
    expect(found).toHaveLength(Number(isFull));
  });
});

describe('podUnenforced', () => {
  const of = (...reasons: readonly (UnenforcedReason | undefined)[]) =>
    reasons.map((unenforced) => aLimitRatio({ unenforced }));

  it.each([
    { ratios: of(undefined), expected: undefined },
    { ratios: of(undefined, 'dedicated_imagefs'), expected: undefined },
    { ratios: of('exempt', 'exempt'), expected: 'all exempt' },
    { ratios: of('memory_medium', undefined), expected: 'emptydir memory_medium' },
    { ratios: of('memory_medium', 'rootfs_not_measured'), expected: 'pod rootfs_not_measured' },
    { ratios: of('rootfs_not_measured'), isUnmeasured: false, expected: undefined },
    { ratios: of('memory_medium', 'rootfs_not_measured'), isUnmeasured: false, expected: 'emptydir memory_medium' },
  ])('one thing is said of a pod, the widest: $expected', ({ ratios, isUnmeasured = true, expected }) => {
    const said = podUnenforced(ratios, isUnmeasured);
    expect(said && `${said.rule} ${said.reason}`).toBe(expected);
    expect(podUnenforced(ratios, isUnmeasured)).toBe(said);
  });

  it.each([
    { pod: 'whose containers have run for longer', runsChangedAtMs: 0, runningSinceMs: 0, expected: true },
    { pod: 'of which a container has restarted', runsChangedAtMs: 40_000, runningSinceMs: 0, expected: false },
    { pod: 'that is as old', runsChangedAtMs: undefined, runningSinceMs: 40_000, expected: false },
    { pod: 'that does not run', runsChangedAtMs: 0, runningSinceMs: undefined, expected: false },
  ])('a writable layer of a pod $pod than the grace period is missing: $expected', ({ expected, ...pod }) => {
    const summary = aPodSummary({ containers: [aContainerSummary({ logsBytes: 1 })] });
    expect(lacksRootfsLastingly(summary, pod, 100_000)).toBe(expected);
    const measured = aPodSummary({ containers: [aContainerSummary({ rootfsBytes: 0 })] });
    expect(lacksRootfsLastingly(measured, pod, 100_000)).toBe(false);
  });
});

describe('limitRatios: why limits do not do what they seem to do', () => {
  const pod = aPod({
    containers: [aContainer({ limitBytes: 10, mounts: [aMount('shm'), aMount('data')] })],
    volumes: [aVolume({ name: 'shm', medium: 'Memory', sizeLimitBytes: 4096 }), aVolume({ sizeLimitBytes: 4096 })],
  });
  const volumes = ['shm', 'data'].map((name) => aVolumeSummary({ name, usedBytes: 1, capacityBytes: 4096 }));
  const measured = aPodSummary({ volumes, containers: [aContainerSummary({ rootfsBytes: 1 })] });
  const unmeasured = aPodSummary({ volumes, containers: [aContainerSummary({ logsBytes: 1 })] });
  const reasons = (of: Pod, summary: PodSummary, hasDedicatedImagefs = false) =>
    limitRatios({ pod: of, summary, hasDedicatedImagefs, enforcesSidecars: true, resizesVolumes: false }).map(
      ({ rule, volume, unenforced }) => `${rule}${volume && ` ${volume}`}: ${unenforced ?? 'binds'}`,
    );

  it.each([
    { what: 'a pod', found: reasons(pod, measured), expected: ['binds', 'binds'] },
    { what: 'a static pod', found: reasons({ ...pod, isStatic: true }, measured), exempt: true, expected: [] },
    {
      what: 'a dedicated image filesystem',
      found: reasons(pod, measured, true),
      expected: ['binds', 'dedicated_imagefs'],
    },
    {
      what: 'a layer that is not measured',
      found: reasons(pod, unmeasured),
      expected: ['rootfs_not_measured', 'rootfs_not_measured'],
    },
    {
      what: 'both',
      found: reasons(pod, unmeasured, true),
      expected: ['rootfs_not_measured', 'dedicated_imagefs'],
    },
  ])('limits of $what have their reasons', ({ found, exempt = false, expected: [ofPod, ofContainer] }) => {
    expect(found).toEqual([
      `emptydir shm: ${exempt ? 'exempt' : 'memory_medium'}`,
      `emptydir data: ${exempt ? 'exempt' : 'binds'}`,
      `pod: ${exempt ? 'exempt' : (ofPod ?? '')}`,
      `container: ${exempt ? 'exempt' : (ofContainer ?? '')}`,
    ]);
  });
});
