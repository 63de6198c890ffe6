import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import { staticCredentials } from '../../../src/cluster/credentials/credentials.js';
import { loadConfig } from '../../../src/config/load.js';
import { loadWebFile, readWebFile } from '../../../src/config/web/web-file.js';
import type { App } from '../../../src/serve/app/app.js';
import { TestAuthority } from '../../support/certificates.js';
import { at, type Json, type KubeObject, listAt } from '../../support/manifests/documents.js';
import { environmentOf } from '../../support/manifests/exporter-settings.js';
import { configOf, exporterOf } from '../../support/manifests/policies.js';
import { type PlacedPod, placePods } from '../../support/placed-pods.js';
import { eventually, isInstalled, PrometheusServer } from '../../support/programs.js';
import { type MountedFiles, PrometheusOperator } from '../../support/prometheus-operator.js';
import { hasRealApiServer } from '../../support/real-api-server.js';
import { RealCluster } from '../../support/real-cluster.js';
import { startApp } from '../../support/started-app.js';
import { discoveredTargets } from './discovered-targets.js';
import { Release } from './release.js';
import { serviceAccount } from './shipped.js';

const enabled = { enabled: true };
const labels = { release: 'prometheus' };
/** So that the test need not wait. */
const often = { interval: '1s', scrapeTimeout: '1s' };

const monitor = { ...enabled, ...often, additionalLabels: labels };
const tls = { secretName: 'exporter-tls' };
const secured = { tls, kubernetesAuthorization: enabled };
const authorization = { credentials: { name: 'prometheus-token', key: 'token' } };

/** A way to run the exporter, and a way to scrape it. */
interface Installed {
  readonly namespace: string;
  readonly values: Json;
  readonly addresses: readonly string[];
}

const installations: readonly Installed[] = [
  {
    namespace: 'deployed',
    values: { ...secured, serviceMonitor: monitor, prometheusRule: { ...enabled, additionalLabels: labels } },
    addresses: ['10.1.0.1'],
  },
  {
    namespace: 'sharded',
    values: { ...secured, mode: 'sharded', shards: 2, serviceMonitor: { ...monitor, authorization } },
    addresses: ['10.1.0.2', '10.1.0.3'],
  },
  {
    namespace: 'on-nodes',
    values: { ...secured, mode: 'node-local', serviceMonitor: { ...monitor, kind: 'PodMonitor', authorization } },
    addresses: ['10.1.0.4'],
  },
];

/** Of Prometheus objects: these in all namespaces. */
const selectors = {
  serviceAccountName: 'prometheus-k8s',
  serviceMonitorSelector: { matchLabels: labels },
  serviceMonitorNamespaceSelector: {},
  podMonitorSelector: { matchLabels: labels },
  podMonitorNamespaceSelector: {},
  ruleSelector: { matchLabels: labels },
  ruleNamespaceSelector: {},
};

const mountedToken = '/var/run/secrets/kubernetes.io/serviceaccount/token';

interface RunningPod extends PlacedPod {
  readonly app: App;
}

const canScrape =
  hasRealApiServer() && ['helm4', 'prometheus3', 'prometheus-operator'].every((program) => isInstalled(program));

