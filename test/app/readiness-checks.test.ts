import { expect, it } from 'vitest';

import { readinessChecks } from '../../src/serve/app/readiness-checks.js';
import { ManualClock } from '../support/manual-clock.js';
import { startStore } from '../support/running-store.js';
import { answers, neverAnswers, ScriptedApi, sends, WatchFeed } from '../watch/scripted-api.js';

type Answer = typeof neverAnswers;

/** The line of the nodes, after the first list and two minutes in which watches get this answer. */
async function nodesAfter(watch: Answer): Promise<string | undefined> {
  const clock = new ManualClock();
  const list = sends(JSON.stringify({ kind: 'NodeList', metadata: { resourceVersion: '10' }, items: [] }));
  const api = new ScriptedApi().thenAlways((request, signal) => {
    if (request.path !== '/api/v1/nodes') return neverAnswers(request, signal);
    return (request.query?.['watch'] === undefined ? list : watch)(request, signal);
  });
  await using running = startStore({ api, clock });
  await clock.advance(120_000);
  const { signal } = new AbortController();
  const checks = readinessChecks({ store: running.store, nodeName: undefined, stopping: signal, clock });
  const nodes = checks.find(({ name }) => name === 'nodes');
  expect(nodes?.isOk).toBe(true);
  return nodes?.message;
}

it('the readiness of listed nodes names their age while they are watched', async () => {
  expect(await nodesAfter(new WatchFeed().answer)).toBe('watched, last progress 2m ago');
});

it('the readiness of listed nodes names why they are not watched', async () => {
  expect(await nodesAfter(answers(503, { message: 'etcd is away' }))).toMatch(
    /^not watched, last progress 2m ago, last error: unavailable: .*\b503\b.*: etcd is away/,
  );
});

it('the readiness of listed nodes quotes the API server on one line, short and without hidden characters', async () => {
  const message = (await nodesAfter(answers(503, { message: `a\n[-]b\u202e${'c'.repeat(1_000)}` }))) ?? '';
  expect(message).toContain('a [-]b\\u202ec');
  expect(message.length).toBeLessThan(400);
});
