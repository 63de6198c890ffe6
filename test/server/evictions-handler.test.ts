// @module-tag sockets

import { expect, it } from 'vitest';

import { type EvictionReport, evictionReport } from '../../src/report/eviction-report.js';
import { EvictionsHandler } from '../../src/server/evictions-handler.js';
import { anEvictionRecord } from '../support/eviction-builders.js';
import { type HttpAnswer, send } from '../support/http-get.js';
import { ManualClock } from '../support/manual-clock.js';
import { RunningServer, someRoutes } from './test-server.js';

async function get(evictions: readonly EvictionReport[] | undefined, method = 'GET'): Promise<HttpAnswer> {
  const handler = new EvictionsHandler({ source: { evictions: () => evictions }, clock: new ManualClock() });
  await using server = await RunningServer.start(someRoutes({ evictions: handler }));
  return await send({ port: server.port, path: '/api/v1/evictions', method });
}

it('the evictions are a list as JSON that is not kept', async () => {
  const answer = await get([evictionReport(anEvictionRecord())]);
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(JSON.parse(answer.text)).toMatchObject([{ namespace: 'shop', pod: 'cart-0', cause: 'emptydir_limit' }]);
});

it.each([
  ['are an empty list while there was none', [], 'GET', [200, '[]\n']],
  ['are unavailable before the first lists', undefined, 'GET', [503, 'not synced yet: see /readyz\n']],
  ['have no body for HEAD', [], 'HEAD', [200, '']],
])('the evictions %s', async (_case, evictions, method, expected) => {
  const answer = await get(evictions, method);
  expect([answer.status, answer.text]).toEqual(expected);
});
