import { expect, it } from 'vitest';

import { nearest } from '../../src/config/suggestion.js';

const candidates = ['ttl', 'port', 'maxBackoff', 'nodeSelector', 'podSelector'];

it.each([
  ['tll', 'ttl'],
  ['TTL', 'ttl'],
  ['tl', 'ttl'],
  ['prot', 'port'],
  ['maxbackof', 'maxBackoff'],
  ['nodeSelectors', 'nodeSelector'],
  ['noedSelecotr', 'nodeSelector'],
])('nearest corrects %s to %s', (word, expected) => {
  expect(nearest(word, candidates)).toBe(expected);
});

it.each(['', 'x', 'ab', 'backoff', 'selector', 'x'.repeat(1_000_000)])(
  'nearest returns undefined for another word',
  (word) => {
    expect(nearest(word, candidates)).toBeUndefined();
  },
);

it('nearest prefers the nearer one', () => {
  expect(nearest('podSelectr', ['nodeSelector', 'podSelector'])).toBe('podSelector');
});
