import { expect, it } from 'vitest';

import type { StoreChange } from '../../../src/cluster/watch/object-store.js';
import { errorLine, podJson, ScriptedApi, sendsList, sendsWatch } from '../scripted-api.js';
import { deleted, modified, project, runReflector, type Thing } from '../scripted-reflector.js';

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
