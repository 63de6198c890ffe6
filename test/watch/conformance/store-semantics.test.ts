import { expect, it } from 'vitest';

import { ObjectStore, type StoreChange, type StoredObject } from '../../../src/cluster/watch/object-store.js';
import { Scheduler } from '../../../src/lib/base/scheduler.js';
import { ManualClock } from '../../support/manual-clock.js';
import { errorLine, podJson, ScriptedApi, sendsList, sendsWatch } from '../scripted-api.js';
import { deleted, modified, project, runReflector, type Thing } from '../scripted-reflector.js';

it('a list without a namespace removes each of its objects, and its group', async () => {
  interface Namespaced extends StoredObject {
    readonly namespace: string;
  }
  const object = (namespace: string, name: string): Namespaced => ({
    namespace,
    name,
    uid: `uid-${namespace}-${name}`,
    resourceVersion: '1',
  });
  const changes: string[] = [];
  const store = new ObjectStore<Namespaced>({
    namespaceOf: ({ namespace }) => namespace,
    groupOf: ({ namespace }) => namespace,
    lane: new Scheduler(new ManualClock()).newLane(),
    onChanges: (step) => {
      for (const { type, object } of step) changes.push(`${type} ${object.namespace}/${object.name}`);
    },
  });
  await store.replace([object('a', 'x'), object('b', 'x'), object('b', 'y')]);
  changes.length = 0;
  await store.replace([object('a', 'x')]);
  expect(changes).toEqual(['removed b/x', 'removed b/y']);
  expect([[...store.groupNames()], store.group('b'), store.size]).toEqual([['a'], [], 1]);
});

it('the projection is applied once to each object of a list and of an event, and not for a removal', async () => {
  const projectedNames: string[] = [];
  const changes: StoreChange<Thing>[] = [];
  const api = new ScriptedApi(
    sendsList('10', [podJson('a', '1'), podJson('b', '2'), podJson('c', '3')]),
    sendsWatch(modified('b', '11'), deleted('c', '12'), errorLine(500)),
    sendsList('20', [podJson('b', '11')]),
  );
  await using run = await runReflector({
    api,
    project: (object) => {
      const projected = project(object);
      projectedNames.push(projected.name);
      return projected;
    },
    onChange: (change) => changes.push(change),
  });
  await run.clock.advance(375);
  expect(projectedNames).toEqual(['a', 'b', 'c', 'b', 'c', 'b']);
  expect(run.changes.slice(3)).toEqual(['updated b@11', 'removed c@12', 'removed a@1']);
  expect(changes.at(-1)?.object).toBe(changes[0]?.object);
});

it('a projection that fails for an object drops that object, not the stream', async () => {
  const api = new ScriptedApi(sendsList('10', []), sendsWatch(modified('bad', '11'), modified('b', '12')));
  await using run = await runReflector({
    api,
    project: (object) => {
      const projected = project(object);
      if (projected.name === 'bad') throw new Error('no such field');
      return projected;
    },
  });
  expect(run.content()).toEqual(['b@12']);
  expect(run.observed.filter((line) => line.startsWith('skipped'))).toEqual(['skipped pods malformed']);
});
