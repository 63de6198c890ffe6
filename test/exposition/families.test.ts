import { describe, expect, it } from 'vitest';

import { storeState } from '../../src/cluster/watch/store-lists.js';
import { familyTable, patternsWithoutFamily } from '../../src/metrics/exposition/families.js';
import type { Compatibility } from '../../src/metrics/exposition/family.js';
import { selfFamilies } from '../../src/metrics/telemetry/self-families.js';
import { SelfMetrics } from '../../src/metrics/telemetry/self-metrics.js';
import { anAgentPod } from '../support/agent-pods.js';
import {
  aContainer,
  aContainerFs,
  aMount,
  anFsStats,
  aNode,
  aNodeSummary,
  aPod,
  aPodSummary,
  aVolume,
} from '../support/builders.js';
import { anEvictionRecord } from '../support/eviction-builders.js';
import { parseExposition } from '../support/exposition-parser.js';
import { anExposition, asking } from '../support/exposition-settings.js';
import { never } from '../support/signals.js';
import {
  aBoundPod,
  aClusterSnapshot,
  aContainerUsage,
  aDeployment,
  aFreshNode,
  aLimitRatio,
  aMeasuredPod,
  anAbsentNode,
  aNodeSnapshot,
  aNodeThreshold,
  aPodUsage,
  aVolumeUsage,
  aWorkload,
  aWorkloadSnapshot,
  someNodeObjects,
} from '../support/snapshot-builders.js';

const full = anFsStats({
  timeMs: 1_000,
  availableBytes: 1,
  capacityBytes: 2,
  usedBytes: 1,
  inodes: 2,
  inodesFree: 1,
  inodesUsed: 1,
});

const fullObjects = someNodeObjects({
  node: aNode({ allocatableBytes: 9, labels: { pool: 'fast' } }),
  pods: [
    aBoundPod({
      pod: aPod({
        priorityClass: 'high',
        containers: [aContainer({ limitBytes: 3, requestBytes: 2, mounts: [aMount()] })],
        volumes: [aVolume({ medium: 'Memory', sizeLimitBytes: 2 })],
      }),
      limitBytes: 3,
      requestBytes: 2,
      workloads: [aDeployment('cart')],
    }),
  ],
});

/** A snapshot with at least one series of each family of the cluster. */
const fullSnapshot = aClusterSnapshot({
  agent: { pods: [anAgentPod()] },
  evictions: {
    records: [anEvictionRecord()],
    workloads: [{ of: aDeployment('cart'), counts: new Map([['emptydir_limit', 1]]) }],
    nodes: [{ of: 'node-1', counts: new Map([['emptydir_limit', 1]]) }],
  },
  nodes: [
    {
      ...aFreshNode(
        aNodeSnapshot({
          summary: aNodeSummary({ nodefs: full, imagefs: full, ioPressure: { waitingUs: 2, stalledUs: 1 } }),
          layout: { hasDedicatedImagefs: true, hasSplitImagefs: false },
          unenforced: 'dedicated_imagefs',
          unsetSignals: ['imagefs.inodesFree'],
          podsOnNode: [aPod()],
          thresholds: [aNodeThreshold(), aNodeThreshold({ signal: 'nodefs.inodesFree' })],
          forecasts: {
            measuredAtMs: 0,
            pods: new Map([
              [
                'uid-shop-cart-0',
                { rule: 'pod', container: 'main', volume: 'data', reachedAtMs: 0, endsAtMs: Infinity },
              ],
            ]),
            thresholds: [{ signal: 'nodefs.available', isAssumed: true, reachedAtMs: 0, endsAtMs: Infinity }],
          },
          images: {
            sizes: 'compressed',
            imageCount: 2,
            sizeBytes: 3,
            isCut: false,
            unusedBytes: 1,
            maxCopiesBytes: 3,
            collection: undefined,
          },
          pods: [
            aMeasuredPod({
              unenforced: { rule: 'all', reason: 'exempt' },
              pod: aPod({
                priority: 2_000_000_000,
                priorityClass: 'high',
                containers: [aContainer({ mounts: [aMount()], limitBytes: 3, requestBytes: 2 })],
              }),
              summary: aPodSummary({
                ioPressure: { waitingUs: 2, stalledUs: 1 },
                containers: [{ name: 'main', rootfs: aContainerFs(full), logs: aContainerFs(full) }],
              }),
              usage: aPodUsage({
                inodesUsed: 1,
                volumesPending: true,
                containers: [aContainerUsage({ rootfsInodesUsed: 1, logsInodesUsed: 1 })],
                volumes: [
                  aVolumeUsage({
                    medium: 'Memory',
                    capacityBytes: 3,
                    availableBytes: 2,
                    inodesUsed: 1,
                    sizeLimitBytes: 2,
                    measuredAtMs: 1_000,
                  }),
                ],
              }),
              startTimeMs: 1_000,
              limitBytes: 3,
              requestBytes: 2,
              workloads: [aDeployment('cart')],
              ratios: [aLimitRatio({ rule: 'container', container: 'main', volume: 'data' })],
            }),
          ],
        }),
      ),
      objects: fullObjects,
    },
    anAbsentNode('node-2', 'timeout'),
  ],
  workloads: [
    aWorkloadSnapshot({
      limitBytes: 1,
      requestBytes: 1,
      usage: {
        usedBytes: 1,
        podMaxUsedBytes: 1,
        containers: [{ container: 'main', usedBytes: 1, maxUsedBytes: 1 }],
      },
    }),
    aWorkloadSnapshot({
      workload: aDeployment('cart'),
      podsOnAbsentNodes: 1,
    }),
    aWorkloadSnapshot({
      workload: aWorkload({ name: 'web', type: 'labels', origin: { source: 'labels', labels: { app: 'web' } } }),
    }),
  ],
});

