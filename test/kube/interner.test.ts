import { describe, expect, it } from 'vitest';

import { createInterner } from '../../src/kube/interner.js';
import { retainedBytes } from '../support/heap.js';

const mebibyte = 2 ** 20;

/** A new string object each time, as a JSON parser makes them. */
const texts = (count: number, textOf: (index: number) => string): readonly string[] =>
  Array.from({ length: count }, (_, index) => JSON.parse(JSON.stringify(textOf(index))) as string);

describe('createInterner', () => {
  it('gives the text that it was asked for, whatever came before', () => {
    const intern = createInterner(300);
    const asked = ['a', 'b', 'c', 'a', '', '__proto__', 'constructor', 'c', 'b', 'x'.repeat(1_000), 'a'];
    expect(asked.map(intern)).toEqual(asked);
  });

  it('keeps one string object for equal texts', () => {
    const intern = createInterner(mebibyte);
    const text = 'same'.padEnd(253, '.');
    const bytes = retainedBytes(() => texts(20_000, () => text).map(intern));
    expect(bytes).toBeLessThan(mebibyte);
  });

  it.each([
    ['short', (index: number) => `${index}`],
    ['as long as a name', (index: number) => `${index}-`.padEnd(253, 'x')],
    ['of two bytes for a character', (index: number) => `${index}-`.padEnd(253, '\u4e00')],
    ['longer than a name', (index: number) => `/${index}`.padEnd(4_000, 'x')],
  ])('keeps no more than its bound of texts that are %s', (_case, textOf) => {
    const bytes = retainedBytes(() => {
      const intern = createInterner(2 * mebibyte);
      texts(40_000, textOf).forEach(intern);
      return intern;
    });
    expect(bytes).toBeLessThan(2 * mebibyte);
  });

  it('keeps those that are asked for again while others come', () => {
    const intern = createInterner(mebibyte);
    const text = 'same'.padEnd(253, '.');
    const bytes = retainedBytes(() => {
      return texts(20_000, () => text).map((one, index) => {
        intern(`other ${index}`);
        return intern(one);
      });
    });
    expect(bytes).toBeLessThan(2 * mebibyte);
  });
});
