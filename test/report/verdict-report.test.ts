import { describe, expect, it } from 'vitest';

import type { Pod } from '../../src/cluster/kube/objects.js';
import type { EvictionThreshold } from '../../src/cluster/kubelet/kubelet-configuration.js';
import type { FsStats, PodSummary } from '../../src/cluster/kubelet/summary.js';
import type { EvictionRecord, LastUsage } from '../../src/facts/history/eviction-record.js';
import type { DiskVerdict } from '../../src/facts/node/disk-verdict.js';
import type { Bounds } from '../../src/facts/node/freed-space.js';
import { type NodeLayout, storageLayout } from '../../src/facts/node/node-layout.js';
import { nodeThresholds } from '../../src/facts/node/node-thresholds.js';
import type { NodeSnapshot } from '../../src/facts/node/node-view.js';
import type { Workload } from '../../src/facts/workload/workload.js';
import { type EvictionReport, evictionReport, evictionReports } from '../../src/people/report/eviction-report.js';
import { type SamplesOf, type VerdictReport, verdicts } from '../../src/people/report/verdict-report.js';
import {
  aContainerSummary,
  anFsStats,
  aNode,
  aNodeSummary,
  aPod,
  aPodSummary,
  aThreshold,
} from '../support/builders.js';
import { aLastUsage, anEvictionRecord } from '../support/eviction-builders.js';
import { sumOf } from '../support/figures.js';
import {
  aContainerUsage,
  aDeployment,
  aLimitRatio,
  aMeasuredPod,
  aNodeSnapshot,
  aPodUsage,
  aWorkload,
} from '../support/snapshot-builders.js';
import { gib, mib } from '../support/units.js';

const shared: NodeLayout = { hasDedicatedImagefs: false, hasSplitImagefs: false };
const dedicated: NodeLayout = { hasDedicatedImagefs: true, hasSplitImagefs: false };
const split: NodeLayout = { hasDedicatedImagefs: true, hasSplitImagefs: true };

interface SomePod {
  readonly pod: Pod;
  /** Undefined: without statistics. */
  readonly summary: PodSummary | undefined;
  readonly workload: Workload | undefined;
  readonly grownGib: number;
}

function podOf(
  name: string,
  usedGib: number,
  {
    grownGib = 0,
    workload = aDeployment(name.replace(/-\d+$/, '')),
    inodes = 0,
    logsGib = 0,
    ...pod
  }: {
    readonly grownGib?: number;
    readonly workload?: Workload | undefined;
    readonly inodes?: number;
    readonly logsGib?: number;
  } & Partial<Pod> = {},
): SomePod {
  const container = aContainerSummary({ rootfsBytes: usedGib * gib, logsBytes: logsGib * gib });
  const rootfs = container.rootfs && { ...container.rootfs, inodesUsed: inodes };
  return {
    pod: aPod({ name, ...pod }),
    summary: aPodSummary({ name, usedBytes: (usedGib + logsGib) * gib, containers: [{ ...container, rootfs }] }),
    workload,
    grownGib,
  };
}

const unmeasured: SomePod = { ...podOf('new', 0), summary: undefined };
const cart = podOf('cart-0', 20);

interface Situation {
  readonly freeGib: number;
  /** What the runtime has besides writable layers. */
  readonly imagesGib?: number;
  readonly unused?: Bounds | undefined;
  readonly pods?: readonly SomePod[];
  /** Of every pod, besides its controller. */
  readonly selector?: Workload;
  /** Undefined: those of Kubernetes are assumed. */
  readonly thresholds?: readonly EvictionThreshold[] | undefined;
  readonly layout?: NodeLayout;
  readonly inodesFree?: number;
  readonly imagefsFreeGib?: number;
  readonly containerfsFreeGib?: number;
  readonly nodefs?: Partial<FsStats>;
  readonly node?: Partial<NodeSnapshot['node']>;
  readonly snapshot?: Partial<NodeSnapshot>;
  /** The newest first. */
  readonly evictions?: readonly EvictionReport[];
  readonly source?: Partial<Parameters<ReturnType<typeof verdicts>>[0]>;
}

const readAtMs = Date.UTC(2026, 0, 1, 13);

/** Seconds before its eviction, ten seconds ago. */
function measuredBefore(beforeS: number): LastUsage {
  const usage = aPodUsage({ usedBytes: 12 * gib, inodesUsed: 40_000 });
  return aLastUsage({ usage, fetchedAtMs: readAtMs - (10 + beforeS) * 1_000 });
}

/** For the bytes of node-1. */
function anEvictionOf(
  pod: string,
  agoS: number,
  overrides: Parameters<typeof anEvictionRecord>[0] = {},
): EvictionReport {
  const usage = aPodUsage({ usedBytes: 12 * gib, inodesUsed: 40_000 });
  const evictedAtMs = readAtMs - agoS * 1_000;
  const record = {
    pod,
    cause: 'node_bytes',
    evictedAtMs,
    lastUsage: aLastUsage({ usage, fetchedAtMs: evictedAtMs - 20_000 }),
  } as const;
  return evictionReport(anEvictionRecord({ ...record, ...overrides }));
}

const tenGib = [aThreshold({ value: { amount: 10 * gib } })];
const exactly = (amountGib: number): Bounds => ({ least: amountGib * gib, most: amountGib * gib });

function snapshotOf(situation: Situation): NodeSnapshot {
  const { freeGib, imagesGib = 5, pods = [cart], layout = shared, inodesFree = 60_000, selector } = situation;
  const thresholds = 'thresholds' in situation ? situation.thresholds : tenGib;
  const node = aNode(situation.node);
  const disk = (free: number) =>
    anFsStats({
      capacityBytes: 100 * gib,
      availableBytes: free * gib,
      usedBytes: (100 - free) * gib,
      inodes: 65_536,
      inodesFree,
    });
  const layersBytes = sumOf(pods.map(({ summary }) => summary?.containers[0]?.rootfs?.usedBytes));
  const runtime = { ...disk(situation.imagefsFreeGib ?? freeGib), usedBytes: imagesGib * gib + layersBytes };
  const summaries = pods.flatMap(({ summary }) => summary ?? []);
  const summary = aNodeSummary({
    nodefs: { ...disk(freeGib), ...situation.nodefs },
    imagefs: runtime,
    containerfs: layout === split ? disk(situation.containerfsFreeGib ?? freeGib) : runtime,
    pods: summaries,
  });
  return aNodeSnapshot({
    node,
    summary,
    layout,
    thresholds: nodeThresholds({ ...node, summary, layout: storageLayout(layout), thresholds }),
    podsOnNode: pods.map(({ pod }) => pod),
    pods: pods.flatMap(({ pod, summary: entry, workload }) =>
      entry === undefined
        ? []
        : [
            aMeasuredPod({
              summary: entry,
              name: pod.name,
              pod,
              workloads: [selector, workload].filter((of) => of !== undefined),
            }),
          ],
    ),
    images: imagesOf(situation),
    ...situation.snapshot,
  });
}

