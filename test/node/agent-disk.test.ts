import { describe, expect, it } from 'vitest';

import { knownDiskUse } from '../../src/node/agent-disk.js';
import { anFsStats, aNodeSummary, aPod, aPodSummary } from '../support/builders.js';
import { aFreshNode, anAbsentNode, aNodeSnapshot } from '../support/snapshot-builders.js';

const nodefs = anFsStats({ capacityBytes: 1000, availableBytes: 300, usedBytes: 690 });
const imagefs = anFsStats({ ...nodefs, usedBytes: 250 });

const view = aFreshNode(
  aNodeSnapshot({
    summary: aNodeSummary({ nodefs, imagefs, pods: [aPodSummary({ uid: 'static', usedBytes: 40, containers: [] })] }),
    layout: { hasDedicatedImagefs: false, hasSplitImagefs: false },
    podsOnNode: [aPod({ kubeletUid: 'ended' })],
  }),
);

describe('what is known of a disk', () => {
  it('pods are known by the summary or the API server, and bytes are those of the families', () => {
    const objects = { ...view.objects, runningPodCount: 1 };
    expect(knownDiskUse({ ...view, objects })).toEqual({
      nodeName: 'node-1',
      knownPodUids: new Set(['static', 'ended']),
      measuredPodUids: new Set(['static']),
      imagesBytes: 250,
      unattributedBytes: 400,
    });
  });

  it('pods are not all known where not all are read', () => {
    const objects = { ...view.objects, runningPodCount: undefined };
    expect(knownDiskUse({ ...view, objects }).knownPodUids).toBeUndefined();
  });

  it('bytes are unknown where those of one filesystem are', () => {
    const { summary } = view.snapshot;
    const layout = { hasDedicatedImagefs: true, hasSplitImagefs: false };
    const snapshot = aNodeSnapshot({ summary: { ...summary, imagefs: { ...imagefs, usedBytes: undefined } }, layout });
    expect(knownDiskUse(aFreshNode(snapshot))).toMatchObject({ imagesBytes: undefined, unattributedBytes: undefined });
  });

  it('nothing is known of a node without data', () => {
    expect(JSON.parse(JSON.stringify(knownDiskUse(anAbsentNode('node-1', 'timeout'))))).toEqual({ nodeName: 'node-1' });
  });
});
