import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
  indexed,
  largestPod,
  manyContainers,
  mountedEmptyDirs,
  type NamedPod,
  unmountedEmptyDirs,
} from '../../support/hostile-pods.js';
import { hasRealApiServer, RealApiServer } from '../../support/real-api-server.js';
import { createAll, namespace } from './cluster-objects.js';

/** What the tests of `test/hostile-pods` measure the exporter with. */
const attacks: readonly NamedPod[] = [
  { name: 'unmounted', labels: {}, spec: unmountedEmptyDirs(60_000) },
  { name: 'mounted', labels: {}, spec: mountedEmptyDirs(25_000, 40_000) },
  { name: 'containers', labels: {}, spec: manyContainers(2_000) },
  ...indexed(2, largestPod),
];

describe.skipIf(!hasRealApiServer())('hostile pods (need api-server and kubectl)', () => {
  let server: RealApiServer;
  beforeAll(async () => {
    server = await RealApiServer.start();
    await createAll(server, 'namespaces', [namespace('shop')]);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  it.each(attacks)('a real API server accepts the pod $name from everyone who may create pods', async (attack) => {
    const { name, labels, spec } = attack;
    await createAll(server, 'pods', [{ apiVersion: 'v1', kind: 'Pod', metadata: { name, labels }, spec }]);
    const { items } = (await server.request('/api/v1/pods')) as { readonly items: readonly { spec: object }[] };
    expect(items.map((item) => item.spec)).toContainEqual(expect.objectContaining({ volumes: spec.volumes ?? [] }));
  });
});
