import { writeFile } from 'node:fs/promises';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { App } from '../../../src/serve/app/app.js';
import { send } from '../../support/http-get.js';
import { everyValue } from '../../support/manifests/chart-values.js';
import type { Json, KubeObject } from '../../support/manifests/documents.js';
import { flagsOf } from '../../support/manifests/exporter-settings.js';
import { helmNames, modes, renderChart, renderOnce } from '../../support/manifests/helm.js';
import { exporterOf, workloadsOf } from '../../support/manifests/policies.js';
import { isInstalled, temporaryFolder } from '../../support/programs.js';
import { PushedChart } from '../../support/pushed-chart.js';
import { hasRealApiServer } from '../../support/real-api-server.js';
import { RealCluster } from '../../support/real-cluster.js';
import { extraGrantsOf } from './extra-grants.js';
import { startInstalled } from './installed-exporter.js';
import { labelledObjects, titlesOf } from './labelled-objects.js';
import { Release } from './release.js';
import { serviceAccount } from './shipped.js';

const enabled = { enabled: true };

/** Without the test pod, which is no part of a release. */
const plain = { testPod: { enabled: false } };

/** Everything that needs no CRD. */
const components = {
  nodeProxy: enabled,
  nodesConfigz: enabled,
  kubernetesAuthorization: enabled,
  networkPolicy: enabled,
  dashboards: enabled,
};

const canInstall = hasRealApiServer() && helmNames.every(isInstalled);

interface Right {
  readonly role: KubeObject;
  /** Such as `list nodes`. */
  readonly title: string;
  readonly rule: Json;
}

const rolesPath = '/apis/rbac.authorization.k8s.io/v1/clusterroles';

/** Each verb for each resource or path of a role. */
function rightsOf(role: KubeObject): readonly Right[] {
  const rules = role['rules'] as readonly Readonly<Record<string, readonly string[]>>[];
  return rules.flatMap(({ verbs = [], apiGroups, resources = [], nonResourceURLs = [] }) =>
    verbs.flatMap((verb) => [
      ...resources.map((resource) => ({
        role,
        title: `${verb} ${resource}`,
        rule: { verbs: [verb], apiGroups, resources: [resource] },
      })),
      ...nonResourceURLs.map((url) => ({
        role,
        title: `${verb} ${url}`,
        rule: { verbs: [verb], nonResourceURLs: [url] },
      })),
    ]),
  );
}

/** What an exporter and its reader can do; only as far as it answers. */
interface Outcome {
  readonly scrapeStatus: number;
  readonly isReady?: boolean;
  /** Resources that are watched. */
  readonly watched?: readonly string[];
  /** Resources that the API server refuses. */
  readonly refused?: readonly string[];
  /** Reasons for which nodes have no data. */
  readonly absent?: readonly string[];
  /** Of requests for the configuration of kubelets. */
  readonly configResults?: readonly string[];
}

const everything: Outcome = {
  scrapeStatus: 200,
  isReady: true,
  watched: ['nodes', 'pods'],
  refused: [],
  absent: [],
  configResults: ['success'],
};

/** What it can do without a right. */
const without: Readonly<Record<string, Outcome>> = {
  'list nodes': { ...everything, isReady: false, watched: ['pods'], refused: ['nodes'], configResults: [] },
  'list pods': { ...everything, isReady: false, watched: ['nodes'], refused: ['pods'], configResults: [] },
  'watch nodes': { ...everything, watched: ['pods'], refused: ['nodes'] },
  'watch pods': { ...everything, watched: ['nodes'], refused: ['pods'] },
  'get nodes/stats': { ...everything, absent: ['forbidden'], configResults: [] },
  'get nodes/configz': { ...everything, configResults: ['forbidden'] },
  'create tokenreviews': { scrapeStatus: 503 },
  'create subjectaccessreviews': { scrapeStatus: 503 },
  'get /metrics': { scrapeStatus: 403 },
};

