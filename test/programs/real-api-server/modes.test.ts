import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { KubeObject } from '../../support/manifests/documents.js';
import { canRender, renderOptedIn, renderOverlay } from '../../support/manifests/kustomize.js';
import { readmeBlocks } from '../../support/manifests/readme.js';
import { hasRealApiServer, RealApiServer } from '../../support/real-api-server.js';
import { labelledObjects, titlesOf } from './labelled-objects.js';
import { pruneArguments } from './prune-arguments.js';

/** Everything that needs no CRD. */
const components = ['network-policy', 'kubernetes-authorization', 'nodes-configz', 'node-proxy', 'dashboards'];

const list = (items: readonly KubeObject[]): string => JSON.stringify({ apiVersion: 'v1', kind: 'List', items });

describe.skipIf(!hasRealApiServer() || !canRender())('overlays (need api-server and kubectl 1.27)', () => {
  let server: RealApiServer;
  beforeAll(async () => {
    server = await RealApiServer.start();
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  it('without the CRDs of their monitors apply everything else and name the missing kind', () => {
    const monitored = renderOptedIn('deployment', ['service-monitor', 'prometheus-rule']);
    expect(() => server.kubectl(['apply', '-f', '-'], list(monitored))).toThrow('no matches for kind "ServiceMonitor"');
    expect(labelledObjects(server)).toEqual(titlesOf(renderOverlay('deployment')));
  });

  it('replace one another in place with --prune, and leave nothing of components that are gone', () => {
    const prune = pruneArguments();
    const first = renderOptedIn('deployment', components);
    server.kubectl(['apply', '-f', '-'], list(first));
    expect(labelledObjects(server)).toEqual(titlesOf(first));
    for (const overlay of ['sharded', 'node-local', 'deployment'] as const) {
      const objects = renderOverlay(overlay);
      server.kubectl(prune, list(objects));
      expect(labelledObjects(server)).toEqual(titlesOf(objects));
    }
  });

  it('are uninstalled without a trace, with components of which they know nothing', () => {
    server.kubectl(['apply', '-f', '-'], list(renderOptedIn('deployment', components)));
    server.kubectl(['delete', '--ignore-not-found', '--wait=false', '-f', '-'], list(renderOverlay('deployment')));
    const [, , uninstall = ''] = readmeBlocks('Removal', 'sh');
    const [, clusterWide = ''] = uninstall.trim().split('\n');
    server.kubectl(clusterWide.split(' ').slice(1));
    // The namespace takes them along, which is the work of a controller.
    expect(labelledObjects(server).filter((title) => !/^(?:ConfigMap|NetworkPolicy|Namespace) /.test(title))).toEqual(
      [],
    );
  });
});
