import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { everyValue } from '../support/manifests/chart-values.js';
import { at, isObject, type Json, type KubeObject, listAt, objectsOf } from '../support/manifests/documents.js';
import { chartFolder, helmNames, modes, renderChart, renderOnce, runHelm } from '../support/manifests/helm.js';
import { canRender, renderOptedIn, renderOverlay, renderOwn } from '../support/manifests/kustomize.js';
import { normalForm } from '../support/manifests/normal-form.js';
import { hasOpenApi, ofKubernetes, openApiVersions, validate } from '../support/manifests/openapi.js';
import { componentNames, readerGrants } from '../support/manifests/overlays.js';
import { exporterOf, readerGrantsOf, workloadsOf } from '../support/manifests/policies.js';
import { readmeBlocks } from '../support/manifests/readme.js';
import { isInstalled, temporaryFolder } from '../support/programs.js';

const enabled = { enabled: true };

/** As in the overlays, which have no test pod. */
const plain = { testPod: { enabled: false } };

/** As all components that an overlay can have at once. */
const opted = {
  ...plain,
  kubernetesAuthorization: enabled,
  networkPolicy: enabled,
  serviceMonitor: enabled,
  prometheusRule: enabled,
  dashboards: enabled,
};

const podMonitor = { ...enabled, kind: 'PodMonitor' };

const claim = { accessModes: ['ReadWriteOnce'] };

const cases = modes.flatMap((mode) => [
  { mode, with: 'its defaults', values: { ...plain, mode } },
  { mode, with: 'all components', values: { ...opted, mode } },
  { mode, with: 'all values', values: everyValue(mode) },
  ...(mode === 'node-local' ? [{ mode, with: 'the agent', values: { ...plain, mode, agent: enabled } }] : []),
]);

const hasHelm = helmNames.every(isInstalled);

