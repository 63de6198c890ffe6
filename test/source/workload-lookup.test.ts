import { expect, it } from 'vitest';

import type { Workload } from '../../src/facts/workload/workload.js';
import { UserError } from '../../src/lib/base/errors.js';
import { evictionReport } from '../../src/people/report/eviction-report.js';
import { shownName } from '../../src/people/report/workload-report.js';
import { mergedReader } from '../../src/serve/source/merged-views.js';
import { findWorkload } from '../../src/serve/source/workload-lookup.js';
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
  ['billing', 'shop', 'billing'],
  ['selector/billing', 'shop', 'billing'],
])('a workload is found by %s in namespace %s: %s', async (name, namespace, found) => {
  expect(shownName(await findWorkload(await viewsOf(reading), name, namespace))).toBe(found);
});

it.each([
  ['search', 'shop', 'workload "search" is ambiguous: shop/deployment/search, shop/statefulset/search'],
  ['cart', undefined, 'workload "cart" is ambiguous: shop/deployment/cart, test/deployment/cart'],
  ['cart', 'ops', 'no workload "cart" in namespace ops (did you mean shop/deployment/cart, test/deployment/cart?)'],
  ['crat', 'test', 'no workload "crat" in namespace test (did you mean shop/deployment/cart, test/deployment/cart?)'],
  [
    'deploy/crat',
    'ops',
    'no workload "deploy/crat" in namespace ops (did you mean shop/deployment/cart, test/deployment/cart?)',
  ],
  ['deploy/nosuch', 'ops', 'no workload "deploy/nosuch" in namespace ops'],
  ['jobs/r', 'ops', 'no workload "jobs/r" in namespace ops'],
  ['test/deploy/nosuch', 'shop', 'no workload "test/deploy/nosuch"'],
  ['test/nosuch', 'shop', 'no workload "test/nosuch"'],
  ['shop/daemonset/nothing', 'shop', 'no workload "shop/daemonset/nothing"'],
])('the workload %s in namespace %s is refused: %s', async (name, namespace, message) => {
  await expect(findWorkload(await viewsOf(reading), name, namespace)).rejects.toThrow(new UserError(message));
});

it('a workload may be one of a shard that did not answer, which is said', async () => {
  const ready = [{ name: 'exporter-0', reader: await viewsOf(reading) }];
  const message = [
    'no workload "nightly" in namespace shop among the nodes of the shards that answered (1 of 2)',
    '1 of 2 shards are ready: the nodes of the others are missing.',
  ].join('\n');
  const found = findWorkload(mergedReader({ ready, totalCount: 2, leftOut: [] }), 'nightly', 'shop');
  await expect(found).rejects.toThrow(new UserError(message));
});

it('a name that is the begin of too many is found with its namespace, and else an error', async () => {
  const jobs = Array.from({ length: 1_000 }, (_, index) => controller('shop', 'Job', `run-${index}`));
  const all = [...jobs, controller('ops', 'CronJob', 'run')].map((workload) => aWorkloadSnapshot({ workload }));
  const many = await viewsOf(aReading({ snapshot: aClusterSnapshot({ nodes: [], workloads: all.toReversed() }) }));
  expect(shownName(await findWorkload(many, 'ops/cj/run', undefined))).toBe('ops/cronjob/run');
  await expect(findWorkload(many, 'ru', undefined)).rejects.toThrow(
    'more than 1,000 workloads have names that begin with "ru": write NAMESPACE/TYPE/NAME',
  );
});
