/** Series, findings and problems of nodes whose limits or thresholds do not do what they seem to do. */
import { describe, expect, it } from 'vitest';

import { createInterner } from '../../src/cluster/kube/dedupe.js';
import type { Node, Pod } from '../../src/cluster/kube/objects.js';
import { projectNode, projectPod } from '../../src/cluster/kube/projection.js';
import { parseAmount } from '../../src/cluster/kube/quantity.js';
import { decodeKubeletConfiguration } from '../../src/cluster/kubelet/decode-configuration.js';
import type { KubeletConfiguration } from '../../src/cluster/kubelet/kubelet-configuration.js';
import { isIsolationFailure } from '../../src/cluster/kubelet/kubelet-error.js';
import type { AbsentLookup } from '../../src/cluster/kubelet/lookup.js';
import type { FsStats, NodeSummary, PodSummary } from '../../src/cluster/kubelet/summary.js';
import { decodeSummary } from '../../src/cluster/kubelet/summary-reader.js';
import { NodeMemory } from '../../src/facts/node/node-memory.js';
import { NodeTrackers } from '../../src/facts/node/node-trackers.js';
import type { NodeView } from '../../src/facts/node/node-view.js';
import { Scheduler } from '../../src/lib/base/scheduler.js';
import { detailGroups } from '../../src/metrics/exposition/families.js';
import { nodeStateGroups, shownState } from '../../src/metrics/exposition/node-state-families.js';
import { nodeDivision } from '../../src/metrics/exposition/pod-on-node.js';
import { clusterReport } from '../../src/people/query/cluster-report.js';
import { problemsOf } from '../../src/people/rules/problems.js';
import {
  aContainer,
  aContainerSummary,
  aMount,
  anFsStats,
  aNode,
  aNodeSummary,
  aPod,
  aPodSummary,
  aVolume,
  aVolumeSummary,
} from '../support/builders.js';
import { capturesNeeded, hasCaptures, readRecording } from '../support/captures.js';
import { groupTexts, sourceTexts } from '../support/exposed-text.js';
import { ManualClock } from '../support/manual-clock.js';
import { aClusterSnapshot, aReading } from '../support/snapshot-builders.js';
import { aHealth } from '../support/status-builders.js';
import { podsOfNode, trackerOptions } from '../support/tracker-options.js';

const intern = createInterner(2 ** 20);

interface Recorded {
  readonly summary: NodeSummary;
  readonly node: Node;
  readonly pods?: readonly Pod[];
  readonly configuration?: KubeletConfiguration;
}

/** A kubelet that answers, ten minutes after all pods have started. */
function viewOf({ summary, node, pods = [], configuration }: Recorded): NodeView {
  const lister = podsOfNode(() => pods);
  const lookup = { state: 'fresh', summary, configuration, arrivedAtMs: 0, fetchedAtMs: 0 } as const;
  const memory = new NodeMemory();
  memory.layoutOf(node.uid, { ...summary, ...measuredAt(summary, 0) }); // one summary does not show two disks of one size
  const memories = new Map([[node.name, memory]]);
  return new NodeTrackers(trackerOptions({ pods: lister, memories })).of(node).view(node, lookup);
}

function measuredAt({ nodefs, imagefs, containerfs }: NodeSummary, timeMs: number): Partial<NodeSummary> {
  const at = (stats: FsStats | undefined): FsStats | undefined => stats && { ...stats, timeMs };
  return { nodefs: at(nodefs), imagefs: at(imagefs), containerfs: at(containerfs) };
}

const unenforcedFamilies = /^ephemeral_storage_(?:limit_unenforced|node_limits_unenforced|node_threshold_unset)_info/;

/** The series of the three families, with the labels that matter. */
function seriesOf(view: NodeView): readonly string[] {
  const division = nodeDivision({ compatibility: 'none', showsSizesAlone: true });
  const groups = detailGroups({ compatibility: 'none', profile: 'full' });
  const texts = [
    ...(view.state === 'absent' ? [] : sourceTexts(groups, division, view.snapshot)),
    ...nodeStateGroups.flatMap((group) => groupTexts(group, [shownState(view)])),
  ];
  const lines = texts.join('').split('\n');
  return lines
    .filter((line) => unenforcedFamilies.test(line))
    .map((line) => {
      const family = /^ephemeral_storage_(\w+)_info/.exec(line)?.[1] ?? '';
      const values = [...line.matchAll(/(pod|rule|reason|signal)="([^"]*)"/g)].map(([, , value]) => value);
      return [family, ...values].join(' ');
    });
}

