import { expect, it } from 'vitest';

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
  aWorkloadSnapshot,
} from '../support/snapshot-builders.js';
import { aPage } from '../support/view-pages.js';

const lost = aBoundPod({ pod: aPod({ namespace: 'shop', name: 'cart-9', nodeName: 'node-2' }) });
const silent = { ...anAbsentNode('node-2', 'timeout'), unmeasured: [lost] };
const fresh = aFreshNode(aNodeSnapshot({ pods: [aMeasuredPod({ standing: 'near' })] }));
const workloads = [
  aWorkloadSnapshot({ workload: aDeployment('cart') }),
  aWorkloadSnapshot({ workload: { ...aDeployment('logs'), namespace: 'ops' } }),
];
const reading = aReading({
  snapshot: aClusterSnapshot({ nodes: [fresh, silent], workloads }),
  evictions: [evictionReport(anEvictionRecord())],
});

it('the page of a namespace has its totals as a lower bound where pods are not measured, its workloads, pods and evictions', async () => {
  const { part, html, text } = await aPage(reading, { kind: 'namespace', path: ['shop'] });
  expect(part('part-facts')).toBe(
    'Used at least 4Ki Pods measured 1 Not measured 1 Near a limit at least 1 Evictions 1',
  );
  expect(part('workloads')).toContain('cart');
  expect(part('workloads')).not.toContain('logs');
  expect(text).toContain('cart-9 node-2 - - - none unmeasured no data from node node-2');
  for (const href of [
    '../pods?namespace=shop&amp;only=unknown',
    '../pods?namespace=shop&amp;only=near',
    '../evictions/uid-cart-0',
  ])
    expect(html).toContain(`href="${href}"`);
});

it('a namespace none of whose pods is measured has no sum of 0', async () => {
  const unmeasured = aReading({ snapshot: aClusterSnapshot({ nodes: [silent] }) });
  expect((await aPage(unmeasured, { kind: 'namespace', path: ['shop'] })).part('part-facts')).toMatch(
    /^Used - .* Near a limit at least 0 /,
  );
  expect((await aPage(unmeasured, { kind: 'namespaces' })).text).toMatch(/shop - 0\/1 ≥0/);
});

it('a namespace that cannot be listed says so', async () => {
  const unlisted = aReading({ snapshot: aClusterSnapshot({ unlistedNamespaces: ['shop'] }) });
  const { text } = await aPage(unlisted, { kind: 'namespace', path: ['shop'] });
  expect(text).toContain('Its pods cannot be listed');
});
