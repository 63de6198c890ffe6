import { expect, it } from 'vitest';

import { NodeFaults } from '../../src/facts/node/node-faults.js';
import { silentLogger } from '../../src/lib/base/logger.js';
import { stablePages } from '../../src/metrics/exposition/stable-pages.js';
import { aClusterSnapshot } from '../support/snapshot-builders.js';

const namespaces = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => String(index));

it('the pages of a list are the same arrays where nothing has changed', () => {
  const pager = stablePages(({ unlistedNamespaces }) => unlistedNamespaces);
  const pagesOf = (unlistedNamespaces: readonly string[]) =>
    pager(aClusterSnapshot({ unlistedNamespaces }), new NodeFaults(silentLogger));
  const before = pagesOf(namespaces(250));
  const after = pagesOf(namespaces(250).with(120, 'other'));
  expect(after.map((page, index) => page === before[index])).toEqual([true, false, true]);
  expect(pagesOf(namespaces(249)).map(({ length }) => length)).toEqual([100, 100, 49]);
  expect(pagesOf([])).toEqual([]);
});
