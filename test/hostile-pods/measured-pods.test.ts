import { describe, expect, it } from 'vitest';

import { attributePod } from '../../src/attribution/attribute.js';
import { foldUnknown } from '../../src/attribution/unknown-items.js';
import { podFindings } from '../../src/eviction/pod-findings.js';
import { freedByEviction, signalUsage, type SignalUsageInput } from '../../src/eviction/signal-usage.js';
import type { Pod } from '../../src/kube/objects.js';
import { projectPod } from '../../src/kube/projection.js';
import { cutPod } from '../../src/kubelet/pod-others.js';
import type { PodSummary } from '../../src/kubelet/summary.js';
import { aContainerSummary, aPodSummary, aVolumeSummary } from '../support/builders.js';
import { indexed, manyContainers, mountedEmptyDirs, type PodParts } from '../support/hostile-pods.js';

function podOf(spec: PodParts): Pod {
  const metadata = { name: 'cart-0', namespace: 'shop', uid: 'u1', resourceVersion: '1' };
  return projectPod({ metadata, spec, status: { phase: 'Running' } }, (text) => text);
}

const sum = (items: readonly { readonly usedBytes?: number | undefined }[]): number =>
  items.reduce((total, { usedBytes = 0 }) => total + usedBytes, 0);

/** As its kubelet lists it: 4,096 bytes for itself, 100 of each container, and of volume n so many bytes. */
function listed({ containerCount = 1, volumeCount = 0 }): PodSummary {
  const volumes = indexed(volumeCount, (index) =>
    aVolumeSummary({ name: `v${index}`, usedBytes: index, inodesUsed: 2 }),
  );
  const containers = indexed(containerCount, (index) =>
    aContainerSummary({ name: containerCount === 1 ? 'app' : `c${index}`, rootfsBytes: 70, logsBytes: 30 }),
  );
  const usedBytes = 4096 + 100 * containerCount + sum(volumes);
  return aPodSummary({ usedBytes, inodesUsed: 2 * volumeCount, containers, volumes });
}

function usageOf(summary: PodSummary, pod: Pod | undefined, mode: 'measured' | 'even' = 'measured') {
  const usage = attributePod({ summary: cutPod(summary), pod, mode });
  if (usage === undefined) throw new Error('no total');
  return foldUnknown(usage, pod);
}

describe('what is measured of a pod with very many parts', () => {
  it.each(['measured', 'even'] as const)('adds up to its total, to the byte: %s', (mode) => {
    for (const pod of [podOf(mountedEmptyDirs(700, 700)), podOf(manyContainers(700)), undefined]) {
      for (const count of [99, 101, 500, 501, 5_001]) {
        const summary = listed(pod?.containers.length === 1 ? { volumeCount: count } : { containerCount: count });
        const { usedBytes, components, containers } = usageOf(summary, pod, mode);
        expect(usedBytes).toBe(summary.usedBytes);
        expect(Object.values(components).reduce((total, bytes) => total + bytes)).toBe(usedBytes);
        expect(sum(containers)).toBe(usedBytes);
      }
    }
  });

  it('is shown by name for the first hundred of the spec, and as one entry for the rest', () => {
    const { volumes, components } = usageOf(listed({ volumeCount: 700 }), podOf(mountedEmptyDirs(700, 700)));
    expect(volumes).toHaveLength(101);
    expect(volumes.at(-1)).toMatchObject({ name: '(others)', type: 'unknown' });
    expect(sum(volumes)).toBe((699 * 700) / 2);
    const inDetail = usageOf(listed({ volumeCount: 100 }), podOf(mountedEmptyDirs(700, 700)));
    expect(inDetail.volumes.map(({ name }) => name)).toEqual(indexed(100, (index) => `v${index}`));
    expect(components.emptydir).toBeGreaterThan(0);
    expect(components.other).toBeGreaterThan(4096);
    const { containers } = usageOf(listed({ containerCount: 700 }), podOf(manyContainers(700)));
    expect(containers).toHaveLength(101);
    expect(containers.at(-1)).toMatchObject({ name: '(others)', rootfsBytes: 600 * 70, logsBytes: 600 * 30 });
  });

  it('counts all that has no entry of its own', () => {
    expect(usageOf(listed({ volumeCount: 700 }), podOf(mountedEmptyDirs(700, 700))).unknownItems).toEqual({
      containerCount: 0,
      volumeCount: 600,
    });
    expect(usageOf(listed({ containerCount: 700 }), undefined).unknownItems).toEqual({
      containerCount: 680,
      volumeCount: 0,
    });
    expect(usageOf(listed({ volumeCount: 90 }), podOf(mountedEmptyDirs(700, 700))).unknownItems).toBeUndefined();
  });

  it.each([700, 5_100])('has its place in the order of eviction with all its bytes and inodes: %d volumes', (count) => {
    const pod = podOf(mountedEmptyDirs(count, count));
    const whole = listed({ volumeCount: count });
    const inputOf = (signal: SignalUsageInput['signal'], summary = cutPod(whole)): SignalUsageInput => ({
      summary,
      pod,
      signal,
      layout: 'shared',
    });
    const counted = 100 + sum(whole.volumes ?? []);
    expect(signalUsage(inputOf('nodefs.available'))).toBe(counted);
    expect(freedByEviction(inputOf('nodefs.available'))).toBe(counted);
    expect(signalUsage(inputOf('nodefs.inodesFree'))).toBe(2 * count);
    expect(signalUsage({ ...inputOf('imagefs.available'), layout: 'dedicated' })).toBe(70);
  });

  it('counts no volume in memory beyond its total', () => {
    const pod = podOf(mountedEmptyDirs(700, 700));
    const usedBytes = 4096 + 100 + 1_000;
    const input = { pod, signal: 'nodefs.available', layout: 'shared' } as const;
    const onDisk = listed({ volumeCount: 700 }).volumes?.slice(0, 500) ?? [];
    const ofMemory = indexed(200, (index) => aVolumeSummary({ name: `w${index}`, usedBytes: 2 ** 30 }));
    const volumes = [...onDisk.map((volume) => ({ ...volume, usedBytes: 2 })), ...ofMemory];
    const summary = cutPod({ ...listed({}), usedBytes, volumes });
    expect(signalUsage({ ...input, summary })).toBe(usedBytes);
    expect(signalUsage({ ...input, summary: { ...summary, usedBytes: undefined } })).toBe(1_100 + 200 * 2 ** 30);
  });

  it('has no finding about the logs of several containers together', () => {
    const rotation = { maxFileBytes: 10, maxFileCount: 4 };
    const findingsOf = (containerCount: number) =>
      podFindings({
        pod: podOf(manyContainers(5_002)),
        summary: cutPod(listed({ containerCount })),
        node: undefined,
        isNearPressure: false,
        logRotation: rotation,
      });
    expect(findingsOf(5_002).filter(({ kind }) => kind === 'logs_above_rotation')).toEqual([]);
  });
});