async function reportOf(view: NodeView) {
  const lane = new Scheduler(new ManualClock()).newLane();
  return clusterReport(aReading({ snapshot: aClusterSnapshot({ nodes: [view] }) }), {
    isPartial: false,
    hidesPodsWithoutWorkload: false,
    lane,
  });
}

/** What is reported of a node. */
async function sayings(view: NodeView) {
  const cluster = await reportOf(view);
  const problems = problemsOf({ readinessChecks: [], cluster, evictions: [], health: aHealth() });
  return {
    series: seriesOf(view),
    next: cluster.nearPods.items.map(({ pod, nearestLimit: of }) => `${pod} ${of?.rule} ${of?.ratio}`),
    near: view.state === 'absent' ? undefined : view.snapshot.evictionMs,
    findings: cluster.findings
      .filter(({ kind }) => kind !== 'amount_below_1ki') // amounts of these tests are few bytes
      .flatMap(({ kind, items }) => items.map(({ pod }) => `${kind} ${pod}`)),
    signals: cluster.enforcement.flatMap(({ signals = [] }) => signals),
    problems: problems.map(({ severity, text }) => `${severity}: ${text}`),
  };
}

const disk = anFsStats({
  timeMs: 600_000,
  capacityBytes: 1e9,
  availableBytes: 6e8,
  usedBytes: 4e8,
  inodes: 1000,
  inodesFree: 900,
});
const node = aNode({ capacityBytes: 1e9 });
const limited = aPod({ containers: [aContainer({ limitBytes: 100 })] });
const summaryOf = (pods: readonly PodSummary[], more: Partial<NodeSummary> = {}): NodeSummary =>
  aNodeSummary({ nodefs: disk, imagefs: disk, containerfs: disk, pods, ...more });
const usage = (of: Pod, usedBytes: number, more: Partial<PodSummary> = {}): PodSummary =>
  aPodSummary({ name: of.name, usedBytes, containers: [aContainerSummary({ rootfsBytes: usedBytes })], ...more });
const inMemory = (sizeLimit: string): Pod =>
  aPod({
    name: 'mem',
    containers: [aContainer({ mounts: [aMount('shm')] })],
    volumes: [aVolume({ name: 'shm', medium: 'Memory', sizeLimitBytes: parseAmount(sizeLimit) })],
  });
const shm = (usedBytes: number, capacityBytes: number): Partial<PodSummary> => ({
  volumes: [aVolumeSummary({ name: 'shm', usedBytes, capacityBytes })],
});

const nothing = { series: [], next: [], near: undefined, findings: [], signals: [], problems: [] };
const absentFor = 'warning: 1 node without data (unexpected HTTP status): ';

