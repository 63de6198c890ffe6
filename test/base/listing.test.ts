import { expect, it } from 'vitest';

import { listing } from '../../src/base/listing.js';

it('says how many it leaves out', () => {
  expect(listing(['a', 'b', 'c'], 2)).toBe('a, b and 1 more');
  expect(listing(['a', 'b'], 2)).toBe('a, b');
});
