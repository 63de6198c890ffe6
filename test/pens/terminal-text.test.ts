import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import { dataText, screenColumns } from '../../src/commands/text/output.js';
import { type Column, renderTable } from '../../src/people/pens/table.js';
import { displayWidth, shorten } from '../../src/people/pens/terminal-text.js';

const anyText = fc.string({ unit: 'binary', maxLength: 60 });

describe('shortening', () => {
  it.each([
    ['frontend-6b7-x2x9k', 18, 'frontend-6b7-x2x9k'],
    ['frontend-6b7-x2x9k', 11, 'front…x2x9k'],
    ['frontend', 2, 'f…'],
    ['frontend', 1, '…'],
    ['frontend', 0, ''],
    ['日本語の名前', 7, '日…前'],
  ])('shortening takes from the middle of %s for a width of %i', (text, width, expected) => {
    expect(shorten(text, width)).toBe(expected);
  });

  it('a shortened text is never wider than the width', () => {
    fc.assert(
      fc.property(anyText, fc.nat(30), (text, width) => {
        expect(displayWidth(shorten(text, width))).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('wide characters count twice and combining ones not at all', () => {
    expect(['a', '日', '😀', 'e\u0301'].map(displayWidth)).toEqual([1, 2, 2, 1]);
  });
});

describe('tables', () => {
  interface Row {
    readonly name: string;
    readonly used: string;
    readonly extra: string;
  }
  const columns: readonly Column<Row>[] = [
    { header: 'NAME', text: ({ name }) => name, minWidth: 6 },
    { header: 'USED', text: ({ used }) => used, align: 'right' },
    { header: 'EXTRA', text: ({ extra }) => extra, dropRank: 1 },
  ];
  const rows = [
    { name: 'a-rather-long-name', used: '1.0MiB', extra: 'some' },
    { name: 'short', used: '10.0MiB', extra: '-' },
  ];

  const ranked = (rank: number, minWidth?: number) =>
    columns.map((column) => {
      if (column.header !== 'EXTRA') return column;
      return { ...column, dropRank: rank, ...(minWidth === undefined ? {} : { minWidth }) };
    });

  it('a table leaves details out before it shortens the name that it is about', () => {
    expect(renderTable(ranked(2), rows, 34).lines[1]).toBe('a-rather-long-name   1.0MiB  some');
    expect(renderTable(ranked(2), rows, 32)).toEqual({
      lines: ['NAME                   USED', 'a-rather-long-name   1.0MiB', 'short               10.0MiB'],
      dropped: ['EXTRA'],
    });
  });

  it('a table shortens the longest names, and no others, before it leaves out what it is read for', () => {
    const all = ranked(1);
    expect(renderTable(all, rows, 32).lines[1]).toBe('a-rather…ng-name   1.0MiB  some');
    expect(renderTable(all, rows, 26)).toMatchObject({
      lines: ['NAME           USED  EXTRA', 'a-rat…name   1.0MiB  some', 'short       10.0MiB  -'],
      dropped: [],
    });
  });

  it('a table shortens names that may be left out before the one that it is about', () => {
    const row = { name: 'checkout-4khws2hzq2-pjgzt', used: '1.0MiB', extra: 'node-1.zone-a.example.internal' };
    expect(renderTable(ranked(2, 10), [row], 45).lines[1]).toBe(`${row.name}  1.0MiB  node-…rnal`);
    expect(renderTable(ranked(2, 10), [row], 44).lines[1]).toBe(`${row.name}  1.0MiB`);
    expect(renderTable(ranked(1, 10), [row], 32).lines[1]).toBe('checko…pjgzt  1.0MiB  node-…rnal');
  });

  it('a table leaves columns out when shortening is not enough, and says which', () => {
    const { lines, dropped } = renderTable(columns, rows, 18);
    expect(lines[1]).toBe('a-ra…name   1.0MiB');
    expect(dropped).toEqual(['EXTRA']);
  });

  it('a table is never wider than it may be, has a line per row and nothing that a terminal obeys', () => {
    const anyRow = fc.record({ name: anyText, used: anyText, extra: anyText });
    fc.assert(
      fc.property(fc.array(anyRow, { maxLength: 5 }), fc.integer({ min: 1, max: 120 }), (all, width) => {
        const { lines } = renderTable(columns, all, width);
        expect(lines).toHaveLength(all.length + 1);
        for (const line of lines) {
          expect(displayWidth(line)).toBeLessThanOrEqual(width);
          expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        }
      }),
    );
  });
});

describe('plain data', () => {
  const name = '\u001b[2J\u009b1m\u202e\n';
  const value = [{ name, usedBytes: 2 ** 53, none: undefined }];

  it.each([
    { form: 'json', read: (text: string): unknown => JSON.parse(text) },
    { form: 'line', read: (text: string): unknown => JSON.parse(text) },
    { form: 'yaml', read: (text: string): unknown => parse(text) },
  ] as const)('data as $form reads back as it was, without control characters', ({ form, read }) => {
    const text = dataText(value, form);
    expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
    expect(read(text)).toEqual([{ name, usedBytes: 2 ** 53 }]);
  });

  it('data as a line is one line', () => {
    expect(dataText(value, 'line').trim()).not.toContain('\n');
  });

  it('data as YAML has quotes only where they are needed', () => {
    expect(dataText([{ pod: 'cart-1', ratio: 0.5 }], 'yaml')).toBe('- pod: cart-1\n  ratio: 0.5\n');
  });
});

it.each([
  [undefined, Infinity],
  [{ columns: 0 }, 80],
  [{ columns: 132 }, 132],
])('the width of the screen of %j is %d', (terminal, columns) => {
  expect(screenColumns(terminal)).toBe(columns);
});
