import { describe, expect, it } from 'vitest';

import type { ClusterReading } from '../../../src/commands/cluster-reader.js';
import { podReports } from '../../../src/commands/explain/pod-explanation.js';
import { podState } from '../../../src/commands/explain/pod-state.js';
import { podText } from '../../../src/commands/explain/pod-text.js';
import { workloadReport } from '../../../src/commands/explain/workload-explanation.js';
import { workloadText } from '../../../src/commands/explain/workload-text.js';
import { displayWidth } from '../../../src/commands/text/terminal-text.js';
import type { Config } from '../../../src/config/schema.js';
import type { Pod } from '../../../src/kube/objects.js';
import { volumeTypes } from '../../../src/kube/objects.js';
import { parseSelector } from '../../../src/kube/selector.js';
import {
  aContainer,
  aContainerSummary,
  aMount,
  anFsStats,
  aNodeSummary,
  aPod,
  aPodSummary,
  aVolume,
  aVolumeSummary,
} from '../../support/builders.js';
import {
  aClusterSnapshot,
  aDeployment,
  aFreshNode,
  anAbsentNode,
  aNodeSnapshot,
  aPodSnapshot,
  aReading,
  aWorkload,
  aWorkloadSnapshot,
} from '../../support/snapshot-builders.js';

const settings: Config['workloads'] = { selectors: [], labels: [], controllers: true, onMissingNode: 'partial' };
const id = { namespace: 'shop', name: 'cart-0' };
const readAtMs = Date.UTC(2026, 0, 1);

/** One measured pod on a fresh node. */
function readingOf(pod: Pod | undefined, summary = aPodSummary(), layout = {}): ClusterReading {
  const snapshot = aPodSnapshot({ ...id, pod, summary });
  const node = aNodeSnapshot({
    pods: [snapshot],
    layout: { hasDedicatedImagefs: undefined, hasSplitImagefs: undefined, ...layout },
  });
  return aReading({ snapshot: aClusterSnapshot({ nodes: [aFreshNode(node)] }) });
}

function textOf(reading: ClusterReading, width = 100): string {
  const [report] = podReports(reading, id, 'measured');
  if (report === undefined) throw new Error('no report');
  return podText(report, { width, readAtMs });
}

describe('a pod that is not measured says why:', () => {
  const scheduled = { nodeName: 'node-1', runningSinceMs: readAtMs - 3_600_000 };
  const absent = anAbsentNode('node-1', 'timeout');
  const empty = aFreshNode(aNodeSnapshot({ pods: [] }));
  const listed = aFreshNode(
    aNodeSnapshot({ pods: [], summary: aNodeSummary({ pods: [aPodSummary({ usedBytes: undefined })] }) }),
  );

  it.each([
    { pod: { nodeName: undefined }, node: empty, reason: /^not scheduled to a node yet$/, isExpected: false },
    { pod: { nodeName: 'node-9' }, node: empty, reason: /^node node-9 is not in scope$/, isExpected: false },
    { pod: scheduled, node: anAbsentNode('node-1', 'skipped'), reason: /serves no summaries/, isExpected: false },
    { pod: scheduled, node: absent, reason: /^no data of node node-1 \(timeout\): it hangs$/, isExpected: true },
    { pod: { runningSinceMs: undefined, phase: 'Pending' }, node: absent, reason: /phase Pending/, isExpected: false },
    { pod: { runningSinceMs: undefined, phase: 'Failed' }, node: empty, reason: /phase Failed/, isExpected: false },
    { pod: scheduled, node: empty, reason: /^the summary of node node-1 lacks it$/, isExpected: true },
    { pod: scheduled, node: listed, reason: /without a figure/, isExpected: true },
    {
      pod: { runningSinceMs: readAtMs - 12_000 },
      node: empty,
      reason: /runs for 12s only.*after 1m$/,
      isExpected: false,
    },
  ])('$reason', ({ pod, node, reason, isExpected }) => {
    const reading = aReading({
      snapshot: aClusterSnapshot({ nodes: [node] }),
      nodeErrors: new Map([['node-1', 'it hangs']]),
    });
    const state = podState(aPod(pod), reading);
    expect(state).toMatchObject({ state: 'unmeasured', isExpected });
    expect(state.state === 'unmeasured' && state.reason).toMatch(reason);
  });

  it('as text, with its limits', () => {
    const pod = aPod({ ...id, containers: [aContainer({ limitBytes: 2 ** 20 })] });
    const reading = aReading({
      snapshot: aClusterSnapshot({ nodes: [absent] }),
      knownPods: [{ pod, workloads: [aWorkload()] }],
    });
    expect(textOf(reading)).toBe(
      'Pod shop/cart-0 on node-1\n' +
        'Phase Running, QoS Burstable, started 1970-01-01T00:00:00.000Z.\n' +
        'Belongs to: cart.\n' +
        'Not measured: no data of node node-1 (timeout). Its workloads are incomplete without it.\n' +
        'Limit 1.0MiB, request -.\n',
    );
  });
});

