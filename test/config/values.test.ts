import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  formatListenAddress,
  formatSize,
  isLabelKey,
  isNamespaceName,
  isServerName,
  isUrlPath,
  parseListenAddress,
} from '../../src/config/values.js';
import { parseQuantity } from '../../src/kube/quantity.js';

describe('sizes', () => {
  it.each([
    [1, '1'],
    [1000, '1000'],
    [1024, '1Ki'],
    [67_108_864, '64Mi'],
    [1_073_741_824, '1Gi'],
    [1_048_577, '1048577'],
  ])('formats %d bytes as %s', (bytes, text) => {
    expect(formatSize(bytes)).toBe(text);
  });

  it('formats sizes as quantities', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 40 }), (bytes) => {
        expect(parseQuantity(formatSize(bytes))).toBe(bytes);
      }),
    );
  });
});

describe('listen addresses', () => {
  it.each([
    [':9797', { host: undefined, port: 9797 }],
    [':0', { host: undefined, port: 0 }],
    ['localhost:9797', { host: 'localhost', port: 9797 }],
    ['192.0.2.1:80', { host: '192.0.2.1', port: 80 }],
    ['[::1]:9797', { host: '::1', port: 9797 }],
    ['[2001:db8::1]:65535', { host: '2001:db8::1', port: 65_535 }],
  ])('parses and formats %s', (text, address) => {
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
  ])('rejects %j', (text) => {
    expect(parseListenAddress(text)).toBeUndefined();
  });
});

describe('names', () => {
  it.each([
    ['shop', true],
    ['kube-system', true],
    ['0', true],
    ['a'.repeat(63), true],
    ['a'.repeat(64), false],
    ['', false],
    ['Shop', false],
    ['shop.a', false],
    ['-shop', false],
    ['shop-', false],
    ['shop\n', false],
  ])('namespace %j: %s', (text, expected) => {
    expect(isNamespaceName(text)).toBe(expected);
  });

  it.each([
    ['app', true],
    ['app.kubernetes.io/name', true],
    ['in', true],
    ['', false],
    ['app=billing', false],
    ['!app', false],
    ['a,b', false],
    [' app', false],
    ['/name', false],
    ['a/b/c', false],
  ])('label key %j: %s', (text, expected) => {
    expect(isLabelKey(text)).toBe(expected);
  });

  it.each([
    ['kubelet', true],
    ['{node}', true],
    ['{node}.nodes.example.org', true],
    ['', false],
    ['192.0.2.1', false],
    ['::1', false],
    ['{name}', false],
    ['{node', false],
    ['a b', false],
  ])('server name %j: %s', (text, expected) => {
    expect(isServerName(text)).toBe(expected);
  });

  it.each([
    ['/metrics', true],
    ['/a/b-c_d.e~f', true],
    ['', false],
    ['/', false],
    ['metrics', false],
    ['/metrics/', false],
    ['//metrics', false],
    ['/../metrics', false],
    ['/-/reload', false],
    ['/a?b', false],
    ['/a#b', false],
    ['/:id', false],
    ['/a b', false],
  ])('URL path %j: %s', (text, expected) => {
    expect(isUrlPath(text)).toBe(expected);
  });
});
