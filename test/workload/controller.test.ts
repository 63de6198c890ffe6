import { expect, it } from 'vitest';

import type { Pod } from '../../src/cluster/kube/objects.js';
import { controllerOf, controllerType } from '../../src/facts/workload/controller.js';
import { nameStem } from '../../src/facts/workload/workload.js';
import { aPod } from '../support/builders.js';

const hashLabel = (hash: string): Pod['labels'] => ({ 'pod-template-hash': hash });

const owned = (kind: string, name: string, labels: Pod['labels'] = {}): Partial<Pod> => ({
  controller: { kind, name },
  labels,
});

const foreign = (kind: string, name: string, labels?: Pod['labels']): Partial<Pod> => ({
  ...owned(kind, name, labels),
  controller: { kind, name, isForeign: true },
});

it.each<[string, Partial<Pod>, string]>([
  ['a ReplicaSet of a Deployment', owned('ReplicaSet', 'cart-6f6b679f8f', hashLabel('6f6b679f8f')), 'Deployment/cart'],
  ['a Deployment with dashes', owned('ReplicaSet', 'cart-api-v2-abc', hashLabel('abc')), 'Deployment/cart-api-v2'],
  ['a ReplicaSet with another hash', owned('ReplicaSet', 'cart-abc', hashLabel('def')), 'ReplicaSet/cart-abc'],
  ['a ReplicaSet without a hash', owned('ReplicaSet', 'cart-abc'), 'ReplicaSet/cart-abc'],
  ['a ReplicaSet and an empty hash', owned('ReplicaSet', 'cart-', hashLabel('')), 'ReplicaSet/cart-'],
  [
    'a ReplicaSet that ends in the hash without a dash',
    owned('ReplicaSet', 'cartabc', hashLabel('abc')),
    'ReplicaSet/cartabc',
  ],
  ['a ReplicaSet that is nothing but the hash', owned('ReplicaSet', '-abc', hashLabel('abc')), 'ReplicaSet/-abc'],
  [
    'a ReplicaSet of an Argo Rollout',
    owned('ReplicaSet', 'cart-6b4d44785c', { 'rollouts-pod-template-hash': '6b4d44785c' }),
    'Rollout/cart',
  ],
  [
    'a ReplicaSet of a Deployment that copied the labels of a Rollout',
    owned('ReplicaSet', 'cart-abc', { ...hashLabel('abc'), 'rollouts-pod-template-hash': 'def' }),
    'Deployment/cart',
  ],
  [
    'a ReplicaSet of a Rollout that copied the labels of a Deployment',
    owned('ReplicaSet', 'cart-abc', { ...hashLabel('def'), 'rollouts-pod-template-hash': 'abc' }),
    'Rollout/cart',
  ],
  ['a hash on pods of another kind', owned('Rollout', 'cart-abc', hashLabel('abc')), 'Rollout/cart-abc'],
  ['a Job of a CronJob', owned('Job', 'backup-28912345'), 'CronJob/backup'],
  ['the first Job of a CronJob that names minutes', owned('Job', 'backup-26000000'), 'CronJob/backup'],
  ['a Job before it', owned('Job', 'backup-25999999'), 'Job/backup-25999999'],
  ['the last Job of a CronJob', owned('Job', 'backup-40000000'), 'CronJob/backup'],
  ['a Job after it', owned('Job', 'backup-40000001'), 'Job/backup-40000001'],
  ['a Job with a date', owned('Job', 'import-20261127'), 'Job/import-20261127'],
  ['a Job with a date after that of a CronJob', owned('Job', 'a-29928986-20261127'), 'Job/a-29928986-20261127'],
  ['a Job with seconds', owned('Job', 'dbt-1795737600'), 'Job/dbt-1795737600'],
  ['a Job with an id', owned('Job', 'load-12345678901'), 'Job/load-12345678901'],
  ['a Job with a time', owned('Job', 'load-20261127031500'), 'Job/load-20261127031500'],
  ['a Job with a short number', owned('Job', 'backup-2891234'), 'Job/backup-2891234'],
  ['a Job without a dash', owned('Job', 'backup28912345'), 'Job/backup28912345'],
  ['a Job with letters in the number', owned('Job', 'backup-2891234a5'), 'Job/backup-2891234a5'],
  ['a Job that is nothing but the number', owned('Job', '-28912345'), 'Job/-28912345'],
  ['a Job of another API group', foreign('Job', 'backup-28912345'), 'Job/backup-28912345'],
  ['a ReplicaSet of another API group', foreign('ReplicaSet', 'cart-abc', hashLabel('abc')), 'ReplicaSet/cart-abc'],
  ['a StatefulSet', owned('StatefulSet', 'db-28912345'), 'StatefulSet/db-28912345'],
  ['a DaemonSet', owned('DaemonSet', 'proxy'), 'DaemonSet/proxy'],
  ['a kind of the user', owned('SparkApplication', 'pi'), 'SparkApplication/pi'],
  ['no controller', { name: 'debug' }, 'Pod/debug'],
  ['a static pod', { name: 'etcd-node-1', isStatic: true, ...owned('Node', 'node-1') }, 'Node/etcd'],
  ['a static pod without an owner reference', { name: 'etcd-node-1', isStatic: true }, 'Node/etcd'],
  [
    'a static pod on a node whose name ends like another',
    { name: 'etcd-a-node-1', nodeName: 'a-node-1', isStatic: true },
    'Node/etcd',
  ],
  ['a static pod whose name lacks the node', { name: 'etcd', isStatic: true }, 'Node/etcd'],
  ['a static pod without a node', { name: 'etcd-node-1', nodeName: undefined, isStatic: true }, 'Node/etcd-node-1'],
])('finds the controller of %s', (_, pod, expected) => {
  const { kind, name } = controllerOf(aPod(pod));
  expect(`${kind}/${name}`).toBe(expected);
});

it.each([
  ['Deployment', 'deployment'],
  ['StatefulSet', 'statefulset'],
  ['DaemonSet', 'daemonset'],
  ['ReplicaSet', 'replicaset'],
  ['Job', 'job'],
  ['CronJob', 'cronjob'],
  ['Rollout', 'rollout'],
  ['DeploymentConfig', 'deploymentconfig'],
  ['Pod', 'barepod'],
  ['Node', 'staticpod'],
  ['SparkApplication', 'sparkapplication'],
  ['constructor', 'constructor'],
])('the type of %s is %s', (kind, type) => {
  expect(controllerType(kind)).toBe(type);
});

it.each<[string, string, string | undefined]>([
  ['ephemeralrunner', 'linux-x64-kxjcw-runner-s94nr', 'linux-x64-kxjcw-runner'],
  ['sandbox', 'builder-wkmqntq2xz', 'builder'],
  ['job', 'shard-0af31b2c', 'shard'],
  ['barepod', 'run-123e4567-e89b-12d3-a456-426614174000', 'run'],
  ['barepod', 'run-1732790000', 'run'],
  ['sandbox', 'my-proxy', undefined],
  ['sandbox', 'a-feedface', undefined],
  ['sandbox', 'cache-kxjc', undefined],
  ['sandbox', '-kxjcw', undefined],
  ['sandbox', 'kxjcw', undefined],
  ['deployment', 'web-kxjcw', undefined],
  ['labels', 'web-kxjcw', undefined],
])('the stem of a %s named %s is %j', (type, name, stem) => {
  expect(nameStem({ type, name })).toBe(stem);
});
