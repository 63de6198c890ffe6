import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  formatDuration,
  formatListenAddress,
  formatSize,
  isLabelKey,
  isNamespaceName,
  isServerName,
  isUrlPath,
  parseDuration,
  parseListenAddress,
} from '../../src/config/values.js';
import { parseQuantity } from '../../src/kube/quantity.js';

describe('durations', () => {
  it.each([
    ['0', 0],
    ['0s', 0],
    ['500ms', 500],
    ['55s', 55_000],
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['1h1m1s1ms', 3_661_001],
    ['90m', 5_400_000],
    ['5m5ms', 300_005],
    ['-1s', -1000],
    ['-0', 0],
  ])('reads %s as %d ms', (text, durationMs) => {
    expect(parseDuration(text)).toBe(durationMs);
  });

  it.each([
    '',
    '-',
    '5',
    '5x',
    '1.5s',
    '1s1m',
    '1s1s',
    ' 1s',
    '1s ',
    '1 s',
    '+1s',
    's',
    '1d',
    '1S',
    '1e3s',
    '٣s',
    '1s\n',
  ])('refuses %j', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it.each([
    [0, '0'],
    [1, '1ms'],
    [1500, '1s500ms'],
    [60_000, '1m'],
    [5_400_000, '1h30m'],
    [86_400_000, '24h'],
  ])('writes %d ms as %s', (durationMs, text) => {
    expect(formatDuration(durationMs)).toBe(text);
  });

  it('reads back what it writes', () => {
    fc.assert(
      fc.property(fc.nat({ max: 1_000_000_000 }), (durationMs) => {
        expect(parseDuration(formatDuration(durationMs))).toBe(durationMs);
      }),
    );
  });
});

describe('sizes', () => {
  it.each([
    [1, '1'],
    [1000, '1000'],
    [1024, '1Ki'],
    [67_108_864, '64Mi'],
    [1_073_741_824, '1Gi'],
    [1_048_577, '1048577'],
  ])('writes %d bytes as %s', (bytes, text) => {
    expect(formatSize(bytes)).toBe(text);
  });

  it('writes quantities', () => {
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
  ])('reads %s and writes it again', (text, address) => {
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
  ])('refuses %j', (text) => {
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
