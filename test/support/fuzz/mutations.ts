import fc from 'fast-check';

/** What breaks readers of JSON, YAML and label selectors. */
const fragments = [
  '{',
  '}',
  '[',
  ']',
  '"',
  ',',
  ':',
  '\\',
  '\n',
  '\r\n',
  '\0',
  '\uFEFF',
  'null',
  'true',
  '-1',
  '1e999',
  '9223372036854775807',
  '1.5',
  '-0',
  '""',
  '{}',
  '[]',
  '"\\ud800"',
  '"\\u0000"',
  '"__proto__"',
  '"constructor"',
  '"pods":',
  '"items":',
  '"metadata":{}',
  '"usedBytes":-5',
  '"name":"\\n"',
  '"uid":7',
  '"podRef":null',
  '"time":"never"',
  '!!js/function ""',
  '&a',
  '*a',
  '<<: *a',
  '!',
  '(a,b)',
  'in',
  'notin',
  '=',
  '==',
  '!=',
  '…',
  '𝔘',
  '\u202E',
];

type Edit = (text: string) => string;

/** From 0 to 1, all alike: of `fc.double` nearly all are close to 0. */
export const place = fc.noBias(fc.integer({ min: 0, max: 999_999 })).map((millionths) => millionths / 1_000_000);

const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.tuple(place, fc.constantFrom(...fragments)).map(([at, fragment]): Edit => (text) => {
    const index = Math.floor(at * text.length);
    return text.slice(0, index) + fragment + text.slice(index);
  }),
  fc.tuple(place, fc.nat(40), fc.constantFrom(...fragments)).map(([at, count, fragment]): Edit => (text) => {
    const index = Math.floor(at * text.length);
    return text.slice(0, index) + fragment + text.slice(index + count);
  }),
  fc.tuple(place, fc.nat(400)).map(([at, count]): Edit => (text) => {
    const index = Math.floor(at * text.length);
    return text.slice(0, index) + text.slice(index + count);
  }),
  fc.tuple(place, place, place).map(([from, to, at]): Edit => (text) => {
    const copied = text.slice(
      Math.floor(Math.min(from, to) * text.length),
      Math.floor(Math.max(from, to) * text.length),
    );
    const index = Math.floor(at * text.length);
    return text.slice(0, index) + copied + text.slice(index);
  }),
  place.map(
    (at): Edit =>
      (text) =>
        text.slice(0, Math.floor(at * text.length)),
  ),
  fc
    .tuple(place, fc.constantFrom('[', '{"a":', '"', ' ', '[],', '{},'), fc.integer({ min: 1, max: 20_000 }))
    .map(([at, fragment, count]): Edit => (text) => {
      const index = Math.floor(at * text.length);
      return text.slice(0, index) + fragment.repeat(count) + text.slice(index);
    }),
);

/** A valid text with a few faults. */
export function mutated(valid: readonly string[]): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...valid), fc.array(edit, { minLength: 1, maxLength: 4 }))
    .map(([text, edits]) => edits.reduce((current, change) => change(current), text));
}

/** The bytes of a text, cut anywhere: also within a character. */
export function* cutUp(text: string, seed: number): Generator<Buffer> {
  const bytes = Buffer.from(text);
  let state = seed;
  for (let start = 0; start < bytes.length;) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    const end = Math.min(bytes.length, start + 1 + (state % 3_000));
    yield bytes.subarray(start, end);
    start = end;
  }
}
