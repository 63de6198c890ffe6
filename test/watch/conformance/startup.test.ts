import { describe, expect, it } from 'vitest';

import type { StoreChange } from '../../../src/cluster/watch/object-store.js';
import { RequestError } from '../../../src/lib/base/errors.js';
import {
  answers,
  expired,
  failsWith,
  podJson,
  ScriptedApi,
  sendsList,
  sendsWatch,
  WatchFeed,
} from '../scripted-api.js';
import { added, listOfA, modified, runReflector, runScript, type Thing } from '../scripted-reflector.js';

it.each([
  ['as not found', answers(404)],
  ['as a bad request', answers(400)],
  ['with another content type', failsWith(new RequestError('decode', 'content type "text/html"'))],
  ['with a redirect', failsWith(new RequestError('http_status', 'the server answered 302', { status: 302 }))],
])(
  'a watch that is refused %s leaves all objects, and is followed by a list that is not older',
  async (_case, refusal) => {
    const relisted = sendsList('30', [podJson('a', '1'), podJson('b', '11'), podJson('c', '25')]);
    await using run = await runScript(listOfA, sendsWatch(added('b', '11')), refusal, relisted);
    await run.clock.advance(375);
    expect(run.observed.filter((line) => line.startsWith('watch'))).toEqual([
      'watch pods short',
      'watch pods rejected',
    ]);
    expect(run.content()).toEqual(['a@1', 'b@11']);
    await run.clock.advance(750);
    expect(run.api.requestLines.slice(2)).toEqual(['watch rv=11', 'list rv=11 match=NotOlderThan', 'watch rv=30']);
    expect(run.changes).toEqual(['added a@1', 'added b@11', 'added c@25']);
  },
);

describe('a list in pages', () => {
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

  it('an object that disappeared between two lists is removed once, in its last known state', async () => {
    await using run = await collect(expired, sendsList('20', []), sendsList('21', []));
    expect(run.storeChanges).toHaveLength(2);
    expect(run.storeChanges[1]).toMatchObject({ type: 'removed', object: { name: 'a', resourceVersion: '1' } });
    expect(run.storeChanges[1]?.object).toBe(run.storeChanges[1]?.previous);
    expect(run.observed.filter((line) => line.startsWith('list'))).toHaveLength(2);
  });
});
