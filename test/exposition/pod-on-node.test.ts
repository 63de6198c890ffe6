import { describe, expect, it } from 'vitest';

import type { Pod } from '../../src/cluster/kube/objects.js';
import { attributePod } from '../../src/facts/node/attribute.js';
import type { PodContext } from '../../src/facts/node/pod-record.js';
import { detailGroups } from '../../src/metrics/exposition/families.js';
import { nodeDivision } from '../../src/metrics/exposition/pod-on-node.js';
import {
  aContainer,
  aContainerSummary,
  aMount,
  aPod,
  aPodSummary,
  aVolume,
  aVolumeSummary,
} from '../support/builders.js';
import { sourceTexts } from '../support/exposed-text.js';
import {
  aContainerUsage,
  aMeasuredPod,
  aNodeSnapshot,
  aPodUsage,
  aVolumeUsage,
  withoutTotal,
} from '../support/snapshot-builders.js';

const { items: podsOf, partOf, sizeOf } = nodeDivision({ compatibility: 'none', showsSizesAlone: false });

it('the nameless pods of a node are one pod without namespace and name, with all their bytes', () => {
  const known = aMeasuredPod({ name: 'known' });
  const usage = aPodUsage({
    usedBytes: 10,
    inodesUsed: 3,
    components: { rootfs: 4, logs: 3, emptydir: 0, configmap: 0, other: 3 },
    containers: [aContainerUsage({ name: '', usedBytes: 10, rootfsBytes: 4, logsBytes: 3 })],
    volumes: [aVolumeUsage({ name: '', type: 'unknown', usedBytes: 2 })],
  });
  const nameless = ['a', 'b'].map((name) => aMeasuredPod({ name, pod: undefined, usage, isNameless: true }));
  const node = aNodeSnapshot({ pods: [...nameless, known] });
  const pods = podsOf(node);
  expect(pods).toHaveLength(2);
  expect(pods[0]).toBe(known);
  expect(pods.map(partOf(node))[1]?.pod).toMatchObject({
    summary: { namespace: '', name: '' },
    bound: undefined,
    ratios: [],
    usage: {
      usedBytes: 20,
      inodesUsed: 6,
      components: { rootfs: 8, logs: 6, emptydir: 0, configmap: 0, other: 6 },
      containers: [{ name: '', usedBytes: 20, rootfsBytes: 8, logsBytes: 6 }],
      volumes: [{ name: '', type: 'unknown', usedBytes: 4 }],
    },
  });
});

it('nameless pods are not shown beside a pod that has no name either: no series appears twice', () => {
  const [unnamed, nameless] = [aMeasuredPod({ namespace: '', name: '' }), aMeasuredPod({ isNameless: true })];
  expect(podsOf(aNodeSnapshot({ pods: [unnamed, nameless] }))).toEqual([unnamed]);
});

it('nothing changes for a node without nameless pods', () => {
  const snapshot = aNodeSnapshot({ pods: [aMeasuredPod({ pod: undefined })] });
  expect(podsOf(snapshot)).toBe(snapshot.pods);
});

describe('a pod without a total', () => {
  const containers = [aContainerSummary({ name: 'main', rootfsBytes: 4, logsBytes: 3 })];
  const volumes = [aVolumeSummary({ name: 'cache', usedBytes: 9 }), aVolumeSummary({ usedBytes: 'impossible' })];
  const entry = aPodSummary({ name: 'cart-0', usedBytes: undefined, inodesUsed: 5, containers, volumes });
  const specs = [aVolume({ name: 'cache' }), aVolume({ name: 'data' })];
  const pod = aPod({ name: 'cart-0', containers: [aContainer({ name: 'main' })], volumes: specs });
  const linesOf = (known: Pod | undefined) => {
    const listed = withoutTotal(aMeasuredPod({ name: 'cart-0', pod: known, summary: entry }));
    const context: PodContext = {
      usageOf: ({ summary, bound }) => attributePod({ summary, pod: bound?.pod, mode: 'measured' }),
      ratiosOf: () => [],
    };
    const division = nodeDivision({ compatibility: 'none', showsSizesAlone: false });
    const groups = detailGroups({ profile: 'full', compatibility: 'none' });
    const text = sourceTexts(groups, division, aNodeSnapshot({ pods: [], podsWithoutTotal: [listed], context }));
    const lines = text.join('').split('\n');
    return lines
      .filter((line) => /_(?:container|pod|volume)_\w*used(?:_bytes)?\{/.test(line))
      .map((line) => line.replace(/\{.*\}/, ''));
  };

  it('a pod without a total shows what is measured, and nothing that is attributed or impossible', () => {
    expect(linesOf(pod)).toEqual([
      'ephemeral_storage_pod_inodes_used 5',
      'ephemeral_storage_container_rootfs_used_bytes 4',
      'ephemeral_storage_container_logs_used_bytes 3',
      'ephemeral_storage_volume_used_bytes 9',
    ]);
  });

  it('one that the API server does not know shows nothing: several may have one name', () => {
    expect(linesOf(undefined)).toEqual([]);
  });
});

describe('the size of a pod', () => {
  const many = Array.from({ length: 30 }, (_, index) => `n-${index}`);
  const pod = aPod({ containers: [aContainer({ mounts: many.map((name) => aMount(name)) })] });

  it.each([
    ['containers', aMeasuredPod({ usage: aPodUsage({ containers: many.map((name) => aContainerUsage({ name })) }) })],
    ['volumes', aMeasuredPod({ summary: aPodSummary({ volumes: many.map((name) => aVolumeSummary({ name })) }) })],
    ['mounts', aMeasuredPod({ pod })],
    ['containers of its spec', aMeasuredPod({ pod: aPod({ containers: many.map((name) => aContainer({ name })) }) })],
  ])('the size of a pod is not below the number of its %s', (_of, large) => {
    expect(sizeOf(large)).toBeGreaterThanOrEqual(many.length);
    expect(sizeOf(aMeasuredPod())).toBeLessThan(many.length);
  });
});
