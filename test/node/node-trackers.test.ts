import { describe, expect, it } from 'vitest';

import type { Pod } from '../../src/cluster/kube/objects.js';
import { parseSelector } from '../../src/cluster/kube/selector-parser.js';
import type { FoundLookup } from '../../src/cluster/kubelet/lookup.js';
import type { FsStats, NodeSummary } from '../../src/cluster/kubelet/summary.js';
import { nodeVerdict } from '../../src/facts/node/disk-verdict.js';
import { filesystemOwners } from '../../src/facts/node/filesystem-owners.js';
import { NodeTrackers } from '../../src/facts/node/node-trackers.js';
import type { MeasuredNodeView, NodeSnapshot } from '../../src/facts/node/node-view.js';
import type { DerivedPod, PodRecord } from '../../src/facts/node/pod-record.js';
import { victimRanking } from '../../src/facts/node/victims.js';
import { WorkloadResolver } from '../../src/facts/workload/workload-resolver.js';
import { enforcementKinds } from '../../src/people/report/enforcement-report.js';
import {
  aContainer,
  aContainerSummary,
  anFsStats,
  aNode,
  aNodeSummary,
  aPod,
  aPodSummary,
} from '../support/builders.js';
import { aFreshLookup, podsOfNode, trackerOptions } from '../support/tracker-options.js';

const names = ['web-0', 'web-1', 'web-2', 'web-3'];
const node = aNode();
const limited = (limitBytes: number) => (name: string) =>
  aPod({ name, uid: name, kubeletUid: name, nodeName: node.name, containers: [aContainer({ limitBytes })] });

function setUp(resolver = new WorkloadResolver({ selectors: [], labels: [], controllers: false })) {
  let pods = names.map(limited(10));
  const derived = { count: 0 };
  const trackers = new NodeTrackers(trackerOptions({ pods: podsOfNode(() => pods), resolver }));
  const summary = aNodeSummary({
    pods: names.map((name) => ({
      ...aPodSummary({ name, uid: name, usedBytes: 5 }),
      // Read once for each pod of which something is derived.
      get inodesUsed() {
        derived.count += 1;
        return undefined;
      },
    })),
  });
  const lookup: FoundLookup = aFreshLookup(summary);
  const prepare = (as = node, of = lookup) => {
    const derivedPods = new Map<PodRecord, DerivedPod>();
    const view = trackers.of(as).view(as, of, derivedPods);
    const { objects } = view;
    return { snapshot: view.state === 'absent' ? undefined : view.snapshot, objects, derived: derivedPods };
  };
  return { trackers, lookup, derived, prepare, setPods: (changed: Pod[]) => (pods = changed), pods: () => pods };
}

describe('NodeTrackers', () => {
  it('a pod is followed once it has changed much', () => {
    const { prepare, setPods, trackers, lookup } = setUp();
    setPods([limited(1_000)('web-0')]);
    const using = (usedBytes: number): FoundLookup => {
      const main = { ...aContainerSummary({ logsBytes: usedBytes }), timeMs: usedBytes };
      const summary = aNodeSummary({
        pods: [aPodSummary({ name: 'web-0', uid: 'web-0', usedBytes, containers: [main] })],
      });
      return { ...lookup, summary };
    };
    prepare(node, using(10));
    const { snapshot } = prepare(node, using(100));
    const [pod] = snapshot?.listedPods ?? [];
    const [limit] = (pod && snapshot?.context.ratiosOf(pod, 'container')) ?? [];
    expect(limit?.ratio).toBe(0.1);
    expect(pod && limit && trackers.measurements(node.name)?.ofLimit(pod, limit, 0)).toHaveLength(1);
  });

  it('a node is not derived again for labels that change no workload, and knows them', () => {
    const { prepare, derived, setPods, pods } = setUp();
    const before = prepare();
    const changes = { labels: { app: 'other' }, resourceVersion: '2', runs: ['main#1'], images: ['app:2'] };
    setPods(pods().map((pod) => ({ ...pod, ...changes })));
    const after = prepare();
    expect(derived.count).toBe(names.length);
    expect(after.snapshot).toBe(before.snapshot);
    expect(after.objects).toBe(before.objects);
    expect(after.objects?.pods.map(({ pod }) => pod)).toEqual(pods());
  });

  it('a pod whose labels move it to another workload is derived again', () => {
    const selectors = [{ name: 'cart', selector: parseSelector('app=cart'), namespaces: [] }];
    const { prepare, setPods, pods } = setUp(new WorkloadResolver({ selectors, labels: [], controllers: false }));
    prepare();
    const [first, ...others] = pods();
    setPods([aPod({ ...first, labels: { app: 'cart' } }), ...others]);
    const { snapshot, objects } = prepare();
    expect(snapshot?.pods.map(({ workloads }) => workloads.map(({ name }) => name))).toEqual([['cart'], [], [], []]);
    expect(objects?.pods.map(({ workloads }) => workloads.length)).toEqual([1, 0, 0, 0]);
  });

  it('pods stay the same objects when another one comes before them', () => {
    const { prepare, setPods, pods } = setUp();
    const before = prepare();
    setPods([limited(10)('web-4'), ...pods()]);
    const after = prepare();
    expect(after.objects?.pods.slice(1).map((pod, index) => pod === before.objects?.pods[index])).toEqual(
      names.map(() => true),
    );
  });

  it('a node is derived again for those pods alone whose API objects have changed', () => {
    const { prepare, derived, setPods, pods } = setUp();
    const before = prepare();
    setPods([...pods().slice(0, 3), limited(20)('web-3')]);
    const after = prepare();
    expect(derived.count).toBe(names.length + 1);
    expect([...before.derived.keys()]).toEqual(before.snapshot?.pods);
    expect([...after.derived.keys()]).toEqual(after.snapshot?.pods.slice(3));
    expect(after.snapshot?.pods.map((pod, index) => pod === before.snapshot?.pods[index])).toEqual([
      true,
      true,
      true,
      false,
    ]);
    const boundBefore = before.objects?.pods;
    expect(after.objects?.pods.map((pod, index) => pod === boundBefore?.[index])).toEqual([true, true, true, false]);
    expect(after.snapshot?.pods.at(-1)?.bound?.limitBytes).toBe(20);
  });

  it('a node is derived again for all pods only when its kubelet enforces limits in another way', () => {
    const { prepare, derived } = setUp();
    prepare();
    const labelled = prepare({ ...node, labels: { a: 'b' } });
    expect([derived.count, labelled.derived.size]).toEqual([names.length, 0]);
    const lax = prepare({ ...node, enforcesStorageLimits: false });
    expect([...lax.derived.keys()]).toEqual(lax.snapshot?.pods);
    expect([...lax.derived.values()].flatMap(({ ratios }) => ratios)).toEqual([]);
    expect(lax.snapshot?.context).not.toBe(labelled.snapshot?.context);
  });
});

