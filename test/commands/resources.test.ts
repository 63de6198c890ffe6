import { expect, it } from 'vitest';

import { parseExplainTarget, parseTopResource } from '../../src/commands/resources.js';
import { UsageError } from '../../src/lib/base/errors.js';

it.each([
  [['pod', 'cart-0'], 'pod', 'cart-0'],
  [['pod', 'shop/cart-0'], 'pod', 'shop/cart-0'],
  [['pod/cart-0'], 'pod', 'cart-0'],
  [['po/cart-0'], 'pod', 'cart-0'],
  [['pods/shop/cart-0'], 'pod', 'shop/cart-0'],
  [['Pod/cart-0'], 'pod', 'cart-0'],
  [['no', 'node-1'], 'node', 'node-1'],
  [['nodes/node-1'], 'node', 'node-1'],
  [['ns', 'shop'], 'namespace', 'shop'],
  [['ev/cart-0'], 'eviction', 'cart-0'],
  [['wl', 'cart'], 'workload', 'cart'],
  [['workload', 'shop/cart'], 'workload', 'shop/cart'],
  [['workload', 'shop/deployment/cart'], 'workload', 'shop/deployment/cart'],
  [['workload/deploy/cart'], 'workload', 'deploy/cart'],
  [['deploy/cart'], 'workload', 'deploy/cart'],
  [['deploy', 'cart'], 'workload', 'deploy/cart'],
  [['deployment', 'cart'], 'workload', 'deployment/cart'],
  [['Deployments', 'shop/cart'], 'workload', 'shop/Deployments/cart'],
  [['sts/shop/cart'], 'workload', 'shop/sts/cart'],
  [['job', 'import'], 'workload', 'job/import'],
  [['cronjobs', 'import'], 'workload', 'cronjobs/import'],
  [['barepod', 'debug'], 'workload', 'barepod/debug'],
  [['deployment.apps/cart'], 'workload', 'deployment.apps/cart'],
  [['cronjob.batch', 'shop/import'], 'workload', 'shop/cronjob.batch/import'],
] as const)('explain %j is about the %s %s', ([word, second], resource, name) => {
  expect(parseExplainTarget(word, second)).toEqual({ resource, name });
});

it.each([
  [['pod'], 'explain pod: the name is missing, as in "explain pod NAME"'],
  [['pod/'], 'explain pod: the name is missing, as in "explain pod NAME"'],
  [['node', ''], 'explain node: the name is missing, as in "explain node NAME"'],
  [['deploy'], 'explain workload: the name is missing, as in "explain workload NAME"'],
  [['pod/cart-0', 'cart-1'], 'explain "pod/cart-0" takes no second name: found "cart-1"'],
  [
    ['pdo', 'cart-0'],
    /^explain "pdo": allowed: pod, workload, node, namespace, eviction, deployment, .*did you mean pod/,
  ],
  [
    ['shop/cart'],
    /^explain "shop": allowed: pod, workload, node, namespace, eviction, deployment, statefulset, daemonset/,
  ],
  [['deplyoment', 'cart'], /^explain "deplyoment": allowed: .*did you mean deployment/],
  [['/x'], 'explain "/x": expected RESOURCE/NAME, as in "pod/NAME"'],
  [['\u001b[2J', 'x'], /^explain "\\u001b\[2J": /],
] as const)('explain %j is refused: %s', ([word, second], message) => {
  const parse = () => parseExplainTarget(word, second);
  expect(parse).toThrow(UsageError);
  expect(parse).toThrow(message);
});

it.each([
  ['po', 'pods'],
  ['Pod', 'pods'],
  ['next', 'next'],
  ['vols', 'volumes'],
  ['eviction', 'evictions'],
  ['co', 'containers'],
  ['ns', 'namespaces'],
])('top %s lists %s', (text, resource) => {
  expect(parseTopResource(text)).toBe(resource);
});

it.each([
  ['pod/cart-0', 'top "pod/cart-0": write the name apart, as in "top pod cart-0"'],
  ['no/node-1', 'top "no/node-1": write the name apart, as in "top no node-1"'],
  ['deploy', 'top "deploy": use "top workloads", or "explain deploy/NAME" for one'],
  ['deploy/cart', 'top "deploy/cart": use "top workloads", or "explain deploy/NAME" for one'],
])('top %s is refused with the command that works', (text, message) => {
  expect(() => parseTopResource(text)).toThrow(new UsageError(message));
});
