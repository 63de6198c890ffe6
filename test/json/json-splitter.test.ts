import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { JsonSplitter } from '../../src/lib/json/json-splitter.js';
import type { SliceLimits } from '../../src/lib/json/split-document.js';
import { cut } from '../support/cut.js';

interface Split {
  readonly members: [string, unknown][];
  readonly items: unknown[];
  readonly names: readonly string[];
}

const generous: SliceLimits = { maxBytes: 2 ** 20, maxValueCount: 2 ** 15 };

function split(pieces: readonly (string | Buffer)[], limits = generous): Split {
  const members: [string, unknown][] = [];
  const items: unknown[] = [];
  const splitter = new JsonSplitter({
    what: 'document',
    arrayNames: ['items'],
    itemName: 'an item',
    limits,
    onMember: (name, value) => members.push([name, value]),
    onItem: (item) => items.push(item),
  });
  for (const piece of pieces) splitter.write(Buffer.from(piece));
  return { names: [...splitter.finish()], members, items };
}

const jsonValue = fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' });
/** Also texts that look like the beginnings of items, and items that are too large to be parsed before they are scanned. */
const member = fc.oneof(
  jsonValue,
  fc.constantFrom(',{"a":', '{"a":1},{"a":2}', ',\n  {\n   "a": ', [{ a: [{ a: 1 }] }, { a: 2 }]),
  fc.integer({ min: 16_000, max: 17_000 }).map((length) => 'x'.repeat(length)),
);
/** As an encoder writes them, all beginning with the same member. */
const alike = fc.array(member, { maxLength: 12 }).map((values) => values.map((value) => ({ a: value })));
const document = fc
  .record({
    items: fc.oneof(fc.array(jsonValue, { maxLength: 6 }), alike),
    before: jsonValue,
    after: jsonValue,
    indent: fc.constantFrom('', ' ', '\t'),
  })
  .map(({ items, before, after, indent }) => ({
    text: JSON.stringify({ before, items, after }, undefined, indent),
    before,
    items,
    after,
  }));

function isAccepted(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}

const places = fc.array(fc.nat(), { maxLength: 20 });

it('a splitter finds the members and items of JSON.parse, however the bytes are cut', () => {
  fc.assert(
    fc.property(document, places, ({ text, items, before, after }, at) => {
      const parsed = JSON.parse(JSON.stringify({ before, items, after })) as Record<string, unknown>;
      expect(split(cut(Buffer.from(text), at))).toEqual({
        names: ['before', 'items', 'after'],
        members: [
          ['before', parsed['before']],
          ['after', parsed['after']],
        ],
        items: parsed['items'],
      });
    }),
  );
});

it('a splitter accepts what JSON.parse accepts, however the bytes are cut', () => {
  const change = fc.record({
    place: fc.nat(),
    removedCount: fc.constantFrom(0, 0, 1, 2, 7),
    inserted: fc.constantFrom('', ',', ' ,', ', ', '{', '}', '[', ']', '"', '\\', '1', ',{"a":', '{"a":1},', '}]},'),
  });
  fc.assert(
    fc.property(document, change, places, ({ text }, { place, removedCount, inserted }, at) => {
      const start = place % (text.length + 1);
      const changed = text.slice(0, start) + inserted + text.slice(start + removedCount);
      const splits = isAccepted(() => split(cut(Buffer.from(changed), at)));
      expect(splits).toBe(isAccepted(() => JSON.parse(changed) as unknown));
    }),
    { numRuns: 500 },
  );
});

it.each([
  ['an empty object', ' \t\r\n{\r\n\t} \r\t\n', [], []],
  ['an array that is missing', '{"items":null}', ['items'], [['items', null]]],
])('a splitter accepts %s', (_case, text, names, members) => {
  expect(split([text])).toEqual({ names, members, items: [] });
});

it('a splitter takes __proto__ for the name of an ordinary member', () => {
  expect(split(['{"__proto__":1,"items":[{"__proto__":2}]}'])).toMatchObject({
    members: [['__proto__', 1]],
    names: ['__proto__', 'items'],
  });
});

