import { describe, expect, it } from 'vitest';

import { formatBound, headerText, sampleLine, SampleLines } from '../../src/metrics/exposition/render.js';
import { retainedBytes } from '../support/heap.js';

describe('sampleLine and formatBound', () => {
  it.each([
    [0, '0'],
    [-0, '0'],
    [4096, '4096'],
    [-1.5, '-1.5'],
    [2 ** 53, '9007199254740992'],
    [1e21, '1e+21'],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, '+Inf'],
    [Number.NEGATIVE_INFINITY, '-Inf'],
  ])('the value %d is written as %s', (value, expected) => {
    expect(sampleLine('x', '', value)).toBe(`x ${expected}\n`);
  });

  it.each([
    [1, 'text', '1'],
    [1, 'openmetrics', '1.0'],
    [0.5, 'text', '0.5'],
    [0.5, 'openmetrics', '0.5'],
  ] as const)('the bucket bound %d is in %s %s', (bound, format, expected) => {
    expect(formatBound(bound, format)).toBe(expected);
  });
});

it.each([
  ['text', String.raw`# HELP disk_used_bytes Say "bytes" \\ and\nmore.`, ''],
  ['openmetrics', String.raw`# HELP disk_used_bytes Say \"bytes\" \\ and\nmore.`, '# UNIT disk_used_bytes bytes\n'],
] as const)('a header of the format %s escapes what its rules name', (format, help, unit) => {
  const gauge = { name: 'disk_used_bytes', type: 'gauge', help: 'Say "bytes" \\ and\nmore.' } as const;
  expect(headerText(gauge, format)).toBe(`${help}\n# TYPE disk_used_bytes gauge\n${unit}`);
});

describe('SampleLines', () => {
  const textOf = (lines: SampleLines): string => {
    const bytes = Buffer.alloc(lines.byteCount);
    lines.copyTo(bytes);
    return bytes.toString();
  };

  it.each([
    ...[0, -0, 1, 9, 10, 99, 100, 123_456_789, 999_999_999, 1_000_000_000, 1_000_000_001, 2 ** 31, 10 ** 15],
    ...[2 ** 53 - 1, 2 ** 53, 10 ** 21, -1, -(2 ** 40), 0.5, 1 / 3, 1e-7, NaN, Infinity, -Infinity],
  ])('the bytes of a line are those of its text: %d', (value) => {
    const lines = new SampleLines('x');
    lines.add('{a="größe"}', value);
    lines.add('', value);
    expect(textOf(lines)).toBe(sampleLine('x', '{a="größe"}', value) + sampleLine('x', '', value));
    expect(lines.seriesCount).toBe(2);
  });

  it('the memory of very many lines is let go', () => {
    const lines = new SampleLines('x');
    const keptBytes = retainedBytes(() => {
      for (let count = 0; count < 50_000; count += 1) lines.add('{a="0123456789"}', count);
      lines.clear();
      return lines;
    });
    expect(keptBytes).toBeLessThan(512 * 1_024);
  });
});
