// @module-tag sockets

import { describe, expect, it } from 'vitest';

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

describe('/api/v1/evictions', () => {
  it('is the list of evictions as JSON that is not kept', async () => {
    const answer = await get([evictionReport(anEvictionRecord())]);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(JSON.parse(answer.text)).toMatchObject([{ namespace: 'shop', pod: 'cart-0', cause: 'emptydir_limit' }]);
  });

  it('is an empty list while there was no eviction', async () => {
    expect((await get([])).text).toBe('[]\n');
  });

  it('is unavailable before the first lists', async () => {
    const answer = await get(undefined);
    expect([answer.status, answer.text]).toEqual([503, 'not synced yet: see /readyz\n']);
  });

  it('has no body for HEAD', async () => {
    const answer = await get([], 'HEAD');
    expect([answer.status, answer.text]).toEqual([200, '']);
  });
});