describe('a measured pod', () => {
  it('says that it is never evicted for its limits', () => {
    expect(textOf(readingOf(aPod({ ...id, isStatic: true })))).toContain('It is static: the kubelet never evicts it');
    const critical = aPod({ ...id, priorityClass: 'system-node-critical' });
    expect(textOf(readingOf(critical))).toContain('It is critical: the kubelet never evicts it');
    expect(textOf(readingOf(aPod({ ...id, priorityClass: 'high' })))).not.toContain('never evicts');
  });

  it('says that its volumes are not measured yet', () => {
    const containers = [aContainer({ mounts: [aMount()] })];
    const text = textOf(readingOf(aPod({ ...id, containers, volumes: [aVolume()] })));
    expect(text).toContain('The kubelet has not measured its volumes yet: the total is too small by them.');
    expect(text).toMatch(/data +emptydir +- +- +no: not measured yet +-/);
  });

  it('says that its total is split evenly, and adds up all the same', () => {
    const summary = aPodSummary({
      usedBytes: 5,
      containers: [aContainerSummary({ name: 'a' }), aContainerSummary({ name: 'b' })],
    });
    const text = textOf(readingOf(aPod(id), summary));
    expect(text).toContain('Its total is split evenly over its containers.');
    expect(text).toMatch(
      /a\n {2}even part of the total +3 +3B\n {2}= attributed +3 +3B\nb\n {2}even part of the total +2/,
    );
  });

  it('that the API server does not know says so', () => {
    const text = textOf(readingOf(undefined));
    expect(text).toMatch(/^Pod shop\/cart-0 on node-1\nThe API server does not know it/);
  });

  it('without containers and limits says so', () => {
    const text = textOf(readingOf(aPod(id), aPodSummary({ containers: [] })));
    expect(text).toContain('The kubelet lists no container.');
    expect(text).toContain('No volumes.');
    expect(text).toContain('No limit to be evicted for.');
  });

  it('tells of every volume whether it is counted, and why', () => {
    const volumes = volumeTypes.map((type) => aVolume({ name: `v-${type}`, type }));
    const summary = aPodSummary({
      usedBytes: 10_000,
      volumes: [
        ...volumes.slice(0, 6).map(({ name }) => aVolumeSummary({ name, usedBytes: 1, timeMs: readAtMs - 61_000 })),
        aVolumeSummary({ name: 'shm', usedBytes: 7 }),
      ],
    });
    const pod = aPod({ ...id, volumes: [...volumes, aVolume({ name: 'shm', medium: 'Memory' })] });
    const [report] = podReports(readingOf(pod, summary), id, 'measured');
    const told = Object.fromEntries(
      report?.measured?.volumes.map(({ volume, isCounted, why }) => [volume, [isCounted, why]]) ?? [],
    );
    expect(told).toEqual({
      'v-emptydir': [true, 'part of emptydir'],
      'v-configmap': [true, 'part of configmap'],
      'v-gitrepo': [false, 'not measured by kubelets'],
      'v-secret': [false, 'in memory'],
      'v-projected': [false, 'in memory'],
      'v-downwardapi': [false, 'in memory'],
      'v-hostpath': [false, 'files of the node'],
      'v-pvc': [false, 'own storage'],
      'v-ephemeral': [false, 'own storage'],
      'v-csi': [false, 'own storage'],
      'v-nfs': [false, 'own storage'],
      'v-image': [false, 'image of the node'],
      'v-unknown': [false, 'unknown type'],
      shm: [false, 'in memory'],
    });
    expect(textOf(readingOf(pod, summary))).toMatch(/v-emptydir +emptydir +- +1 +yes: part of emptydir +1m1s ago/);
  });

  it.each([
    [true, 'logs (dedicated imagefs)'],
    [false, 'rootfs + logs'],
    [undefined, 'rootfs + logs'],
  ])('says what is held against the limit of a container (dedicated imagefs: %s)', (hasDedicatedImagefs, held) => {
    const reading = readingOf(aPod(id), aPodSummary(), { hasDedicatedImagefs });
    const [node] = reading.snapshot.nodes;
    if (node?.state !== 'fresh') throw new Error('no node');
    const ratios = [{ rule: 'container', container: 'main', volume: '', usedBytes: 3, limitBytes: 2 }] as const;
    const pods = node.snapshot.pods.map((pod) => ({ ...pod, ratios }));
    const changed = {
      ...reading,
      snapshot: aClusterSnapshot({ nodes: [{ ...node, snapshot: { ...node.snapshot, pods } }] }),
    };
    const [report] = podReports(changed, id, 'measured');
    expect(report?.measured?.limits).toEqual([
      { rule: 'container', container: 'main', volume: undefined, held, usedBytes: 3, limitBytes: 2, ratio: 1.5 },
    ]);
  });

  it.each([20, 40, 80, 200])('fits %i columns, whatever its names are', (width) => {
    const name = 'x\u001b[2J\u202e\n'.repeat(8);
    const pod = aPod({ ...id, containers: [aContainer({ name })], volumes: [aVolume({ name })] });
    const summary = aPodSummary({
      containers: [{ name, rootfs: anFsStats({ usedBytes: 1 }), logs: undefined }],
      volumes: [aVolumeSummary({ name, usedBytes: 5 })],
    });
    const text = textOf(readingOf(pod, summary), width);
    expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
    for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(width);
  });
});

