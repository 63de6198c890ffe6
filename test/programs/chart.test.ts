import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { at, isObject, type Json, type KubeObject, listAt, objectsOf } from '../support/manifests/documents.js';
import { chartFolder, helmNames, type Mode, modes, renderChart, runHelm } from '../support/manifests/helm.js';
import { canRender, renderOptedIn, renderOverlay } from '../support/manifests/kustomize.js';
import { normalForm } from '../support/manifests/normal-form.js';
import { hasOpenApi, ofKubernetes, openApiVersions, validate } from '../support/manifests/openapi.js';
import { agentFaults, componentNames, readerGrants } from '../support/manifests/overlays.js';
import { exporterOf, policyFaults, readerGrantsOf, workloadsOf } from '../support/manifests/policies.js';
import { isInstalled, temporaryFolder } from '../support/programs.js';

const enabled = { enabled: true };

/** As in the overlays, which have no test pod. */
const plain = { testPod: { enabled: false } };

/** As all components that an overlay can have at once. */
const opted = {
  ...plain,
  nodeProxy: enabled,
  nodesConfigz: enabled,
  kubernetesAuthorization: enabled,
  networkPolicy: enabled,
  serviceMonitor: enabled,
  prometheusRule: enabled,
  dashboards: enabled,
};

/** A `pod-monitor` takes the place of a `service-monitor`. */
const components = componentNames.filter((name) => name !== 'pod-monitor');

const label = { 'team.example/name': 'storage' };
const note = { 'team.example/contact': 'storage@team.example' };

/** Every value that adds something. */
const rich = {
  ...opted,
  testPod: enabled,
  config: { log: { level: 'debug' } },
  image: { digest: `sha256:${'0'.repeat(64)}`, pullPolicy: 'Always' },
  imagePullSecrets: [{ name: 'registry' }],
  fullnameOverride: 'disks',
  commonLabels: label,
  commonAnnotations: note,
  priorityClassName: 'monitoring',
  revisionHistoryLimit: 0,
  extraArgs: ['--log.format=json'],
  extraEnv: [{ name: 'TZ', value: 'UTC' }],
  extraVolumes: [{ name: 'ca', configMap: { name: 'kubelet-ca' } }],
  extraVolumeMounts: [{ name: 'ca', mountPath: '/etc/kubelet-ca' }],
  tls: { secretName: 'exporter-tls' },
  serviceMonitor: {
    ...enabled,
    labels: { release: 'prometheus' },
    metricRelabelings: [{ action: 'labeldrop', regex: 'x' }],
  },
  networkPolicy: { ...enabled, extraEgress: [{ ports: [{ port: 8443 }] }] },
};

const rendered = new Map<string, readonly KubeObject[]>();

/** With Helm 4, each only once. */
function render(values: Json): readonly KubeObject[] {
  const key = JSON.stringify(values);
  const objects = rendered.get(key) ?? renderChart('helm4', values);
  rendered.set(key, objects);
  return objects;
}

const cases = modes.flatMap((mode) => [
  { mode, with: 'its defaults', values: { ...plain, mode } },
  { mode, with: 'all components', values: { ...opted, mode } },
  { mode, with: 'all values', values: { ...rich, mode } },
  ...(mode === 'node-local' ? [{ mode, with: 'the agent', values: { ...plain, mode, agent: enabled } }] : []),
]);

const hasHelm = helmNames.every(isInstalled);

