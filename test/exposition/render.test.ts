import { describe, expect, it } from 'vitest';

import {
  endText,
  formatBound,
  headerText,
  labelText,
  sampleLine,
  SampleLines,
} from '../../src/metrics/exposition/render.js';
import { retainedBytes } from '../support/heap.js';

it.each([
  ['plain text', 'shop', String.raw`{a="shop"}`],
  ['a quote', 'say "hi"', String.raw`{a="say \"hi\""}`],
  ['a backslash', String.raw`C:\temp`, String.raw`{a="C:\\temp"}`],
  ['a line feed', 'two\nlines', String.raw`{a="two\nlines"}`],
  ['a backslash before an n, which is no line feed', String.raw`\n`, String.raw`{a="\\n"}`],
  ['a tab and a carriage return, which need no escape', 'a\tb\rc', '{a="a\tb\rc"}'],
  ['text beyond ASCII', 'größe-容量-📦', '{a="größe-容量-📦"}'],
])('a label has %s as its value', (_case, value, expected) => {
  expect(labelText(['a'], [value])).toBe(expected);
});

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

describe('headerText', () => {
  const gauge = { name: 'disk_used_bytes', type: 'gauge', help: 'Say "bytes" \\ and\nmore.' } as const;

  it('a header of the text format escapes backslashes and line feeds only', () => {
    expect(headerText(gauge, 'text')).toBe(
      String.raw`# HELP disk_used_bytes Say "bytes" \\ and\nmore.` + '\n# TYPE disk_used_bytes gauge\n',
    );
  });

  it('a header of OpenMetrics escapes quotes too and shows the unit', () => {
    expect(headerText(gauge, 'openmetrics')).toBe(
      String.raw`# HELP disk_used_bytes Say \"bytes\" \\ and\nmore.` +
        '\n# TYPE disk_used_bytes gauge\n# UNIT disk_used_bytes bytes\n',
    );
  });

  it('the header of a counter with a unit shows the unit of the name without its suffix', () => {
    const family = { name: 'cpu_seconds_total', type: 'counter', help: 'CPU.' } as const;
    expect(headerText(family, 'openmetrics')).toContain('# UNIT cpu_seconds seconds\n');
  });
});

it('the end of OpenMetrics is its mark, and that of text is nothing', () => {
  expect(endText('openmetrics')).toBe('# EOF\n');
  expect(endText('text')).toBe('');
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
