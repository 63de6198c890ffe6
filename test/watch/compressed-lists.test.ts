// @module-tag sockets

import { gzipSync } from 'node:zlib';

import { expect, test } from 'vitest';

import { staticCredentials } from '../../src/cluster/credentials/credentials.js';
import { ApiClient } from '../../src/cluster/http/api-client.js';
import { listObjects } from '../../src/cluster/watch/list-session.js';
import { collectionOf } from '../../src/cluster/watch/resource-path.js';
import { watchObjects } from '../../src/cluster/watch/watch-session.js';
import { LoopbackServer, replyWith } from '../http/loopback-server.js';
import { untilEnd } from '../support/fixtures.js';
import { atOnce } from '../support/lanes.js';
import { ManualClock } from '../support/manual-clock.js';
import { never } from '../support/signals.js';
import { podJson } from './scripted-api.js';

const headers = { 'content-type': 'application/json' };
const nameOf = (object: unknown): string => (object as { metadata: { name: string } }).metadata.name;

function podList(...items: readonly object[]): string {
  return JSON.stringify({ kind: 'PodList', metadata: { resourceVersion: '7' }, items });
}

class Client implements Disposable {
  readonly options;

  constructor(server: LoopbackServer) {
    const clock = new ManualClock();
    const api = new ApiClient({ credentials: staticCredentials({ server: server.url }), clock, version: '0' });
    this.options = { api, clock, background: atOnce, collection: collectionOf({ resource: 'pods' }) };
  }

  async list(): Promise<readonly string[]> {
    return (await listObjects({ ...this.options, project: nameOf, onExpired: () => undefined }, '0', never)).objects;
  }

  [Symbol.dispose](): void {
    this.options.api[Symbol.dispose]();
  }
}

const it = test
  .extend('server', ({ onTestFinished }) => untilEnd(onTestFinished, LoopbackServer.listen()))
  .extend('client', ({ server, onTestFinished }) => untilEnd(onTestFinished, new Client(server)));

it('compressed lists are requested, and compressed watches are not', async ({ server, client }) => {
  server.answer = replyWith({ body: podList(podJson('a', '1')) });
  await client.list();
  const onOther = (): void => undefined;
  const follow = { resourceVersion: '7', timeoutSeconds: 300, onConnected: onOther, onOtherKind: onOther };
  await watchObjects({ ...client.options, ...follow, onEvent: onOther }, never);
  expect(server.requests.map((request) => request.headers['accept-encoding'])).toEqual(['gzip', 'identity']);
});

it.for(['gzip', 'GZIP', 'x-gzip'])(
  'compressed lists are read when they are in %s',
  async (encoding, { server, client }) => {
    const body = gzipSync(podList(podJson('a', '1'), podJson('b', '2')));
    server.answer = replyWith({ headers: { ...headers, 'content-encoding': encoding }, body });
    expect(await client.list()).toEqual(['a', 'b']);
  },
);
