import { describe, expect, it } from 'vitest';

import type { StoreChange } from '../../../src/cluster/watch/object-store.js';
import { RequestError } from '../../../src/lib/base/errors.js';
import { expired, podJson, ScriptedApi, sendsList, sendsWatch, WatchFeed } from '../scripted-api.js';
import { added, listOfA, modified, runReflector, type Thing } from '../scripted-reflector.js';

const podsFrom = (first: number, count: number): readonly object[] =>
  Array.from({ length: count }, (_, index) => podJson(`p${first + index}`, '1'));

it('a list in pages becomes visible in one step, after its last page', async () => {
  const lastPage = new WatchFeed();
  const pages = [sendsList('10', podsFrom(0, 4), 'C1'), sendsList('10', podsFrom(4, 4), 'C2'), lastPage.answer];
  const sizes: number[] = [];
  const api = new ScriptedApi(sendsList('10', []), new WatchFeed().answer, ...pages);
  await using run = await runReflector({ api, onChange: () => sizes.push(run.content().length) });
  run.reflector.check();
  await run.clock.advance(0);
  expect(api.requestLines.slice(2)).toEqual([
    'list rv=10 match=Exact limit=500',
    'list limit=500 continue=C1',
    'list limit=500 continue=C2',
  ]);
  expect(run.content()).toEqual([]);
  lastPage.send(JSON.stringify({ kind: 'PodList', metadata: { resourceVersion: '10' }, items: podsFrom(8, 2) }));
  lastPage.end();
  await run.clock.advance(0);
  expect(sizes).toEqual(Array.from({ length: 10 }, () => 10));
  expect(api.requestLines.at(-1)).toBe('watch rv=10');
});

describe('changes of the first list', () => {
  const collect = async (...after: readonly ConstructorParameters<typeof ScriptedApi>[number][]) => {
    const storeChanges: StoreChange<Thing>[] = [];
    const api = new ScriptedApi(listOfA, ...after);
    const run = await runReflector({ api, onChange: (change) => storeChanges.push(change) });
    await run.clock.advance(1_000);
    return { ...run, storeChanges };
  };

  const broken = new WatchFeed();
  broken.break(new RequestError('connection', 'ECONNRESET'));

  it.each([
    ['a broken watch has missed', [broken.answer, sendsWatch(modified('a', '11'), added('b', '12'))]],
    ['a later list shows', [expired, sendsList('20', [podJson('a', '11'), podJson('b', '12')])]],
  ])('changes that %s are not part of the first list', async (_case, answers) => {
    await using run = await collect(...answers);
    expect(run.storeChanges.map(({ type, object, isInitial }) => [type, object.name, isInitial])).toEqual([
      ['added', 'a', true],
      ['updated', 'a', false],
      ['added', 'b', false],
    ]);
  });
});
