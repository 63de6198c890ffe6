import { describe, expect, it } from 'vitest';

import { projectPod } from '../../src/cluster/kube/projection.js';
import { foldUnknown } from '../../src/facts/node/unknown-items.js';
import { aContainer, aPod, aVolume } from '../support/builders.js';
import { indexed } from '../support/hostile-pods.js';
import { aContainerUsage, aPodUsage, aVolumeUsage } from '../support/snapshot-builders.js';

const names = (items: readonly { readonly name: string }[]): string[] => items.map(({ name }) => name);
const spec = aPod({
  containers: [aContainer({ name: 'init', kind: 'init' }), aContainer({ name: 'app' })],
  volumes: [aVolume({ name: 'cache' })],
});

describe('foldUnknown', () => {
  it('containers and volumes that the spec has keep their names, of all kinds', () => {
    const usage = aPodUsage({
      containers: [aContainerUsage({ name: 'app' }), aContainerUsage({ name: 'init' })],
      volumes: [aVolumeUsage({ name: 'cache' })],
    });
    expect(foldUnknown(usage, spec)).toBe(usage);
  });

  it('containers and volumes that the spec lacks are one without a name, with all their bytes', () => {
    const stranger = (usedBytes: number, logsBytes: number | undefined) => ({
      ...aContainerUsage({ name: `x${usedBytes}`, usedBytes, rootfsBytes: usedBytes, logsBytes }),
      rootfsInodesUsed: 2,
    });
    const strange = (name: string, more: Parameters<typeof aVolumeUsage>[0]) =>
      aVolumeUsage({ name, type: 'pvc', capacityBytes: 9, availableBytes: 8, ...more });
    const folded = foldUnknown(
      aPodUsage({
        containers: [stranger(10, undefined), aContainerUsage({ name: 'app' }), stranger(5, 3)],
        volumes: [
          strange('y', { usedBytes: 7, measuredAtMs: 20 }),
          aVolumeUsage({ name: 'cache' }),
          strange('z', { usedBytes: undefined, inodesUsed: 4, measuredAtMs: 10 }),
        ],
      }),
      spec,
    );
    expect(folded.containers).toEqual([
      aContainerUsage({ name: 'app' }),
      {
        ...aContainerUsage({ name: '', usedBytes: 15, rootfsBytes: 15, logsBytes: 3 }),
        rootfsInodesUsed: 4,
      },
    ]);
    expect(folded.volumes).toEqual([
      aVolumeUsage({ name: 'cache' }),
      aVolumeUsage({ name: '', type: 'unknown', usedBytes: 7, inodesUsed: 4, measuredAtMs: 10 }),
    ]);
    expect(folded.unknownItems).toEqual({ containerCount: 2, volumeCount: 2 });
  });

  it('further containers of a pod that is not kept whole are one with a name of its own', () => {
    const spec = { containers: indexed(101, (at) => ({ name: `c${at}` })), volumes: [{ name: 'cache', emptyDir: {} }] };
    const metadata = { name: 'a', namespace: 'b', uid: 'c', resourceVersion: '1' };
    const pod = projectPod({ metadata, spec }, (text) => text);
    const usage = aPodUsage({
      containers: indexed(3, (at) =>
        aContainerUsage({ name: `c${99 + at}`, usedBytes: at, rootfsBytes: 5, logsBytes: 1 }),
      ),
      volumes: [aVolumeUsage({ name: 'cache' })],
    });
    expect(foldUnknown(usage, pod)).toEqual({
      ...usage,
      containers: [
        aContainerUsage({ name: 'c99', usedBytes: 0, rootfsBytes: 5, logsBytes: 1 }),
        aContainerUsage({ name: '(others)', usedBytes: 3, rootfsBytes: 10, logsBytes: 2 }),
      ],
      unknownItems: { containerCount: 2, volumeCount: 0 },
    });
  });

  it('items of a pod without a spec keep the first 20 names, or as many as are allowed', () => {
    const usage = aPodUsage({
      containers: Array.from({ length: 30 }, (_, index) => aContainerUsage({ name: `c${index}` })),
      volumes: Array.from({ length: 21 }, (_, index) => aVolumeUsage({ name: `v${index}` })),
    });
    const folded = foldUnknown(usage, undefined);
    expect(names(folded.containers)).toEqual([...names(usage.containers).slice(0, 20), '']);
    expect(names(folded.volumes)).toEqual([...names(usage.volumes).slice(0, 20), '']);
    expect(folded.unknownItems).toEqual({ containerCount: 10, volumeCount: 1 });
    expect(names(foldUnknown(usage, undefined, 0).containers)).toEqual(['']);
  });
});