/** Unpacked sizes are exact; compressed ones are the least that is freed. */
function imagesOf(situation: Situation): NodeSnapshot['images'] {
  const unused = 'unused' in situation ? situation.unused : exactly(0);
  if (unused === undefined) return undefined;
  const { least, most } = unused;
  const sizes = least === most ? 'unpacked' : 'compressed';
  const listed = { sizes, imageCount: 1, sizeBytes: least, isCut: false, unusedBytes: least } as const;
  return { ...listed, maxCopiesBytes: undefined, collection: undefined };
}

function verdictOf(situation: Situation): VerdictReport | undefined {
  const snapshot = snapshotOf(situation);
  const grown = new Map((situation.pods ?? [cart]).map(({ pod, grownGib }) => [pod.kubeletUid, grownGib]));
  const samplesOf: SamplesOf = (_node, { uid }) => {
    const grownGib = grown.get(uid) ?? 0;
    return grownGib === 0
      ? []
      : [
          { atMs: 0, usedBytes: gib },
          { atMs: 540_000, usedBytes: (1 + grownGib) * gib },
        ];
  };
  return verdicts({ samplesOf, evictions: situation.evictions ?? [], readAtMs })(
    { nodeName: 'node-1', node: snapshot.node, state: 'fresh', ageMs: 1_000, ...situation.source },
    snapshot,
  );
}

const soft = aThreshold({ value: { amount: 20 * gib }, gracePeriodMs: 90_000 });
const reclaiming = aThreshold({ value: { amount: 10 * gib }, minReclaim: { amount: 2 * gib } });
const inodesOf = (amount: number) => aThreshold({ signal: 'nodefs.inodesFree', value: { amount } });
const ofImagefs = aThreshold({ signal: 'imagefs.available', value: { amount: 15 * gib } });
/** `leftMs`: one second after the summary. */
function soonIn(leftMs: number): NodeSnapshot['forecasts'] {
  const forecast = {
    signal: 'nodefs.available',
    isAssumed: false,
    reachedAtMs: leftMs + 1_000,
    endsAtMs: Infinity,
  } as const;
  return { measuredAtMs: 0, pods: new Map(), thresholds: [forecast] };
}

const cutImages: NodeSnapshot['images'] = {
  ...{ sizes: 'unpacked', imageCount: 50, sizeBytes: 9 * gib, isCut: true, unusedBytes: 2.4 * gib },
  ...{ maxCopiesBytes: undefined, collection: undefined },
};

/** Other bytes grew, and so much less is available. */
function filling(grownGib: number, durationMs: number, fallen = grownGib * gib): NodeSnapshot['fills'][number] {
  return {
    filesystem: 'nodefs',
    ofInodes: false,
    atMs: 0,
    capacity: 100 * gib,
    available: 30 * gib,
    held: { pods: 20 * gib, images: 5 * gib, other: 45 * gib },
    grown: { pods: 0, images: 0, other: grownGib * gib },
    durationMs,
    fallen,
    cause: undefined,
    calmAtMs: 0,
  };
}

const unset: Partial<NodeSnapshot> = { unsetSignals: ['nodefs.available', 'imagefs.available'] };

const absent = { state: 'absent', ageMs: 720_000, reason: 'timeout' } as const;

