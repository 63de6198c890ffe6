import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIP } from 'node:net';

import { describe, expect, it } from 'vitest';

import type { Node } from '../../src/cluster/kube/objects.js';
import { kubeletUrl, type Resolve, usableLookup } from '../../src/cluster/kubelet/direct-transport.js';
import { RequestError } from '../../src/lib/base/errors.js';
import { aNode } from '../support/builders.js';

const addressTypes = ['InternalIP', 'ExternalIP', 'Hostname'];

function urlOf(addresses: Node['addresses'], options: Partial<Parameters<typeof kubeletUrl>[2]> = {}): string {
  return kubeletUrl(aNode({ addresses }), '/stats/summary', { addressTypes, port: undefined, ...options }).href;
}

function failureOf(act: () => unknown): RequestError {
  try {
    act();
  } catch (error) {
    if (error instanceof RequestError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('the address of a kubelet', () => {
  const all = [
    { type: 'Hostname', address: 'node-1.example' },
    { type: 'ExternalIP', address: '203.0.113.7' },
    { type: 'InternalIP', address: '192.0.2.1' },
    { type: 'InternalIP', address: '2001:db8::1' },
  ];

  it.each([
    [['InternalIP', 'ExternalIP', 'Hostname'], 'https://192.0.2.1:10250/stats/summary'],
    [['ExternalIP', 'InternalIP'], 'https://203.0.113.7:10250/stats/summary'],
    [['Hostname'], 'https://node-1.example:10250/stats/summary'],
    [['InternalDNS', 'Hostname'], 'https://node-1.example:10250/stats/summary'],
  ])('the address is of the first type that the node has: %j', (types, expected) => {
    expect(urlOf(all, { addressTypes: types })).toBe(expected);
  });

  it.each([
    ['192.0.2.1', 'https://192.0.2.1:10250/stats/summary'],
    ['127.0.0.1', 'https://127.0.0.1:10250/stats/summary'],
    ['2001:db8::1', 'https://[2001:db8::1]:10250/stats/summary'],
    ['2001:DB8:0:0::1', 'https://[2001:db8::1]:10250/stats/summary'],
    ['::1', 'https://[::1]:10250/stats/summary'],
    ['localhost', 'https://localhost:10250/stats/summary'],
    ['Node-1.Example.COM', 'https://node-1.example.com:10250/stats/summary'],
    ['ip-10-0-0-1.eu-west-1.compute.internal', 'https://ip-10-0-0-1.eu-west-1.compute.internal:10250/stats/summary'],
    ['10-0-0-1', 'https://10-0-0-1:10250/stats/summary'],
  ])('the address may be %s', (address, expected) => {
    expect(urlOf([{ type: 'InternalIP', address }])).toBe(expected);
  });

  it.each([
    '',
    ' 192.0.2.1',
    '192.0.2.1:80',
    '192.0.2.1/path?',
    'user@192.0.2.1',
    'evil.example/x#',
    'evil.example\\x',
    'evil.example%2f',
    'a b',
    'node_1',
    '-a.example',
    'a..example',
    'node.example.',
    'nöde.example',
    `${'a'.repeat(64)}.example`,
    Array.from({ length: 64 }, () => 'abc').join('.'),
    '[::1]',
    '1',
    '127.1',
    '2130706433',
    '0x7f.1',
    'host.0x7f000001',
    '0177.0.0.1',
    '0.0.0.0',
    '0.1.2.3',
    '169.254.169.254',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::ffff:169.254.169.254',
    '::ffff:0.0.0.0',
    'fe80::1',
    'fe80::1%eth0',
    '2001:db8::1%eth0',
    'ff02::1',
  ])('the address is never %j', (address) => {
    const failure = failureOf(() => urlOf([{ type: 'InternalIP', address }]));
    expect(failure.reason).toBe('not_ready');
    expect(failure.message).toMatch(
      /^the status of node node-1 has no usable address of type InternalIP, ExternalIP, /,
    );
  });

  it('a missing address is reported with the addresses of the node', () => {
    const failure = failureOf(() => urlOf([{ type: 'InternalDNS', address: 'a.example' }]));
    expect(failure).toMatchObject({
      reason: 'not_ready',
      message:
        'the status of node node-1 has no usable address of type InternalIP, ExternalIP, Hostname; it has: InternalDNS a.example',
    });
    expect(failureOf(() => urlOf([])).message).toMatch(/; it has: none$/);
  });

  it('an unusable address is reported on one line of limited length', () => {
    const { message } = failureOf(() => urlOf([{ type: 'InternalIP', address: `a\nb"${'x'.repeat(10_000)}` }]));
    expect(message).toContain('it has: InternalIP a b"xxx');
    expect(message.length).toBeLessThan(400);
    expect(message).toMatch(/^[^\n]+…$/);
  });
});

describe('the port of a kubelet', () => {
  const addresses = [{ type: 'InternalIP', address: '192.0.2.1' }];

  it.each([
    [10_250, undefined, '10250'],
    [10_250, 9_999, '9999'],
    [undefined, 9_999, '9999'],
  ])('the port, with %s in the status and the setting %s, is %s', (kubeletPort, port, expected) => {
    expect(kubeletUrl(aNode({ addresses, kubeletPort }), '/stats/summary', { addressTypes, port }).port).toBe(expected);
  });

  it('an unknown port is reported with a hint', () => {
    const failure = failureOf(() =>
      kubeletUrl(aNode({ kubeletPort: undefined }), '/stats/summary', { addressTypes, port: undefined }),
    );
    expect(failure).toMatchObject({
      reason: 'not_ready',
      message:
        'the status of node node-1 has no kubelet port; wait for its kubelet to report one, or set kubelet.port (usually 10250)',
    });
  });
});

describe('usableLookup', () => {
  const addressesOf = (...addresses: readonly string[]): LookupAddress[] =>
    addresses.map((address) => ({ address, family: isIP(address) }));
  const resolved = (resolve: Resolve, options: LookupOptions): Promise<unknown> =>
    new Promise((done, fail) => {
      usableLookup('summary of node node-1', resolve)('node-1', options, (error, found, family) => {
        if (error === null) done(family === undefined ? found : [found, family]);
        else fail(error);
      });
    });
  const mixed = addressesOf('169.254.169.254', 'fe80::1', '::ffff:169.254.1.1', '2001:db8::1', '192.0.2.1');

  it.each([
    ['all addresses', { all: true }, addressesOf('2001:db8::1', '192.0.2.1')],
    ['one address', {}, ['2001:db8::1', 6]],
  ])('only usable addresses of a name are returned, for a call that wants %s', async (_case, options, expected) => {
    expect(await resolved(() => Promise.resolve(mixed), options)).toEqual(expected);
  });

  it.each([
    ['nothing', [], 'nothing'],
    ['nothing usable', addressesOf('169.254.169.254', '::'), '169.254.169.254, ::'],
  ])('a name that resolves to %s is an error', async (_case, addresses, found) => {
    await expect(resolved(() => Promise.resolve(addresses), { all: true })).rejects.toMatchObject({
      reason: 'not_ready',
      message: `summary of node node-1: node-1 resolves to ${found}; link-local, unspecified, multicast and reserved addresses are refused`,
    });
  });

  it('a name that cannot be resolved is an error', async () => {
    const error = Object.assign(new Error('getaddrinfo ENOTFOUND node-1'), { code: 'ENOTFOUND' });
    await expect(resolved(() => Promise.reject(error), {})).rejects.toBe(error);
  });
});