function fullSelfMetrics(): SelfMetrics {
  const selfMetrics = new SelfMetrics({ version: '1.2.3', nodeVersion: 'v20.0.0' });
  const now = { wallMs: 1, monotonicMs: 1 };
  const scope = {
    name: 'pods',
    namespace: '',
    isSynced: true,
    isConnected: true,
    mode: 'watch' as const,
    lastProgress: now,
    lastFailure: undefined,
  };
  selfMetrics.settingsLoaded(0x01_23_45_67_89_ab, now);
  selfMetrics.show({
    source: {
      store: { lists: { states: () => [storeState('pods', 1, [scope])] } },
      watches: { watchCount: 2, subscriptionCount: 2 },
      queue: { depth: () => 1 },
    },
    collected: {
      skippedPods: new Map([['no_usage', 0]]),
      unknownItems: { containerCount: 0, volumeCount: 0 },
      saturatedValueCount: 0,
      backedOffWorkloadCount: 0,
    },
    scope: { shard: 0, totalShards: 1, nodeName: 'node-1' },
  });
  return selfMetrics;
}

const compatibilities: readonly Compatibility[] = ['none', 'k8s-ephemeral-storage-metrics'];

describe.each(compatibilities)('the table of families, compatible with %s', (compatibility) => {
  const table = familyTable(Object.values(selfFamilies), compatibility);

  it.each(table.map((row) => [row.name, row] as const))(
    'the family %s follows the rules for names and help texts',
    (name, row) => {
      expect(name).toMatch(/^ephemeral_storage_[a-z]+(?:_[a-z]+)*$/);
      expect(row.type === 'counter').toBe(name.endsWith('_total'));
      expect(row.help).toMatch(/^[A-Z\d].*\.$/);
      expect(new Set(row.labels).size).toBe(row.labels.length);
    },
  );

  it('the table has each name once', () => {
    expect(new Set(table.map(({ name }) => name)).size).toBe(table.length);
  });

  it('the table is what is served: names, types, helps, labels and order', async () => {
    const settings = { compatibility, nodeLabels: ['pool'] };
    const exposition = anExposition({ settings, selfMetrics: fullSelfMetrics() });
    const { chunks } = await exposition.render(fullSnapshot, asking('text'), never);
    const families = parseExposition(Buffer.concat(chunks), 'text').filter(({ name }) =>
      name.startsWith('ephemeral_storage_'),
    );
    const served = families.map(({ name, type, help, samples }) => {
      const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)).filter((label) => label !== 'le'));
      return {
        name,
        type,
        help,
        labels: [...labels].map((label) => label.replace(/^label_.*/, 'label_…')).sort(),
      };
    });
    const documented = table.map(({ name, type, help, labels }) => ({ name, type, help, labels: [...labels].sort() }));
    const ofCluster = documented.filter((row) => !row.name.startsWith('ephemeral_storage_exporter_'));
    expect(served.slice(0, ofCluster.length)).toEqual(ofCluster);
    const byName = <T extends { readonly name: string }>(rows: readonly T[]): T[] =>
      rows.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    expect(byName(served)).toEqual(byName(documented));
  });
});

it.each([
  [{ allow: ['ephemeral_storage_pod_.*'], deny: ['ephemeral_storage_pod_info'] }, []],
  [{ allow: ['pod_used_bytes'], deny: [] }, ['metrics.allow[0] "pod_used_bytes"']],
  [
    { allow: ['ephemeral_storage_nothing', '.*'], deny: ['.*_inodes_used', 'x"y'] },
    ['metrics.allow[0] "ephemeral_storage_nothing"', 'metrics.deny[1] "x\\"y"'],
  ],
])('patterns that match no family are reported: %j', (patterns, expected) => {
  expect(patternsWithoutFamily({ ...patterns, compatibility: 'none' })).toEqual(expected);
});