/** What a person reads about a full node. */
const situations: readonly (readonly [what: string, situation: Situation, text: string])[] = [
  [
    'pods: the workload that grew most comes before the largest',
    { freeGib: 5, pods: [cart, podOf('log-0', 3, { grownGib: 2 }), podOf('log-1', 2, { grownGib: 1.1 })] },
    'Pods are the cause, shop/log first (grew 3.1Gi in 9m to 5Gi): evicting every pod frees 25Gi, 5Gi is missing on nodefs.',
  ],
  [
    'pods: the largest before one that writes less than 1 % of the disk in ten minutes',
    { freeGib: 5, pods: [cart, podOf('log-0', 3, { grownGib: 0.89 })] },
    'Pods are the cause, shop/cart first (20Gi): evicting every pod frees 23Gi, 5Gi is missing on nodefs.',
  ],
  [
    'pods: one that writes 1 % of the disk in ten minutes before the largest',
    { freeGib: 5, pods: [cart, podOf('log-0', 3, { grownGib: 0.9 })] },
    'Pods are the cause, shop/log first (grew 921.6Mi in 9m to 3Gi): evicting every pod frees 23Gi, 5Gi is missing on nodefs.',
  ],
  [
    'pods of a workload that every pod belongs to: by their controllers',
    { freeGib: 5, pods: [cart, podOf('log-0', 3, { grownGib: 2 })], selector: aWorkload({ name: 'all' }) },
    'Pods are the cause, shop/log first (grew 2Gi in 9m to 3Gi): evicting every pod frees 23Gi, 5Gi is missing on nodefs.',
  ],
  [
    'pods: the largest first where growth is not known',
    { freeGib: 5, pods: [podOf('log-0', 3), cart] },
    'Pods are the cause, shop/cart first (20Gi): evicting every pod frees 23Gi, 5Gi is missing on nodefs.',
  ],
  [
    'pods, two workloads grew equally: the larger one first',
    { freeGib: 5, pods: [podOf('log-0', 3, { grownGib: 2 }), podOf('web-0', 4, { grownGib: 2 })] },
    'Pods are the cause, shop/web first (grew 2Gi in 9m to 4Gi): evicting every pod frees 7Gi, 5Gi is missing on nodefs.',
  ],
  [
    'images and pods would each be enough: images, which the kubelet collects first',
    { freeGib: 5, imagesGib: 30, unused: exactly(5) },
    'Unused images can be collected: deleting those older than imageMinimumGCAge (2m by default) frees 5Gi as the kubelet counts, 5Gi is missing on nodefs.',
  ],
  [
    'images and pods would each be enough, and a workload wrote what is missing: that workload',
    { freeGib: 5, imagesGib: 30, unused: exactly(5), pods: [podOf('restore-0', 7, { grownGib: 5 })] },
    'Pods are the cause, shop/restore first (grew 5Gi in 9m to 7Gi): evicting every pod frees 7Gi, 5Gi is missing on nodefs.',
  ],
  [
    'images would be enough, and a workload wrote less than what is missing',
    { freeGib: 5, imagesGib: 30, unused: exactly(5), pods: [podOf('restore-0', 7, { grownGib: 4.5 })] },
    'Unused images can be collected: deleting those older than imageMinimumGCAge (2m by default) frees 5Gi as the kubelet counts, 5Gi is missing on nodefs.',
  ],
  [
    'pods that hold just what is missing',
    { freeGib: 5, pods: [podOf('cart-0', 5)] },
    'Pods are the cause, shop/cart first (5Gi): evicting every pod frees 5Gi, 5Gi is missing on nodefs.',
  ],
  [
    'pods and images that hold just what is missing',
    { freeGib: 4, unused: exactly(2), pods: [podOf('cart-0', 4)] },
    'Pods and images are the cause, shop/cart first (4Gi): evicting every pod frees 4Gi and deleting unused images 2Gi as the kubelet counts, 6Gi is missing on nodefs.',
  ],
  [
    'images: more than is missing, of sizes that are lower bounds',
    { freeGib: 8, imagesGib: 40, unused: { least: 6 * gib, most: 20 * gib }, pods: [podOf('cart-0', 1)] },
    'Unused images can be collected: deleting those older than imageMinimumGCAge (2m by default) frees 6Gi as the kubelet counts, 2Gi is missing on nodefs.',
  ],
  [
    'pods and images: neither alone',
    { freeGib: 4, imagesGib: 30, unused: exactly(3), pods: [podOf('cart-0', 4)] },
    'Pods and images are the cause, shop/cart first (4Gi): evicting every pod frees 4Gi and deleting unused images 3Gi as the kubelet counts, 6Gi is missing on nodefs.',
  ],
  [
    'other: neither pods nor images',
    { freeGib: 0, imagesGib: 9.9, pods: [podOf('cart-0', 5.1)] },
    '85Gi of 100Gi is neither pods nor images; evicting every pod frees 5.1Gi of the 10Gi missing on nodefs.',
  ],
  [
    'other: images that containers use, which the runtime counts several times (less than 0 is left over)',
    { freeGib: 2, imagesGib: 110, unused: exactly(1), pods: [podOf('cart-0', 3)] },
    '94Gi of 100Gi is images and ended containers that stay; evicting every pod and deleting unused images frees 4Gi of the 8Gi missing on nodefs.',
  ],
  [
    'other: exempt pods, which are never evicted',
    {
      freeGib: 1,
      pods: [podOf('etcd', 70, { isStatic: true }), podOf('dns', 10, { priority: 2_000_000_000 }), podOf('cart-0', 2)],
    },
    '80Gi of 100Gi is static and critical pods, which are never evicted; evicting every pod frees 2Gi of the 9Gi missing on nodefs.',
  ],
  [
    'inodes',
    {
      freeGib: 60,
      inodesFree: 1_200,
      thresholds: [...tenGib, inodesOf(3_277)],
      pods: [podOf('cart-0', 20, { inodes: 300 }), podOf('npm-0', 1, { inodes: 40_000 })],
    },
    'Inodes are the cause, not bytes, shop/npm first (40,000 inodes): evicting every pod frees 40,300 inodes, 2,077 inodes are missing on nodefs.',
  ],
  [
    'inodes are short, and bytes of two signals',
    { freeGib: 5, inodesFree: 0, thresholds: [...tenGib, inodesOf(3_277), ofImagefs] },
    'Inodes are the cause, not bytes: evicting every pod frees 0 inodes, 3,277 inodes are missing on nodefs; also below a threshold: nodefs.available, imagefs.available.',
  ],
  ...[undefined, 0].map((usedBytes): readonly [string, Situation, string] => [
    `a full disk of which the kubelet reports ${usedBytes} bytes as used`,
    { freeGib: 5, nodefs: { usedBytes }, imagesGib: 60, unused: undefined, pods: [podOf('cart-0', 1)] },
    'Unknown cause: the kubelet does not report what the disk holds; 5Gi is missing on nodefs.',
  ]),
  [
    'bytes and inodes are short equally: bytes, with the inodes named',
    { freeGib: 5, inodesFree: 1_000, thresholds: [...tenGib, inodesOf(2_000)] },
    'Pods are the cause, shop/cart first (20Gi): evicting every pod frees 20Gi, 5Gi is missing on nodefs; also below a threshold: nodefs.inodesFree.',
  ],
  [
    'a soft threshold',
    { freeGib: 12, thresholds: [soft, ...tenGib] },
    'Pods are the cause, shop/cart first (20Gi): evicting every pod frees 20Gi, 8Gi is missing on nodefs and evictions begin after 1m30s.',
  ],
  [
    'a hard threshold is crossed beside a soft one that is further away',
    { freeGib: 9, thresholds: [soft, ...tenGib] },
    'Pods are the cause, shop/cart first (20Gi): evicting every pod frees 20Gi, 1Gi is missing on nodefs.',
  ],
  [
    'minimum reclaim',
    { freeGib: 9, thresholds: [reclaiming], pods: [podOf('cart-0', 2)] },
    '84Gi of 100Gi is neither pods nor images; evicting every pod frees 2Gi of the 3Gi missing on nodefs.',
  ],
  [
    'assumed thresholds',
    { freeGib: 12, thresholds: undefined },
    'Pods are the cause, shop/cart first (20Gi): evicting every pod frees 20Gi, 3Gi is missing on nodefs for imagefs.available (threshold assumed).',
  ],
  [
    'unread pods',
    { freeGib: 5, snapshot: { unreadPodCount: 12 } },
    'Unknown cause: 12 pods of this node are not read; 5Gi is missing on nodefs.',
  ],
  [
    'unread pods that hold too little to matter',
    { freeGib: 2, pods: [podOf('cart-0', 3)], snapshot: { unreadPodCount: 1 } },
    '90Gi of 100Gi is neither pods nor images; evicting every pod frees at most 3Gi of the 8Gi missing on nodefs.',
  ],
  [
    'a running pod without statistics may hold what nobody is counted for',
    { freeGib: 2, pods: [podOf('cart-0', 3), unmeasured] },
    'Unknown cause: not all pods of this node are measured; 8Gi is missing on nodefs.',
  ],
  [
    'a pod without statistics that does not run holds nothing',
    {
      freeGib: 2,
      pods: [podOf('cart-0', 3), { ...unmeasured, pod: aPod({ name: 'new', runningSinceMs: undefined }) }],
    },
    '90Gi of 100Gi is neither pods nor images; evicting every pod frees 3Gi of the 8Gi missing on nodefs.',
  ],
  [
    'a pod with pending volumes may hold what nobody is counted for',
    { freeGib: 2, pods: [podOf('cart-0', 3)], snapshot: { listedPods: [{ ...aMeasuredPod(), isPending: true }] } },
    'Unknown cause: not all pods of this node are measured; 8Gi is missing on nodefs.',
  ],
  [
    'pods that the API server does not know yet may be enough',
    { freeGib: 2, pods: [podOf('cart-0', 3)], snapshot: { unknownPods: [aPodSummary({ usedBytes: 5 * gib })] } },
    'Unknown cause: not all pods of this node are measured; 8Gi is missing on nodefs.',
  ],
  [
    'images that are not read, and are large enough to matter',
    { freeGib: 5, imagesGib: 30, unused: undefined },
    'Unknown cause: what deleting unused images frees is not known; 5Gi is missing on nodefs.',
  ],
  [
    'images that are not read, and are too small to matter',
    { freeGib: 4, imagesGib: 5, unused: undefined },
    'Pods are the cause, shop/cart first (20Gi): evicting every pod frees 20Gi, 6Gi is missing on nodefs.',
  ],
  [
    'stale data',
    { freeGib: 5, source: { state: 'stale', ageMs: 80_000 } },
    'Pods are the cause, shop/cart first (20Gi): evicting every pod frees 20Gi, 5Gi is missing on nodefs (data 1m20s old).',
  ],
  [
    'a silent node by its last data, with assumed thresholds',
    { freeGib: 5, thresholds: undefined, source: absent },
    'Pods are the cause, shop/cart first (20Gi): evicting every pod frees 20Gi, 10Gi is missing on nodefs for imagefs.available (threshold assumed, data 12m old, timeout).',
  ],
  [
    'a dedicated image filesystem: images free nothing on nodefs',
    {
      freeGib: 5,
      layout: dedicated,
      imagefsFreeGib: 50,
      unused: exactly(30),
      pods: [podOf('cart-0', 20, { logsGib: 1 })],
    },
    '94Gi of 100Gi is neither pods nor images; evicting every pod frees 1Gi of the 5Gi missing on nodefs.',
  ],
  [
    'a dedicated image filesystem that is short, and nodefs too',
    {
      freeGib: 9,
      layout: dedicated,
      imagefsFreeGib: 5,
      thresholds: [...tenGib, ofImagefs],
      imagesGib: 60,
      unused: exactly(12),
    },
    'Unused images can be collected: deleting those older than imageMinimumGCAge (2m by default) frees 12Gi as the kubelet counts, 10Gi is missing on imagefs; also below a threshold: nodefs.available.',
  ],
  [
    'a split image filesystem: no pod has bytes there',
    {
      freeGib: 60,
      layout: split,
      imagefsFreeGib: 5,
      thresholds: [...tenGib, ofImagefs],
      imagesGib: 70,
      unused: exactly(2),
    },
    '88Gi of 100Gi is images and ended containers that stay; evicting every pod and deleting unused images frees 2Gi of the 10Gi missing on imagefs.',
  ],
  [
    'a filesystem of writable layers alone',
    { freeGib: 60, layout: split, imagefsFreeGib: 60, containerfsFreeGib: 5 },
    'Pods are the cause, shop/cart first (20Gi): evicting every pod frees 20Gi, 5Gi is missing on containerfs.',
  ],
  [
    'Windows has no inodes',
    { freeGib: 5, inodesFree: 0, thresholds: [...tenGib, inodesOf(1)], node: { operatingSystem: 'windows' } },
    'Pods are the cause, shop/cart first (20Gi): evicting every pod frees 20Gi, 5Gi is missing on nodefs.',
  ],
  [
    'close to a threshold: what would make room for as much as the threshold',
    { freeGib: 12, imagesGib: 10, pods: [podOf('cart-0', 4)] },
    '74Gi of 100Gi is neither pods nor images; evicting every pod frees 4Gi, less than the threshold of 10Gi; evictions are 2Gi away on nodefs.',
  ],
  [
    'close to a threshold, mostly of other bytes, while a workload grows that does not cross it within ten minutes',
    { freeGib: 12, imagesGib: 10, pods: [podOf('cart-0', 4, { grownGib: 1.79 })] },
    '74Gi of 100Gi is neither pods nor images, and shop/cart grew 1.8Gi in 9m; evicting every pod frees 4Gi, less than the threshold of 10Gi; evictions are 2Gi away on nodefs.',
  ],
  [
    'close to a threshold, mostly of other bytes, and a workload crosses it within ten minutes: that workload',
    { freeGib: 12, imagesGib: 10, pods: [podOf('cart-0', 4, { grownGib: 1.8 })] },
    'Pods are the cause, shop/cart first (grew 1.8Gi in 9m to 4Gi): evicting every pod frees 4Gi, evictions are 2Gi away on nodefs.',
  ],
  [
    'close to a threshold: images are collected before pods are evicted',
    { freeGib: 12, imagesGib: 10, unused: exactly(2.4), pods: [podOf('cart-0', 4, { grownGib: 1.8 })] },
    'Pods are the cause, shop/cart first (grew 1.8Gi in 9m to 4Gi): evicting every pod frees 4Gi, evictions are 2Gi away on nodefs; images are collected first: up to 2.4Gi.',
  ],
  [
    'close to a threshold, with more unused images than are listed',
    { freeGib: 12, pods: [podOf('cart-0', 4, { grownGib: 1.8 })], snapshot: { images: cutImages } },
    'Pods are the cause, shop/cart first (grew 1.8Gi in 9m to 4Gi): evicting every pod frees 4Gi, evictions are 2Gi away on nodefs; images are collected first: at least 2.4Gi.',
  ],
  [
    'close to a threshold, with enough of unused images',
    { freeGib: 12, imagesGib: 30, unused: exactly(10) },
    'Unused images can be collected: deleting those older than imageMinimumGCAge (2m by default) frees 10Gi as the kubelet counts, evictions are 2Gi away on nodefs.',
  ],
  [
    'close to a threshold, with enough of pods and unused images together',
    { freeGib: 12, imagesGib: 30, unused: exactly(6), pods: [podOf('cart-0', 4)] },
    'Pods and images are the cause, shop/cart first (4Gi): evicting every pod frees 4Gi and deleting unused images 6Gi as the kubelet counts, evictions are 2Gi away on nodefs.',
  ],
  [
    'below a threshold, mostly of other bytes: evictions have begun, whatever grew',
    { freeGib: 0, imagesGib: 9.9, pods: [podOf('cart-0', 5.1, { grownGib: 3 })] },
    '85Gi of 100Gi is neither pods nor images; evicting every pod frees 5.1Gi of the 10Gi missing on nodefs.',
  ],
  [
    'a threshold that will be crossed within ten minutes',
    { freeGib: 40, imagesGib: 10, pods: [podOf('cart-0', 4)], snapshot: { forecasts: soonIn(600_000) } },
    '46Gi of 100Gi is neither pods nor images; evicting every pod frees 4Gi, less than the threshold of 10Gi; evictions are 30Gi away on nodefs.',
  ],
  [
    'DiskPressure without a threshold that is near',
    { freeGib: 40, thresholds: undefined, node: { diskPressure: true } },
    'Unknown cause: the node reports DiskPressure with 25Gi of headroom, which kubelets do for evictionPressureTransitionPeriod after a shortage (threshold assumed).',
  ],
  [
    'no space and no threshold',
    { freeGib: 0, imagesGib: 30, unused: exactly(3), thresholds: [], snapshot: unset },
    'Writes fail with ENOSPC: 0B of 100Gi is free on nodefs, and no eviction threshold makes the kubelet evict pods; deleting pods frees 20Gi, shop/cart first (20Gi); deleting unused images frees 3Gi as the kubelet counts.',
  ],
  [
    'no space, and default thresholds that are not those of the kubelet',
    { freeGib: 0, pods: [], thresholds: [], snapshot: { refutedSignals: ['nodefs.available'] } },
    'Writes fail with ENOSPC: 0B of 100Gi is free on nodefs, and no eviction threshold makes the kubelet evict pods.',
  ],
  [
    'hardly any space and no threshold, while DiskPressure still stands',
    { freeGib: 0.5, thresholds: [], snapshot: unset, node: { diskPressure: true } },
    'Writes are about to fail with ENOSPC: 512Mi of 100Gi is free on nodefs, and no eviction threshold makes the kubelet evict pods; deleting pods frees 20Gi, shop/cart first (20Gi).',
  ],
  [
    'no space and no threshold, where a critical pod holds most: who is named is in the sum',
    { freeGib: 0, pods: [podOf('crit', 60, { priority: 2_000_000_000 }), cart], thresholds: [], snapshot: unset },
    'Writes fail with ENOSPC: 0B of 100Gi is free on nodefs, and no eviction threshold makes the kubelet evict pods; deleting pods frees 20Gi, shop/cart first (20Gi).',
  ],
  [
    'no space and no threshold, where a critical pod grows',
    {
      freeGib: 0,
      pods: [podOf('crit', 60, { priority: 2_000_000_000, grownGib: 3 }), cart],
      thresholds: [],
      snapshot: unset,
    },
    'Writes fail with ENOSPC: 0B of 100Gi is free on nodefs, and no eviction threshold makes the kubelet evict pods; shop/crit grew 3Gi in 9m; deleting pods frees 20Gi.',
  ],
  [
    'no threshold, from 95 % of the disk on',
    { freeGib: 4.99, pods: [podOf('cart-0', 20, { grownGib: 3 })], thresholds: [], snapshot: unset },
    'Writes will fail with ENOSPC: 5Gi of 100Gi is free on nodefs, and no eviction threshold makes the kubelet evict pods; deleting pods frees 20Gi, shop/cart first (grew 3Gi in 9m to 20Gi).',
  ],
  [
    'no threshold, and a disk that is full within ten minutes',
    { freeGib: 30, thresholds: [], snapshot: { ...unset, fills: [filling(7.5, 150_000)] } },
    'Writes will fail with ENOSPC: 30Gi of 100Gi is free on nodefs, and no eviction threshold makes the kubelet evict pods; 45Gi of 100Gi is neither pods nor images, and it grew 7.5Gi in 2m30s; deleting pods frees 20Gi, shop/cart first (20Gi).',
  ],
  [
    'a critical pod holds most below a threshold: who is named is in the sum',
    { freeGib: 5, pods: [podOf('crit', 30, { priority: 2_000_000_000 }), cart] },
    'Pods are the cause, shop/cart first (20Gi): evicting every pod frees 20Gi, 5Gi is missing on nodefs.',
  ],
  [
    'just above a threshold in an outage, where pods hold as much as the threshold',
    {
      freeGib: 12,
      pods: [podOf('cart-0', 10)],
      snapshot: { fills: [{ ...filling(7.5, 150_000), cause: 'other' }] },
    },
    '45Gi of 100Gi is neither pods nor images, and it grew 7.5Gi in 2m30s; evicting every pod frees 10Gi, evictions are 2Gi away on nodefs.',
  ],
  [
    'below a threshold, where owners of one pod each fill it: they are one, by what their names share',
    {
      freeGib: 5,
      pods: [
        podOf('cart-0', 15),
        ...['builder-wkmqntq2xz', 'builder-c4d9f6xq8b'].map((name) =>
          podOf(name, 10, { workload: aWorkload({ namespace: 'ci', name, type: 'sandbox' }) }),
        ),
      ],
    },
    'Pods are the cause, ci/builder-* first (20Gi): evicting every pod frees 35Gi, 5Gi is missing on nodefs (workloads.labels groups builder-* by labels of their pods).',
  ],
  [
    'below a threshold, with a pod that is younger than the summary',
    { freeGib: 5, pods: [cart, unmeasured] },
    'Pods are the cause, shop/cart first (20Gi): evicting every pod frees at least 20Gi (not all of them are measured), 5Gi is missing on nodefs.',
  ],
  [
    'below a threshold for inodes, with a pod that is younger than the summary',
    {
      freeGib: 50,
      inodesFree: 10_000,
      thresholds: [inodesOf(15_000)],
      pods: [podOf('npm-0', 1, { inodes: 40_000 }), unmeasured],
    },
    'Inodes are the cause, not bytes, shop/npm first (40,000 inodes): evicting every pod frees at least 40,000 inodes (not all of them are measured), 5,000 inodes are missing on nodefs.',
  ],
  [
    'no inodes and no threshold of them, close to one of bytes',
    {
      freeGib: 12,
      inodesFree: 0,
      pods: [podOf('npm-0', 1, { inodes: 40_000 })],
      snapshot: { unsetSignals: ['nodefs.inodesFree'] },
    },
    'Writes fail with ENOSPC: 0 of 65,536 inodes are free on nodefs, and no eviction threshold makes the kubelet evict pods; deleting pods frees 40,000 inodes, shop/npm first (40,000 inodes).',
  ],
  [
    'no inodes and no threshold of them, below one of bytes: the kubelet evicts',
    { freeGib: 5, inodesFree: 0, snapshot: { unsetSignals: ['nodefs.inodesFree'] } },
    'Pods are the cause, shop/cart first (20Gi): evicting every pod frees 20Gi, 5Gi is missing on nodefs.',
  ],
];

