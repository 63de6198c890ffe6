import { expect, it } from 'vitest';

import { toJson } from '../../src/json/json-text.js';

it('JSON has infinite ratios as text, and leaves out fields without a value', () => {
  expect(toJson({ ratio: Infinity, limit: 0, unknown: undefined })).toBe('{"ratio":"+Inf","limit":0}');
  expect(toJson([0.5], 2)).toBe('[\n  0.5\n]');
});
