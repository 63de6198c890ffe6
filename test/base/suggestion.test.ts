import fc from 'fast-check';
import { expect, it } from 'vitest';

import { didYouMean, nearest } from '../../src/lib/base/suggestion.js';

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

it('of equally near names the one that begins with the word is meant', () => {
  expect(nearest('nod', ['pod', 'node', 'no'])).toBe('node');
});

it.each(['', 'x', 'ab', 'backoff', 'selector', 'x'.repeat(1_000_000)])(
  'nearest returns undefined for another word',
  (word) => {
    expect(nearest(word, candidates)).toBeUndefined();
  },
);

const letters = fc.string({ unit: fc.constantFrom('a', 'b', '-'), minLength: 12, maxLength: 60 });
const edits = fc.oneof(
  fc.array(fc.tuple(fc.nat(), fc.constantFrom('insert', 'delete', 'replace')), { maxLength: 3 }),
  // Alone: what is swapped and edited again counts more than once.
  fc.array(fc.tuple(fc.nat(), fc.constant('swap')), { maxLength: 1 }),
);

it('nearest finds a long name after up to three edits, and says none of a name without its letters', () => {
  const edited = (name: string, [place, edit]: readonly [number, string]): string => {
    const at = place % (name.length - 1);
    const [before, first = '', second = '', after] = [name.slice(0, at), name[at], name[at + 1], name.slice(at + 2)];
    const middles: Readonly<Record<string, string>> = {
      insert: `${first}x${second}`,
      delete: first,
      replace: `${first}x`,
    };
    return before + (middles[edit] ?? second + first) + after;
  };
  fc.assert(
    fc.property(letters, edits, (name, changes) => {
      expect(nearest(changes.reduce(edited, name), [name])).toBe(name);
      expect(nearest('z'.repeat(name.length), [name])).toBeUndefined();
    }),
  );
});

it('nearest prefers the nearer one', () => {
  expect(nearest('podSelectr', ['nodeSelector', 'podSelector'])).toBe('podSelector');
});

const workloads = ['shop/deployment/frontend', 'shop/deployment/cart', 'test/deployment/cart', 'ops/cronjob/backup'];
const pods = ['shop/cart-6b7f9c-aaaaa', 'shop/cart-6b7f9c-bbbbb', 'shop/cart-db-0', 'find/cart-6b7f9c-ccccc'];

it.each([
  ['shop/deployment/frontent', workloads, ' (did you mean shop/deployment/frontend?)'],
  ['frotnend', workloads, ' (did you mean shop/deployment/frontend?)'],
  ['other/cart', workloads, ' (did you mean shop/deployment/cart, test/deployment/cart?)'],
  ['front', workloads, ' (did you mean shop/deployment/frontend?)'],
  ['fr', workloads, ' (did you mean shop/deployment/frontend?)'],
  ['ops/cronjob/backup-29384756-x2x9k', workloads, ' (did you mean ops/cronjob/backup?)'],
  ['r', workloads, ''],
  ['nothing-like-it', workloads, ''],
  ['', workloads, ''],
  ['shop/cart-6b7f9c-zzzzz', pods, ` (did you mean ${pods.filter((name) => name.includes('6b7f9c')).join(', ')}?)`],
  ['shop/cart-5d4f8-zzzzz', pods, ` (did you mean ${pods.join(', ')}?)`],
  ['x', ['x1', 'x2', 'x3', 'x4', 'x5', 'x6', 'x6'].map((name) => `${name}-long`), /^[^,]*(?:,[^,]*){4}$/],
  ['x', ['x\u001b[31m'], String.raw` (did you mean x\u001b[31m?)`],
] as const)(
  'didYouMean names what is like %j: an object by its last part, a pod by its successors',
  (word, names, text) => {
    expect(didYouMean(word, names)).toEqual(typeof text === 'string' ? text : expect.stringMatching(text));
  },
);