describe('the verdict of a full node', () => {
  it.each(situations)('the verdict of a full node: %s', (_what, situation, text) => {
    expect(verdictOf(situation)?.text).toBe(text);
  });

  it('the verdict of a full node has its kind and its numbers', () => {
    expect(verdictOf({ freeGib: 5, imagesGib: 30, unused: exactly(2) })).toMatchObject({
      kind: 'pods',
      signal: 'nodefs.available',
      isAssumed: false,
      thresholdBytes: 10 * gib,
      available: 5 * gib,
      headroom: -5 * gib,
      missing: 5 * gib,
      podsFreed: 20 * gib,
      imagesFreed: 2 * gib,
    });
  });

  it('a node far from its thresholds has no verdict', () => {
    expect(verdictOf({ freeGib: 13 })).toBeUndefined();
    expect(verdictOf({ freeGib: 13, snapshot: { forecasts: soonIn(600_001) } })).toBeUndefined();
    expect(verdictOf({ freeGib: 13, snapshot: { forecasts: soonIn(1) }, source: absent })).toBeUndefined();
  });

  it('a node that was forecast to cross a threshold has a verdict of it until its disk is calm', () => {
    const fills = [{ ...filling(2, 60_000), warnedOf: 'nodefs.available' as const }];
    const held = verdictOf({ freeGib: 13, snapshot: { fills } });
    expect(held).toEqual(verdictOf({ freeGib: 13, snapshot: { forecasts: soonIn(60_000) } }));
    expect(verdictOf({ freeGib: 13, snapshot: { fills }, source: absent })).toBeUndefined();
  });

  it('a full node without a threshold has what is available, and no headroom', () => {
    const verdict = verdictOf({ freeGib: 0, thresholds: [], snapshot: unset });
    expect(verdict).toMatchObject({ kind: 'no_space', signal: 'nodefs.available', available: 0, podsFreed: 20 * gib });
    expect(verdict).not.toHaveProperty('thresholdBytes');
  });

  it.each<readonly [string, number, ReturnType<typeof filling>[]]>([
    ['has more than 5 % left', 5, []],
    ['is full after ten minutes', 30, [filling(7.5, 150_001)]],
    ['filled for so short a time that it says nothing of the time until it is full', 30, [filling(7.4, 10_000)]],
    ['has as much left as before', 30, [filling(30, 100_000, 0)]],
    ['has another filesystem that fills', 30, [{ ...filling(30, 100_000), filesystem: 'imagefs' }]],
    ['has fewer inodes', 30, [{ ...filling(30, 100_000), ofInodes: true }]],
  ])('a disk without a threshold has no verdict where it %s', (_what, freeGib, fills) => {
    expect(verdictOf({ freeGib, thresholds: [], snapshot: { ...unset, fills } })).toBeUndefined();
  });

  it('a silent node has a verdict when it reports DiskPressure', () => {
    const of = verdicts({ samplesOf: () => [], evictions: [anEvictionOf('cart-0', 60)], readAtMs });
    const silent = { nodeName: 'node-1', state: 'absent', reason: 'timeout' } as const;
    expect(of({ ...silent, node: aNode({ diskPressure: true }) }, undefined)?.text).toBe(
      'Unknown cause: the node reports DiskPressure, and may be evicting: its headroom is not known (no data: timeout).',
    );
    expect(of({ ...silent, node: aNode({ diskPressure: false }) }, undefined)).toBeUndefined();
    expect(of({ ...silent, reason: 'skipped', node: aNode({ diskPressure: true }) }, undefined)).toBeUndefined();
  });
});

