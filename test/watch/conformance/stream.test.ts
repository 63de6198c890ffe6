import { expect, it } from 'vitest';

import { answers, errorLine, expired, podJson, sendsList, sendsWatch } from '../scripted-api.js';
import { added, deleted, listOfA, runScript } from '../scripted-reflector.js';

it('S36: an expired version leaves what is known until a list has succeeded, and the failures show', async () => {
  const relisted = sendsList('40', [podJson('d', '39')]);
  const seen = sendsWatch(added('b', '11'), added('c', '12'), deleted('b', '13'));
  await using run = await runScript(listOfA, seen, expired, answers(500), answers(500), relisted);
  await run.clock.advance(375 + 500);
  expect(run.api.requestLines.slice(2)).toEqual(['watch rv=13', 'list rv=13 match=NotOlderThan']);
  expect(run.content()).toEqual(['a@1', 'c@12']);
  expect(run.observed).toContain('expired pods');
  expect(run.reflector.lastFailure).toMatchObject({ reason: 'http_status' });
  await run.clock.advance(750);
  expect(run.content()).toEqual(['a@1', 'c@12']);
  await run.clock.advance(1_500);
  expect(run.content()).toEqual(['d@39']);
  expect(run.reflector.lastFailure).toBeUndefined();
});

it('S36: the same with an event of the stream', async () => {
  await using run = await runScript(listOfA, sendsWatch(added('b', '11'), errorLine(410)), answers(500));
  await run.clock.advance(500);
  expect(run.content()).toEqual(['a@1', 'b@11']);
  expect(run.reflector.isSynced).toBe(true);
});
