import { describe, expect, it } from 'vitest';

import { RequestError, UserError } from '../../src/lib/base/errors.js';
import { type Host, resolveScope, type ScopeOptions } from '../../src/serve/app/resolve-scope.js';
import { never } from '../support/signals.js';

const wholeSettings = { nodeLocal: false, node: undefined, shard: undefined, totalShards: 1 };
const nodeLocal = { nodeLocal: true };

interface Case {
  readonly settings?: Partial<ScopeOptions['settings']>;
  readonly host?: Partial<Host>;
  /** Label selector → names of the nodes. */
  readonly nodes?: Readonly<Record<string, readonly string[]>>;
  readonly failure?: Error;
}

function resolve({ settings, host, nodes, failure }: Case) {
  const namesOf = (labelSelector: string): Promise<readonly string[]> => {
    if (failure !== undefined) return Promise.reject(failure);
    const names = nodes?.[labelSelector];
    return names === undefined
      ? Promise.reject(new Error(`unexpected selector ${labelSelector}`))
      : Promise.resolve(names);
  };
  const options = {
    settings: { ...wholeSettings, ...settings },
    host: { name: 'test-host', nodeName: undefined, ...host },
    nodes: namesOf,
  };
  return resolveScope(options, never);
}

describe('the scope', () => {
  const oneNode = (nodeName: string) => ({ shard: 0, totalShards: 1, nodeName });
  const shardOf = (shard: number, totalShards: number) => ({ shard, totalShards, nodeName: undefined });

  it.each<[what: string, given: Case, expected: object]>([
    [
      'is the whole cluster by default, regardless of the name of the host',
      { host: { name: 'exporter-3' } },
      shardOf(0, 1),
    ],
    ['is the whole cluster by default, regardless of $NODE_NAME', { host: { nodeName: 'node-1' } }, shardOf(0, 1)],
    ['is the node of the settings', { settings: { node: 'node-2' }, host: { nodeName: 'node-1' } }, oneNode('node-2')],
    ['is the node of $NODE_NAME', { settings: nodeLocal, host: { nodeName: 'node-1' } }, oneNode('node-1')],
    [
      'is the node that is labelled with the name of the host',
      { settings: nodeLocal, host: { name: 'worker-7' }, nodes: { 'kubernetes.io/hostname=worker-7': ['pool-a-7'] } },
      oneNode('pool-a-7'),
    ],
    [
      'is found by the name in lower case, as in the label',
      {
        settings: nodeLocal,
        host: { name: 'Worker-7.Example' },
        nodes: { 'kubernetes.io/hostname=worker-7.example': ['w'] },
      },
      oneNode('w'),
    ],
    ['is the shard of the settings', { settings: { shard: 1, totalShards: 3 }, host: { name: 'e-2' } }, shardOf(1, 3)],
    [
      'is the shard of the name of the host',
      { settings: { totalShards: 3 }, host: { name: 'exporter-2' } },
      shardOf(2, 3),
    ],
    [
      'is the shard of the name of the host when it includes a domain',
      { settings: { totalShards: 11 }, host: { name: 'exporter-10.exporter.monitoring.svc.cluster.local' } },
      shardOf(10, 11),
    ],
  ])('the scope %s', async (_what, given, expected) => {
    expect(await resolve(given)).toEqual(expected);
  });

  it.each<[what: string, given: Case, ...mentions: string[]]>([
    [
      'no node is labelled with the name of the host',
      { settings: nodeLocal, host: { name: 'exporter-x2x4z' }, nodes: { 'kubernetes.io/hostname=exporter-x2x4z': [] } },
      'no node has the label kubernetes.io/hostname=exporter-x2x4z',
      '--node',
      'NODE_NAME',
      'spec.nodeName',
    ],
    [
      'the name of the host cannot be a label',
      { settings: nodeLocal, host: { name: 'my host' } },
      'no node has the label kubernetes.io/hostname=my host',
      '--node',
    ],
    [
      'several nodes have the label',
      { settings: nodeLocal, host: { name: 'w' }, nodes: { 'kubernetes.io/hostname=w': ['a-w', 'b-w'] } },
      '2 nodes have the label kubernetes.io/hostname=w',
      'a-w, b-w',
      '--node',
    ],
    [
      'the nodes cannot be listed',
      { settings: nodeLocal, host: { name: 'w' }, failure: new RequestError('forbidden', 'nodes is forbidden') },
      'could not be looked up: nodes is forbidden',
      'NODE_NAME',
    ],
    [
      '$NODE_NAME is not the name of a node',
      { settings: nodeLocal, host: { nodeName: '$(NODE)' } },
      'NODE_NAME is "$(NODE)"',
      'spec.nodeName',
    ],
    [
      'the name of the host has no ordinal',
      { settings: { totalShards: 3 }, host: { name: 'exporter-7d9f8-x2x4z' } },
      '"exporter-7d9f8-x2x4z"',
      '--shard',
      'from 0 to 2',
    ],
    [
      'the ordinal of the name of the host is too high',
      { settings: { totalShards: 3 }, host: { name: 'exporter-3' } },
      '"exporter-3", ends in 3',
      'from 0 to 2',
      '--total-shards',
      '--shard',
    ],
  ])('the scope is an error with a hint when %s', async (_what, given, ...mentions) => {
    const error: unknown = await resolve(given).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UserError);
    for (const mention of mentions) expect(String(error)).toContain(mention);
  });

  it('an error other than of the request for the scope is passed on', async () => {
    const stopped = new Error('stopped');
    await expect(resolve({ settings: nodeLocal, failure: stopped })).rejects.toBe(stopped);
  });
});