describe('the verdict of a node whose condition DiskPressure outlasts the shortage', () => {
  const recovered = { freeGib: 60, node: { diskPressure: true } } as const;
  const stays =
    'The condition DiskPressure stays for evictionPressureTransitionPeriod after a shortage, 5m by default, with 50Gi of headroom now';

  it.each<readonly [string, readonly EvictionReport[], Partial<Situation>, string]>([
    [
      'one eviction',
      [anEvictionOf('cart-0', 200)],
      {},
      `The node was short of disk space until 3m20s ago: shop/cart-0 (12Gi) was evicted for it. ${stays}.`,
    ],
    [
      'several evictions, of which the first one is named and the last one is the end',
      [anEvictionOf('cart-2', 120), anEvictionOf('cart-1', 200), anEvictionOf('cart-0', 210)],
      {},
      `The node was short of disk space until 2m ago: shop/cart-0 (12Gi) and 2 more pods were evicted for it. ${stays}.`,
    ],
    [
      'evictions for inodes',
      [anEvictionOf('cart-0', 200, { cause: 'node_inodes' })],
      {},
      `The node was short of inodes until 3m20s ago: shop/cart-0 (40,000 inodes) was evicted for it. ${stays}.`,
    ],
    [
      'an eviction of a pod that was not measured, by assumed thresholds',
      [anEvictionOf('cart-0', 200, { lastUsage: 'not_measured' })],
      { thresholds: undefined },
      'The node was short of disk space until 3m20s ago: shop/cart-0 was evicted for it. The condition DiskPressure stays for evictionPressureTransitionPeriod after a shortage, 5m by default, with 45Gi of headroom now (threshold assumed).',
    ],
    [
      'an eviction by a clock that is ahead',
      [anEvictionOf('cart-0', -30)],
      {},
      'The node was short of disk space 0s ago: shop/cart-0 (12Gi) was evicted for it, and no summary since then shows that it is over.',
    ],
    [
      'an eviction after the last summary, which ends nothing',
      [anEvictionOf('cart-0', 9)],
      { source: { ageMs: 9_000 } },
      'The node was short of disk space 9s ago: shop/cart-0 (12Gi) was evicted for it, and no summary since then shows that it is over.',
    ],
    [
      'an eviction after others for inodes, or more than five minutes later',
      [anEvictionOf('cart-0', 20), anEvictionOf('npm-0', 25, { cause: 'node_inodes' }), anEvictionOf('web-0', 321)],
      {},
      `The node was short of disk space until 20s ago: shop/cart-0 (12Gi) was evicted for it. ${stays}.`,
    ],
    [
      'evictions that are five minutes apart',
      [anEvictionOf('web-0', 20), anEvictionOf('cart-0', 320)],
      {},
      `The node was short of disk space until 20s ago: shop/cart-0 (12Gi) and 1 more pod were evicted for it. ${stays}.`,
    ],
  ])('it tells %s, and leads to the explanation of that eviction alone', (_what, evictions, more, text) => {
    expect(verdictOf({ ...recovered, ...more, evictions })).toMatchObject({
      kind: 'unknown',
      text,
      headroom: expect.any(Number) as unknown,
      commands: ['ephemeral-storage-exporter explain eviction shop/cart-0'],
    });
  });

  it.each<readonly [string, EvictionReport, Partial<Situation>, string]>([
    ['a moment ago', anEvictionOf('restore', 10), {}, '10s ago'],
    [
      'a minute before its last data',
      anEvictionOf('restore', 90),
      { source: { state: 'stale', ageMs: 30_000 } },
      '1m30s ago',
    ],
    ['for the same inodes', anEvictionOf('restore', 10, { cause: 'node_inodes' }), {}, '10s ago'],
  ])('a pod that was evicted %s is the cause while its files are not deleted', (_what, eviction, more, ago) => {
    const ofInodes = eviction.cause === 'node_inodes';
    const short = ofInodes
      ? { freeGib: 60, inodesFree: 1_000, thresholds: [inodesOf(2_000)] }
      : { freeGib: 5, imagesGib: 30, unused: exactly(6) };
    const notes = more.source === undefined ? '' : ' (data 30s old)';
    expect(verdictOf({ ...short, ...more, evictions: [eviction] })).toMatchObject({
      kind: 'pods',
      text: ofInodes
        ? `Pod shop/restore (40,000 inodes) is the cause: it was evicted ${ago}, and its files were not deleted yet; 1,000 inodes are missing on nodefs.`
        : `Pod shop/restore (12Gi) is the cause: it was evicted ${ago}, and its files were not deleted yet; 5Gi is missing on nodefs${notes}.`,
      commands: ['ephemeral-storage-exporter explain eviction shop/restore'],
    });
  });

  it('a pod that was evicted with just what is missing is the cause', () => {
    const lastUsage = aLastUsage({ usage: aPodUsage({ usedBytes: 5 * gib }), fetchedAtMs: readAtMs - 20_000 });
    const evictions = [anEvictionOf('restore', 10, { lastUsage })];
    expect(verdictOf({ freeGib: 5, evictions })?.text).toMatch(/^Pod shop\/restore \(5Gi\) is the cause/);
  });

  it.each<readonly [string, EvictionReport]>([
    [
      'used less than is missing',
      anEvictionOf('cart-0', 10, {
        lastUsage: aLastUsage({ usage: aPodUsage({ usedBytes: 5 * gib - 1 }), fetchedAtMs: readAtMs - 20_000 }),
      }),
    ],
    ['was evicted more than a minute before', anEvictionOf('cart-0', 62)],
    ['was evicted for inodes', anEvictionOf('cart-0', 10, { cause: 'node_inodes' })],
    ['was not measured', anEvictionOf('cart-0', 10, { lastUsage: 'not_measured' })],
    ['was last measured more than two minutes before', anEvictionOf('cart-0', 10, { lastUsage: measuredBefore(121) })],
  ])('a pod that %s is not what is missing now', (_what, eviction) => {
    expect(verdictOf({ freeGib: 5, evictions: [eviction] })).toEqual(verdictOf({ freeGib: 5 }));
  });

  it('a node that is short again has the verdict of that', () => {
    const evictions = [anEvictionOf('web-0', 200)];
    expect(verdictOf({ freeGib: 5, node: { diskPressure: true }, evictions })).toEqual(
      verdictOf({ freeGib: 5, node: { diskPressure: true } }),
    );
  });
});

