import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { everyValue } from '../../support/manifests/chart-values.js';
import type { Json } from '../../support/manifests/documents.js';
import { helmNames, modes, renderChart, renderOnce } from '../../support/manifests/helm.js';
import { workloadsOf } from '../../support/manifests/policies.js';
import { isInstalled } from '../../support/programs.js';
import { hasRealApiServer, RealApiServer } from '../../support/real-api-server.js';
import { createAll, namespace } from './cluster-objects.js';
import { extraGrantsOf } from './extra-grants.js';
import { labelledObjects, titlesOf } from './labelled-objects.js';
import { Release } from './release.js';
import { serviceAccount } from './shipped.js';

const enabled = { enabled: true };

/** Everything that needs no CRD. */
const components = {
  nodeProxy: enabled,
  nodesConfigz: enabled,
  kubernetesAuthorization: enabled,
  networkPolicy: enabled,
  dashboards: enabled,
};

const canInstall = hasRealApiServer() && helmNames.every(isInstalled);

describe.skipIf(!canInstall)('releases of the chart (need api-server, kubectl, helm3 and helm4)', () => {
  let server: RealApiServer;
  beforeAll(async () => {
    server = await RealApiServer.start();
    await createAll(server, 'namespaces', [namespace('monitoring')]);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  it('releases of the chart have pods that a namespace with the standard restricted admits', async () => {
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    await server.request('/api/v1/namespaces', {
      method: 'POST',
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'restricted', labels } },
    });
    const create = (spec: unknown) =>
      server.call('/api/v1/namespaces/restricted/pods?dryRun=All', {
        method: 'POST',
        body: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'admitted' }, spec },
      });
    for (const mode of modes) {
      const objects = renderChart('helm4', { mode, tls: { secretName: 'exporter-tls' } });
      const [pod, test] = [
        ...workloadsOf(objects).map((workload) => workload.pod),
        ...objects.filter(({ kind }) => kind === 'Pod').map(({ spec }) => spec as Json),
      ];
      expect((await create(pod)).text).toContain('"kind":"Pod"');
      expect((await create(test)).text).toContain('"kind":"Pod"');
      expect((await create({ ...pod, securityContext: {} })).status).toBe(403);
    }
  });

  it.each(modes)('releases of the chart with every value of the mode %s are valid for the API server', (mode) => {
    const ofCrds = { serviceMonitor: {}, prometheusRule: {}, httpRoute: {} };
    const placed = { fullnameOverride: `every-${mode}`, namespaceOverride: 'default' };
    const objects = renderOnce({ ...everyValue(mode), ...ofCrds, ...placed });
    const items = objects.map(({ metadata, ...object }) => ({
      ...object,
      metadata: { ...metadata, namespace: 'default' },
    }));
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    const out = server.kubectl(['apply', '--dry-run=server', '--validate=strict', '-o', 'name', '-f', '-'], list);
    expect(out.trim().split('\n')).toHaveLength(objects.length);
  });

  /** Of both helms, at the same time. */
  it('releases of one name in two namespaces change their mode in place, and are removed without a trace', async () => {
    const releases = helmNames.map((helm) => new Release({ server, helm, namespace: `of-${helm}` }));
    const steps: readonly Json[] = [components, ...modes.toReversed().map((mode) => ({ mode }))];
    for (const values of steps) {
      const objects = await Promise.all(releases.map((release) => release.apply(values)));
      expect(labelledObjects(server)).toEqual(titlesOf(objects.flat()));
    }
    expect(labelledObjects(server, { selector: 'owner=helm' })).not.toEqual([]);
    await Promise.all(releases.map((release) => release.uninstall()));
    expect(labelledObjects(server)).toEqual([]);
    expect(labelledObjects(server, { selector: 'owner=helm' })).toEqual([]);
  });

  it('the exporter of a release has the rights of its roles, and no others', async () => {
    const release = new Release({ server, helm: 'helm4', namespace: serviceAccount.namespace });
    await release.apply({ nodesConfigz: enabled, kubernetesAuthorization: enabled });
    const other = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'other' } };
    await server.request('/api/v1/namespaces/monitoring/serviceaccounts', { method: 'POST', body: other });
    expect(await extraGrantsOf(server, serviceAccount.namespace, serviceAccount.name)).toEqual([
      'create authentication.k8s.io/tokenreviews',
      'create authorization.k8s.io/subjectaccessreviews',
      'get /nodes/configz',
      'get /nodes/stats',
      'list /nodes',
      'list /pods',
      'watch /nodes',
      'watch /pods',
    ]);
  });
});
