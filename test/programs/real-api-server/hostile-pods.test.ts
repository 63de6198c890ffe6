import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
  largestPod,
  manyContainers,
  mountedEmptyDirs,
  type NamedPod,
  type PodParts,
  unmountedEmptyDirs,
} from '../../support/hostile-pods.js';
import { hasRealApiServer, RealApiServer } from '../../support/real-api-server.js';
import { createAll, namespace } from './cluster-objects.js';

/** What the tests of `test/hostile-pods` measure the exporter with. */
const attacks: readonly (NamedPod & { readonly title: string })[] = [
  { title: 'with unmounted volumes', name: 'unmounted', labels: {}, spec: unmountedEmptyDirs(60_000) },
  { title: 'with mounted volumes', name: 'mounted', labels: {}, spec: mountedEmptyDirs(25_000, 40_000) },
  { title: 'with containers', name: 'containers', labels: {}, spec: manyContainers(2_000) },
  { title: 'of the longest names', ...largestPod(0) },
];

const sizesOf = ({ volumes, containers }: PodParts) => [volumes?.length, containers?.length];

describe.skipIf(!hasRealApiServer())('hostile pods (need api-server and kubectl)', () => {
  let server: RealApiServer;
  beforeAll(async () => {
    server = await RealApiServer.start();
    await createAll(server, 'namespaces', [namespace('shop')]);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  it.each(attacks)('a real API server accepts the pod $title whole', async ({ name, labels, spec }) => {
    await createAll(server, 'pods', [{ apiVersion: 'v1', kind: 'Pod', metadata: { name, labels }, spec }]);
    const { spec: stored } = await server.request(`/api/v1/namespaces/shop/pods/${name}`);
    expect(sizesOf(stored as PodParts)).toEqual(sizesOf(spec));
  });
});
