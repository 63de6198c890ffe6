import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { type Amount, formatQuantity, parseAmount, parseQuantity } from '../../src/cluster/kube/quantity.js';

describe('parseQuantity', () => {
  it.each([
    ['0', 0],
    ['-0', 0],
    ['0e999999999', 0],
    ['0e2147483648', 0],
    ['0Ei', 0],
    ['0.000n', 0],
    ['12', 12],
    ['+12', 12],
    ['007', 7],
    ['1.', 1],
    ['1k', 1000],
    ['1M', 1_000_000],
    ['2G', 2_000_000_000],
    ['3T', 3_000_000_000_000],
    ['4P', 4_000_000_000_000_000],
    ['1Ki', 1024],
    ['1Mi', 1_048_576],
    ['1Gi', 1_073_741_824],
    ['1Ti', 1_099_511_627_776],
    ['1Pi', 1_125_899_906_842_624],
    ['1.5Gi', 1_610_612_736],
    ['1e9', 1_000_000_000],
    ['1E9', 1_000_000_000],
    ['1e+3', 1000],
    ['1.5e3', 1500],
    ['2500e-2', 25],
  ])('reads %s as %d', (text, value) => {
    expect(parseQuantity(text)).toBe(value);
  });

  it.each([
    ['100m', 1],
    ['1001m', 2],
    ['1u', 1],
    ['1n', 1],
    ['999999999n', 1],
    ['1000000001n', 2],
    ['.5', 1],
    ['0.1Gi', 107_374_183],
    ['0.3Ki', 308],
    ['1e-300', 1],
    ['1e-2147483647', 1],
    ['9007199254740990.5', 9_007_199_254_740_991],
    ['-1500m', -2],
    ['-0.1Gi', -107_374_183],
  ])('rounds %s away from zero to %d', (text, value) => {
    expect(parseQuantity(text)).toBe(value);
  });

  it.each([
    '9007199254740992',
    '9007199254740993',
    '1E',
    '8Ei',
    '9.1e15',
    '1e400',
    '1e2147483647',
    '1.25e2147483648',
    // As 1.38 writes 1000E and 2^70: what no suffix is large enough for.
    '1e21',
    '1180591620717411303424',
  ])('saturates %s at 2^53, above and below zero', (text) => {
    expect(parseQuantity(text)).toBe(2 ** 53);
    expect(parseQuantity(`-${text}`)).toBe(-(2 ** 53));
  });

  it.each([
    ['1e4294967296', 1],
    ['1e4294967297', 10],
    ['1E4294967305', 1_000_000_000],
    ['-1e4294967296', -1],
    ['1e-4294967296', 1],
    ['1e8589934592', 1],
    ['1.5e4294967297', 15],
  ])('reads an exponent as Kubernetes does, by its low 32 bits: %s is %d', (text, value) => {
    expect(parseQuantity(text)).toBe(value);
  });

  it.each([
    ['1500m', '1.5'],
    ['1441m', '1.441'],
    ['1234500u', '1.2345'],
    ['966367641600m', '0.9Gi'],
    ['107374182400m', '0.1Gi'],
    ['1k', '1000'],
    ['1Ki', '1024'],
    ['1536Mi', '1.5Gi'],
    ['30M', '30e6'],
    ['1n', '0.1n'],
    ['307200m', '.3Ki'],
    ['1500e3', '1.5e6'],
  ])('reads the canonical form %s as what was written, %s', (canonical, written) => {
    expect(parseQuantity(canonical)).toBe(parseQuantity(written));
    expect(parseAmount(canonical)).toEqual(parseAmount(written));
    expect(parseAmount(canonical)).toBeDefined();
  });

  it.each([
    '',
    '.',
    '-',
    '1 ',
    ' 1',
    '1KI',
    '1ki',
    '1Zi',
    '1K',
    '1e',
    '1e1.5',
    '1e9223372036854775808',
    '1e-9223372036854775809',
    '1e99999999999999999999',
    '1e9Ki',
    '1,5',
    '0x10',
    '--1',
    'Gi',
    'NaN',
    '1\n',
  ])('says that %j is not a quantity', (text) => {
    expect(parseQuantity(text)).toBeUndefined();
  });
});

it('an amount is written as a quantity that is the same amount', () => {
  const amounts = fc.oneof(
    fc.integer({ min: 0, max: 2 ** 40 }),
    fc.record({
      roundedUp: fc.integer({ min: 1, max: 2 ** 40 }),
      nanosBelow: fc.integer({ min: 1, max: 999_999_999 }),
    }),
  );
  fc.assert(
    fc.property(amounts, (amount: Amount) => {
      expect(parseAmount(formatQuantity(amount))).toEqual(amount);
    }),
  );
  expect(['0.5', '0.0005', '1e-9', '7'].map((text) => formatQuantity(parseAmount(text) ?? 0))).toEqual([
    ...['500m', '500u', '1n', '7'],
  ]);
});