describe('the commands of a verdict', () => {
  it.each<readonly [string, Situation, readonly string[]]>([
    [
      'pods',
      { freeGib: 5 },
      ['ephemeral-storage-exporter explain pod shop/cart-0', 'kubectl delete pod -n shop cart-0'],
    ],
    [
      'a silent node: its kubelet is checked, and nothing is deleted by old values',
      { freeGib: 5, source: absent },
      [
        'kubectl describe node node-1',
        'kubectl get --raw /api/v1/nodes/node-1/proxy/stats/summary',
        "ssh node-1 'sudo journalctl -u kubelet -n 100 --no-pager'",
      ],
    ],
    [
      'a node that is about to be silent',
      { freeGib: 5, source: { state: 'stale', ageMs: 120_001 } },
      [
        'kubectl describe node node-1',
        'kubectl get --raw /api/v1/nodes/node-1/proxy/stats/summary',
        "ssh node-1 'sudo journalctl -u kubelet -n 100 --no-pager'",
      ],
    ],
    [
      'values of two minutes ago',
      { freeGib: 5, source: { state: 'stale', ageMs: 120_000 } },
      ['ephemeral-storage-exporter explain pod shop/cart-0', 'kubectl delete pod -n shop cart-0'],
    ],
    [
      'a static pod is not deleted',
      { freeGib: 5, pods: [podOf('cart-0', 20), podOf('etcd', 30, { isStatic: true, grownGib: 3 })] },
      ['ephemeral-storage-exporter explain pod shop/etcd'],
    ],
    [
      'images',
      { freeGib: 5, unused: exactly(6) },
      ["ssh node-1 'sudo crictl rmi --prune'", "ssh node-1 'sudo crictl images'"],
    ],
    [
      'images, all of them in use',
      { freeGib: 5, imagesGib: 60, snapshot: { fills: [{ ...filling(0, 1), cause: 'images' }] } },
      ["ssh node-1 'sudo crictl images'", "ssh node-1 'sudo crictl ps -a'"],
    ],
    [
      'a node that is near may still run a pod for it',
      { freeGib: 12, imagesGib: 30, unused: exactly(10) },
      [
        "kubectl debug node/node-1 -it --profile=sysadmin --image=busybox -- chroot /host sh -c 'crictl rmi --prune'",
        "kubectl debug node/node-1 -it --profile=sysadmin --image=busybox -- chroot /host sh -c 'crictl images'",
      ],
    ],
    [
      'other',
      { freeGib: 0, pods: [podOf('cart-0', 5, { grownGib: 3 })] },
      [
        "ssh node-1 'sudo du -xhd3 / /var | sort -h | tail -20'",
        "ssh node-1 'sudo journalctl --disk-usage'",
        "ssh node-1 'sudo lsof +L1'",
      ],
    ],
    [
      'other, close to a threshold, while a workload grows',
      { freeGib: 12, imagesGib: 10, pods: [podOf('cart-0', 4, { grownGib: 1.5 })] },
      [
        'ephemeral-storage-exporter explain pod shop/cart-0',
        'ephemeral-storage-exporter explain node node-1 --directories',
        expect.stringContaining('journalctl'),
        expect.stringContaining('lsof'),
      ],
    ],
    [
      'exempt pods',
      { freeGib: 1, pods: [podOf('etcd', 80, { isStatic: true })] },
      ['kubectl get pods -A --sort-by=.spec.priority --field-selector spec.nodeName=node-1'],
    ],
    [
      'unread pods',
      { freeGib: 5, snapshot: { unreadPodCount: 3 } },
      ['ephemeral-storage-exporter explain node node-1'],
    ],
    ['unread images', { freeGib: 5, imagesGib: 30, unused: undefined }, ["ssh node-1 'sudo crictl images'"]],
    [
      'no space and no threshold',
      { freeGib: 0, thresholds: [], snapshot: unset },
      [
        'ephemeral-storage-exporter explain pod shop/cart-0',
        'kubectl delete pod -n shop cart-0',
        "ssh node-1 'sudo crictl rmi --prune'",
        "ssh node-1 'sudo du -xhd3 / /var | sort -h | tail -20'",
        'kubectl get --raw /api/v1/nodes/node-1/proxy/configz',
      ],
    ],
    [
      'no inodes and no threshold',
      { freeGib: 50, inodesFree: 0, pods: [], thresholds: [], snapshot: { unsetSignals: ['nodefs.inodesFree'] } },
      [
        "ssh node-1 'sudo du --inodes -xd3 / /var | sort -n | tail -20'",
        'kubectl get --raw /api/v1/nodes/node-1/proxy/configz',
      ],
    ],
    [
      'DiskPressure without a threshold that is near',
      { freeGib: 60, node: { diskPressure: true } },
      [
        'ephemeral-storage-exporter explain node node-1',
        'kubectl get --raw /api/v1/nodes/node-1/proxy/configz',
        'kubectl get --raw /api/v1/nodes/node-1/proxy/stats/summary',
      ],
    ],
  ])('the commands of a verdict are complete: %s', (_what, situation, commands) => {
    expect(verdictOf(situation)?.commands).toEqual(commands);
  });

  it('after an eviction no pod is to be deleted, nor explained as if it still ran', () => {
    const pod = { namespace: 'shop', name: 'web-0', isExempt: false };
    const first = { workload: undefined, pod, amount: gib, growth: undefined };
    const nodeVerdict = { kind: 'pods', shortage: undefined, first, alsoBelow: [] } as const;
    expect(evictionReport(anEvictionRecord({ cause: 'node_bytes', nodeVerdict })).verdict?.commands).toEqual([
      'ephemeral-storage-exporter explain eviction shop/cart-0',
      'ephemeral-storage-exporter explain node node-1',
    ]);
  });

  it('the commands of a verdict quote what is no plain word', () => {
    const record = anEvictionRecord({ cause: 'container_limit', container: "a';reboot'", volume: '', message: '' });
    expect(evictionReport(record).verdict?.commands[1]).toBe(
      `kubectl set resources -n shop deployment/cart -c 'a'"'"';reboot'"'"'' --limits=ephemeral-storage=2304Mi`,
    );
  });
});

