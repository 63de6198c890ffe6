import { expect, it } from 'vitest';

import { podRequestBytes } from '../../src/facts/node/limits.js';
import { aPod } from '../support/builders.js';

it.each([
  [5, 5],
  [0, undefined],
])('overhead alone is a request, which the scheduler reserves, and none is not: %i', (overheadBytes, expected) => {
  expect(podRequestBytes(aPod({ overheadBytes }))).toBe(expected);
});
