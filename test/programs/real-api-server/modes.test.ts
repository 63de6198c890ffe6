import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { KubeObject } from '../../support/manifests/documents.js';
import { canRender, renderOptedIn, renderOverlay, renderOwn } from '../../support/manifests/kustomize.js';
import { readmeBlocks } from '../../support/manifests/readme.js';
import { hasRealApiServer, RealApiServer } from '../../support/real-api-server.js';
import { labelledObjects, titlesOf } from './labelled-objects.js';
import { pruneArguments } from './prune-arguments.js';

/** Everything that needs no CRD. */
const components = ['network-policy', 'kubernetes-authorization', 'dashboards'];

const firstSelector = 'app.kubernetes.io/instance=ephemeral-storage-exporter';
const secondSelector = 'app.kubernetes.io/instance=second';

const list = (items: readonly KubeObject[]): string => JSON.stringify({ apiVersion: 'v1', kind: 'List', items });

const renamed = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, name: `${object.metadata.name}-of-a-component` },
});

describe.skipIf(!hasRealApiServer() || !canRender())('overlays (need api-server and kubectl 1.27)', () => {
  let server: RealApiServer;
  beforeAll(async () => {
    server = await RealApiServer.start();
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  it('overlays without the CRDs of their monitors apply everything else and name the missing kind', () => {
    const monitored = renderOptedIn('deployment', ['service-monitor', 'prometheus-rule']);
    expect(() => server.kubectl(['apply', '-f', '-'], list(monitored))).toThrow('no matches for kind "ServiceMonitor"');
    expect(labelledObjects(server)).toEqual(titlesOf(renderOverlay('deployment')));
  });

  it('overlays replace one another in place with --prune, and leave nothing of components that are gone', () => {
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

  it('an overlay stays whole when a second one, made as the README says, is pruned and uninstalled', () => {
    const first = renderOptedIn('deployment', components);
    server.kubectl(['apply', '-f', '-'], list(first));
    const [text = ''] = readmeBlocks('A second installation', 'yaml');
    const second = renderOwn({ text: text.replace(/https:\S+/, 'MANIFESTS/overlays/deployment') });
    const prune = pruneArguments().map((argument) => argument.replace(firstSelector, secondSelector));
    const namespaces = second.flatMap(({ metadata: { namespace } }) => namespace ?? []);
    expect(new Set(namespaces)).toEqual(new Set(['second']));
    const further = second.filter(({ kind }) => kind === 'ClusterRoleBinding').map(renamed);
    server.kubectl(prune, list([...second, ...further]));
    expect(labelledObjects(server, { selector: secondSelector })).toEqual(titlesOf([...second, ...further]));
    server.kubectl(prune, list(second));
    expect(labelledObjects(server, { selector: secondSelector })).toEqual(titlesOf(second));
    expect(labelledObjects(server, { selector: firstSelector })).toEqual(titlesOf(first));
    server.kubectl(['delete', '--wait=false', '-f', '-'], list(second.filter(({ kind }) => kind !== 'Namespace')));
    expect(labelledObjects(server, { selector: firstSelector })).toEqual(titlesOf(first));
    server.kubectl(['delete', '--wait=false', '-f', '-'], list(second.filter(({ kind }) => kind === 'Namespace')));
  });

  it('overlays are uninstalled without a trace, with components of which they know nothing', () => {
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
