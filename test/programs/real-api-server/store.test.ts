import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { ApiTransport } from '../../../src/cluster/http/api-client.js';
import { listObjects } from '../../../src/cluster/watch/list-session.js';
import { collectionOf } from '../../../src/cluster/watch/resource-path.js';
import { objectOf } from '../../../src/lib/json/json.js';
import { atOnce } from '../../support/lanes.js';
import { hasRealApiServer, RealApiServer } from '../../support/real-api-server.js';
import { never } from '../../support/signals.js';
import { createAll, deletePod, namespace, node, pod, relabel } from './cluster-objects.js';
import { Mirror, MountedAccount } from './mirror.js';
import { applyShipped } from './shipped.js';

const podNames = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

const podsOf = (prefix: string, count: number): readonly object[] =>
  podNames(prefix, count).map((name, index) => pod(name, `node-${index % 3}`, { app: prefix }));

async function startWithShop(flags: readonly string[] = []): Promise<RealApiServer> {
  const server = await RealApiServer.start(flags);
  applyShipped(server);
  await createAll(server, 'namespaces', [namespace('shop')]);
  await createAll(
    server,
    'nodes',
    [0, 1, 2].map((index) => node(`node-${index}`, { zone: 'a' })),
  );
  await createAll(server, 'pods', podsOf('cart', 20));
  return server;
}

describe.skipIf(!hasRealApiServer())('the store of a real API server (needs api-server and kubectl)', () => {
  let server: RealApiServer;
  beforeAll(async () => {
    server = await startWithShop();
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  it('the store follows every change with the shipped role alone', async () => {
    await using mirror = await Mirror.start(server);
    await mirror.equalsKubectl();
    await createAll(server, 'pods', podsOf('added', 10));
    await createAll(server, 'pods', [pod('pending', undefined)]);
    await createAll(server, 'nodes', [node('node-3')]);
    await relabel(server, '/api/v1/namespaces/shop/pods/cart-0', { app: 'other', tier: 'web' });
    await relabel(server, '/api/v1/nodes/node-0', { zone: 'b' });
    await deletePod(server, 'cart-1');
    // The same name, another pod.
    await deletePod(server, 'cart-2');
    await createAll(server, 'pods', [pod('cart-2', 'node-3')]);
    await server.request('/api/v1/nodes/node-1', { method: 'DELETE' });
    const { pods } = await mirror.equalsKubectl();
    expect(pods).toHaveLength(30);
    expect(mirror.happened.filter((what) => what.includes('list')).sort()).toEqual([
      'nodes list success',
      'pods list success',
    ]);
  });

  it('the store sees that a pod is bound as a scheduler does it', async () => {
    await using mirror = await Mirror.start(server);
    await createAll(server, 'pods', [pod('bound-later', undefined)]);
    await mirror.equalsKubectl();
    expect(mirror.store.findPod('shop', 'bound-later')?.nodeName).toBeUndefined();
    await server.request('/api/v1/namespaces/shop/pods/bound-later/binding', {
      method: 'POST',
      body: {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'bound-later' },
        target: { kind: 'Node', name: 'node-2' },
      },
    });
    await mirror.equalsKubectl();
    expect(mirror.store.findPod('shop', 'bound-later')?.nodeName).toBe('node-2');
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)('the store survives that the server restarts after %s', async (signal) => {
    await using mirror = await Mirror.start(server);
    await server.stopProcess(signal);
    await mirror.until(() => mirror.store.lists.isServerAway);
    const known = Array.from(mirror.store.pods()).length;
    await server.startProcess();
    const name = `after-${signal.toLowerCase()}`;
    await createAll(server, 'pods', [pod(name, 'node-0')]);
    await mirror.equalsKubectl();
    expect(Array.from(mirror.store.pods())).toHaveLength(known + 1);
  });

  it('the store lists again when all changes since its last event are compacted', async () => {
    await using mirror = await Mirror.start(server);
    await mirror.pause();
    await createAll(server, 'pods', podsOf('missed', 5));
    await deletePod(server, 'cart-3');
    await server.compact();
    await server.stopProcess();
    await server.startProcess();
    mirror.resume();
    await mirror.equalsKubectl();
    expect(mirror.countOf('pods watch expired')).toBe(1);
    expect(mirror.countOf('pods list success')).toBe(2);
  });
});

describe.skipIf(!hasRealApiServer())('the store without a watch cache (needs api-server and kubectl)', () => {
  let server: RealApiServer;
  beforeAll(async () => {
    server = await startWithShop(['--watch-cache=false']);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  it('the store lists again when etcd has compacted the version of its watch', async () => {
    await using mirror = await Mirror.start(server);
    await mirror.equalsKubectl();
    await mirror.pause();
    await createAll(server, 'pods', podsOf('missed', 5));
    await server.compact();
    mirror.resume();
    await mirror.equalsKubectl();
    expect(mirror.countOf('pods watch expired')).toBe(1);
  });

  it('the store lists the newest state in pages, and whole when a page has expired', async () => {
    await createAll(server, 'pods', podsOf('many', 600));
    const account = new MountedAccount(server, 'pages');
    await account.mount();
    await using mirror = await Mirror.of(server, account);
    using client = await account.client(mirror.clock);
    const requests: Readonly<Record<string, string>>[] = [];
    let isCompacting = false;
    const api: ApiTransport = {
      open: async (request, signal) => {
        requests.push(request.query ?? {});
        if (isCompacting && request.query?.['continue'] !== undefined) {
          await createAll(server, 'pods', [pod('between-pages', 'node-0')]);
          await server.compact();
        }
        return client.open(request, signal);
      },
    };
    let expiredCount = 0;
    const list = async (): Promise<readonly unknown[]> => {
      const listed = await listObjects(
        {
          api,
          collection: collectionOf({ resource: 'pods', namespace: 'shop' }),
          clock: mirror.clock,
          background: atOnce,
          project: (object) => objectOf(objectOf(object)['metadata'])['name'],
          onExpired: () => (expiredCount += 1),
        },
        '',
        never,
      );
      return listed.objects;
    };
    const before = await list();
    expect(new Set(before).size).toBe(before.length);
    expect(requests.map((query) => [query['limit'], 'continue' in query])).toEqual([
      ['500', false],
      ['500', true],
    ]);
    isCompacting = true;
    const after = await list();
    expect(expiredCount).toBe(1);
    expect(after).toHaveLength(before.length + 1);
    expect(requests.at(-1)).toEqual({});
  });
});
