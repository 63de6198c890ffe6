import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { maxDetailCount, splitDetail } from '../../src/kube/pod-detail.js';

const names = fc
  .uniqueArray(fc.string({ minLength: 1, maxLength: 4 }), { maxLength: 3 * maxDetailCount, minLength: maxDetailCount })
  .map((all) => all.map((name) => ({ name })));
const namesOf = (items: readonly { readonly name: string }[]): readonly string[] => items.map(({ name }) => name);

describe('the containers or volumes of a pod that are kept one by one', () => {
  it('are all of them up to the bound, and the first by name beyond it', () => {
    const items = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `v${999 - index}` }));
    expect(splitDetail(items(100))).toEqual({ detailed: items(100), others: [] });
    expect(splitDetail(items(102))).toEqual({ detailed: items(102).slice(2), others: items(2) });
  });

  it('are the same whatever the order, and each item is in one part, in its order', () => {
    fc.assert(
      fc.property(names, fc.func(fc.nat()), (items, keyOf) => {
        const shuffled = items.toSorted((a, b) => keyOf(a.name) - keyOf(b.name));
        const { detailed, others } = splitDetail(shuffled);
        expect(namesOf(detailed).toSorted()).toEqual(namesOf(splitDetail(items).detailed).toSorted());
        expect(shuffled.filter((item) => detailed.includes(item))).toEqual(detailed);
        expect(shuffled.filter((item) => !detailed.includes(item))).toEqual(others);
      }),
      { numRuns: 30 },
    );
  });

  it('are kept of a part as well', () => {
    fc.assert(
      fc.property(names, fc.func(fc.boolean()), (items, isListed) => {
        const kept = new Set(splitDetail(items).detailed);
        const listed = items.filter(({ name }) => isListed(name));
        const keptOfPart = new Set(splitDetail(listed).detailed);
        for (const item of listed) if (kept.has(item)) expect(keptOfPart).toContain(item);
      }),
      { numRuns: 30 },
    );
  });
});
