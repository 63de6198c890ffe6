import { expect, it } from 'vitest';

import { StablePages } from '../../src/metrics/exposition/stable-pages.js';

const items = (count: number): readonly object[] => Array.from({ length: count }, (_, index) => ({ index }));

it('the pages of a list are the same arrays where nothing has changed', () => {
  const pages = new StablePages<object>();
  const list = items(250);
  const before = pages.of(list);
  const after = pages.of(list.with(120, {}));
  expect(after.map((page, index) => page === before[index])).toEqual([true, false, true]);
  expect(pages.of([])).toEqual([]);
});