describe('nodes constructed for each reason', () => {
  const cases: readonly (readonly [string, Recorded, Partial<Awaited<ReturnType<typeof sayings>>>])[] = [
    ['as it should be', { node, summary: summaryOf([usage(limited, 10)]), pods: [limited] }, {}],
    [
      'with a pod of a virtual machine beside others (rootfs_not_measured)',
      {
        node,
        summary: summaryOf([
          usage(limited, 10, { containers: [aContainerSummary({ logsBytes: 1 })] }),
          usage(aPod({ name: 'other' }), 10),
        ]),
        pods: [limited, aPod({ name: 'other' })],
      },
      { series: ['limit_unenforced cart-0 pod rootfs_not_measured'], findings: ['limit_not_enforced cart-0'] },
    ],
    [
      'with a remote snapshotter (rootfs_not_measured)',
      {
        node,
        summary: summaryOf([usage(limited, 10, { containers: [aContainerSummary({ logsBytes: 1 })] })]),
        pods: [limited],
      },
      {
        series: [
          'node_limits_unenforced pod rootfs_not_measured',
          'node_limits_unenforced container rootfs_not_measured',
        ],
        problems: ['warning: 1 node where limits do not see writable layers'],
      },
    ],
    [
      'with a static pod above its limit (exempt)',
      { node, summary: summaryOf([usage(limited, 200)]), pods: [{ ...limited, isStatic: true }] },
      {
        series: ['limit_unenforced cart-0 all exempt'],
        findings: ['limit_not_enforced cart-0'],
        problems: ['warning: 1 pod above a limit that does not evict it'],
      },
    ],
    [
      'with a full emptyDir in memory (memory_medium)',
      { node, summary: summaryOf([usage(inMemory('8Ki'), 10, shm(8192, 8192))]), pods: [inMemory('8Ki')] },
      {
        series: ['limit_unenforced mem emptydir memory_medium'],
        findings: ['memory_volume_full mem', 'limit_not_enforced mem'],
        problems: ['warning: 1 emptyDir in memory is full: writes fail'],
      },
    ],
    [
      'with an emptyDir in memory that the memory limit undercuts (memory_medium)',
      { node, summary: summaryOf([usage(inMemory('128Ki'), 10, shm(8192, 8192))]), pods: [inMemory('128Ki')] },
      {
        series: ['limit_unenforced mem emptydir memory_medium'],
        findings: ['memory_volume_full mem', 'limit_not_enforced mem'],
        problems: ['warning: 1 emptyDir in memory is full: writes fail'],
      },
    ],
    [
      'with an emptyDir in memory that exceeds its limit by rounding, and binds',
      { node, summary: summaryOf([usage(inMemory('10000'), 10, shm(12_288, 12_288))]), pods: [inMemory('10000')] },
      {
        next: ['mem emptydir 1.2288'],
        near: 0,
        problems: ['warning: 1 pod above a limit'],
      },
    ],
    [
      'without a capacity of ephemeral storage (isolation_disabled)',
      {
        node: aNode({ enforcesStorageLimits: false }),
        summary: summaryOf([usage(limited, 200)]),
        pods: [limited],
      },
      {
        series: ['emptydir', 'pod', 'container'].map((rule) => `node_limits_unenforced ${rule} isolation_disabled`),
        problems: ['warning: 1 node whose kubelet enforces no limits'],
      },
    ],
    [
      'whose capacity is that of another disk',
      { node: aNode({ capacityBytes: 1.06e9 }), summary: summaryOf([usage(limited, 10)]), pods: [limited] },
      { problems: ['warning: 1 node whose capacity is not that of its disk'] },
    ],
    [
      'whose capacity is about that of its disk',
      { node: aNode({ capacityBytes: 1.05e9 }), summary: summaryOf([usage(limited, 10)]), pods: [limited] },
      {},
    ],
    [
      'with evictionHard that has no signal of a disk',
      {
        node,
        summary: summaryOf([usage(limited, 10)]),
        pods: [limited],
        configuration: { thresholds: [], logRotation: undefined, images: undefined },
      },
      {
        series: ['nodefs.available', 'nodefs.inodesFree', 'imagefs.available', 'imagefs.inodesFree'].map(
          (signal) => `node_threshold_unset ${signal}`,
        ),
        signals: ['nodefs.available', 'nodefs.inodesFree', 'imagefs.available', 'imagefs.inodesFree'],
        problems: ['warning: 1 node without an eviction threshold for a disk'],
      },
    ],
  ];

  it.each(cases)(
    'series, findings and problems of a node are what applies to it: %s',
    async (_case, recorded, expected) => {
      expect(await sayings(viewOf(recorded))).toEqual({ ...nothing, ...expected });
    },
  );

  it('the signals without a threshold are named, over all nodes and of one', async () => {
    const thresholds = [
      { signal: 'nodefs.available', value: { ratio: 0.1 }, minReclaim: undefined, gracePeriodMs: 0 },
    ] as const;
    const summary = summaryOf([usage(limited, 10)]);
    const configuration = { thresholds, logRotation: undefined, images: undefined };
    const view = viewOf({ node, summary, pods: [limited], configuration });
    const signals = ['nodefs.inodesFree', 'imagefs.inodesFree'];
    expect((await reportOf(view)).enforcement).toMatchObject([{ kind: 'threshold_unset', signals }]);
    expect((await reportOf(view)).nodes.items).toMatchObject([{ unsetSignals: signals }]);
  });

  it('a node that has refused summaries for long because of its isolation says so without data', async () => {
    const lookup: AbsentLookup = { state: 'absent', reason: 'http_status', isIsolationOff: true };
    const view = new NodeTrackers(trackerOptions({ pods: podsOfNode(() => []) })).of(node).view(node, lookup);
    const { series, problems } = await sayings(view);
    expect(series).toHaveLength(3);
    expect(problems).toEqual([`${absentFor}${node.name}`, 'warning: 1 node whose kubelet enforces no limits']);
    const other = new NodeTrackers(trackerOptions({ pods: podsOfNode(() => []) }))
      .of(node)
      .view(node, { state: 'absent', reason: 'http_status' });
    expect(await sayings(other)).toEqual({ ...nothing, problems: [`${absentFor}${node.name}`] });
  });

  it('a missing layer is said once the grace period has passed, of its pod or of the whole node, and ends when it does', () => {
    const trackers = new NodeTrackers(trackerOptions({ pods: podsOfNode(() => [young, other]) }));
    const young = aPod({ ...limited, runningSinceMs: 500_000, runsChangedAtMs: 500_000 });
    const other = aPod({ name: 'other' });
    const layerless = [aContainerSummary({ logsBytes: 1 })];
    const at = (timeMs: number, containers = layerless, others: Partial<PodSummary> = {}) => {
      const pods = [usage(young, 10, { containers }), usage(other, 10, others)];
      const summary = summaryOf(pods, { nodefs: { ...disk, timeMs } });
      return seriesOf(
        trackers
          .of(node)
          .view(node, { state: 'fresh', summary, configuration: undefined, arrivedAtMs: 0, fetchedAtMs: 0 }),
      );
    };
    expect(at(560_000)).toEqual([]);
    expect(at(560_001)).toEqual(['limit_unenforced cart-0 pod rootfs_not_measured']);
    expect(at(570_000)).toEqual(['limit_unenforced cart-0 pod rootfs_not_measured']);
    const ofNode = [
      'node_limits_unenforced pod rootfs_not_measured',
      'node_limits_unenforced container rootfs_not_measured',
    ];
    expect(at(580_000, layerless, { containers: layerless })).toEqual(ofNode);
    expect(at(590_000)).toEqual(['limit_unenforced cart-0 pod rootfs_not_measured']);
    expect(at(600_000, [aContainerSummary({ rootfsBytes: 1 })])).toEqual([]);
  });
});