describe('a workload', () => {
  const billing = aWorkload({ name: 'billing' });
  const big = aPodSnapshot({ name: 'big', workloads: [billing], usage: { ...aPodSnapshot().usage, usedBytes: 9000 } });
  const small = aPodSnapshot({ name: 'small', workloads: [billing] });
  const pending = aPodSnapshot({
    name: 'pending',
    workloads: [billing],
    usage: { ...aPodSnapshot().usage, usedBytes: 10, volumesPending: true },
  });
  const stray = aPodSnapshot({ name: 'stray', pod: undefined, workloads: [billing] });
  const lost = { pod: aPod({ name: 'lost', nodeName: 'node-2' }), workloads: [billing] };
  const near = { pod: aPod({ name: 'near', labels: { app: 'biling' } }), workloads: [] };
  const node = aFreshNode(aNodeSnapshot({ pods: [small, pending, stray, big] }));
  const figures = { ...aWorkloadSnapshot().figures, usedBytes: 17_202, podMaxUsedBytes: 9000 } as NonNullable<
    ReturnType<typeof aWorkloadSnapshot>['figures']
  >;
  const base = aReading({
    snapshot: aClusterSnapshot({
      nodes: [node, anAbsentNode('node-2', 'tls')],
      workloads: [aWorkloadSnapshot({ workload: billing, expectedPods: 4, measuredPods: 3, complete: false, figures })],
    }),
  });
  const reading = { ...base, knownPods: [...base.knownPods, lost, near] };
  const configured = {
    ...settings,
    selectors: [{ name: 'billing', selector: parseSelector('app=billing'), namespaces: [] }],
  };

  it('lists what makes it incomplete first, then the biggest, and adds up', () => {
    const report = workloadReport(reading, { name: 'billing', settings: configured });
    expect(report?.pods.map(({ pod, state, isMissing }) => [pod, state, isMissing])).toEqual([
      ['pending', 'pending', true],
      ['lost', 'unmeasured', true],
      ['big', 'measured', false],
      ['small', 'measured', false],
      ['stray', 'measured', false],
    ]);
    expect(report?.pods.reduce((sum, { usedBytes = 0 }) => sum + usedBytes, 0)).toBe(report?.figures?.usedBytes);
    expect(report?.nearMisses?.map(({ pod }) => pod)).toEqual(['near']);
  });

  it('as text', () => {
    const report = workloadReport(reading, { name: 'billing', settings: configured });
    expect(report && workloadText(report, 80)).toBe(`Workload billing
Configured: pods with app=billing in all namespaces.
3 of 4 expected pods measured, 1 without volumes: incomplete.

NAMESPACE  POD      NODE    BYTES          STATE
shop       pending  node-1     10     10B  pending
shop       lost     node-2      -       -  MISSING
shop       big      node-1   9000  8.8KiB  measured
shop       small    node-1   4096  4.0KiB  measured
shop       stray    node-1   4096  4.0KiB  measured
= 17202 (16.8KiB) as exposed; largest 8.8KiB, limits -, requests -.
shop/lost: no data of node node-2 (tls).
shop/stray: the API server does not know it.

CONTAINER  BYTES  LARGEST
main        4096     4096

Pods that do not belong to it for one reason alone:
shop/near: app=billing is NOT met (it has "biling").
`);
  });

  it.each([
    [
      'found',
      aWorkload({ name: 'found', type: 'labels', origin: { source: 'labels', labels: { app: 'billing', team: '' } } }),
      'Discovered: pods with app=billing,team=.',
    ],
    ['shop/Deployment/billing', aDeployment('billing'), 'Controller: Deployment shop/billing.'],
  ])('%s of discovered pods shows its origin and looks for no near misses', (name, found, line) => {
    const known = {
      ...reading,
      knownPods: [{ pod: aPod({ nodeName: undefined, phase: 'Pending' }), workloads: [found] }],
    };
    const report = workloadReport(known, { name, settings });
    expect(report).toMatchObject({ expectedPods: 0, measuredPods: 0, isComplete: false });
    expect(report).not.toHaveProperty('nearMisses');
    expect(report && workloadText(report, 80)).toContain(
      `${line}\nNone of its pods has to be measured yet, or any more: nothing is exposed of it.\n`,
    );
  });

  it('of pods that are too young to be expected says so', () => {
    const young = aWorkloadSnapshot({ workload: billing, expectedPods: 0, measuredPods: 0 });
    const snapshot = { ...reading.snapshot, workloads: [young] };
    const report = workloadReport({ ...reading, snapshot }, { name: 'billing', settings: configured });
    expect(report && workloadText(report, 120)).toContain('\nOnly new pods, none of which has to be measured yet');
  });

  it('whose collection failed says so', () => {
    const failed = aWorkloadSnapshot({ workload: billing, measuredPods: 0, complete: false, figures: undefined });
    const snapshot = { ...reading.snapshot, workloads: [failed] };
    const report = workloadReport({ ...reading, snapshot }, { name: 'billing', settings: configured });
    expect(report && workloadText(report, 120)).toContain('Nothing is exposed of it: the collection failed.');
  });

  it('shows ten near misses at most, and how many more there are', () => {
    const pods = Array.from({ length: 12 }, (_, index) => ({
      pod: aPod({ name: `near-${index}`, labels: { app: 'biling' } }),
      workloads: [],
    }));
    const report = workloadReport({ ...reading, knownPods: pods }, { name: 'billing', settings: configured });
    expect(report?.nearMisses).toHaveLength(10);
    expect(report && workloadText(report, 80)).toContain('\nand 2 more.\n');
  });

  it('that is nowhere is none', () => {
    expect(workloadReport(reading, { name: 'nowhere', settings })).toBeUndefined();
  });
});
