import fc from 'fast-check';
import { expect, it } from 'vitest';

import { TextTable } from '../../src/base/text-table.js';

function read(table: TextTable, text: string): string | undefined {
  return table.read(Buffer.from(`"${text}"`), 1);
}

it('reads any plain text to its quote, whatever the table has', () => {
  const plain = fc.stringMatching(/^[\w./-]{1,253}$/);
  fc.assert(
    fc.property(fc.array(plain), fc.array(plain), (known, texts) => {
      const table = new TextTable(known);
      for (const text of [...known, ...texts, ...known]) expect(read(table, text)).toBe(text);
    }),
  );
});

it.each([[''], ['größe'], [String.raw`a\u0070p`], ['a\nb'], ['x'.repeat(254)]])(
  'leaves what is not plain: %j',
  (text) => {
    expect(read(new TextTable([]), text)).toBeUndefined();
  },
);

it('reads no text without an end', () => {
  expect(new TextTable([]).read(Buffer.from('"abc'), 1)).toBeUndefined();
});
