// @module-tag sockets

import { expect, it } from 'vitest';

import { DeferredStatus } from '../../src/serve/server/deferred-status.js';
import { sendText } from '../../src/serve/server/responses.js';
import { send } from '../support/http-get.js';
import { aLogger, RunningServer, someRoutes } from './test-server.js';

const loaded: Pick<DeferredStatus, 'handle'> = {
  handle: (request, response) => {
    sendText(response, 200, request.path);
    return Promise.resolve();
  },
};

it('the status is loaded by the first view, once for all', async () => {
  let importCount = 0;
  const importStatus = () => {
    importCount += 1;
    return Promise.resolve(loaded);
  };
  const status = new DeferredStatus(importStatus, aLogger());
  await using server = await RunningServer.start(someRoutes({ status }));
  const get = async (path: string) => (await send({ port: server.port, path })).text;
  expect(await get('/metrics')).toBe('up 1\n');
  expect(importCount).toBe(0);
  expect(await Promise.all(['/', '/', '/api/v1/status'].map(get))).toEqual(['/\n', '/\n', '/api/v1/status\n']);
  expect(importCount).toBe(1);
});

it('a view is answered with 503 while the status cannot be loaded, and the next one tries again', async () => {
  const logger = aLogger();
  const refused = new Error('EMFILE: too many open files');
  let canOpenFiles = false;
  const status = new DeferredStatus(() => (canOpenFiles ? Promise.resolve(loaded) : Promise.reject(refused)), logger);
  await using server = await RunningServer.start(someRoutes({ status }));
  const text = 'the status page cannot be loaded: see the log; /metrics and /readyz do not need it\n';
  expect(await send({ port: server.port, path: '/' })).toMatchObject({ status: 503, text });
  expect(logger.lines).toEqual([expect.stringContaining('EMFILE: too many open files')]);
  canOpenFiles = true;
  expect(await send({ port: server.port, path: '/' })).toMatchObject({ status: 200, text: '/\n' });
});