describe.skipIf(!hasHelm)('the chart (needs helm3 and helm4)', () => {
  it.each(helmNames)('the chart has no fault for lint --strict of %s', (helm) => {
    for (const mode of modes) {
      const { status, out } = runHelm(helm, ['lint', '--strict', chartFolder], { ...rich, mode });
      expect(out).toContain('1 chart(s) linted, 0 chart(s) failed');
      expect(status).toBe(0);
    }
  });

  it.each(cases)('the chart renders the same with Helm 3 and 4 in the mode $mode with $with', ({ values }) => {
    expect(renderChart('helm3', values)).toEqual(render(values));
  });

  it.each(cases.filter(({ values }) => !values.testPod.enabled))(
    "the chart follows the project's rules in the mode $mode with $with",
    ({ values }) => {
      expect(policyFaults(render(values))).toEqual('agent' in values ? agentFaults : []);
    },
  );

  it('the chart has the common labels and annotations on all objects and pods', () => {
    for (const mode of modes) {
      for (const { metadata, kind, ...object } of render({ ...rich, mode })) {
        const template = at(object, 'spec', 'template', 'metadata');
        for (const part of isObject(template) ? [metadata, template] : [metadata]) {
          expect(part, kind).toMatchObject({ labels: label, annotations: note });
          expect(at(part, 'labels', 'app.kubernetes.io/part-of')).toBe('ephemeral-storage-exporter');
        }
      }
    }
  });

  it.each([
    { mode: 'deployment', expected: readerGrants('disks') },
    { mode: 'sharded', sharded: { shards: 12 }, expected: readerGrants('disks', 12) },
    { mode: 'node-local', expected: [] },
    { mode: 'deployment', reader: { create: false }, expected: [] },
    { mode: 'deployment', rbac: { create: false }, expected: [] },
  ])('the chart has a Role for readers of exactly its pods: $mode $reader $rbac', ({ expected, ...values }) => {
    expect(readerGrantsOf(render({ ...plain, fullnameOverride: 'disks', ...values }))).toEqual(expected);
  });

  it('the chart binds the Role for readers to its subjects alone', () => {
    const bindingsOf = (values: Json) => render({ ...plain, ...values }).filter(({ kind }) => kind === 'RoleBinding');
    expect(bindingsOf({})).toEqual([]);
    const subjects = [
      { kind: 'Group', name: 'developers' },
      { kind: 'ServiceAccount', name: 'bot', namespace: 'tools' },
    ];
    const name = 'ephemeral-storage-exporter-reader';
    expect(bindingsOf({ reader: { subjects } })).toMatchObject([{ roleRef: { kind: 'Role', name }, subjects }]);
  });

  it('the chart serves HTTPS where there is a certificate, to probes and monitors too', () => {
    const objects = render({ ...rich, mode: 'sharded' });
    const schemes = JSON.stringify(objects).match(/"scheme":"\w+"/g);
    expect(schemes?.map((text) => text.toLowerCase())).toEqual(Array(4).fill('"scheme":"https"'));
    const monitor = objects.find(({ kind }) => kind === 'ServiceMonitor');
    expect(listAt(monitor, 'spec', 'endpoints')[0]?.['tlsConfig']).toEqual({
      ca: { secret: { name: 'exporter-tls', key: 'ca.crt' } },
      serverName: 'disks.ephemeral-storage-exporter.svc',
    });
  });

  it('the chart changes and leaves out alerts by name, and nothing else', () => {
    const groupsOf = (prometheusRule: Json): readonly Json[] =>
      render({ ...plain, prometheusRule: { ...enabled, ...prometheusRule } })
        .filter(({ kind }) => kind === 'PrometheusRule')
        .flatMap((object) => listAt(object, 'spec', 'groups'));
    const alerts = {
      EphemeralStorageOverLimit: { enabled: false },
      EphemeralStorageNearLimit: { for: '1h', severity: 'info' },
    };
    const changed = groupsOf({ alerts, alertLabels: { team: 'storage', severity: 'page' } }).flatMap((group) =>
      listAt(group, 'rules'),
    );
    const expected = groupsOf({})
      .flatMap((group) => listAt(group, 'rules'))
      .filter(({ alert }) => alert !== 'EphemeralStorageOverLimit')
      .map((rule) => {
        const isChanged = rule['alert'] === 'EphemeralStorageNearLimit';
        if (rule['alert'] === undefined) return rule;
        const labels = { ...(rule['labels'] as Json), team: 'storage', severity: isChanged ? 'info' : 'page' };
        return { ...rule, labels, ...(isChanged && { for: '1h' }) };
      });
    expect(changed).toEqual(expected);
    expect(changed.length).toBeGreaterThan(30);
  });

  it.each([
    ['mode', { mode: 'statefulset' }],
    ['shards', { shards: 3 }],
    ['/enabled', { enabled: 'yes' }],
    ["'X-anchors' not allowed", { 'X-anchors': {} }],
    ['/sharded/shards', { sharded: { shards: 0 } }],
    ['/image/tag', { image: { tag: 1 } }],
    ['/nodeProxy/enabled', { nodeProxy: { enabled: 'yes' } }],
    ['EphemeralStorageOverLimits', { prometheusRule: { alerts: { EphemeralStorageOverLimits: { enabled: false } } } }],
    ['/serviceMonitor/interval', { serviceMonitor: { interval: 60 } }],
    ['config.web.telemetryPath', { config: { web: { telemetryPath: '/m' } } }],
    ['config.cluster.totalShards', { config: { cluster: { totalShards: 3 } } }],
    ['Use tls.secretName', { config: { web: { configFile: '/web.yaml' } } }],
    ['--web.enable-lifecycle in extraArgs', { config: { web: { enableLifecycle: true } } }],
    ['Enable one of them', { serviceMonitor: enabled, podMonitor: enabled }],
    ['Remove config.kubelet.tls', { nodeProxy: enabled, config: { kubelet: { tls: { caFile: '/ca.crt' } } } }],
    ["'caFiles' not allowed", { serviceMonitor: { tlsConfig: { caFiles: '/ca.crt' } } }],
    // Pod monitors cannot read files of Prometheus.
    ["'caFile' not allowed", { podMonitor: { tlsConfig: { caFile: '/ca.crt' } } }],
    ["missing property 'name'", { podMonitor: { authorization: { credentials: { key: 'token' } } } }],
    ["'credentials' required", { podMonitor: { authorization: { type: 'Bearer' } } }],
    ["'sourceLabel' not allowed", { serviceMonitor: { relabelings: [{ sourceLabel: 'pod' }] } }],
    ['serviceMonitor.scrapeTimeout 15s', { serviceMonitor: { ...enabled, interval: '10s' } }],
    ['podMonitor.scrapeTimeout 1m1ms', { podMonitor: { ...enabled, scrapeTimeout: '1m1ms' } }],
    ['podMonitor.authorization', { podMonitor: enabled, kubernetesAuthorization: enabled }],
    ['missing closing ): `a(`', { serviceMonitor: { ...enabled, metricRelabelings: [{ regex: 'a(' }] } }],
    ["'cost center' does not match pattern", { prometheusRule: { alertLabels: { 'cost center': 'x' } } }],
    ['/networkPolicy/from', { networkPolicy: { ...enabled, from: [] } }],
    ["missing property 'from'", { networkPolicy: { ...enabled, from: null } }],
    // Without ports, a rule allows all of them.
    ["missing property 'apiServerPorts'", { networkPolicy: { ...enabled, apiServerPorts: null } }],
    ["missing property 'kubeletPort'", { networkPolicy: { ...enabled, kubeletPort: null } }],
    ["missing property 'repository'", { image: { repository: null } }],
    ["missing property 'shards'", { mode: 'sharded', sharded: { shards: null } }],
    ["missing property 'interval'", { serviceMonitor: { ...enabled, interval: null } }],
    ["missing property 'secretName'", { tls: { secretName: null } }],
    ["missing property 'nodeProxy'", { nodeProxy: null }],
    ['/sharded/shards', { sharded: { shards: 1_001 } }],
    ['Set both to one port', { networkPolicy: enabled, config: { kubelet: { port: 10_251 } } }],
    ["missing property 'namespace'", { reader: { subjects: [{ kind: 'ServiceAccount', name: 'bot' }] } }],
    ['/reader/subjects/0/namespace', { reader: { subjects: [{ kind: 'Group', name: 'all', namespace: 'shop' }] } }],
    ['/reader/subjects/0/kind', { reader: { subjects: [{ kind: 'Groups', name: 'all' }] } }],
    ['no Role to bind them to', { reader: { create: false, subjects: [{ kind: 'Group', name: 'all' }] } }],
    ['no Role to bind them to', { mode: 'node-local', reader: { subjects: [{ kind: 'Group', name: 'all' }] } }],
    ['Use nodeProxy.enabled', { config: { kubelet: { access: 'proxy' } } }],
    ['Use nodesConfigz.enabled', { config: { kubelet: { readConfig: true } } }],
    ['Use kubernetesAuthorization.enabled', { config: { web: { authorization: 'kubernetes' } } }],
    [
      'extraEnv: EPHEMERAL_STORAGE_EXPORTER_KUBELET_ACCESS is set by the value nodeProxy.enabled',
      { extraEnv: [{ name: 'EPHEMERAL_STORAGE_EXPORTER_KUBELET_ACCESS', value: 'proxy' }] },
    ],
    ['extraVolumes: the chart has a volume named tls', { extraVolumes: [{ name: 'tls', emptyDir: {} }] }],
    ['agent.enabled and mode deployment', { agent: enabled }],
    ['config.agent.sampleInterval and agent.enabled false', { config: { agent: { sampleInterval: '1s' } } }],
    ['Use agent.enabled instead', { mode: 'node-local', config: { agent: { enabled: true } } }],
    [
      'the chart has a volume named host-cgroup',
      { mode: 'node-local', agent: enabled, extraVolumes: [{ name: 'host-cgroup', emptyDir: {} }] },
    ],
    ['the chart has a volume named evictions', { extraVolumes: [{ name: 'evictions', emptyDir: {} }] }],
  ])('the chart is refused with a message about %s', (message, values) => {
    for (const helm of helmNames) {
      const { status, error } = runHelm(helm, ['template', chartFolder], values);
      expect(status).toBe(1);
      expect(error).toContain(message);
    }
  });

  it.each(['123', 'y', 'true', 'null', '1e3'])('the chart has only texts for names when they are called %s', (word) => {
    const values = {
      ...rich,
      mode: 'sharded',
      nameOverride: word,
      fullnameOverride: word,
      priorityClassName: word,
      tls: { secretName: word },
      serviceAccount: { create: true, name: word },
    };
    for (const helm of helmNames) {
      const { status, out } = runHelm(helm, ['template', word, chartFolder, '--namespace', word], values);
      expect(status).toBe(0);
      for (const object of objectsOf(out, helm)) {
        const { name, namespace = '', labels = {} } = object.metadata as Json;
        expect([typeof name, typeof namespace], object.kind).toEqual(['string', 'string']);
        expect(Object.values(labels as Json).filter((value) => typeof value !== 'string')).toEqual([]);
        const spec = at(object, 'spec', 'template', 'spec');
        if (spec === undefined) continue;
        expect([at(spec, 'serviceAccountName'), at(spec, 'priorityClassName')]).toEqual([word, word]);
        expect(JSON.stringify(spec)).toContain(`"secretName":"${word}"`);
      }
    }
  });

  it('the chart has other names for the dashboards of each namespace, where those of several are in one', () => {
    const namesIn = (namespace: string): readonly string[] =>
      render({ ...plain, dashboards: { ...enabled, namespace } })
        .map(({ metadata }) => metadata.name)
        .filter((name) => name.includes('-dashboard-'));
    const names = namesIn('');
    expect(names).toHaveLength(6);
    expect(namesIn('ephemeral-storage-exporter')).toEqual(names);
    expect(namesIn('grafana')).toEqual(names.map((name) => `ephemeral-storage-exporter-${name}`));
  });

  it.each(helmNames)('the chart is refused with %s for a release whose name no Service can have', (helm) => {
    const { status, error } = runHelm(helm, ['template', 'my.app', chartFolder]);
    expect(status).toBe(1);
    expect(error).toContain('"my.app-ephemeral-storage-exporter"');
    expect(error).toContain('Set fullnameOverride');
  });

  it('the chart takes settings that need no further role, although others of their kind do', () => {
    const kubelet = { access: 'direct', readConfig: false, port: 10_251 };
    const config = { kubelet, web: { authorization: 'none' } };
    for (const helm of helmNames) {
      const { status, error } = runHelm(helm, ['template', chartFolder], { config });
      expect({ status, error }).toEqual({ status: 0, error: '' });
    }
  });

  it('the chart names all variables that it sets where it refuses them', () => {
    const set = modes.flatMap((mode) =>
      render({ ...opted, tls: { secretName: 'tls' }, mode, agent: { enabled: mode === 'node-local' } })
        .filter(({ kind }) => ['Deployment', 'StatefulSet', 'DaemonSet'].includes(kind))
        .flatMap((object) => listAt(exporterOf([object]), 'env').map(({ name }) => name as string)),
    );
    expect(new Set(set).size).toBe(8);
    for (const name of new Set(set)) {
      const { error } = runHelm('helm4', ['template', chartFolder], { extraEnv: [{ name, value: '' }] });
      expect(error).toContain(`extraEnv: ${name} is set by the value `);
    }
  });

  it.each(['', '/data/evictions.json'])(
    'the chart leaves the file of evictions to settings that name it: %j',
    (file) => {
      const [pod] = workloadsOf(render({ ...plain, config: { evictions: { file } } }));
      expect(listAt(pod?.pod, 'volumes').map(({ name }) => name)).toEqual(['config']);
      const [container] = pod?.containers ?? [];
      expect([listAt(container, 'volumeMounts').length, container?.['env']]).toEqual([1, undefined]);
    },
  );

  it('the chart takes keys without a value as empty', () => {
    const keys = ['extraEnv', 'podLabels', 'podAnnotations', 'commonLabels', 'commonAnnotations', 'config'] as const;
    const empty = Object.fromEntries(keys.map((key) => [key, null]));
    const rules = { prometheusRule: { ...enabled, alerts: null, alertLabels: null } };
    for (const helm of helmNames) {
      const { status, out } = runHelm(helm, ['template', chartFolder], { ...empty, ...rules });
      expect({ status, hasRules: out.includes('alert: EphemeralStorageOverLimit') }).toEqual({
        status: 0,
        hasRules: true,
      });
    }
  });

  it('the chart is refused for Kubernetes before 1.27', () => {
    for (const helm of helmNames) {
      const { status, error } = runHelm(helm, ['template', chartFolder, '--kube-version', '1.26.15']);
      expect(status).toBe(1);
      expect(error).toContain('chart requires kubeVersion: >=1.27.0-0');
    }
  });

  it.each(helmNames)('the chart is a dependency that another chart turns on and off, with %s', async (helm) => {
    await using folder = await temporaryFolder();
    const name = 'ephemeral-storage-exporter';
    const dependency = { name, version: '*', repository: `file://${chartFolder}`, condition: `${name}.enabled` };
    const umbrella = { apiVersion: 'v2', name: 'monitoring', version: '1.0.0', dependencies: [dependency] };
    writeFileSync(path.join(folder.path, 'Chart.yaml'), JSON.stringify(umbrella));
    expect(spawnSync(helm, ['dependency', 'build', folder.path], { encoding: 'utf8' })).toMatchObject({ status: 0 });
    const kindsWith = (values: Json): readonly string[] => {
      const global = { imageRegistry: 'registry.example.com' };
      const { out, error } = runHelm(helm, ['template', 'r', folder.path], { global, [name]: values });
      expect(error).toBe('');
      return objectsOf(out, helm).map(({ kind }) => kind);
    };
    expect(kindsWith({ enabled: true, 'x-anchors': { label } })).toContain('Deployment');
    expect(kindsWith({ enabled: false })).toEqual([]);
  });

  it.each(helmNames)('the chart is packaged by %s with its rules and dashboards', async (helm) => {
    await using folder = await temporaryFolder();
    const packaged = spawnSync(helm, ['package', chartFolder, '--destination', folder.path], { encoding: 'utf8' });
    expect(packaged).toMatchObject({ status: 0, stderr: '' });
    const archive = path.join(folder.path, 'ephemeral-storage-exporter-0.1.0.tgz');
    const listed = spawnSync('tar', ['-tzf', archive], { encoding: 'utf8' }).stdout.split('\n');
    expect(listed.filter((file) => /\/rules\/.*\.yaml$|\/dashboards\/.*\.json$/.test(file))).toHaveLength(7);
    // A release keeps the chart in a Secret, encoded twice; Secrets have at most 1 MiB.
    expect(readFileSync(archive).byteLength).toBeLessThan(400_000);
  });
});