describe.skipIf(!canInstall)('releases of the chart (need api-server, kubectl, helm3 and helm4)', () => {
  let cluster: RealCluster;
  beforeAll(async () => {
    cluster = await RealCluster.start();
  });
  afterAll(async () => {
    await cluster[Symbol.asyncDispose]();
  });

  it('releases of the chart have pods that a namespace with the standard restricted admits', async () => {
    const { server } = cluster;
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
    const { server } = cluster;
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
    const releases = helmNames.map((helm) => new Release({ server: cluster.server, helm, namespace: `of-${helm}` }));
    const steps: readonly Json[] = [components, ...modes.toReversed().map((mode) => ({ mode }))];
    for (const values of steps) {
      const objects = await Promise.all(releases.map((release) => release.apply(values)));
      expect(labelledObjects(cluster.server)).toEqual(titlesOf(objects.flat()));
    }
    expect(labelledObjects(cluster.server, { selector: 'owner=helm' })).not.toEqual([]);
    await Promise.all(releases.map((release) => release.uninstall()));
    expect(labelledObjects(cluster.server)).toEqual([]);
    expect(labelledObjects(cluster.server, { selector: 'owner=helm' })).toEqual([]);
  });

  it.each(helmNames)('releases are installed by %s with the line of the README, from a registry', async (helm) => {
    const { server } = cluster;
    await using folder = await temporaryFolder();
    await using pushed = await PushedChart.push(helm, folder.path);
    const release = new Release({ server, helm, namespace: serviceAccount.namespace });
    const objects = await release.install(pushed.installArguments);
    expect(objects).toEqual(renderChart(helm, plain));
    expect(labelledObjects(server)).toEqual(titlesOf(objects));
    await release.uninstall();
    expect(labelledObjects(server)).toEqual([]);
  });

  describe('a release with an exporter', () => {
    let objects: readonly KubeObject[];
    let prometheusToken: string;
    beforeAll(async () => {
      const { server, simulated } = cluster;
      const caFile = server.file('kubelets.crt');
      await writeFile(caFile, simulated.caPem);
      const release = new Release({ server, helm: 'helm4', namespace: serviceAccount.namespace });
      objects = await release.apply({
        nodesConfigz: enabled,
        kubernetesAuthorization: enabled,
        config: { cache: { ttl: 0 }, kubelet: { tls: { caFile } }, metrics: { profile: 'full' } },
      });
      for (const name of ['prometheus-k8s', 'other']) {
        const body = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } };
        await server.request('/api/v1/namespaces/monitoring/serviceaccounts', { method: 'POST', body });
      }
      prometheusToken = await server.serviceAccountToken('monitoring', 'prometheus-k8s');
    });
    const start = (): Promise<App> => {
      expect(flagsOf(exporterOf(objects), 'FILE')).toEqual(['--config.file=FILE']);
      return startInstalled({ server: cluster.server, objects, namespace: serviceAccount.namespace });
    };

    async function outcomeOf(app: App): Promise<Outcome> {
      const get = (path: string) =>
        send({ port: app.ports[0] ?? 0, path, headers: { authorization: `Bearer ${prometheusToken}` } });
      const { status, body } = await get('/metrics');
      if (status !== 200) return { scrapeStatus: status };
      const { status: readyStatus, body: reasons } = await get('/readyz?verbose');
      const labels = (text: string | Buffer, pattern: string): readonly string[] =>
        [...new Set(Array.from(text.toString().matchAll(new RegExp(pattern, 'gm')), ([, label = '']) => label))].sort();
      const results = '^ephemeral_storage_exporter_kubelet_config_requests_total{result="(\\w+)"} [1-9]';
      return {
        scrapeStatus: status,
        isReady: readyStatus === 200,
        watched: labels(body, '^ephemeral_storage_exporter_store_watch_connected{resource="(\\w+)"} 1$'),
        refused: labels(reasons, 'answered 403: (\\w+) is forbidden'),
        absent: labels(body, '^ephemeral_storage_node_absent_info{.*reason="(\\w+)"'),
        configResults: labels(body, results),
      };
    }

    it('the exporter of a release has the rights of its roles, and no others', async () => {
      expect(await extraGrantsOf(cluster.server, serviceAccount.namespace, serviceAccount.name)).toEqual([
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

    it('the exporter of a release needs each of its rights, and Prometheus needs its own', async () => {
      const { server } = cluster;
      const rights = objects.filter(({ kind }) => kind === 'ClusterRole').flatMap(rightsOf);
      expect(rights.map(({ title }) => title).sort()).toEqual(Object.keys(without).sort());
      for (const right of rights) {
        const { role } = right;
        const path = `${rolesPath}/${role.metadata.name}`;
        const others = rightsOf(role).filter(({ title }) => title !== right.title);
        await server.request(path, { method: 'PUT', body: { ...role, rules: others.map(({ rule }) => rule) } });
        cluster.reviewAgain();
        await using app = await start();
        await expect.poll(() => outcomeOf(app), { message: `without ${right.title}` }).toEqual(without[right.title]);
        await server.request(path, { method: 'PUT', body: role });
      }
      await using app = await start();
      await expect.poll(() => outcomeOf(app)).toEqual(everything);
    });
  });
});