it('an assumed threshold that a node without DiskPressure has crossed for a minute counts nowhere, until it is read', async () => {
  const trackers = new NodeTrackers(trackerOptions({ pods: podsOfNode(() => [limited]) }));
  const full = { ...disk, availableBytes: 1e7 };
  const after = (arrivedAtMs: number, of = node, configuration?: KubeletConfiguration) => {
    const summary = summaryOf([usage(limited, 10)], { nodefs: full, imagefs: full, containerfs: full });
    return sayings(trackers.of(of).view(of, { state: 'fresh', summary, configuration, arrivedAtMs, fetchedAtMs: 0 }));
  };
  const pressed = { near: 0, problems: ['critical: 1 node below an eviction threshold'] };
  const refuted = {
    near: undefined,
    signals: ['nodefs.available', 'imagefs.available', 'containerfs.available'],
    problems: [
      'warning: 1 node at least 90 % full',
      'warning: 1 node with other eviction thresholds than the defaults of Kubernetes',
    ],
  };
  expect(await after(0)).toMatchObject(pressed);
  expect(await after(59_999)).toMatchObject(pressed);
  expect(await after(60_000)).toMatchObject(refuted);
  expect(await after(70_000, { ...node, diskPressure: true })).toMatchObject(pressed);
  expect(await after(80_000)).toMatchObject(pressed);
  expect(await after(140_000)).toMatchObject(refuted);
  const thresholds = [
    { signal: 'nodefs.available', value: { amount: 1e6 }, minReclaim: undefined, gracePeriodMs: 0 },
    { signal: 'nodefs.inodesFree', value: { amount: 1 }, minReclaim: undefined, gracePeriodMs: 0 },
  ] as const;
  const read = await after(150_000, node, { thresholds, logRotation: undefined, images: undefined });
  expect(read).toMatchObject({ near: undefined, problems: ['warning: 1 node at least 90 % full'] });
});

interface RawList {
  readonly items: readonly object[];
}

