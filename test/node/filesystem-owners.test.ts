import { describe, expect, it } from 'vitest';

import type { Pod } from '../../src/cluster/kube/objects.js';
import type { NodeSummary } from '../../src/cluster/kubelet/summary.js';
import { type FilesystemOwners, filesystemOwners } from '../../src/facts/node/filesystem-owners.js';
import { nodeLayout } from '../../src/facts/node/node-layout.js';
import {
  aContainerSummary,
  anFsStats,
  aNodeSummary,
  aPod,
  aPodSummary,
  aVolume,
  aVolumeSummary,
} from '../support/builders.js';

/** 1,000 bytes, 300 of them available; `usedBytes` as the kubelet reports it for nodefs. */
const nodefs = anFsStats({ capacityBytes: 1000, availableBytes: 300, usedBytes: 690 });
const imagefs = anFsStats({ ...nodefs, usedBytes: 250 });
const own = anFsStats({ capacityBytes: 2000, availableBytes: 1500, usedBytes: 250 });
const third = anFsStats({ capacityBytes: 3000, availableBytes: 2900 });

/** A total of 130: 80 in writable layers, 20 in logs, 30 in volumes and the rest. */
const pod = aPodSummary({
  usedBytes: 130,
  containers: [aContainerSummary({ rootfsBytes: 80, logsBytes: 20 })],
});

function owners(summary: Partial<NodeSummary>): readonly FilesystemOwners[] {
  const whole = aNodeSummary({ nodefs, pods: [pod], ...summary });
  return filesystemOwners({ summary: whole, layout: nodeLayout(whole) });
}

const row = (filesystem: string, podsUsedBytes: number, imagesUsedBytes?: number, unattributedBytes?: number) => ({
  filesystem,
  podsUsedBytes,
  imagesUsedBytes,
  unattributedBytes,
});

describe('filesystemOwners', () => {
  const onOwn = (containerfs: NodeSummary['containerfs']) => ({ imagefs: own, containerfs });

  it.each<[string, Partial<NodeSummary>, ...object[]]>([
    ['shared by all', { imagefs, containerfs: imagefs }, row('nodefs', 130, 170, 390)],
    ['beside one of images and layers', onOwn(own), row('nodefs', 50, 0, 640), row('imagefs', 80, 170, 250)],
    ['beside one of images', onOwn(nodefs), row('nodefs', 130, 0, 560), row('imagefs', 0, 250, 250)],
    [
      'beside one of images and one of layers',
      onOwn(third),
      ...[row('nodefs', 50, 0, 640), row('imagefs', 0, 250, 250), row('containerfs', 80, 0, 20)],
    ],
    ['without a report on images', { imagefs: undefined }, row('nodefs', 130)],
    ['with images whose size is not reported', { imagefs: { ...imagefs, usedBytes: undefined } }, row('nodefs', 130)],
    ['without a summary of it', { nodefs: undefined, imagefs: undefined }],
    ['of unknown usage', { nodefs: { ...nodefs, usedBytes: undefined }, imagefs }, row('nodefs', 130, 170)],
    ['of which nothing is used', { nodefs: { ...nodefs, usedBytes: 0 }, imagefs }, row('nodefs', 130, 170)],
    ['that the runtime reports too small', { imagefs: { ...imagefs, usedBytes: 10 } }, row('nodefs', 130, 0, 560)],
  ])('the bytes of a filesystem %s have their owners', (_case, summary, ...expected) => {
    expect(owners(summary)).toEqual(expected);
  });

  it('the bytes of a pod without a total are its volumes too, those that end with it', () => {
    const entry = {
      ...pod,
      usedBytes: undefined,
      volumes: ['data', 'host', 'ram'].map((name) => aVolumeSummary({ name, usedBytes: 40 })),
    };
    const volumes = [
      aVolume({ name: 'data' }),
      aVolume({ name: 'host', type: 'hostpath' }),
      aVolume({ name: 'ram', medium: 'Memory' }),
    ];
    const summary = aNodeSummary({ nodefs, imagefs: own, pods: [entry] });
    const bytesOf = (spec: Partial<Pod>) =>
      filesystemOwners({ summary, layout: nodeLayout(summary), podsOnNode: [aPod({ volumes, ...spec })] });
    expect(bytesOf({})).toMatchObject([{ podsUsedBytes: 60, unattributedBytes: 630 }, { podsUsedBytes: 80 }]);
    expect(bytesOf({ namespace: 'other' })).toMatchObject([{ podsUsedBytes: 20 }, {}]);
  });
});
