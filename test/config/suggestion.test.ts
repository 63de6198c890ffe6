import { describe, expect, it } from 'vitest';

import { nearest } from '../../src/config/suggestion.js';

describe('nearest', () => {
  const candidates = ['ttl', 'port', 'maxBackoff', 'nodeSelector', 'podSelector'];

  it.each([
    ['tll', 'ttl'],
    ['TTL', 'ttl'],
    ['tl', 'ttl'],
    ['prot', 'port'],
    ['maxbackof', 'maxBackoff'],
    ['nodeSelectors', 'nodeSelector'],
    ['noedSelecotr', 'nodeSelector'],
  ])('corrects %s to %s', (word, expected) => {
    expect(nearest(word, candidates)).toBe(expected);
  });

  it.each(['', 'x', 'ab', 'backoff', 'selector', 'x'.repeat(1_000_000)])(
    'returns undefined for a word that resembles no candidate',
    (word) => {
      expect(nearest(word, candidates)).toBeUndefined();
    },
  );

  it('prefers the nearer one', () => {
    expect(nearest('podSelectr', ['nodeSelector', 'podSelector'])).toBe('podSelector');
  });
});
