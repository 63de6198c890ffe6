import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { parseQuantity } from '../../src/cluster/kube/quantity.js';
import {
  formatListenAddress,
  formatSize,
  isLabelKey,
  isNamespaceName,
  isServerName,
  isUrlPath,
  parseListenAddress,
} from '../../src/config/values.js';

describe('sizes', () => {
  it.each([
    [1, '1'],
    [1000, '1000'],
    [1024, '1Ki'],
    [67_108_864, '64Mi'],
    [1_073_741_824, '1Gi'],
    [1_048_577, '1048577'],
  ])('a size of %d bytes is formatted as %s', (bytes, text) => {
    expect(formatSize(bytes)).toBe(text);
  });

  it('sizes are formatted as quantities', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 40 }), (bytes) => {
        expect(parseQuantity(formatSize(bytes))).toBe(bytes);
      }),
    );
  });
});

it.each([
  [':9797', { host: undefined, port: 9797 }],
  [':0', { host: undefined, port: 0 }],
  ['localhost:9797', { host: 'localhost', port: 9797 }],
  ['192.0.2.1:80', { host: '192.0.2.1', port: 80 }],
  ['[::1]:9797', { host: '::1', port: 9797 }],
  ['[2001:db8::1]:65535', { host: '2001:db8::1', port: 65_535 }],
])('the listen address %s is parsed and formatted', (text, address) => {
  expect(parseListenAddress(text)).toEqual(address);
  expect(formatListenAddress(address)).toBe(text);
});

it.each([
  '',
  '9797',
  'localhost',
  '::1',
  '::1:9797',
  '[::1]',
  '[localhost]:1',
  ':65536',
  ':-1',
  ':',
  'a b:1',
  '*:1',
  'http://a:1',
  '[]:1',
])('the listen address %j is rejected', (text) => {
  expect(parseListenAddress(text)).toBeUndefined();
});

it.each([
  { isValid: isNamespaceName, values: ['shop', 'kube-system', '0', 'a'.repeat(63)] },
  { isValid: isLabelKey, values: ['app', 'app.kubernetes.io/name', 'in'] },
  { isValid: isServerName, values: ['kubelet', '{node}', '{node}.nodes.example.org'] },
  { isValid: isUrlPath, values: ['/metrics', '/a/b-c_d.e~f'] },
])('$isValid.name accepts $values', ({ isValid, values }) => {
  expect(values.filter(isValid)).toEqual(values);
});

it.each([
  { isValid: isNamespaceName, values: ['a'.repeat(64), '', 'Shop', 'shop.a', '-shop', 'shop-', 'shop\n'] },
  { isValid: isLabelKey, values: ['', 'app=billing', '!app', 'a,b', ' app', '/name', 'a/b/c'] },
  { isValid: isServerName, values: ['', '192.0.2.1', '::1', '{name}', '{node', 'a b'] },
  { isValid: isUrlPath, values: ['', '/', 'metrics', '/metrics/', '//metrics', '/../metrics', '/-/reload'] },
  { isValid: isUrlPath, values: ['/a?b', '/a#b', '/:id', '/a b'] },
])('$isValid.name refuses $values', ({ isValid, values }) => {
  expect(values.filter(isValid)).toEqual([]);
});