describe('the verdict of an eviction', () => {
  it.each<readonly [string, Parameters<typeof anEvictionRecord>[0], string, string]>([
    [
      'for a limit',
      {},
      'pods',
      'Pod shop/cart-0 is the cause: emptyDir data above its size limit of 100Mi, 80Mi in the summary 20s before its kubelet looked (kubelets measure volumes about once a minute). A limit of 2304Mi would have let it run for an hour more at its growth of 32.7Mi a minute: 100Mi + 60 × 32.7Mi, rounded up.',
    ],
    [
      'for a limit that logs have filled, just above it',
      {
        cause: 'pod_limit',
        volume: '',
        limitBytes: gib,
        lastUsage: aLastUsage({
          limitForAnHourBytes: undefined,
          usage: aPodUsage({
            usedBytes: 1_100_374_016,
            containers: [aContainerUsage({ name: 'app', rootfsBytes: mib, logsBytes: gib })],
          }),
          ratios: [],
        }),
      },
      'pods',
      'Pod shop/cart-0 is the cause: pod above the limit of its containers of 1Gi, 1,100,374,016 bytes measured 20s before, most of it the logs of container app (1Gi), which fill a larger limit too.',
    ],
    [
      'for a limit of a pod that was far below it',
      {
        cause: 'pod_limit',
        volume: '',
        limitBytes: 4 * gib,
        lastUsage: aLastUsage({
          limitForAnHourBytes: undefined,
          usage: aPodUsage({ usedBytes: 90 * mib, containers: [] }),
        }),
      },
      'pods',
      'Pod shop/cart-0 is the cause: pod above the limit of its containers of 4Gi, 90Mi in the summary 20s before its kubelet looked (kubelets measure volumes about once a minute).',
    ],
    [
      'for a limit of a container that was below it',
      {
        cause: 'container_limit',
        volume: '',
        container: 'app',
        limitBytes: gib,
        lastUsage: aLastUsage({
          limitForAnHourBytes: undefined,
          ratios: [aLimitRatio({ rule: 'container', container: 'app', usedBytes: 7 * mib, limitBytes: gib })],
        }),
      },
      'pods',
      'Pod shop/cart-0 is the cause: container app above its limit of 1Gi, 7Mi in the summary 20s before its kubelet looked.',
    ],
    [
      'for a limit, of a pod that was not measured',
      { lastUsage: 'not_measured' },
      'pods',
      'Pod shop/cart-0 is the cause: emptyDir data above its size limit of 100Mi, not measured before.',
    ],
    [
      'for a limit without its own figures',
      { lastUsage: aLastUsage({ ratios: [] }) },
      'pods',
      'Pod shop/cart-0 is the cause: emptyDir data above its size limit of 100Mi, 90Mi in the summary 20s before its kubelet looked (kubelets measure volumes about once a minute). A limit of 2304Mi would have let it run for an hour more at its growth of 32.7Mi a minute: 100Mi + 60 × 32.7Mi, rounded up.',
    ],
    [
      'by a node without data',
      { cause: 'node_bytes', volume: '', shortage: { threshold: 10 * mib, available: 4 * mib } },
      'unknown',
      'Unknown cause: the shortage was not seen before the eviction; 6Mi was missing.',
    ],
    [
      'for inodes by a node without data',
      { cause: 'node_inodes', volume: '', shortage: { threshold: 10, available: 4 } },
      'unknown',
      'Unknown cause: the shortage was not seen before the eviction; 6 inodes were missing.',
    ],
    [
      'for storage in words that are not known',
      { cause: 'other', volume: '' },
      'unknown',
      'Unknown cause: the message of the kubelet names it.',
    ],
  ])('the verdict of an eviction %s', (_what, overrides, kind, text) => {
    expect(evictionReport(anEvictionRecord(overrides)).verdict).toMatchObject({ kind, text });
  });
});

