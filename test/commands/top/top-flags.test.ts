import { expect, it } from 'vitest';

import type { TopResource } from '../../../src/commands/resources.js';
import { parseFieldSelector, type TopFlags, topOptions } from '../../../src/commands/top/top-flags.js';
import { UsageError } from '../../../src/lib/base/errors.js';

const none: TopFlags = { output: 'table', headers: true };

interface Misuse {
  readonly resource: TopResource;
  readonly name?: string;
  readonly flags: Partial<TopFlags>;
  readonly message: string;
}

it.each<Misuse>([
  { resource: 'pods', flags: { interval: 1_000 }, message: '--interval needs --watch' },
  { resource: 'nodes', flags: { containers: true }, message: '--containers is for pods' },
  { resource: 'volumes', flags: { containers: true }, message: '--containers is for pods' },
  {
    resource: 'workloads',
    name: 'cart\u001b[2J',
    flags: {},
    message: 'top workloads takes no name: found "cart\\u001b[2J"; --workload and --node choose pods',
  },
  {
    resource: 'containers',
    name: 'app',
    flags: {},
    message: 'top containers takes no name: found "app"; --workload and --node choose pods',
  },
  {
    resource: 'pods',
    flags: { node: 'node-1', fieldSelector: 'node-1' },
    message: '--node and --field-selector exclude each other',
  },
  {
    resource: 'nodes',
    flags: { node: 'node-1' },
    message: 'top nodes takes no --node: name the node instead, as in "top node NAME"',
  },
  {
    resource: 'workloads',
    flags: { fieldSelector: 'node-1' },
    message: 'top workloads takes no --node: a workload may be on many',
  },
  {
    resource: 'nodes',
    flags: { selector: 'app=cart' },
    message: 'top nodes takes no --selector and no --workload: they choose pods',
  },
  {
    resource: 'nodes',
    flags: { workload: 'cart' },
    message: 'top nodes takes no --selector and no --workload: they choose pods',
  },
])('top $resource $name with $flags is refused: $message', ({ resource, name, flags, message }) => {
  expect(() => topOptions(resource, name, { ...none, ...flags })).toThrow(new UsageError(message));
});

interface Use {
  readonly what: string;
  readonly resource: TopResource;
  readonly name?: string;
  readonly flags?: Partial<TopFlags>;
  readonly expected: object;
}

it.each<Use>([
  { what: 'the name of a pod', resource: 'pods', name: 'cart-0', expected: { name: 'cart-0', resource: 'pods' } },
  {
    what: 'the containers of a pod',
    resource: 'pods',
    name: 'cart-0',
    flags: { containers: true },
    expected: { name: 'cart-0', resource: 'containers' },
  },
  { what: 'the name of a node', resource: 'nodes', name: 'node-1', expected: { name: 'node-1' } },
  { what: 'a node', resource: 'next', flags: { node: 'node-1' }, expected: { node: 'node-1' } },
  {
    what: 'a node as kubectl names it',
    resource: 'pods',
    flags: { fieldSelector: 'node-1' },
    expected: { node: 'node-1' },
  },
  { what: 'a selector', resource: 'evictions', flags: { selector: 'a=b' }, expected: { selector: 'a=b' } },
  { what: 'a selector of workloads', resource: 'workloads', flags: { selector: 'a=b' }, expected: { selector: 'a=b' } },
  { what: 'a limit of 0 as all rows', resource: 'pods', flags: { limit: 0 }, expected: { limit: Infinity } },
  { what: 'no limit as the usual one', resource: 'pods', expected: { limit: undefined } },
  {
    what: '--watch with the usual interval',
    resource: 'pods',
    flags: { watch: true },
    expected: { watchIntervalMs: 5_000 },
  },
  {
    what: '--watch with an interval',
    resource: 'pods',
    flags: { watch: true, interval: 100 },
    expected: { watchIntervalMs: 100 },
  },
])('top takes $what', ({ resource, name, flags, expected }) => {
  expect(topOptions(resource, name, { ...none, ...flags })).toMatchObject(expected);
});

it.each([
  ['spec.nodeName=node-1.zone', 'node-1.zone'],
  ['spec.nodeName==node-1', 'node-1'],
])('the field selector %s names the node %s', (text, node) => {
  expect(parseFieldSelector(text)).toBe(node);
});

it.each(['', 'spec.nodeName=', 'spec.nodeName!=a', 'status.phase=Running', 'spec.nodeName=a,status.phase=Running'])(
  'the field selector "%s" is refused',
  (text) => {
    expect(() => parseFieldSelector(text)).toThrow('allowed: spec.nodeName=NODE');
  },
);
