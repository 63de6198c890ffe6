import { expect, it } from 'vitest';

import { prepareNode } from '../../src/app/active-settings.js';
import type { Collection } from '../../src/app/collection.js';
import type { FoundLookup } from '../../src/kubelet/lookup.js';
import { aNode, aNodeSummary } from '../support/builders.js';
import { aFreshNode } from '../support/snapshot-builders.js';

const lookup: FoundLookup = {
  state: 'fresh',
  summary: aNodeSummary(),
  configuration: undefined,
  arrivedAtMs: 0,
  fetchedAtMs: 0,
};

const aSource = (found: FoundLookup | undefined) => ({ cache: { peek: () => found } });

it.each([
  { what: 'with data of the source that scrapes read', of: 'active', found: lookup, isAborted: false, count: 1 },
  { what: 'without data', of: 'active', found: undefined, isAborted: false, count: 0 },
  { what: 'of a source that scrapes do not read', of: 'other', found: lookup, isAborted: false, count: 0 },
  { what: 'when nobody waits for it any longer', of: 'active', found: lookup, isAborted: true, count: 0 },
])('the text of a node $what is made ahead $count times', async ({ of, found, isAborted, count }) => {
  const source = aSource(found);
  let madeCount = 0;
  const arrived: Collection['collector']['arrived'] = (_node, _lookup, onView) => {
    onView(aFreshNode(), new Map());
    return Promise.resolve();
  };
  const active = {
    source,
    collection: { collector: { arrived } },
    exposition: { prepareNode: () => void (madeCount += 1) },
  };
  const refreshed = of === 'active' ? source : aSource(found);
  await prepareNode(active, aNode(), refreshed, isAborted ? AbortSignal.abort() : new AbortController().signal);
  expect(madeCount).toBe(count);
});
