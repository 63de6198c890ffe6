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
import { nodeVerdictReport, type VerdictInputs, type VerdictReport } from '../../src/people/report/verdict-report.js';
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
  readonly source?: Partial<Parameters<typeof nodeVerdictReport>[0]>;
  /** The API server. */
  readonly isAway?: boolean;
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
  const samplesOf: VerdictInputs['samplesOf'] = (_node, { uid }) => {
    const grownGib = grown.get(uid) ?? 0;
    return grownGib === 0
      ? []
      : [
          { atMs: 0, usedBytes: gib },
          { atMs: 540_000, usedBytes: (1 + grownGib) * gib },
        ];
  };
  return nodeVerdictReport(
    { nodeName: 'node-1', node: snapshot.node, state: 'fresh', ageMs: 1_000, ...situation.source },
    snapshot,
    { samplesOf, evictions: situation.evictions ?? [], readAtMs, apiServer: { isAway: situation.isAway ?? false } },
  );
}

function verdictText(what: string, { kind, text, commands }: Partial<VerdictReport> = {}): string {
  return [`# ${what}`, `${kind}: ${text}`, ...(commands ?? []).map((command) => `$ ${command}`), ''].join('\n');
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

const anImage = (name: string, sizeGib: number) => ({ name, keys: [name], sizeBytes: sizeGib * gib });

const ofUnknownPod: Partial<NodeSnapshot> = {
  unknownPods: [aPodSummary({ usedBytes: 49.8 * mib })],
  images: { ...cutImages, isCut: false, unusedBytes: undefined },
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

/** Its condition DiskPressure outlasts the shortage. */
const recovered = { freeGib: 60, node: { diskPressure: true } } as const;

/** `node-verdicts.txt` has what a person reads about each of these nodes. */
const situations: Readonly<Record<string, Situation>> = {
  'pods: the workload that grew most comes before the largest': {
    freeGib: 5,
    pods: [cart, podOf('log-0', 3, { grownGib: 2 }), podOf('log-1', 2, { grownGib: 1.1 })],
  },
  'pods: nobody is named while the API server does not say who is gone': {
    freeGib: 5,
    pods: [cart, podOf('log-0', 3, { grownGib: 2 })],
    isAway: true,
  },
  'pods: the largest before one that writes less than 1 % of the disk in ten minutes': {
    freeGib: 5,
    pods: [cart, podOf('log-0', 3, { grownGib: 0.89 })],
  },
  'pods: one that writes 1 % of the disk in ten minutes before the largest': {
    freeGib: 5,
    pods: [cart, podOf('log-0', 3, { grownGib: 0.9 })],
  },
  'pods of a workload that every pod belongs to: by their controllers': {
    freeGib: 5,
    pods: [cart, podOf('log-0', 3, { grownGib: 2 })],
    selector: aWorkload({ name: 'all' }),
  },
  'pods: the largest first where growth is not known': { freeGib: 5, pods: [podOf('log-0', 3), cart] },
  'pods, two workloads grew equally: the larger one first': {
    freeGib: 5,
    pods: [podOf('log-0', 3, { grownGib: 2 }), podOf('web-0', 4, { grownGib: 2 })],
  },
  'images and pods would each be enough: images, which the kubelet collects first': {
    freeGib: 5,
    imagesGib: 30,
    unused: exactly(5),
  },
  'images and pods would each be enough, and a workload wrote what is missing: that workload': {
    freeGib: 5,
    imagesGib: 30,
    unused: exactly(5),
    pods: [podOf('restore-0', 7, { grownGib: 5 })],
  },
  'images would be enough, and a workload wrote less than what is missing': {
    freeGib: 5,
    imagesGib: 30,
    unused: exactly(5),
    pods: [podOf('restore-0', 7, { grownGib: 4.5 })],
  },
  'pods that hold just what is missing': { freeGib: 5, pods: [podOf('cart-0', 5)] },
  'pods and images that hold just what is missing': { freeGib: 4, unused: exactly(2), pods: [podOf('cart-0', 4)] },
  'images: more than is missing, of sizes that are lower bounds': {
    freeGib: 8,
    imagesGib: 40,
    unused: { least: 6 * gib, most: 20 * gib },
    pods: [podOf('cart-0', 1)],
  },
  'pods and images: neither alone': { freeGib: 4, imagesGib: 30, unused: exactly(3), pods: [podOf('cart-0', 4)] },
  'other: neither pods nor images': { freeGib: 0, imagesGib: 9.9, pods: [podOf('cart-0', 5.1)] },
  'other: images that containers use, which the runtime counts several times (less than 0 is left over)': {
    freeGib: 2,
    imagesGib: 110,
    unused: exactly(1),
    pods: [podOf('cart-0', 3)],
  },
  'other: exempt pods, which are never evicted': {
    freeGib: 1,
    pods: [podOf('etcd', 70, { isStatic: true }), podOf('dns', 10, { priority: 2_000_000_000 }), podOf('cart-0', 2)],
  },
  inodes: {
    freeGib: 60,
    inodesFree: 1_200,
    thresholds: [...tenGib, inodesOf(3_277)],
    pods: [podOf('cart-0', 20, { inodes: 300 }), podOf('npm-0', 1, { inodes: 40_000 })],
  },
  'inodes are short, and bytes of two signals': {
    freeGib: 5,
    inodesFree: 0,
    thresholds: [...tenGib, inodesOf(3_277), ofImagefs],
  },
  'a full disk of which the kubelet does not report what is used': {
    freeGib: 5,
    nodefs: { usedBytes: undefined },
    imagesGib: 60,
    unused: undefined,
    pods: [podOf('cart-0', 1)],
  },
  'a full disk of which the kubelet reports 0 bytes as used': {
    freeGib: 5,
    nodefs: { usedBytes: 0 },
    imagesGib: 60,
    unused: undefined,
    pods: [podOf('cart-0', 1)],
  },
  'bytes and inodes are short equally: bytes, with the inodes named': {
    freeGib: 5,
    inodesFree: 1_000,
    thresholds: [...tenGib, inodesOf(2_000)],
  },
  'a soft threshold': { freeGib: 12, thresholds: [soft, ...tenGib] },
  'a hard threshold is crossed beside a soft one that is further away': { freeGib: 9, thresholds: [soft, ...tenGib] },
  'minimum reclaim': { freeGib: 9, thresholds: [reclaiming], pods: [podOf('cart-0', 2)] },
  'assumed thresholds': { freeGib: 12, thresholds: undefined },
  'unread pods': { freeGib: 5, snapshot: { unreadPodCount: 12 } },
  'unread pods that hold too little to matter': {
    freeGib: 2,
    pods: [podOf('cart-0', 3)],
    snapshot: { unreadPodCount: 1 },
  },
  'a running pod without statistics may hold what nobody is counted for': {
    freeGib: 2,
    pods: [podOf('cart-0', 3), unmeasured],
  },
  'a pod without statistics that does not run holds nothing': {
    freeGib: 2,
    pods: [podOf('cart-0', 3), { ...unmeasured, pod: aPod({ name: 'new', runningSinceMs: undefined }) }],
  },
  'a pod with pending volumes may hold what nobody is counted for': {
    freeGib: 2,
    pods: [podOf('cart-0', 3)],
    snapshot: { listedPods: [{ ...aMeasuredPod(), isPending: true }] },
  },
  'pods that the API server does not know yet may be enough': {
    freeGib: 2,
    pods: [podOf('cart-0', 3)],
    snapshot: { unknownPods: [aPodSummary({ usedBytes: 5 * gib })] },
  },
  'images that are not read, and are large enough to matter': { freeGib: 5, imagesGib: 30, unused: undefined },
  'images that are not read, and are too small to matter': { freeGib: 4, imagesGib: 5, unused: undefined },
  'a pod that the API server does not know may use images that are too small to matter': {
    freeGib: 5,
    imagesGib: 30,
    pods: [podOf('cart-0', 20, { images: ['large'] })],
    node: { images: [anImage('large', 25), anImage('small', 1)] },
    snapshot: ofUnknownPod,
  },
  'stale data': { freeGib: 5, source: { state: 'stale', ageMs: 80_000 } },
  'a silent node by its last data, with assumed thresholds': { freeGib: 5, thresholds: undefined, source: absent },
  'a dedicated image filesystem: images free nothing on nodefs': {
    freeGib: 5,
    layout: dedicated,
    imagefsFreeGib: 50,
    unused: exactly(30),
    pods: [podOf('cart-0', 20, { logsGib: 1 })],
  },
  'a dedicated image filesystem that is short, and nodefs too': {
    freeGib: 9,
    layout: dedicated,
    imagefsFreeGib: 5,
    thresholds: [...tenGib, ofImagefs],
    imagesGib: 60,
    unused: exactly(12),
  },
  'a split image filesystem: no pod has bytes there': {
    freeGib: 60,
    layout: split,
    imagefsFreeGib: 5,
    thresholds: [...tenGib, ofImagefs],
    imagesGib: 70,
    unused: exactly(2),
  },
  'a filesystem of writable layers alone': { freeGib: 60, layout: split, imagefsFreeGib: 60, containerfsFreeGib: 5 },
  'Windows has no inodes': {
    freeGib: 5,
    inodesFree: 0,
    thresholds: [...tenGib, inodesOf(1)],
    node: { operatingSystem: 'windows' },
  },
  'close to a threshold: what would make room for as much as the threshold': {
    freeGib: 12,
    imagesGib: 10,
    pods: [podOf('cart-0', 4)],
  },
  'close to a threshold, mostly of other bytes, while a workload grows that does not cross it within ten minutes': {
    freeGib: 12,
    imagesGib: 10,
    pods: [podOf('cart-0', 4, { grownGib: 1.79 })],
  },
  'close to a threshold, mostly of other bytes, and a workload crosses it within ten minutes: that workload': {
    freeGib: 12,
    imagesGib: 10,
    pods: [podOf('cart-0', 4, { grownGib: 1.8 })],
  },
  'close to a threshold: images are collected before pods are evicted': {
    freeGib: 12,
    imagesGib: 10,
    unused: exactly(2.4),
    pods: [podOf('cart-0', 4, { grownGib: 1.8 })],
  },
  'close to a threshold, with a pod that the API server does not know and may use images: the workload that grows': {
    freeGib: 12,
    imagesGib: 30,
    pods: [podOf('cart-0', 20, { grownGib: 4 })],
    node: { images: [anImage('large', 25)] },
    snapshot: ofUnknownPod,
  },
  'close to a threshold, with more unused images than are listed': {
    freeGib: 12,
    pods: [podOf('cart-0', 4, { grownGib: 1.8 })],
    snapshot: { images: cutImages },
  },
  'close to a threshold, with enough of unused images': { freeGib: 12, imagesGib: 30, unused: exactly(10) },
  'close to a threshold, with enough of pods and unused images together': {
    freeGib: 12,
    imagesGib: 30,
    unused: exactly(6),
    pods: [podOf('cart-0', 4)],
  },
  'below a threshold, mostly of other bytes: evictions have begun, whatever grew': {
    freeGib: 0,
    imagesGib: 9.9,
    pods: [podOf('cart-0', 5.1, { grownGib: 3 })],
  },
  'a threshold that will be crossed within ten minutes': {
    freeGib: 40,
    imagesGib: 10,
    pods: [podOf('cart-0', 4)],
    snapshot: { forecasts: soonIn(600_000) },
  },
  'DiskPressure without a threshold that is near': { freeGib: 40, thresholds: undefined, node: { diskPressure: true } },
  'no space and no threshold': { freeGib: 0, imagesGib: 30, unused: exactly(3), thresholds: [], snapshot: unset },
  'no space, and default thresholds that are not those of the kubelet': {
    freeGib: 0,
    pods: [],
    thresholds: [],
    snapshot: { refutedSignals: ['nodefs.available'] },
  },
  'hardly any space and no threshold, while DiskPressure still stands': {
    freeGib: 0.5,
    thresholds: [],
    snapshot: unset,
    node: { diskPressure: true },
  },
  'no space and no threshold, where a critical pod holds most: who is named is in the sum': {
    freeGib: 0,
    pods: [podOf('crit', 60, { priority: 2_000_000_000 }), cart],
    thresholds: [],
    snapshot: unset,
  },
  'no space and no threshold, where a critical pod grows': {
    freeGib: 0,
    pods: [podOf('crit', 60, { priority: 2_000_000_000, grownGib: 3 }), cart],
    thresholds: [],
    snapshot: unset,
  },
  'no threshold, from 95 % of the disk on': {
    freeGib: 4.99,
    pods: [podOf('cart-0', 20, { grownGib: 3 })],
    thresholds: [],
    snapshot: unset,
  },
  'no threshold, and a disk that is full within ten minutes': {
    freeGib: 30,
    thresholds: [],
    snapshot: { ...unset, fills: [filling(7.5, 150_000)] },
  },
  'a critical pod holds most below a threshold: who is named is in the sum': {
    freeGib: 5,
    pods: [podOf('crit', 30, { priority: 2_000_000_000 }), cart],
  },
  'just above a threshold in an outage, where pods hold as much as the threshold': {
    freeGib: 12,
    pods: [podOf('cart-0', 10)],
    snapshot: { fills: [{ ...filling(7.5, 150_000), cause: 'other' }] },
  },
  'below a threshold, where owners of one pod each fill it: they are one, by what their names share': {
    freeGib: 5,
    pods: [
      podOf('cart-0', 15),
      ...['builder-wkmqntq2xz', 'builder-c4d9f6xq8b'].map((name) =>
        podOf(name, 10, { workload: aWorkload({ namespace: 'ci', name, type: 'sandbox' }) }),
      ),
    ],
  },
  'below a threshold, with a pod that is younger than the summary': { freeGib: 5, pods: [cart, unmeasured] },
  'below a threshold for inodes, with a pod that is younger than the summary': {
    freeGib: 50,
    inodesFree: 10_000,
    thresholds: [inodesOf(15_000)],
    pods: [podOf('npm-0', 1, { inodes: 40_000 }), unmeasured],
  },
  'no inodes and no threshold of them, close to one of bytes': {
    freeGib: 12,
    inodesFree: 0,
    pods: [podOf('npm-0', 1, { inodes: 40_000 })],
    snapshot: { unsetSignals: ['nodefs.inodesFree'] },
  },
  'no inodes and no threshold of them, below one of bytes: the kubelet evicts': {
    freeGib: 5,
    inodesFree: 0,
    snapshot: { unsetSignals: ['nodefs.inodesFree'] },
  },
  'a node that is about to be silent': { freeGib: 5, source: { state: 'stale', ageMs: 120_001 } },
  'values of two minutes ago': { freeGib: 5, source: { state: 'stale', ageMs: 120_000 } },
  'a static pod is not deleted': {
    freeGib: 5,
    pods: [podOf('cart-0', 20), podOf('etcd', 30, { isStatic: true, grownGib: 3 })],
  },
  'images, all of them in use': {
    freeGib: 5,
    imagesGib: 60,
    snapshot: { fills: [{ ...filling(0, 1), cause: 'images' }] },
  },
  'no inodes and no threshold': {
    freeGib: 50,
    inodesFree: 0,
    pods: [],
    thresholds: [],
    snapshot: { unsetSignals: ['nodefs.inodesFree'] },
  },
  'recovered, after one eviction': { ...recovered, evictions: [anEvictionOf('cart-0', 200)] },
  'recovered, as of old data': {
    ...recovered,
    source: { state: 'stale', ageMs: 90_000 },
    evictions: [anEvictionOf('cart-0', 200)],
  },
  'recovered, after several evictions, of which the first one is named and the last one is the end': {
    ...recovered,
    evictions: [anEvictionOf('cart-2', 120), anEvictionOf('cart-1', 200), anEvictionOf('cart-0', 210)],
  },
  'recovered, after evictions for inodes': {
    ...recovered,
    evictions: [anEvictionOf('cart-0', 200, { cause: 'node_inodes' })],
  },
  'recovered, after an eviction of a pod that was not measured, by assumed thresholds': {
    ...recovered,
    evictions: [anEvictionOf('cart-0', 200, { lastUsage: 'not_measured' })],
    thresholds: undefined,
  },
  'recovered, after an eviction by a clock that is ahead': { ...recovered, evictions: [anEvictionOf('cart-0', -30)] },
  'recovered, after an eviction after the last summary, which ends nothing': {
    ...recovered,
    evictions: [anEvictionOf('cart-0', 9)],
    source: { ageMs: 9_000 },
  },
  'recovered, after an eviction after others for inodes, or more than five minutes later': {
    ...recovered,
    evictions: [
      anEvictionOf('cart-0', 20),
      anEvictionOf('npm-0', 25, { cause: 'node_inodes' }),
      anEvictionOf('web-0', 321),
    ],
  },
  'recovered, after evictions that are five minutes apart': {
    ...recovered,
    evictions: [anEvictionOf('web-0', 20), anEvictionOf('cart-0', 320)],
  },
  'an eviction a moment ago: that pod is the cause while its files are not deleted': {
    freeGib: 5,
    imagesGib: 30,
    unused: exactly(6),
    evictions: [anEvictionOf('restore', 10)],
  },
  'an eviction a minute before the last data': {
    freeGib: 5,
    imagesGib: 30,
    unused: exactly(6),
    source: { state: 'stale', ageMs: 30_000 },
    evictions: [anEvictionOf('restore', 90)],
  },
  'an eviction a moment ago for the inodes that are missing': {
    freeGib: 60,
    inodesFree: 1_000,
    thresholds: [inodesOf(2_000)],
    evictions: [anEvictionOf('restore', 10, { cause: 'node_inodes' })],
  },
};

it('the verdict of a full node names the cause, what frees space and what is missing, with commands', async () => {
  const verdicts = Object.entries(situations).map(([what, situation]) => verdictText(what, verdictOf(situation)));
  await expect(verdicts.join('\n')).toMatchFileSnapshot('../golden/node-verdicts.txt');
});

it.each<[string, Situation, boolean]>([
  ['has begun', { freeGib: 9.99 }, true],
  ['begins after a grace period', { freeGib: 12, thresholds: [soft] }, true],
  ['is due within ten minutes', { freeGib: 12, pods: [podOf('cart-0', 4, { grownGib: 1.8 })] }, true],
  ['is due later', { freeGib: 12, pods: [podOf('cart-0', 12, { grownGib: 1.79 })] }, false],
  [
    'is due within ten minutes, after images',
    { freeGib: 12, imagesGib: 30, unused: exactly(2), pods: [podOf('cart-0', 20, { grownGib: 3.6 })] },
    true,
  ],
  [
    'is due later, after images',
    { freeGib: 12, imagesGib: 30, unused: exactly(2), pods: [podOf('cart-0', 20, { grownGib: 3.59 })] },
    false,
  ],
  ['comes never, and writes are about to fail', { freeGib: 1, thresholds: [], snapshot: unset }, true],
  ['comes never, and gigabytes are free', { freeGib: 4.99, thresholds: [], snapshot: unset }, false],
  [
    'comes never, and the disk is full within ten minutes',
    { freeGib: 4.99, thresholds: [], snapshot: unset, pods: [podOf('cart-0', 20, { grownGib: 5 })] },
    true,
  ],
])('where eviction %s, its pod is to be deleted or not', (_what, situation, isOffered) => {
  const { commands = [] } = verdictOf(situation) ?? {};
  expect(commands.some((command) => command.includes('explain'))).toBe(true);
  expect(commands.includes('kubectl delete pod -n shop cart-0')).toBe(isOffered);
});

it('a node far from its thresholds has no verdict', () => {
  expect(verdictOf({ freeGib: 13 })).toBeUndefined();
  expect(verdictOf({ freeGib: 13, snapshot: { forecasts: soonIn(600_001) } })).toBeUndefined();
  expect(verdictOf({ freeGib: 13, source: absent })).toBeUndefined();
});

it('what a node was about to cross when it fell silent stays so', () => {
  const fills = [{ ...filling(2, 60_000), warnedOf: 'nodefs.available' as const }];
  for (const snapshot of [{ fills }, { forecasts: soonIn(60_000) }]) {
    const text = verdictOf({ freeGib: 13, snapshot, source: absent })?.text;
    expect(text).toMatch(/^Pods are the cause, .*evictions are 3Gi away on nodefs \(data 12m old, timeout\)\.$/);
  }
});

it('a node that was forecast to cross a threshold has a verdict of it until its disk is calm', () => {
  const fills = [{ ...filling(2, 60_000), warnedOf: 'nodefs.available' as const }];
  const held = verdictOf({ freeGib: 13, snapshot: { fills } });
  expect(held).toEqual(verdictOf({ freeGib: 13, snapshot: { forecasts: soonIn(60_000) } }));
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
  const of = (source: Parameters<typeof nodeVerdictReport>[0]) =>
    nodeVerdictReport(source, undefined, {
      samplesOf: () => [],
      evictions: [anEvictionOf('cart-0', 60)],
      readAtMs,
      apiServer: { isAway: false },
    });
  const silent = { nodeName: 'node-1', state: 'absent', reason: 'timeout' } as const;
  expect(of({ ...silent, node: aNode({ diskPressure: true }) })?.text).toBe(
    'Unknown cause: the node reports DiskPressure, and may be evicting: its headroom is not known (no data: timeout).',
  );
  expect(of({ ...silent, node: aNode({ diskPressure: false }) })).toBeUndefined();
  expect(of({ ...silent, reason: 'skipped', node: aNode({ diskPressure: true }) })).toBeUndefined();
});

describe('the verdict of a node whose condition DiskPressure outlasts the shortage', () => {
  it('says that it may be evicting where its thresholds are assumed', () => {
    const pressed = { freeGib: 60, node: { diskPressure: true } };
    const tail = ', or while they evict below a higher threshold (threshold assumed).';
    const texts = [pressed, { ...pressed, thresholds: undefined }].map((of) => verdictOf(of)?.text.endsWith(tail));
    expect(texts).toEqual([false, true]);
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
  it('after an eviction no pod is to be deleted, nor explained as if it still ran', () => {
    const pod = { namespace: 'shop', name: 'web-0', isExempt: false };
    const first = { workload: undefined, pod, amount: gib, growth: undefined };
    const nodeVerdict = { kind: 'pods', shortage: undefined, first, alsoBelow: [] } as const;
    expect(evictionReport(anEvictionRecord({ cause: 'node_bytes', nodeVerdict })).verdict?.commands).toEqual([
      'kubectl ephemeral-storage explain eviction shop/cart-0',
      'kubectl ephemeral-storage explain node node-1',
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
  const evictions: Readonly<Record<string, Parameters<typeof anEvictionRecord>[0]>> = {
    'for a limit': {},
    'for a limit that logs have filled, just above it': {
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
    'for a limit of a pod that was far below it': {
      cause: 'pod_limit',
      volume: '',
      limitBytes: 4 * gib,
      lastUsage: aLastUsage({
        limitForAnHourBytes: undefined,
        usage: aPodUsage({ usedBytes: 90 * mib, containers: [] }),
      }),
    },
    'for a limit of a container that was below it': {
      cause: 'container_limit',
      volume: '',
      container: 'app',
      limitBytes: gib,
      lastUsage: aLastUsage({
        limitForAnHourBytes: undefined,
        ratios: [aLimitRatio({ rule: 'container', container: 'app', usedBytes: 7 * mib, limitBytes: gib })],
      }),
    },
    'for a limit, of a pod that was not measured': { lastUsage: 'not_measured' },
    'for a limit without its own figures': { lastUsage: aLastUsage({ ratios: [] }) },
    'by a node without data': {
      cause: 'node_bytes',
      volume: '',
      shortage: { threshold: 10 * mib, available: 4 * mib },
    },
    'for inodes by a node without data': {
      cause: 'node_inodes',
      volume: '',
      shortage: { threshold: 10, available: 4 },
    },
    'for storage in words that are not known': { cause: 'other', volume: '' },
  };

  it('the verdict of an eviction names the limit and its growth, or the shortage', async () => {
    const verdicts = Object.entries(evictions).map(([what, overrides]) =>
      verdictText(what, evictionReport(anEvictionRecord(overrides)).verdict),
    );
    await expect(verdicts.join('\n')).toMatchFileSnapshot('../golden/eviction-verdicts.txt');
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
      'kubectl ephemeral-storage explain eviction shop/agent',
      'kubectl ephemeral-storage explain eviction shop/restore',
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