describe('a malformed document', () => {
  it.each([
    ['nothing', '', 'truncated after 0 items'],
    ['blank', ' \n', 'truncated after 0 items'],
    ['a truncated string', '{"a":"b', 'truncated after 0 items'],
    ['a truncated array', '{"items":[1,2', 'truncated after 1 items'],
    ['a byte order mark', '\uFEFF{}', 'it is not a JSON object'],
    ['a blank that JSON does not know', '\u00A0{}', 'it is not a JSON object'],
    ['a form feed', '\f{}', 'it is not a JSON object'],
    ['an array', '[{}]', 'it is not a JSON object'],
    ['text', 'Unauthorized', 'it is not a JSON object'],
    ['a comma alone', '{,}', 'a comma without a member'],
    ['a comma at the end', '{"a":1,}', 'a comma without a member'],
    ['a second object', '{}{}', 'text after'],
    ['text after the items', '{"items":[] 1}', 'text around'],
    ['an object after the items', '{"items":[] {}}', 'text after'],
    ['the wrong bracket', '{"a":1]', 'unexpected "]"'],
    ['the array twice', '{"items":[1],"items":[2]}', 'duplicate member "items"'],
    ['another member twice', '{"a":1,"\\u0061":2}', 'duplicate member "a"'],
    ['an item that is not JSON', '{"items":[{"a":1},{"a":}]}', 'malformed JSON'],
    ['an item with another after it', '{"items":[{"a":1},{"a":1} {"a":1},{"a":1}]}', 'malformed JSON'],
    ['nothing between commas', '{"items":[{"a":1}, ,{"a":1}]}', 'malformed JSON'],
    ['nothing before the first comma', '{"items":[ ,{"a":1}]}', 'malformed JSON'],
    ['a bare word', '{"items":[tru]}', 'malformed JSON'],
  ])('a malformed document is refused: %s', (_case, text, message) => {
    const failure = expect.objectContaining({
      reason: 'decode',
      message: expect.stringMatching(new RegExp(`^document: .*${message}`)) as string,
    }) as Error;
    expect(() => split([text])).toThrow(failure);
    expect(() => split(Array.from(Buffer.from(text), (byte) => Buffer.of(byte)))).toThrow(failure);
  });

  it('nothing between commas is refused, where another piece begins before it', () => {
    const large = `{"a":"${'x'.repeat(20_000)}"}`;
    const text = `{"items":[{"a":1},${large}, ,${large}]}`;
    expect(() => split([text.slice(0, 10_000), text.slice(10_000)])).toThrow('malformed JSON');
  });

  it('text of any length that is malformed is refused before its end', () => {
    expect(() => split(['<'.repeat(100_000)])).toThrow('it is not a JSON object');
    expect(() => split(['{"items":[]}', 'x'])).toThrow('text around the object');
  });
});

describe('the limits of a slice', () => {
  const filler = 'x'.repeat(20_000);

  it.each([
    ['an item', (value: string) => `{"items":[${value}`],
    ['a member', (value: string) => `{"a":${value}`],
  ])('limits of a slice hold for %s while it arrives', (name, open) => {
    const limits = { maxBytes: 50_000, maxValueCount: 1_000 };
    expect(() => split([open(`["${'x'.repeat(50_000)}`)], limits)).toThrow(
      expect.objectContaining({
        reason: 'too_large',
        message: `document: ${name} is larger than 50000 bytes`,
      }) as Error,
    );
    expect(() => split([open(`["${filler}",${'{},'.repeat(1_000)}`)], limits)).toThrow(
      expect.objectContaining({ reason: 'too_large', message: `document: ${name} has more than 1000 values` }) as Error,
    );
    expect(() => split([open(`["${filler}",${'['.repeat(64)}`)], limits)).toThrow(
      expect.objectContaining({
        reason: 'decode',
        message: 'document: malformed JSON: it is nested deeper than 64 levels',
      }) as Error,
    );
  });

  it('limits of a slice do not depend on where the bytes are cut', () => {
    const limits = { maxBytes: 50_000, maxValueCount: 1_000 };
    const nested = (depth: number, text: string): string => `${'['.repeat(depth)}"${text}"${']'.repeat(depth)}`;
    const items = (...texts: string[]): string => `{"items":[${texts.join(',')}]}`;
    const cases: [text: string, isAccepted: boolean][] = [
      [items('{"a":1}', nested(65, ''), '{"a":1}'), true], // small: parsed in a moment, whatever it holds
      [items('{"a":1}', nested(64, filler), '{"a":1}'), true],
      [items('{"a":1}', nested(65, filler), '{"a":1}'), false],
      [items('{"a":1}', `{"a":[${'{},'.repeat(1_500)}"${filler}"]}`, '{"a":1}'), false],
      [items('{"a":1}', `{"a":[${'{},'.repeat(1_500)}1]}`, '{"a":1}'), true],
    ];
    for (const [text, isAccepted] of cases) {
      for (const size of [1, 7, 1_000, 16_384, 100_000]) {
        const bytes = Buffer.from(text);
        const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        );
        if (isAccepted) expect(split(pieces, limits).items).toEqual((JSON.parse(text) as { items: unknown }).items);
        else expect(() => split(pieces, limits)).toThrow('document: ');
      }
    }
  });

  it('limits of a slice count no member beside 64', () => {
    const members = (count: number): string => Array.from({ length: count }, (_, index) => `"m${index}":1`).join(',');
    expect(split([`{${members(64)}}`]).names).toHaveLength(64);
    expect(() => split([`{${members(65)}}`])).toThrow('more than 64 members');
  });
});

