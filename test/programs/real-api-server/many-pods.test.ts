import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { atNight } from '../../support/nightly.js';
import { hasRealApiServer, RealApiServer } from '../../support/real-api-server.js';
import { createAll, deletePod, inParallel, namespace, node, pod, relabel } from './cluster-objects.js';
import { Mirror } from './mirror.js';
import { applyShipped } from './shipped.js';

const podCount = atNight(20_000, 2_000);
const nodeCount = 200;

const numbered = <T>(count: number, one: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => one(index));

const podName = (index: number): string => `pod-${index}`;

describe.skipIf(!hasRealApiServer())(
  `${podCount} pods in a real API server (needs api-server and kubectl)`,
  { timeout: 600_000 },
  () => {
    let server: RealApiServer;
    let watching: Mirror;
    beforeAll(async () => {
      server = await RealApiServer.start();
      applyShipped(server);
      await createAll(server, 'namespaces', [namespace('shop')]);
      await createAll(
        server,
        'nodes',
        numbered(nodeCount, (index) => node(`node-${index}`, { zone: `z${index % 3}` })),
      );
      watching = await Mirror.start(server);
    });
    afterAll(async () => {
      await watching[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    });

    it('many pods arrive while they are created, each once', async () => {
      const pods = numbered(podCount, (index) =>
        pod(podName(index), `node-${index % nodeCount}`, { app: `app-${index % 50}`, index: String(index) }),
      );
      await createAll(server, 'pods', pods);
      const { pods: found } = await watching.equalsKubectl();
      expect(found).toHaveLength(podCount);
      expect(watching.countOf('pods event added')).toBe(podCount);
      expect(watching.countOf('pods list success')).toBe(1);
    });

    it('many pods are listed whole', async () => {
      await using mirror = await Mirror.start(server);
      const { pods } = await mirror.equalsKubectl();
      expect(pods).toHaveLength(podCount);
      expect(mirror.store.podsOn('node-0')).toHaveLength(podCount / nodeCount);
    });

    it('many pods change and go', async () => {
      const names = numbered(podCount / 10, (index) => podName(10 * index));
      const [changed, gone] = [names.slice(0, podCount / 100), names.slice(podCount / 100)];
      for (const name of changed) {
        await relabel(server, `/api/v1/namespaces/shop/pods/${name}`, { app: null, tier: 'web' });
      }
      await inParallel(gone, (name) => deletePod(server, name));
      await watching.equalsKubectl();
      expect(watching.countOf('pods event deleted')).toBe(gone.length);
    });

    // A server sends no bookmark of a resource before its first event of it.
    it('many pods are followed by bookmarks when nothing changes', async () => {
      await relabel(server, `/api/v1/namespaces/shop/pods/${podName(2)}`, { tier: 'last' });
      await watching.equalsKubectl();
      const before = watching.happened.length;
      const bookmarkCount = watching.countOf('pods event bookmark');
      await watching.until(() => watching.countOf('pods event bookmark') > bookmarkCount, 1);
      const since = watching.happened.slice(before).filter((what) => what.startsWith('pods'));
      expect(since).toEqual(['pods event bookmark']);
      await watching.equalsKubectl();
    });
  },
);
