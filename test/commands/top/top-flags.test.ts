import { expect, it } from 'vitest';

import { parseFieldSelector, type TopFlags, topOptions } from '../../../src/commands/top/top-flags.js';
import type { ListResource } from '../../../src/serve/source/answer-source.js';

const none: TopFlags = { output: 'table', headers: true };

it.each<[what: string, of: [resource: ListResource, name?: string], flags: Partial<TopFlags>, expected: object]>([
  ['the name of a pod', ['pods', 'cart-0'], {}, { name: 'cart-0', resource: 'pods' }],
  ['the containers of a pod', ['pods', 'cart-0'], { containers: true }, { name: 'cart-0', resource: 'containers' }],
  ['the name of a node', ['nodes', 'node-1'], {}, { name: 'node-1' }],
  ['a node', ['next'], { node: 'node-1' }, { node: 'node-1' }],
  ['a node as kubectl names it', ['pods'], { fieldSelector: 'node-1' }, { node: 'node-1' }],
  ['a selector', ['evictions'], { selector: 'a=b' }, { selector: 'a=b' }],
  ['a selector of workloads', ['workloads'], { selector: 'a=b' }, { selector: 'a=b' }],
  ['a limit of 0 as many as an answer has', ['pods'], { limit: 0 }, { limit: Infinity }],
  ['no limit as the usual one', ['pods'], {}, { limit: undefined }],
  ['--watch with the usual interval', ['pods'], { watch: true }, { watchIntervalMs: 5_000 }],
  ['--watch with an interval', ['pods'], { watch: true, interval: 100 }, { watchIntervalMs: 100 }],
])('top takes %s', (_what, [resource, name], flags, expected) => {
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
