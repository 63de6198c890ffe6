import { expect, it } from 'vitest';

import type { Workload } from '../../src/facts/workload/workload.js';
import { evictionReport } from '../../src/people/report/eviction-report.js';
import { findWorkload } from '../../src/serve/source/list-answers.js';
import { mergedReader } from '../../src/serve/source/merged-views.js';
import { anEvictionRecord } from '../support/eviction-builders.js';
import { aClusterSnapshot, aDeployment, aReading, aWorkload, aWorkloadSnapshot } from '../support/snapshot-builders.js';
import { viewsOf } from '../support/views.js';

const controller = (namespace: string, kind: string, name: string): Workload => ({
  namespace,
  name,
  type: kind === 'Pod' ? 'barepod' : kind.toLowerCase(),
  origin: { source: 'controller', kind },
});

const workloads = [
  aDeployment('cart'),
  aDeployment('search'),
  controller('shop', 'StatefulSet', 'search'),
  controller('test', 'Deployment', 'cart'),
  controller('ops', 'CronJob', 'backup'),
  controller('ops', 'Pod', 'debug'),
  controller('ops', 'Rollout', 'web'),
  controller('ops', 'DeploymentConfig', 'web'),
  aWorkload({ name: 'billing' }),
];

const reading = aReading({
  snapshot: aClusterSnapshot({ nodes: [], workloads: workloads.map((workload) => aWorkloadSnapshot({ workload })) }),
  evictions: [evictionReport(anEvictionRecord({ workloads: [controller('shop', 'Job', 'import')] }))],
});

it.each([
  ['cart', 'shop', 'shop/deployment/cart'],
  ['cart', 'test', 'test/deployment/cart'],
  ['deployment/cart', 'shop', 'shop/deployment/cart'],
  ['deploy/cart', 'shop', 'shop/deployment/cart'],
  ['deployments/cart', 'shop', 'shop/deployment/cart'],
  ['test/cart', 'shop', 'test/deployment/cart'],
  ['test/deployment/cart', 'shop', 'test/deployment/cart'],
  ['test/Deployment/cart', 'shop', 'test/deployment/cart'],
  ['import', 'shop', 'shop/job/import'],
  ['sts/search', 'shop', 'shop/statefulset/search'],
  ['shop/statefulset/search', undefined, 'shop/statefulset/search'],
  ['backup', undefined, 'ops/cronjob/backup'],
  ['cj/backup', 'ops', 'ops/cronjob/backup'],
  ['pod/debug', 'ops', 'ops/barepod/debug'],
  ['deployment.apps/cart', 'shop', 'shop/deployment/cart'],
  ['ops/cronjob.batch/backup', undefined, 'ops/cronjob/backup'],
  ['ro/web', 'ops', 'ops/rollout/web'],
  ['dc/web', 'ops', 'ops/deploymentconfig/web'],
  ['billing', 'shop', '-/selector/billing'],
  ['selector/billing', 'shop', '-/selector/billing'],
  ['-/selector/billing', 'shop', '-/selector/billing'],
])('a workload is found by %s in namespace %s: %s', async (name, namespace, found) => {
  expect((await findWorkload(await viewsOf(reading), name, namespace)).path).toBe(found);
});

it.each([
  ['search', 'shop', 'workload "search" is ambiguous: shop/deployment/search, shop/statefulset/search'],
  ['cart', undefined, 'workload "cart" is ambiguous: shop/deployment/cart, test/deployment/cart'],
  ['cart', 'ops', 'no workload ops/cart in scope (did you mean shop/deployment/cart, test/deployment/cart?)'],
  ['crat', 'test', 'no workload test/crat in scope (did you mean test/deployment/cart, shop/deployment/cart?)'],
  ['deploy/crat', 'ops', 'no workload deploy/crat in scope (did you mean shop/deployment/cart, test/deployment/cart?)'],
  ['deploy/nosuch', 'ops', 'no workload deploy/nosuch in scope'],
  ['shop/daemonset/nothing', 'shop', 'no workload shop/daemonset/nothing in scope'],
  ['a/shop/deployment/cart', undefined, 'no workload a/shop/deployment/cart in scope'],
])('the workload %s in namespace %s is refused: %s', async (name, namespace, message) => {
  await expect(findWorkload(await viewsOf(reading), name, namespace)).rejects.toThrow(message);
});

it('a workload may be one of a shard that did not answer, which is said', async () => {
  const ready = [{ name: 'exporter-0', reader: await viewsOf(reading) }];
  const message = [
    'no workload shop/nightly in scope among the nodes of the shards that answered (1 of 2)',
    '1 of 2 shards are ready: the nodes of the others are missing.',
  ].join('\n');
  const found = findWorkload(mergedReader({ ready, totalCount: 2, leftOut: [] }), 'nightly', 'shop');
  await expect(found).rejects.toThrow(message);
});