describe('a node whose kubelet or object is not what it seems', () => {
  const minute = 60_000;
  const disk = { capacityBytes: 100, availableBytes: 1, usedBytes: 99, inodes: 100, inodesFree: 50 };
  const pods = [aPod({ name: 'web-0', uid: 'web-0', kubeletUid: 'web-0', nodeName: node.name })];
  const summaryAt = (disksAt: number, podAt: number) =>
    aNodeSummary({
      nodefs: anFsStats({ ...disk, timeMs: disksAt }),
      imagefs: anFsStats({ ...disk, usedBytes: 0, timeMs: podAt }),
      pods: [aPodSummary({ name: 'web-0', uid: 'web-0', containers: [{ ...aContainerSummary(), timeMs: podAt }] })],
    });
  const viewer = (as = node) => {
    const resolver = new WorkloadResolver({ selectors: [], labels: [], controllers: true });
    const trackers = new NodeTrackers(trackerOptions({ pods: podsOfNode(() => pods), resolver }));
    return (summary: NodeSummary, arrivedAtMs: number): MeasuredNodeView => {
      return trackers.of(as).view(as, aFreshLookup(summary, arrivedAtMs)) as MeasuredNodeView;
    };
  };
  const pendingOf = ({ workloads }: MeasuredNodeView) => [...workloads.values()].map(({ pendingPods }) => pendingPods);

  it('a disk whose statistics are frozen is near no threshold that is known, and other disks are', () => {
    const view = viewer(aNode({ diskPressure: true }));
    view(summaryAt(1, 1), 0);
    const before = view(summaryAt(1, 4 * minute), 4 * minute);
    const { snapshot } = view(summaryAt(1, 5 * minute), 5 * minute);
    const available = (of: NodeSnapshot) =>
      of.thresholds.map((threshold) => `${threshold.signal} ${threshold.available}`);
    expect(available(before.snapshot)).toContain('nodefs.available 1');
    expect(available(snapshot)).toEqual(expect.arrayContaining(['nodefs.available undefined', 'imagefs.available 1']));
    expect(snapshot.thresholds.filter(({ isCrossed }) => isCrossed).map(({ signal }) => signal)).toEqual([
      'imagefs.available',
    ]);
    expect(enforcementKinds(before)).toEqual([]);
    expect(enforcementKinds(view(summaryAt(1, 6 * minute), 6 * minute))).toEqual(['statistics_frozen']);
  });

  it('a disk whose figures cannot be right is one whose free space is unknown', () => {
    const of = (nodefs: Partial<FsStats>) =>
      enforcementKinds(viewer()(aNodeSummary({ nodefs: anFsStats({ ...disk, ...nodefs }), pods: [] }), 0));
    expect(of({})).toEqual([]);
    expect(of({ availableBytes: undefined })).toEqual(['free_space_unknown']);
    expect(of({ capacityBytes: undefined })).toEqual(['free_space_unknown']);
  });

  it('of a frozen disk nothing is learned, and no verdict tells whose it is', () => {
    const view = viewer();
    view(summaryAt(1, 1), 0);
    const { snapshot } = view(summaryAt(1, 5 * minute), 5 * minute);
    expect(snapshot.fills.map(({ filesystem }) => filesystem)).not.toContain('nodefs');
    expect(nodeVerdict(snapshot, { samplesOf: () => [] })).toMatchObject({ kind: 'unknown', unknownPart: 'owners' });
  });

  it('a workload is not complete while all containers of a pod are frozen', () => {
    const view = viewer();
    expect(pendingOf(view(summaryAt(1, 1), 0))).toEqual([0]);
    expect(pendingOf(view(summaryAt(5 * minute, 1), 5 * minute))).toEqual([1]);
    expect(pendingOf(view(summaryAt(6 * minute, 6 * minute), 6 * minute))).toEqual([0]);
  });

  it('a node of a virtual cluster has usage, and nothing that its host decides', () => {
    const labels = { 'vcluster.loft.sh/fake-node': 'true' };
    const view = viewer(aNode({ labels }))(summaryAt(1, 1), 0);
    const { snapshot } = view;
    expect(snapshot.pods).toHaveLength(1);
    expect(snapshot).toMatchObject({ thresholds: [], unsetSignals: [], refutedSignals: [], unreadPodCount: 0 });
    expect([victimRanking(snapshot), filesystemOwners(snapshot), enforcementKinds(view)]).toEqual([
      undefined,
      [],
      ['virtual_cluster'],
    ]);
  });
});
