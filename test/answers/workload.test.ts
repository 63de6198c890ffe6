import { expect, it } from 'vitest';

import { workloadPath } from '../../src/facts/workload/workload.js';
import { workloadDocument } from '../../src/people/answers/workload-document.js';
import { writeText } from '../../src/people/pens/text-pen.js';
import type { ClusterReading } from '../../src/people/query/cluster-reading.js';
import type { WorkloadObject } from '../../src/people/query/list-workloads.js';
import { evictionReport } from '../../src/people/report/eviction-report.js';
import { aPod } from '../support/builders.js';
import { anEvictionRecord } from '../support/eviction-builders.js';
import {
  aBoundPod,
  aClusterSnapshot,
  aDeployment,
  aFreshNode,
  aMeasuredPod,
  anAbsentNode,
  aNodeSnapshot,
  aReading,
  aWorkload,
  aWorkloadSnapshot,
} from '../support/snapshot-builders.js';
import { viewsOf } from '../support/views.js';

const billing = aWorkload({ name: 'billing' });
const podOf = (name: string, usage = {}, more = {}) =>
  aMeasuredPod({ name, workloads: [billing], usage: { ...aMeasuredPod().usage, ...usage }, ...more });
const lost = aBoundPod({ pod: aPod({ name: 'lost', nodeName: 'node-2' }), workloads: [billing] });
const pods = [
  podOf('small'),
  podOf('pending', { usedBytes: 10, volumesPending: true }),
  podOf('stray', {}, { pod: undefined }),
  podOf('big', { usedBytes: 9000 }),
];
const usage = {
  usedBytes: 17_202,
  podMaxUsedBytes: 9000,
  containers: [{ container: 'main', usedBytes: 4096, maxUsedBytes: 4096 }],
};
const base = aReading({
  snapshot: aClusterSnapshot({
    nodes: [aFreshNode(aNodeSnapshot({ pods })), { ...anAbsentNode('node-2', 'tls'), unmeasured: [lost] }],
    workloads: [aWorkloadSnapshot({ workload: billing, expectedPods: 4, measuredPods: 3, complete: false, usage })],
  }),
});
const reading = { ...base, knownPods: [...base.knownPods, lost] };

async function objectOf(of: ClusterReading = reading, path = '-/selector/billing'): Promise<WorkloadObject> {
  const views = await viewsOf(of, 'workloads: {selectors: [{name: billing, selector: app=billing}]}');
  return (await views.object('workload', path.split('/'), {})).data;
}

async function textOf(of?: ClusterReading, path?: string): Promise<string> {
  return writeText(workloadDocument(await objectOf(of, path)), { width: 120 });
}

const withWorkload = (snapshot: Parameters<typeof aWorkloadSnapshot>[0]): ClusterReading => ({
  ...reading,
  snapshot: aClusterSnapshot({ nodes: [], workloads: [aWorkloadSnapshot({ workload: billing, ...snapshot })] }),
});

it('a workload shows its exposed sum, which pods the sum lacks and why, and its pods and containers', async () => {
  await expect(await textOf()).toMatchFileSnapshot('../golden/explain-workload.txt');
});

it.each([
  [
    'found by labels: pods with app=billing,team=',
    aWorkload({ name: 'found', type: 'labels', origin: { source: 'labels', labels: { app: 'billing', team: '' } } }),
  ],
  ['those of the Deployment', aDeployment('billing')],
  [
    'a bare pod, without a controller',
    aWorkload({ name: 'found', type: 'barepod', origin: { source: 'controller', kind: 'Pod' } }),
  ],
  [
    'a static pod of a node',
    aWorkload({ name: 'found', type: 'staticpod', origin: { source: 'controller', kind: 'Node' } }),
  ],
])('a workload without pods has no values, and says which pods it has: %s', async (line, workload) => {
  const counts = { expectedPods: 0, measuredPods: 0, complete: false, usage: undefined };
  const text = await textOf(withWorkload({ workload, ...counts }), workloadPath(workload));
  expect(text).toMatch(/^Used: +-, none of its pods is expected$/m);
  expect(text).toMatch(/^Pods measured: +0 of 0: incomplete$/m);
  expect(text).toContain(`${line}\n`);
  expect(text).toContain('None is known.');
});

it('a workload that could not be collected has no sum', async () => {
  const text = await textOf(withWorkload({ expectedPods: 1, measuredPods: 0, complete: false, usage: undefined }));
  expect(text).toMatch(/^Used: +-, it could not be collected\nLargest pod: +-\nPods measured: +0 of 1/m);
});

it('a workload whose pods are all measured says so, and nothing of it is in the colour of health', async () => {
  const all = withWorkload({ complete: true });
  expect(await textOf(all)).toContain('None: each of its pods is measured.');
  expect(workloadDocument(await objectOf(all)).blocks[0]).toMatchObject({ is: 'verdict', tone: 'unknown' });
});

it('a pod of a silent node is listed with what was last known', async () => {
  const last = aNodeSnapshot({ nodeName: 'node-2', pods: [podOf('lost', { usedBytes: 30 * 1024 })] });
  const text = await textOf({ ...reading, lastKnownOf: () => ({ snapshot: last, ageMs: 60_000 }) });
  expect(text).toContain(
    'shop/lost on node-2: its node has no data (certificate not accepted); last known 1m ago: 30Ki',
  );
  expect(text).toMatch(/^shop +lost +node-2 +30,720 +30Ki .* last known$/m);
});

it('a pod that its kubelet measures no longer is listed as stale', async () => {
  const [node] = reading.snapshot.nodes;
  if (node === undefined || node.state === 'absent') throw new Error('no node with data');
  const { snapshot } = node;
  const pods = new Map(snapshot.pods.map(({ summary }) => [summary.uid, { summary, heldMs: 400_000 }]));
  const nodes = [{ ...node, snapshot: { ...snapshot, frozen: { ...snapshot.frozen, pods } } }];
  expect(await textOf({ ...reading, snapshot: { ...reading.snapshot, nodes } })).toMatch(/^shop +big .* stale$/m);
});

it('a workload that is known by evictions alone, or by pods that do not run, is explained', async () => {
  const cart = aDeployment('cart');
  const path = workloadPath(cart);
  const snapshot = aClusterSnapshot({ nodes: [], workloads: [] });
  const evicted = await textOf(aReading({ snapshot, evictions: [evictionReport(anEvictionRecord())] }), path);
  expect(evicted).toContain('No pods are expected or measured.');
  expect(evicted).toContain('shop/cart-0 on node-1: Pod shop/cart-0 is the cause');
  const knownPods = [{ pod: aPod({ namespace: 'shop', name: 'cart-0' }), workloads: [cart] }];
  expect(await textOf(aReading({ snapshot, knownPods }), path)).toContain('No pods are expected or measured.');
  await expect(textOf(aReading({ evictions: [] }), 'shop/deployment/none')).rejects.toThrow('no workload');
});