describe('a document with several arrays', () => {
  const splitAll = (pieces: readonly Buffer[]) => {
    const seen: unknown[] = [];
    const splitter = new JsonSplitter({
      what: 'document',
      arrayNames: ['a', 'b'],
      itemName: 'an item',
      limits: generous,
      onMember: (name, value) => seen.push([name, value]),
      onItem: (item, arrayName) => seen.push({ [arrayName]: item }),
    });
    for (const piece of pieces) splitter.write(piece);
    splitter.finish();
    return seen;
  };

  it('a document with several arrays is split into the items of each, in order, however its bytes are cut', () => {
    const lists = fc.record({ a: alike, c: jsonValue, b: fc.oneof(alike, fc.array(jsonValue, { maxLength: 4 })) });
    fc.assert(
      fc.property(lists, fc.constantFrom('', ' '), places, ({ a, c, b }, indent, at) => {
        const parsed = JSON.parse(JSON.stringify({ a, c, b })) as { a: unknown[]; c: unknown; b: unknown[] };
        expect(splitAll(cut(Buffer.from(JSON.stringify({ a, c, b }, undefined, indent)), at))).toEqual([
          ...parsed.a.map((item) => ({ a: item })),
          ['c', parsed.c],
          ...parsed.b.map((item) => ({ b: item })),
        ]);
      }),
    );
  });

  it('a document with several arrays may have an empty one after one with items', () => {
    expect(splitAll([Buffer.from('{"a":[1],"b":[ ]}')])).toEqual([{ a: 1 }]);
    expect(() => splitAll([Buffer.from('{"a":[1],"b":[ ,1]}')])).toThrow('malformed JSON');
  });
});

describe('a slice above the limits', () => {
  const limits: SliceLimits = { maxBytes: 20_000, maxValueCount: 100 };
  const taken = (pieces: readonly Buffer[]) => {
    const items: unknown[] = [];
    const oversized: string[] = [];
    const members: string[] = [];
    const splitter = new JsonSplitter({
      what: 'document',
      arrayNames: ['items'],
      itemName: 'an item',
      limits,
      onMember: (name) => members.push(name),
      onItem: (item) => items.push(item),
      onOversizedItem: () => {
        const bytes: Buffer[] = [];
        return {
          write: (more) => bytes.push(Buffer.from(more)),
          end: () => oversized.push(Buffer.concat(bytes).toString()),
        };
      },
      skipsOversized: (name) => name !== 'needed',
    });
    for (const piece of pieces) splitter.write(piece);
    return { names: [...splitter.finish()], items, oversized, members };
  };
  const long = { a: 'x'.repeat(30_000) };
  const rich = { a: [...Array.from({ length: 200 }, () => ({})), 'x'.repeat(17_000)] };

  it('an item above the limits is taken byte by byte where that is asked for', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom<unknown>({ a: 1 }, long, rich), { maxLength: 5 }), places, (all, at) => {
        const { items, oversized } = taken(cut(Buffer.from(JSON.stringify({ items: all })), at));
        expect(oversized).toEqual(
          all.filter((item) => item === long || item === rich).map((item) => JSON.stringify(item)),
        );
        expect(items).toEqual(all.filter((item) => item !== long && item !== rich));
      }),
    );
  });

  it('a member above the limits is skipped where that is asked for', () => {
    fc.assert(
      fc.property(fc.constantFrom<unknown>(long, rich), places, (value, at) => {
        const text = JSON.stringify({ first: 1, other: value, items: [1], needed: [2] });
        expect(taken(cut(Buffer.from(text), at))).toEqual({
          names: ['first', 'other', 'items', 'needed'],
          members: ['first', 'needed'],
          items: [1],
          oversized: [],
        });
      }),
    );
  });

  it('a slice above the limits is refused where it is needed, or twice', () => {
    expect(() => taken([Buffer.from(JSON.stringify({ needed: long }))])).toThrow('a member is larger than 20000 bytes');
    const twice = `{"other":${JSON.stringify(long)},"other":1}`;
    expect(() => taken([Buffer.from(twice)])).toThrow('duplicate member "other"');
    expect(() => taken([Buffer.from(JSON.stringify({ other: 'x'.repeat(30_000) }))])).toThrow('is larger than');
  });

  it('a slice above the limits ends with the document, unless that is cut off within it', () => {
    const text = JSON.stringify({ items: [long] });
    expect(() => taken([Buffer.from(text.slice(0, 25_000))])).toThrow('truncated');
  });
});