describe('the verdict of an eviction just after another one', () => {
  const diskVerdict = (state: 'evicting' | 'near'): DiskVerdict => ({
    kind: 'images',
    shortage: {
      signal: 'nodefs.available',
      filesystem: 'nodefs',
      state,
      gracePeriodMs: 0,
      threshold: 2 * gib,
      available: 1 * gib,
      missing: 1 * gib,
      capacity: 24 * gib,
      isAssumed: false,
    },
    images: exactly(1.5),
    alsoBelow: [],
  });
  const restore = anEvictionRecord({
    pod: 'restore',
    cause: 'node_bytes',
    evictedAtMs: readAtMs - 10_000,
    lastUsage: aLastUsage({ usage: aPodUsage({ usedBytes: 7 * gib }), fetchedAtMs: readAtMs - 20_000 }),
  });
  const verdictAfter = (overrides: Parameters<typeof anEvictionRecord>[0]): VerdictReport | undefined => {
    const facts = { cause: 'node_bytes', evictedAtMs: readAtMs, lastUsage: 'not_measured' } as const;
    const record = anEvictionRecord({ pod: 'agent', ...facts, ...overrides });
    return evictionReports([record, restore])[0]?.verdict;
  };

  it('an eviction while the files of the pod before are not deleted yet names that pod, and no images', () => {
    const verdict = verdictAfter({ nodeVerdict: diskVerdict('evicting') });
    expect(verdict).toMatchObject({
      kind: 'pods',
      text: 'Pod shop/restore (7Gi) is the cause: it was evicted 10s before, and its files were not deleted yet; 1Gi is missing on nodefs.',
    });
    expect(verdict?.commands).toEqual([
      'ephemeral-storage-exporter explain eviction shop/agent',
      'ephemeral-storage-exporter explain eviction shop/restore',
    ]);
  });

  it.each([
    ['two minutes', 120, ''],
    ['more than two minutes', 121, ' (measured 2m1s before)'],
  ])('a verdict by values of %s before has their age where it is more than that', (_what, beforeS, note) => {
    const nodeVerdict = diskVerdict('evicting');
    const lastUsage = aLastUsage({ fetchedAtMs: readAtMs - beforeS * 1_000 });
    expect(verdictAfter({ node: 'node-2', nodeVerdict, lastUsage })?.text).toBe(
      `Unused images can be collected: deleting those older than imageMinimumGCAge (2m by default) frees 1.5Gi as the kubelet counts, 1Gi is missing on nodefs${note}.`,
    );
  });

  it.each<readonly [string, EvictionRecord['nodeVerdict'], string]>([
    [
      'of which nothing is known',
      undefined,
      ' 10s before: shop/restore (7Gi) was evicted for it, and no summary since then shows that it is over.',
    ],
    [
      'that is above its thresholds again',
      { ...diskVerdict('near'), kind: 'unknown', unknownPart: 'condition', ageMs: 9_999 },
      ' until 10s before: shop/restore (7Gi) was evicted for it. The condition DiskPressure stays for evictionPressureTransitionPeriod after a shortage, 5m by default, with -1Gi of headroom then.',
    ],
  ])('a pod is refused by a node %s for the shortage before', (_what, nodeVerdict, text) => {
    expect(verdictAfter({ cause: 'node_admission', nodeVerdict })?.text).toBe(
      `The node was short of disk space${text}`,
    );
  });

  it('a pod is refused for what a node is short of while it is', () => {
    expect(verdictAfter({ cause: 'node_admission', nodeVerdict: diskVerdict('evicting') })?.text).toMatch(
      /^Pod shop\/restore \(7Gi\) is the cause/,
    );
    expect(verdictAfter({ node: 'node-2', nodeVerdict: diskVerdict('evicting') })?.text).toMatch(
      /^Unused images can be collected/,
    );
  });
});
