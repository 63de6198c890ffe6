import { expect, it } from 'vitest';

import { UserError } from '../../src/base/errors.js';
import { findWorkload } from '../../src/commands/workload-lookup.js';
import { type Workload, workloadName } from '../../src/workload/workload.js';
import { aPod } from '../support/builders.js';
import { aClusterSnapshot, aDeployment, aReading, aWorkload } from '../support/snapshot-builders.js';

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
  aWorkload({ name: 'billing' }),
];

const reading = aReading({
  snapshot: aClusterSnapshot({ nodes: [], workloads: [] }),
  knownPods: [{ pod: aPod(), workloads }],
});

it.each([
  ['cart', 'shop', 'shop/Deployment/cart'],
  ['cart', 'test', 'test/Deployment/cart'],
  ['deployment/cart', 'shop', 'shop/Deployment/cart'],
  ['deploy/cart', 'shop', 'shop/Deployment/cart'],
  ['deployments/cart', 'shop', 'shop/Deployment/cart'],
  ['test/cart', 'shop', 'test/Deployment/cart'],
  ['test/Deployment/cart', 'shop', 'test/Deployment/cart'],
  ['sts/search', 'shop', 'shop/StatefulSet/search'],
  ['shop/statefulset/search', undefined, 'shop/StatefulSet/search'],
  ['backup', undefined, 'ops/CronJob/backup'],
  ['cj/backup', 'ops', 'ops/CronJob/backup'],
  ['pod/debug', 'ops', 'ops/Pod/debug'],
  ['billing', 'shop', 'billing'],
  ['selector/billing', 'shop', 'billing'],
])('a workload is found by %s in namespace %s: %s', (name, namespace, found) => {
  expect(workloadName(findWorkload(reading, name, namespace))).toBe(found);
});

it.each([
  ['search', 'shop', 'workload "search" is ambiguous: shop/Deployment/search, shop/StatefulSet/search'],
  ['cart', undefined, 'workload "cart" is ambiguous: shop/Deployment/cart, test/Deployment/cart'],
  ['cart', 'ops', 'no workload "cart" in namespace ops; did you mean shop/Deployment/cart, test/Deployment/cart?'],
  ['crat', 'test', 'no workload "crat" in namespace test; did you mean test/Deployment/cart, shop/Deployment/cart?'],
  ['shop/DaemonSet/nothing', 'shop', 'no workload "shop/DaemonSet/nothing"'],
])('the workload %s in namespace %s is refused: %s', (name, namespace, message) => {
  expect(() => findWorkload(reading, name, namespace)).toThrow(new UserError(message));
});
