import { expect, it } from 'vitest';

import { parseJson, toJson } from '../../src/lib/json/json.js';

it('JSON has infinite ratios as text, and leaves out fields without a value', () => {
  expect(toJson({ ratio: Infinity, limit: 0, unknown: undefined })).toBe('{"ratio":"+Inf","limit":0}');
  expect(toJson([0.5], 2)).toBe('[\n  0.5\n]');
});

it('a text is parsed as JSON, null included', () => {
  expect(parseJson('{"a":[1]}')).toEqual({ a: [1] });
  expect(parseJson('null')).toBeNull();
});

it('a text that is not JSON is undefined, or throws the error of the caller', () => {
  expect(parseJson('{')).toBeUndefined();
  expect(() => parseJson('{', (error) => new TypeError('no list', { cause: error }))).toThrow(
    expect.objectContaining({ message: 'no list', cause: expect.any(SyntaxError) as unknown }),
  );
});
