import { expect, it } from 'vitest';

import { type BodyFamily, ExpositionBodies, madeText } from '../../src/metrics/exposition/bodies.js';
import { chunkIds } from '../../src/metrics/exposition/incremental-text.js';
import { asking } from '../support/exposition-settings.js';
import { isLetGo } from '../support/heap.js';
import { ManualClock } from '../support/manual-clock.js';

const never = new AbortController().signal;

function aFamily(chunkId: number | undefined): BodyFamily {
  return {
    header: { name: 'evictions_total', type: 'counter', help: 'Evictions.' },
    pieces: [{ ...madeText('evictions_total 1\n'), chunkId }],
  };
}

it('nothing is kept of a family that is made for each body', async () => {
  const bodies = new ExpositionBodies(new ManualClock(), chunkIds());
  const served = async (): Promise<WeakRef<object>> => {
    const family = aFamily(undefined);
    await bodies.of([family], asking('text'), never);
    return new WeakRef(family.header);
  };
  expect(await isLetGo(await served())).toBe(true);
  expect((await bodies.of([], asking('text'), never)).contentLength).toBe(0); // not collected before here
});