describe.skipIf(!hasHelm || !canRender())('the chart and kustomize (need helm3, helm4 and kubectl 1.27)', () => {
  it.each(modes)('chart and kustomize render the same objects for %s but for names and labels', (mode) => {
    expect(normalForm(render({ ...plain, mode }))).toEqual(normalForm(renderOverlay(mode)));
  });

  it('chart and kustomize render the same objects for node-local with the agent', () => {
    const objects = render({ ...plain, mode: 'node-local', agent: enabled });
    expect(normalForm(objects)).toEqual(normalForm(renderOverlay('node-local-agent')));
  });

  const withPodMonitor = (mode: Mode): Json => ({ ...plain, mode, podMonitor: enabled });
  it.each(modes)('chart and kustomize render the same objects for %s with components', (mode) => {
    expect(normalForm(render({ ...opted, mode }))).toEqual(normalForm(renderOptedIn(mode, components)));
    expect(normalForm(render(withPodMonitor(mode)))).toEqual(normalForm(renderOptedIn(mode, ['pod-monitor'])));
  });
});

describe.skipIf(!hasHelm || !hasOpenApi())('objects of the chart (needs helm4, kubeconform and OpenAPI)', () => {
  it.each(openApiVersions())('the chart is valid for Kubernetes %s, and a misspelt field is not', (version) => {
    const objects = cases.flatMap(({ values }) => ofKubernetes(render(values)));
    const workload = JSON.stringify(objects.find(({ kind }) => kind === 'StatefulSet'));
    const misspelt = JSON.parse(workload.replace('"readinessProbe"', '"readinesProbe"')) as KubeObject;
    const { validCount, faults } = validate(version, [...objects, misspelt]);
    expect(faults).toEqual([expect.stringContaining('readinesProbe')]);
    expect(validCount).toBe(objects.length);
  });
});