describe.skipIf(!canScrape)(
  'Prometheus of the operator (needs api-server, prometheus-operator, prometheus3, kubectl and helm4)',
  () => {
    let cluster: RealCluster;
    let operator: PrometheusOperator;
    let configuration: object;
    let pods: readonly RunningPod[] = [];
    const ended: AsyncDisposable[] = [];

    beforeAll(async () => {
      cluster = await RealCluster.start();
      ended.unshift(cluster);
      await writeFile(cluster.server.file('kubelets.crt'), cluster.simulated.caPem);
      await createPrometheusAccount();
      operator = await startOperator();
      ended.unshift(operator);
      pods = (await Promise.all(installations.map(install))).flat();
      const files = await eventually('the configuration of all monitors', async () => {
        const written = await operator.files();
        const jobs = written?.configuration.match(/^- job_name: /gm) ?? [];
        return jobs.length === installations.length && Object.keys(written?.rules ?? {}).length > 0
          ? written
          : undefined;
      });
      configuration = await mount(files);
    });
    afterAll(async () => {
      for (const disposable of ended) await disposable[Symbol.asyncDispose]();
    });

    async function create(url: string, body: object): Promise<void> {
      await cluster.server.request(url, { method: 'POST', body });
    }

    const createSecret = (namespace: string, name: string, stringData: Readonly<Record<string, string>>) =>
      create(`/api/v1/namespaces/${namespace}/secrets`, { metadata: { name }, stringData });

    async function createPrometheusAccount(): Promise<void> {
      const { server } = cluster;
      await create('/api/v1/namespaces/monitoring/serviceaccounts', { metadata: { name: 'prometheus-k8s' } });
      await writeFile(server.file('token'), await server.serviceAccountToken('monitoring', 'prometheus-k8s'));
    }

    const startOperator = (): Promise<PrometheusOperator> =>
      PrometheusOperator.start(cluster.server, {
        ...selectors,
        evaluationInterval: '1s',
        serviceDiscoveryRole: 'EndpointSlice',
      });

    /** Returns its pods, whose exporters run here. */
    async function install({ namespace, values, addresses }: Installed): Promise<readonly RunningPod[]> {
      const { server } = cluster;
      await create('/api/v1/namespaces', { metadata: { name: namespace } });
      const authority = await TestAuthority.create(namespace);
      const { cert, key } = await authority.issueServer({
        dnsNames: [`ephemeral-storage-exporter.${namespace}.svc`],
        ipAddresses: [],
      });
      const certificate = { 'tls.crt': cert, 'tls.key': key };
      await createSecret(namespace, tls.secretName, { ...certificate, 'ca.crt': authority.certificate });
      const token = await server.serviceAccountToken('monitoring', 'prometheus-k8s');
      await createSecret(namespace, authorization.credentials.name, { token });
      const release = new Release({ server, helm: 'helm4', namespace });
      const config = { cache: { ttl: 0 }, kubelet: { tls: { caFile: server.file('kubelets.crt') } } };
      const objects = await release.apply({ ...values, config });
      const folder = server.file(namespace);
      await mkdir(folder);
      for (const [name, text] of Object.entries(certificate)) await writeFile(path.join(folder, name), text);
      const placed = await placePods({ server, objects, namespace, addresses });
      return Promise.all(
        placed.map(async (pod) => {
          const app = await startExporter(objects, namespace, pod.name);
          ended.unshift(app);
          return { ...pod, app };
        }),
      );
    }

    /** The exporter of a pod, on a port of loopback, with the settings of its release and a token of its service account. */
    async function startExporter(objects: readonly KubeObject[], namespace: string, hostName: string): Promise<App> {
      const { server } = cluster;
      const webText = objects.map((object) => at(object, 'data', 'web.yaml')).find((text) => typeof text === 'string');
      const webFile = server.file(`${namespace}/web.yaml`);
      await writeFile(
        webFile,
        (webText ?? '').replaceAll('/etc/ephemeral-storage-exporter-tls', server.file(namespace)),
      );
      const environment: Readonly<Record<string, string>> = {
        ...environmentOf(exporterOf(objects), 'node-1'),
        EPHEMERAL_STORAGE_EXPORTER_WEB_LISTEN_ADDRESSES: '127.0.0.1:0',
        EPHEMERAL_STORAGE_EXPORTER_WEB_CONFIG_FILE: webFile,
      };
      const token = await server.serviceAccountToken(namespace, serviceAccount.name);
      return startApp({
        config: loadConfig({ file: { path: 'config.yaml', text: configOf(objects) }, environment, flags: {} }),
        web: loadWebFile(webFile, await readWebFile(webFile)),
        credentials: staticCredentials({ server: new URL(server.url), ca: server.caPem, token }),
        host: { name: hostName, nodeName: environment['NODE_NAME'] },
      });
    }

    /** The configuration with the files that its pod would have, and with the ports here in place of the pods' addresses. */
    async function mount({ configuration, tlsAssets, rules }: MountedFiles): Promise<object> {
      const { server } = cluster;
      const certificates = server.file('certs');
      const ruleFiles = server.file('rules/prometheus-k8s-rulefiles-0');
      await mkdir(certificates);
      await mkdir(ruleFiles, { recursive: true });
      for (const [name, text] of Object.entries(tlsAssets)) await writeFile(path.join(certificates, name), text);
      for (const [name, text] of Object.entries(rules)) await writeFile(path.join(ruleFiles, name), text);
      const here = configuration
        .replaceAll('/etc/prometheus/certs', certificates)
        .replaceAll('/etc/prometheus/rules', server.file('rules'))
        .replaceAll(mountedToken, server.file('token'))
        // By the container beside Prometheus.
        .replaceAll('$(SHARD)', '0');
      const ports = pods.map(({ address, app }) => ({
        source_labels: ['__address__'],
        regex: `${address}:9797`,
        target_label: '__address__',
        replacement: `127.0.0.1:${app.ports[0] ?? 0}`,
      }));
      const parsed = parse(here) as Json;
      const jobs = listAt(parsed, 'scrape_configs').map(async ({ kubernetes_sd_configs, relabel_configs, ...job }) => {
        const groups = (kubernetes_sd_configs as readonly Json[]).map((entry) => discoveredTargets(server, entry));
        return {
          ...job,
          static_configs: (await Promise.all(groups)).flat(),
          relabel_configs: [...(relabel_configs as readonly Json[]), ...ports],
        };
      });
      return { ...parsed, scrape_configs: await Promise.all(jobs) };
    }

    it('Prometheus of the operator scrapes each pod once, by certificate and token, and has the rules', async () => {
      await using prometheus = await PrometheusServer.start({ program: 'prometheus3', targets: [], configuration });
      const own = 'ephemeral_storage_exporter_scope_info';
      await eventually('all targets', async () =>
        (await prometheus.query(own)).length === pods.length ? true : undefined,
      );
      const ups = (await prometheus.query('up')).map(({ metric, value }) => [metric['job'], metric['instance'], value]);
      expect(ups.sort()).toEqual([
        ['ephemeral-storage-exporter', 'ephemeral-storage-exporter-0', 1],
        ['ephemeral-storage-exporter', 'ephemeral-storage-exporter-1', 1],
        ['ephemeral-storage-exporter', 'ephemeral-storage-exporter-x0', 1],
        ['on-nodes/ephemeral-storage-exporter', 'ephemeral-storage-exporter-x0', 1],
      ]);
      const [up] = await prometheus.query('up{instance="ephemeral-storage-exporter-0"}');
      expect(Object.keys(up?.metric ?? {}).sort()).toEqual(['__name__', 'instance', 'job']);

      // The labels of the measured pods and nodes.
      const measured = await prometheus.query('count by (namespace) (ephemeral_storage_pod_used_bytes)');
      expect(measured.map(({ metric }) => metric['namespace'])).toContain('shop');
      const ofTargets = installations.map(({ namespace }) => namespace).join('|');
      expect(await prometheus.query(`ephemeral_storage_pod_used_bytes{namespace=~"${ofTargets}"}`)).toEqual([]);
      expect(await prometheus.query('ephemeral_storage_node_data_available{node!=""}')).not.toEqual([]);
      for (const label of ['namespace', 'pod', 'container', 'service', 'endpoint'])
        expect(await prometheus.query(`ephemeral_storage_node_data_available{${label}!=""}`), label).toEqual([]);
      expect(await prometheus.query('{exported_namespace!=""}')).toEqual([]);

      const url = '/apis/monitoring.coreos.com/v1/namespaces/deployed/prometheusrules/ephemeral-storage-exporter';
      const rules = listAt(await cluster.server.request(url), 'spec', 'groups').flatMap((group) =>
        listAt(group, 'rules').map(({ alert, record }) => String(alert ?? record)),
      );
      expect((await prometheus.rules()).map(({ name }) => name).sort()).toEqual(rules.toSorted());
      expect(rules.length).toBeGreaterThan(40);
    });

    it('Prometheus does not scrape by a monitor whose timeout is above its interval, which the chart refuses', async () => {
      const endpoint = { port: 'metrics', interval: '10s', scrapeTimeout: '15s' };
      await create('/apis/monitoring.coreos.com/v1/namespaces/deployed/servicemonitors', {
        apiVersion: 'monitoring.coreos.com/v1',
        kind: 'ServiceMonitor',
        metadata: { name: 'impatient', labels },
        spec: { selector: {}, endpoints: [endpoint] },
      });
      const warnings = await eventually('a warning', async () => {
        const found = await operator.warnings('deployed', 'impatient');
        return found.length > 0 ? found : undefined;
      });
      expect(warnings).toEqual([expect.stringContaining('scrapeTimeout "15s" greater than scrapeInterval "10s"')]);
      expect(await operator.warnings('deployed', 'ephemeral-storage-exporter')).toEqual([]);
    });

    it('Prometheus does not scrape with the token file if its object denies it, as the docs explain', async () => {
      await operator.create('strict', { ...selectors, arbitraryFSAccessThroughSMs: { deny: true } });
      const warnings = await eventually('a warning', async () => {
        const found = await operator.warnings('deployed', 'ephemeral-storage-exporter');
        return found.length > 0 ? found : undefined;
      });
      expect(warnings).toEqual([expect.stringContaining('accesses file system via bearer token file')]);
      for (const namespace of ['sharded', 'on-nodes'])
        expect(await operator.warnings(namespace, 'ephemeral-storage-exporter')).toEqual([]);
    });
  },
);
