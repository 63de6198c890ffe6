import { expect, it } from 'vitest';

import type { ClusterReading } from '../../../src/people/query/cluster-reading.js';
import { evictionReport } from '../../../src/people/report/eviction-report.js';
import { aPod } from '../../support/builders.js';
import { anEvictionRecord } from '../../support/eviction-builders.js';
import {
  aBoundPod,
  aClusterSnapshot,
  aDeployment,
  aFreshNode,
  aMeasuredPod,
  anAbsentNode,
  aNodeSnapshot,
  aPodUsage,
  aReading,
  aWorkloadSnapshot,
} from '../../support/snapshot-builders.js';
import { mib } from '../../support/units.js';
import { aPage } from '../../support/view-pages.js';

const cart = aDeployment('cart');
const replica = (name: string, usedMib: number, more: Parameters<typeof aMeasuredPod>[0] = {}) =>
  aMeasuredPod({
    name,
    workloads: [cart],
    usage: aPodUsage({
      usedBytes: usedMib * mib,
      components: { rootfs: usedMib * mib, logs: 0, emptydir: 0, configmap: 0, other: 0 },
    }),
    ...more,
  });

const lost = aPod({ namespace: 'shop', name: 'cart-9', nodeName: 'node-2', runningSinceMs: 0 });
const reading = (more: Partial<ClusterReading> = {}): ClusterReading => {
  const silent = { ...anAbsentNode('node-2', 'timeout'), unmeasured: [aBoundPod({ pod: lost, workloads: [cart] })] };
  const replicas = [replica('cart-0', 10), replica('cart-1', 40, { standing: 'near' })];
  return aReading({
    snapshot: aClusterSnapshot({
      nodes: [aFreshNode(aNodeSnapshot({ pods: replicas })), silent],
      workloads: [aWorkloadSnapshot({ workload: cart, complete: false, expectedPods: 3, measuredPods: 2 })],
    }),
    ...more,
  });
};
const path = ['shop', 'deployment', 'cart'];

it('its replicas are compared by bars of one scale', async () => {
  const { html } = await aPage(reading(), { kind: 'workload', path });
  const list = html.slice(html.indexOf('id="part-list"'));
  expect(Array.from(list.matchAll(/class="f-rootfs" x="0%" width="([\d.]+)%"/g), ([, width]) => width)).toEqual([
    '100',
    '25',
  ]);
});

it('pods that are not measured are listed with the reason', async () => {
  const { part, html } = await aPage(reading(), { kind: 'workload', path });
  expect(part('missing')).toMatch(/shop\/cart-9 on node-2 no data from node node-2 \(timeout\)/);
  expect(html).toContain('href="../../../pods/shop/cart-9"');
  expect(html.indexOf('id="missing"')).toBeGreaterThan(html.indexOf('id="part-list"'));
});

it('a replica of a silent node is listed with what was last known', async () => {
  const pods = [replica('cart-9', 30, { pod: lost })];
  const lastKnownOf = () => ({ snapshot: aNodeSnapshot({ nodeName: 'node-2', pods }), ageMs: 60_000 });
  const { part } = await aPage(reading({ lastKnownOf }), { kind: 'workload', path });
  expect(part('missing')).toContain('its node has no data (no answer in time); last known 1m ago: 30Mi');
});

it('a workload whose pods are all measured says so', async () => {
  const snapshot = aClusterSnapshot({ workloads: [aWorkloadSnapshot({ workload: cart })] });
  const { part, html } = await aPage(aReading({ snapshot }), { kind: 'workload', path });
  expect(part('missing')).toContain('None: each of its pods is measured.');
  expect(html).not.toContain('banner ok');
});

it('a workload that is known by evictions alone has a page', async () => {
  const evictions = [evictionReport(anEvictionRecord())];
  const { part, text } = await aPage(
    aReading({ snapshot: aClusterSnapshot({ nodes: [], workloads: [] }), evictions }),
    { kind: 'workload', path },
  );
  expect(part('part-verdict')).toContain('No pods are expected or measured.');
  expect(text).toContain('Pod shop/cart-0 is the cause');
  await expect(
    aPage(aReading({ evictions: [] }), { kind: 'workload', path: ['shop', 'deployment', 'none'] }),
  ).rejects.toThrow('no workload');
});

it('a workload none of whose pods runs has the page that their pages link to', async () => {
  const knownPods = [{ pod: aPod({ namespace: 'shop', name: 'cart-0' }), workloads: [cart] }];
  const snapshot = aClusterSnapshot({ nodes: [], workloads: [] });
  const { part } = await aPage(aReading({ snapshot, knownPods }), { kind: 'workload', path });
  expect(part('part-verdict')).toContain('No pods are expected or measured.');
});

it('without a measured pod, there is no sum', async () => {
  const workloads = [aWorkloadSnapshot({ workload: cart, expectedPods: 1, measuredPods: 0, usage: undefined })];
  const { part } = await aPage(reading({ snapshot: aClusterSnapshot({ nodes: [], workloads }) }), {
    kind: 'workload',
    path,
  });
  expect(part('part-facts')).toMatch(/^Used - Largest pod - Pods measured 0 of 1/);
});