describe.skipIf(!hasHelm)('the chart (needs helm3 and helm4)', () => {
  it.each(helmNames)('the chart has no fault for lint --strict of %s', (helm) => {
    for (const mode of modes) {
      const { status, out } = runHelm(helm, ['lint', '--strict', chartFolder], everyValue(mode));
      expect(out).toContain('1 chart(s) linted, 0 chart(s) failed');
      expect(status).toBe(0);
    }
  });

  it.each(cases)('the chart renders the same with Helm 3 and 4 in the mode $mode with $with', ({ values }) => {
    expect(renderChart('helm3', values)).toEqual(renderOnce(values));
  });

  it('the chart has the common labels and annotations on all objects and pods', () => {
    for (const mode of modes) {
      const values = everyValue(mode);
      const own = { labels: values['commonLabels'], annotations: values['commonAnnotations'] };
      for (const { metadata, kind, ...object } of renderOnce({ ...values, extraManifests: [] })) {
        const template = at(object, 'spec', 'template', 'metadata');
        for (const part of isObject(template) ? [metadata, template] : [metadata]) {
          expect(part, kind).toMatchObject(own);
          expect(at(part, 'labels', 'app.kubernetes.io/part-of')).toBe('ephemeral-storage-exporter');
        }
      }
    }
  });

  it.each([
    { mode: 'deployment', expected: readerGrants('disks') },
    { mode: 'sharded', shards: 12, expected: readerGrants('disks', 12) },
    { mode: 'node-local', expected: [] },
    { mode: 'deployment', reader: { create: false }, expected: [] },
    { mode: 'deployment', rbac: { create: false }, expected: [] },
  ])('the chart has a Role for readers of exactly its pods: $mode $reader $rbac', ({ expected, ...values }) => {
    expect(readerGrantsOf(renderOnce({ ...plain, fullnameOverride: 'disks', ...values }))).toEqual(expected);
  });

  it('the chart binds the Role for readers to its subjects alone', () => {
    const bindingsOf = (values: Json) =>
      renderOnce({ ...plain, ...values }).filter(({ kind }) => kind === 'RoleBinding');
    expect(bindingsOf({})).toEqual([]);
    const subjects = [
      { kind: 'Group', name: 'developers' },
      { kind: 'ServiceAccount', name: 'bot', namespace: 'tools' },
    ];
    const name = 'ephemeral-storage-exporter-reader';
    expect(bindingsOf({ reader: { subjects } })).toMatchObject([{ roleRef: { kind: 'Role', name }, subjects }]);
  });

  it('the chart serves HTTPS where there is a certificate, to probes and monitors too', () => {
    const tls = { secretName: 'exporter-tls' };
    const objects = renderOnce({ ...opted, fullnameOverride: 'disks', namespaceOverride: 'shop', tls });
    const schemes = JSON.stringify(objects).match(/"scheme":"\w+"/g);
    expect(schemes?.map((text) => text.toLowerCase())).toEqual(Array(4).fill('"scheme":"https"'));
    const monitor = objects.find(({ kind }) => kind === 'ServiceMonitor');
    expect(listAt(monitor, 'spec', 'endpoints')[0]?.['tlsConfig']).toEqual({
      ca: { secret: { name: 'exporter-tls', key: 'ca.crt' } },
      serverName: 'disks.shop.svc',
    });
  });

  it('the chart has the names of the fields of each operator', () => {
    const values = everyValue('deployment');
    const [monitor, victoria] = ['ServiceMonitor', 'VMServiceScrape'].map((kind) => {
      const serviceMonitor = { ...(values['serviceMonitor'] as Json), kind };
      const object = renderOnce({ ...values, serviceMonitor }).find((one) => one.kind === kind);
      return { version: object?.apiVersion, spec: object?.['spec'] };
    });
    const renamed = { proxyUrl: 'proxyURL', relabelings: 'relabelConfigs', metricRelabelings: 'metricRelabelConfigs' };
    const text = JSON.stringify(monitor?.spec).replaceAll(/"(\w+)":/g, (whole, field: string) =>
      field in renamed ? `"${renamed[field as keyof typeof renamed]}":` : whole,
    );
    expect(victoria).toEqual({ version: 'operator.victoriametrics.com/v1beta1', spec: JSON.parse(text) as unknown });
    for (const field of Object.values(renamed)) expect(text).toContain(`"${field}"`);
  });

  it.each([
    ['asks nobody who they are', { hostNetwork: true }],
    ['asks nobody who they are', { ingress: { ...enabled, hosts: ['disks.example'] } }],
    ['asks nobody who they are', { service: { type: 'NodePort' } }],
    ['Pod Security of the namespace must be privileged', { hostNetwork: true }],
    ['tokens travel in clear text', { kubernetesAuthorization: enabled }],
    ['No monitor is enabled', {}],
    [' 9797:9000 &', { service: { port: 9000 } }],
  ])('the chart says after its installation: %s', (message, values) => {
    const notesOf = (given: Json): string =>
      runHelm('helm4', ['install', 'x', chartFolder, '--dry-run=client'], given).out.split('\nNOTES:')[1] ?? '';
    expect(notesOf({ serviceMonitor: enabled })).toContain('Check that');
    expect(notesOf({ serviceMonitor: enabled })).not.toContain(message);
    expect(notesOf(values)).toContain(message);
  });

  const withRules = (of: Json): Json => ({ prometheusRule: { ...enabled, ...of } });
  const rulesOf = (of: Json): readonly Json[] =>
    renderOnce({ ...plain, ...withRules(of) })
      .flatMap((object) => listAt(object, 'spec', 'groups'))
      .flatMap((group) => listAt(group, 'rules'));

  it('the chart changes and leaves out alerts by name, and nothing else', async () => {
    const [near, absent] = ['EphemeralStorageNearLimit', 'EphemeralStorageNodeAbsent'];
    const alerts = { [near]: { severity: 'info' }, [absent]: { for: '1h' } };
    const changed = rulesOf({ alerts, disabled: ['EphemeralStoragePodEvicted'], alertLabels: { team: 'x' } });
    const expected = rulesOf({})
      .filter(({ alert }) => alert !== 'EphemeralStoragePodEvicted')
      .map((rule) => {
        if (rule['alert'] === undefined) return rule;
        const labels = { ...(rule['labels'] as Json), team: 'x', ...(rule['alert'] === near && { severity: 'info' }) };
        return { ...rule, labels, ...(rule['alert'] === absent && { for: '1h' }) };
      });
    expect(changed).toEqual(expected);
    if (!isInstalled('promtool')) return;
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'rules.json');
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'changed', rules: changed }] }));
    expect(spawnSync('promtool', ['check', 'rules', '--lint=all', '--lint-fatal', file])).toMatchObject({ status: 0 });
  });

  it('another handler takes the place of the request that a probe of the chart makes', () => {
    const [container] = listAt(
      renderOnce({ ...plain, livenessProbe: { tcpSocket: { port: 'metrics' } } }).find(
        ({ kind }) => kind === 'Deployment',
      ),
      'spec',
      'template',
      'spec',
      'containers',
    );
    expect(Object.keys(at(container, 'livenessProbe') as Json).sort()).toEqual([
      'periodSeconds',
      'tcpSocket',
      'timeoutSeconds',
    ]);
  });

  it('the chart switches on the optional alerts that are named, with the series that they read', () => {
    const addedBy = (...optionalAlerts: readonly string[]): readonly unknown[] =>
      rulesOf({ optionalAlerts })
        .slice(rulesOf({}).length)
        .map(({ alert, record }) => alert ?? record);
    expect(addedBy()).toEqual([]);
    expect(addedBy('EphemeralStorageVolumeStatsOld', 'EphemeralStorageNodeDataGaps')).toEqual([
      'EphemeralStorageNodeDataGaps',
      'node:ephemeral_storage_pod_volume_stats_old:held',
      'EphemeralStorageVolumeStatsOld',
      'workload:ephemeral_storage_workload_pods_unmeasured:held',
    ]);
  });

  it.each([
    ['mode', { mode: 'statefulset' }],
    ["'replicas' not allowed", { replicas: 3 }],
    ['/enabled', { enabled: 'yes' }],
    ["'X-anchors' not allowed", { 'X-anchors': {} }],
    ['/shards', { shards: 0 }],
    ['/image/tag', { image: { tag: 1 } }],
    ['/nodeProxy/enabled', { nodeProxy: { enabled: 'yes' } }],
    ['no alert Typo', withRules({ alerts: { Typo: { for: '1h' } } })],
    ['no alert Typo', withRules({ disabled: ['Typo'] })],
    ['NodeEvicting.severity', withRules({ alerts: { EphemeralStorageNodeEvicting: { severity: 'info' } } })],
    ['alertLabels.severity', withRules({ alertLabels: { severity: 'page' } })],
    ['alertLabels.reason', withRules({ alertLabels: { reason: 'x' } })],
    ['no optional alert EphemeralStorageNearLimit', withRules({ optionalAlerts: ['EphemeralStorageNearLimit'] })],
    ['/serviceMonitor/interval', { serviceMonitor: { interval: 60 } }],
    ["'tll' not allowed", { config: { cache: { tll: '5s' } } }],
    ['/config/metrics/profile', { config: { metrics: { profile: 'all' } } }],
    ['config.web.telemetryPath', { config: { web: { telemetryPath: '/m' } } }],
    ['config.cluster.totalShards', { config: { cluster: { totalShards: 3 } } }],
    ['Use tls.secretName', { config: { web: { configFile: '/web.yaml' } } }],
    ['--web.enable-lifecycle in extraArgs', { config: { web: { enableLifecycle: true } } }],
    ['/serviceMonitor/kind', { serviceMonitor: { kind: 'VMPodScrape' } }],
    ['/prometheusRule/kind', { prometheusRule: { kind: 'Rule' } }],
    ['Remove config.kubelet.tls', { nodeProxy: enabled, config: { kubelet: { tls: { caFile: '/ca.crt' } } } }],
    ['serviceMonitor.scrapeTimeout 15s', { serviceMonitor: { ...enabled, interval: '10s' } }],
    ['serviceMonitor.scrapeTimeout 1m1ms', { serviceMonitor: { ...enabled, scrapeTimeout: '1m1ms' } }],
    ['serviceMonitor.authorization', { serviceMonitor: podMonitor, kubernetesAuthorization: enabled }],
    ['Use podTargetLabels', { serviceMonitor: { ...podMonitor, targetLabels: ['team'] } }],
    ['Set serviceMonitor.tlsConfig', { serviceMonitor: { ...enabled, namespace: 'x' }, tls: { secretName: 'x' } }],
    ['ingress.hosts is empty', { ingress: enabled }],
    ['httpRoute.hostnames is empty', { httpRoute: { ...enabled, parentRefs: [{ name: 'gateway' }] } }],
    ['httpRoute.parentRefs is empty', { httpRoute: { ...enabled, hostnames: ['disks.example'] } }],
    ['ingress.enabled and mode sharded', { mode: 'sharded', ingress: { ...enabled, hosts: ['disks.example'] } }],
    ['hostNetwork and networkPolicy.enabled', { hostNetwork: true, networkPolicy: enabled }],
    ['the exporter has no token', { automountServiceAccountToken: false }],
    ['/hostNetwork', { hostNetwork: 'yes' }],
    ['/service/type', { service: { type: 'ExternalName' } }],
    ['no privilege for ports below 1024', { service: { port: 443 } }],
    ['Set service.type to ClusterIP', { mode: 'sharded', service: { type: 'NodePort' } }],
    ['Set service.type to NodePort', { service: { nodePort: 30_000 } }],
    ['service.enabled: there always is one', { service: { enabled: false } }],
    ['startupProbe.enabled: there always is one', { startupProbe: { enabled: false } }],
    ['/service/port', { service: { port: '9000' } }],
    ['Use that instead', { extraArgs: ['--web.listen-address=:9000'] }],
    ['Remove one of them', { evictions: { claim, volume: { emptyDir: {} } } }],
    ['Remove config.evictions.file', { evictions: { claim }, config: { evictions: { file: '' } } }],
    ['evictions.volume.hostPath and mode deployment', { evictions: { volume: { hostPath: { path: '/' } } } }],
    ['Use evictions.volume.hostPath', { mode: 'node-local', evictions: { claim } }],
    [
      'Use evictions.claim',
      { mode: 'sharded', evictions: { volume: { persistentVolumeClaim: { claimName: 'one' } } } },
    ],
    ['missing closing ): `a(`', { serviceMonitor: { ...enabled, metricRelabelings: [{ regex: 'a(' }] } }],
    ["'cost center' does not match pattern", { prometheusRule: { alertLabels: { 'cost center': 'x' } } }],
    ['/networkPolicy/from', { networkPolicy: { ...enabled, from: [] } }],
    ["missing property 'from'", { networkPolicy: { ...enabled, from: null } }],
    // Without ports, a rule allows all of them.
    ["missing property 'apiServerPorts'", { networkPolicy: { ...enabled, apiServerPorts: null } }],
    ["missing property 'kubeletPort'", { networkPolicy: { ...enabled, kubeletPort: null } }],
    ["missing property 'repository'", { image: { repository: null } }],
    ["missing property 'shards'", { mode: 'sharded', shards: null }],
    ["missing property 'interval'", { serviceMonitor: { ...enabled, interval: null } }],
    ["missing property 'secretName'", { tls: { secretName: null } }],
    ["missing property 'nodeProxy'", { nodeProxy: null }],
    ['/shards', { shards: 1_001 }],
    ['Set both to one port', { networkPolicy: enabled, config: { kubelet: { port: 10_251 } } }],
    ["missing property 'namespace'", { reader: { subjects: [{ kind: 'ServiceAccount', name: 'bot' }] } }],
    ['/reader/subjects/0/namespace', { reader: { subjects: [{ kind: 'Group', name: 'all', namespace: 'shop' }] } }],
    ['/reader/subjects/0/kind', { reader: { subjects: [{ kind: 'Groups', name: 'all' }] } }],
    ['no Role to bind them to', { reader: { create: false, subjects: [{ kind: 'Group', name: 'all' }] } }],
    ['no Role to bind them to', { mode: 'node-local', reader: { subjects: [{ kind: 'Group', name: 'all' }] } }],
    ['Use nodeProxy.enabled', { config: { kubelet: { access: 'proxy' } } }],
    ['Use nodesConfigz.enabled', { config: { kubelet: { readConfig: true } } }],
    ['Use kubernetesAuthorization.enabled', { config: { web: { authorization: 'kubernetes' } } }],
    ['extraVolumes: the chart has a volume named tls', { extraVolumes: [{ name: 'tls', emptyDir: {} }] }],
    ['agent.enabled and mode deployment', { agent: enabled }],
    ['config.agent.sampleInterval and agent.enabled false', { config: { agent: { sampleInterval: '1s' } } }],
    ['Use agent.enabled instead', { mode: 'node-local', config: { agent: { enabled: true } } }],
    [
      'named host-cgroup',
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
      ...everyValue('sharded'),
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
      renderOnce({ ...plain, dashboards: { ...enabled, namespace } })
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
      renderOnce({
        ...opted,
        nodeProxy: enabled,
        nodesConfigz: enabled,
        tls: { secretName: 'tls' },
        mode,
        agent: { enabled: mode === 'node-local' },
      })
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
      const [pod] = workloadsOf(renderOnce({ ...plain, config: { evictions: { file } } }));
      expect(listAt(pod?.pod, 'volumes').map(({ name }) => name)).toEqual(['config']);
      const [container] = pod?.containers ?? [];
      expect([listAt(container, 'volumeMounts').length, container?.['env']]).toEqual([1, undefined]);
    },
  );

  const owned = { persistentVolumeClaim: { claimName: 'ephemeral-storage-exporter' } };
  const folder = { hostPath: { path: '/var/lib/exporter' } };
  it.each([
    { mode: 'deployment', evictions: { claim }, volume: owned, fsGroup: 65_532, strategy: { type: 'Recreate' } },
    {
      mode: 'deployment',
      evictions: { volume: owned },
      volume: owned,
      fsGroup: 65_532,
      strategy: { type: 'Recreate' },
    },
    {
      mode: 'sharded',
      evictions: { claim },
      fsGroup: 65_532,
      claims: [{ metadata: { name: 'evictions' }, spec: claim }],
    },
    { mode: 'node-local', evictions: { volume: folder }, volume: folder },
  ])('the chart keeps evictions over rollouts: $mode $evictions', ({ mode, evictions, volume, fsGroup, ...spec }) => {
    const [workload] = workloadsOf(renderOnce({ ...plain, mode, evictions }));
    const volumes = listAt(workload?.pod, 'volumes').filter(({ name }) => name === 'evictions');
    expect(volumes).toEqual(volume === undefined ? [] : [{ name: 'evictions', ...volume }]);
    expect(at(workload?.pod, 'securityContext', 'fsGroup')).toBe(fsGroup);
    expect(at(workload?.object, 'spec', 'volumeClaimTemplates')).toEqual(
      spec.claims?.map((template) => ({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', ...template })),
    );
    expect(at(workload?.object, 'spec', 'strategy')).toEqual(spec.strategy);
  });

  it.each([
    ['registry.example:5000/a/b', 'mirror.example/a/b'],
    ['localhost/a', 'mirror.example/a'],
    ['a/b.c', 'mirror.example/a/b.c'],
  ])('the chart takes the image %s from the registry of all charts', (repository, expected) => {
    const objects = renderOnce({ ...plain, global: { imageRegistry: 'mirror.example' }, image: { repository } });
    expect(exporterOf(objects)['image']).toBe(`${expected}:0.1.0`);
  });

  it('the chart takes keys without a value as empty', () => {
    const empty = (keys: string): Json => Object.fromEntries(keys.split(' ').map((key) => [key, null]));
    const rules = withRules(empty('alerts alertLabels disabled optionalAlerts'));
    const others = empty('extraEnv podLabels podAnnotations commonLabels commonAnnotations config global');
    for (const helm of helmNames) {
      const { status, out } = runHelm(helm, ['template', chartFolder], { ...others, ...rules });
      expect(status).toBe(0);
      expect(out).toContain('alert: EphemeralStorageNearLimit');
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
    const objectsWith = (values: Json): readonly KubeObject[] => {
      const global = { imageRegistry: 'registry.example.com', imagePullSecrets: ['shared'], storageClass: 'fast' };
      const { out, error } = runHelm(helm, ['template', 'r', folder.path], { global, [name]: values });
      expect(error).toBe('');
      return objectsOf(out, helm);
    };
    const image = { repository: `registry.example.com/${name}` };
    const [workload] = workloadsOf(objectsWith({ enabled: true, image, 'x-anchors': {} }));
    expect(workload?.containers.map((container) => container['image'])).toEqual([`registry.example.com/${name}:0.1.0`]);
    expect(workload?.pod['imagePullSecrets']).toEqual([{ name: 'shared' }]);
    expect(objectsWith({ enabled: false })).toEqual([]);
  });

  it.each(helmNames)('the chart is packaged by %s with its rules and dashboards', async (helm) => {
    await using folder = await temporaryFolder();
    const packaged = spawnSync(helm, ['package', chartFolder, '--destination', folder.path], { encoding: 'utf8' });
    expect(packaged).toMatchObject({ status: 0, stderr: '' });
    const archive = path.join(folder.path, 'ephemeral-storage-exporter-0.1.0.tgz');
    const listed = spawnSync('tar', ['-tzf', archive], { encoding: 'utf8' }).stdout.split('\n');
    expect(listed.filter((file) => /\/rules\/.*\.yaml$|\/dashboards\/.*\.json$/.test(file))).toHaveLength(8);
    // A release keeps the chart in a Secret, encoded twice; Secrets have at most 1 MiB.
    expect(readFileSync(archive).byteLength).toBeLessThan(400_000);
  });
});

describe.skipIf(!hasHelm || !canRender())('the chart and kustomize (need helm3, helm4 and kubectl 1.27)', () => {
  it.each(modes)('chart and kustomize render the same objects for %s but for names and labels', (mode) => {
    expect(normalForm(renderOnce({ ...plain, mode }))).toEqual(normalForm(renderOverlay(mode)));
  });

  it('chart and kustomize render the same objects for node-local with the agent, as the README shows', () => {
    const [, , , , agent = ''] = readmeBlocks('Your image, namespace and settings', 'yaml');
    const objects = renderOwn({ text: `resources: [MANIFESTS/overlays/node-local]\n${agent}` });
    expect(normalForm(renderOnce({ ...plain, mode: 'node-local', agent: enabled }))).toEqual(normalForm(objects));
  });

  it.each(modes)('chart and kustomize render the same objects for %s with components', (mode) => {
    expect(normalForm(renderOnce({ ...opted, mode }))).toEqual(normalForm(renderOptedIn(mode, componentNames)));
  });
});

describe.skipIf(!hasHelm || !hasOpenApi())('objects of the chart (needs helm4, kubeconform and OpenAPI)', () => {
  it.each(openApiVersions())('the chart is valid for Kubernetes %s, and a misspelt field is not', (version) => {
    const objects = cases.flatMap(({ values }) => ofKubernetes(renderOnce(values)));
    const workload = JSON.stringify(objects.find(({ kind }) => kind === 'StatefulSet'));
    const misspelt = JSON.parse(workload.replace('"readinessProbe"', '"readinesProbe"')) as KubeObject;
    const { validCount, faults } = validate(version, [...objects, misspelt]);
    expect(faults).toEqual([expect.stringContaining('readinesProbe')]);
    expect(validCount).toBe(objects.length);
  });
});
