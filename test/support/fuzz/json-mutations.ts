import fc from 'fast-check';

import { place } from './mutations.js';

/** Values that programs and people do not write, or not there. */
const values: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 60,
  1e308,
  [],
  {},
  [null],
  [[]],
  { a: {} },
  '',
  '\n',
  '"',
  '\\',
  '\0',
  '\ud800',
  '"} 1\nforged{a="',
  '__proto__',
  'a'.repeat(300),
  '7',
  '-5Gi',
  '9223372036854775807',
  '1e999',
  'never',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
];

type Edit = (parent: Record<string, unknown>, key: string) => void;

function editWith(found: readonly unknown[]): fc.Arbitrary<Edit> {
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc.constantFrom(...values, ...found).map(
        (value): Edit =>
          (parent, key) =>
            (parent[key] = structuredClone(value)),
      ),
    },
    { weight: 1, arbitrary: fc.constant<Edit>((parent, key) => Reflect.deleteProperty(parent, key)) },
    {
      weight: 1,
      arbitrary: fc.constant<Edit>((parent, key) => {
        if (Array.isArray(parent)) parent.push(structuredClone(parent[Number(key)]));
      }),
    },
  );
}

/**
 * Some of the documents with a few of their values replaced, removed or repeated; JSON in any case. `found`: further values
 * that replace others.
 */
export function mutatedJson(documents: readonly unknown[], found: readonly unknown[] = []): fc.Arbitrary<string> {
  const edits = fc.array(fc.tuple(place, editWith(found)), {
    minLength: 1,
    maxLength: 5,
  });
  return fc.tuple(fc.constantFrom(...documents), edits).map(([document, changes]) => {
    const copy = structuredClone(document);
    for (const [at, change] of changes) {
      const places = [...placesIn(copy)];
      const place = places[Math.floor(at * places.length)];
      if (place !== undefined) change(...place);
    }
    return JSON.stringify(copy);
  });
}

/** Of all values, however deep. */
function* placesIn(value: unknown): Generator<readonly [Record<string, unknown>, string]> {
  if (typeof value !== 'object' || value === null) return;
  const parent = value as Record<string, unknown>;
  for (const key of Object.keys(parent)) {
    yield [parent, key];
    yield* placesIn(parent[key]);
  }
}
