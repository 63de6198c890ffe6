import { describe, expect, it } from 'vitest';

import { nodeLayout } from '../../src/facts/node/node-layout.js';
import type { NodeSnapshot } from '../../src/facts/node/node-view.js';
import type { SeriesSource } from '../../src/metrics/exposition/family.js';
import { filesystems } from '../../src/metrics/exposition/node-families.js';
import { nodeDivision, type PodOnNode } from '../../src/metrics/exposition/pod-on-node.js';
import { emptyDirs, podComponents, volumeFilesystems } from '../../src/metrics/exposition/pod-sources.js';
import { anFsStats, aNodeSummary, aPod, aVolume } from '../support/builders.js';
import { aMeasuredPod, aNodeSnapshot, aPodUsage, aVolumeUsage } from '../support/snapshot-builders.js';

/** The values of one label, in the order of the series. */
function valuesOf<Source, T>(
  source: SeriesSource<Source, T>,
  label: string,
  ...from: readonly Source[]
): readonly (string | undefined)[] {
  const values: (string | undefined)[] = [];
  for (const each of from) {
    for (const item of source.itemsOf(each))
      values.push(new RegExp(`\\b${label}="([^"]*)"`).exec(source.labelsOf(each, item))?.[1]);
  }
  return values;
}

function podsOf(snapshot: NodeSnapshot): readonly PodOnNode[] {
  const { items, partOf } = nodeDivision({ compatibility: 'none', showsSizesAlone: false });
  return items(snapshot).map(partOf(snapshot));
}

const withVolumes = (...listed: readonly ReturnType<typeof aVolumeUsage>[]): NodeSnapshot =>
  aNodeSnapshot({
    summary: aNodeSummary({ nodefs: anFsStats({ capacityBytes: 1000 }) }),
    pods: [aMeasuredPod({ usage: aPodUsage({ volumes: listed }) })],
  });

describe('podComponents', () => {
  const componentsOf = (snapshot: NodeSnapshot) => valuesOf(podComponents, 'component', ...podsOf(snapshot));

  it('components of volumes are omitted without such a volume', () => {
    expect(componentsOf(withVolumes())).toEqual(['rootfs', 'logs', 'other']);
    expect(componentsOf(withVolumes(aVolumeUsage({ medium: 'Memory' })))).toEqual(['rootfs', 'logs', 'other']);
    expect(componentsOf(withVolumes(aVolumeUsage()))).toEqual(['rootfs', 'logs', 'emptydir', 'other']);
  });

  it('components of volumes are present when the spec has such a volume, measured or not', () => {
    const pod = aPod({ volumes: [aVolume({ type: 'configmap' })] });
    const pods = [aMeasuredPod({ pod, usage: aPodUsage({ volumes: [] }) })];
    expect(componentsOf(aNodeSnapshot({ pods }))).toEqual(['rootfs', 'logs', 'configmap', 'other']);
  });
});

describe('volumes', () => {
  const many = withVolumes(
    aVolumeUsage({ name: 'cache' }),
    aVolumeUsage({ name: 'memory', medium: 'Memory', capacityBytes: 64 }),
    aVolumeUsage({ name: 'config', type: 'configmap' }),
    aVolumeUsage({ name: 'token', type: 'projected', capacityBytes: 64 }),
    aVolumeUsage({ name: 'claim', type: 'pvc', capacityBytes: 5000 }),
    aVolumeUsage({ name: 'local', type: 'pvc', capacityBytes: 1000 }),
    aVolumeUsage({ name: 'unmeasured', type: 'csi' }),
  );

  it('volumes below the full profile are emptyDirs', () => {
    expect(valuesOf(emptyDirs, 'volume', ...podsOf(many))).toEqual(['cache', 'memory']);
  });

  it("volumes have a filesystem of their own when its size is known and not that of the node's disk", () => {
    expect(valuesOf(volumeFilesystems, 'volume', ...podsOf(many))).toEqual(['memory', 'claim']);
  });
});

const small = anFsStats({ capacityBytes: 1000, availableBytes: 500, usedBytes: 1 });
const large = anFsStats({ capacityBytes: 9000, availableBytes: 500, usedBytes: 2 });
const unknown = anFsStats({ usedBytes: 3 });

it.each([
  ['one disk for all', { nodefs: small, imagefs: small, containerfs: small }, ['nodefs']],
  [
    'a disk for images, which is also reported as containerfs',
    { nodefs: small, imagefs: large, containerfs: large },
    ['nodefs', 'imagefs'],
  ],
  ['images apart from writable layers', { nodefs: small, imagefs: large, containerfs: small }, ['nodefs', 'imagefs']],
  ['sizes that are unknown', { nodefs: small, imagefs: unknown, containerfs: undefined }, ['nodefs']],
])('the filesystems of a node are served once: %s', (_case, reported, expected) => {
  const summary = aNodeSummary(reported);
  expect(valuesOf(filesystems, 'filesystem', aNodeSnapshot({ summary, layout: nodeLayout(summary) }))).toEqual(
    expected,
  );
});