const parsed = (name: string): unknown => JSON.parse(readRecording(name));
const itemsOf = (name: string): readonly object[] => (parsed(name) as RawList).items;
const podsIn = (name: string): readonly Pod[] => itemsOf(name).map((pod) => projectPod(pod, intern));

describe.skipIf(!hasCaptures)(`recorded nodes (${capturesNeeded})`, () => {
  it('a node with a dedicated image filesystem is recorded, as it is', async () => {
    const summary = decodeSummary(readRecording('live/kubelet_1_37_images_summary.json'), 'capture');
    const recorded = {
      summary,
      node: projectNode(parsed('live/kubelet_1_37_images_node.json'), intern),
      pods: podsIn('live/kubelet_1_37_images_pods.json'),
    };
    expect((await sayings(viewOf(recorded))).series).toEqual(['node_limits_unenforced container dedicated_imagefs']);
    const config = parsed('live/kubelet_1_37_images_configz.json') as {
      readonly kubeletconfig: { readonly evictionHard: object };
    };
    const read = (evictionHard: object): KubeletConfiguration =>
      decodeKubeletConfiguration(
        JSON.stringify({ kubeletconfig: { ...config.kubeletconfig, evictionHard } }),
        'capture',
      );
    const unset = (evictionHard: object) =>
      seriesOf(viewOf({ ...recorded, configuration: read(evictionHard) })).filter((line) => line.includes('threshold'));
    expect(unset(config.kubeletconfig.evictionHard)).toEqual([]);
    // Made from the recorded configuration.
    expect(unset({ 'nodefs.available': '10%', 'nodefs.inodesFree': '5%' })).toEqual([
      'node_threshold_unset imagefs.available',
      'node_threshold_unset imagefs.inodesFree',
    ]);
  });

  it('a kubelet without isolation is recorded: its Node keeps its capacity, and its 500 is the evidence', () => {
    const recorded = projectNode(parsed('live/kubelet_1_37_isolation_false_node.json'), intern);
    expect(recorded).toMatchObject({ enforcesStorageLimits: true, diskPressure: false });
    expect(isIsolationFailure(readRecording('live/kubelet_1_37_isolation_false_summary_500.txt'))).toBe(true);
    expect(isIsolationFailure('Internal Error: failed to get imageFs stats')).toBe(false);
  });

  it('a full emptyDir in memory is recorded: only the object of its pod is made', async () => {
    const summary = decodeSummary(readRecording('live/kubelet_1_37_cri_summary.json'), 'capture');
    const entry = summary.pods.find(({ name }) => name === 'evmem') ?? aPodSummary();
    const pod = aPod({
      namespace: entry.namespace,
      name: entry.name,
      kubeletUid: entry.uid,
      nodeName: summary.nodeName,
      containers: [aContainer({ name: 'a', mounts: [aMount('e')] })],
      volumes: [aVolume({ name: 'e', medium: 'Memory', sizeLimitBytes: parseAmount('30Mi') })],
    });
    const view = viewOf({ summary, node: aNode({ name: summary.nodeName }), pods: [pod] });
    expect(await sayings(view)).toMatchObject({
      series: ['limit_unenforced evmem emptydir memory_medium'],
      next: [],
      findings: expect.arrayContaining(['memory_volume_full evmem', 'limit_not_enforced evmem']) as unknown,
    });
  });

  it('writable layers that are not measured are made from a recorded node without their figures', async () => {
    const recorded = decodeSummary(readRecording('live/kubelet_1_26_summary.json'), 'capture');
    const summary = {
      ...recorded,
      pods: recorded.pods.map((pod) => ({
        ...pod,
        containers: pod.containers.map((container) => ({ ...container, rootfs: undefined })),
      })),
    };
    const [object] = itemsOf('live/kubelet_1_26_nodes.json');
    const view = viewOf({ summary, node: projectNode(object, intern), pods: podsIn('live/kubelet_1_26_pods.json') });
    expect((await sayings(view)).series).toEqual([
      'node_limits_unenforced pod rootfs_not_measured',
      'node_limits_unenforced container rootfs_not_measured',
    ]);
    const before = viewOf({
      summary: recorded,
      node: projectNode(object, intern),
      pods: podsIn('live/kubelet_1_26_pods.json'),
    });
    expect((await sayings(before)).series).toEqual([]);
  });
});
