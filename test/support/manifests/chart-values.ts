/** The values of the chart, and where each arrives. */
import { isObject, type Json, type KubeObject } from './documents.js';
import type { Mode } from './helm.js';

/**
 * A value; the kind and, after a colon, the end of the name of an object, and a path in it, or one of `paths` and what is below; and what
 * arrives there unless it is the value itself.
 */
type Arrival = readonly [value: unknown, at: string, arrives?: unknown];

const name = 'ephemeral-storage-exporter';
const image = `ghcr.io/${name}/${name}`;
const digest = `sha256:${'0'.repeat(64)}`;
const team = { 'team.example/name': 'storage' };
const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '64Mi' } } };
const spread = { maxSkew: 2, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' };
const ownPods = { matchLabels: { 'app.kubernetes.io/name': name, 'app.kubernetes.io/instance': name } };
const container = (named: string): Json => ({ name: named, image: `${named}:1` });
const ca = { configMap: { name: 'exporter-ca', key: 'ca.crt' } };
const peer = { podSelector: { matchLabels: team } };
const route = { hostnames: ['disks.example'], parentRefs: [{ name: 'gateway' }] };

const variable = (word: string): string => `EPHEMERAL_STORAGE_EXPORTER_${word}`;

/** By path, in groups with the other values without which they have no effect. */
const groups: readonly (readonly [Json, Readonly<Record<string, Arrival>>])[] = [
  [
    {},
    {
      mode: ['sharded', 'StatefulSet kind', 'StatefulSet'],
      config: [{ log: { level: 'debug' } }, 'ConfigMap data/config.yaml', 'log:\n  level: debug\n'],
      'evictions.claim': [claim, 'PersistentVolumeClaim spec'],
      'global.imageRegistry': ['mirror.example', 'EXPORTER/image', `mirror.example/${name}/${name}:0.1.0`],
      'global.imagePullSecrets': [['shared'], 'POD/imagePullSecrets', [{ name: 'shared' }]],
      'image.repository': ['mirror/exporter', 'EXPORTER/image', 'mirror/exporter:0.1.0'],
      'image.tag': ['0.1.1', 'EXPORTER/image', `${image}:0.1.1`],
      'image.digest': [digest, 'EXPORTER/image', `${image}@${digest}`],
      'image.pullPolicy': ['Always', 'EXPORTER/imagePullPolicy'],
      imagePullSecrets: [[{ name: 'registry' }], 'POD/imagePullSecrets'],
      nameOverride: ['disks', 'Service metadata/name', `${name}-disks`],
      fullnameOverride: ['disks', 'Service metadata/name'],
      namespaceOverride: ['disks', 'ClusterRoleBinding subjects/0/namespace'],
      commonLabels: [team, 'Deployment spec/template/metadata/labels'],
      commonAnnotations: [team, 'Deployment spec/template/metadata/annotations'],
      extraManifests: [
        ['{apiVersion: v1, kind: Secret, metadata: {name: {{ .Release.Name }}-token}}'],
        'Secret metadata/name',
        `${name}-token`,
      ],
      resources: [{ limits: { memory: '2Gi' } }, 'EXPORTER/resources/limits/memory', '2Gi'],
      nodeSelector: [{ disk: 'ssd' }, 'POD/nodeSelector', { disk: 'ssd', 'kubernetes.io/os': 'linux' }],
      tolerations: [[{ key: 'dedicated', operator: 'Exists' }], 'POD/tolerations'],
      affinity: [{ podAntiAffinity: {} }, 'POD/affinity'],
      topologySpreadConstraints: [[spread], 'POD/topologySpreadConstraints', [{ ...spread, labelSelector: ownPods }]],
      updateStrategy: [{ rollingUpdate: { maxUnavailable: 1 } }, 'Deployment spec/strategy'],
      podDisruptionBudget: [{ minAvailable: 1 }, 'PodDisruptionBudget spec/minAvailable', 1],
      workloadAnnotations: [team, 'Deployment metadata/annotations'],
      podLabels: [team, 'Deployment spec/template/metadata/labels'],
      podAnnotations: [team, 'Deployment spec/template/metadata/annotations'],
      priorityClassName: ['monitoring', 'POD/priorityClassName'],
      revisionHistoryLimit: [0, 'Deployment spec/revisionHistoryLimit'],
      terminationGracePeriodSeconds: [60, 'POD/terminationGracePeriodSeconds'],
      hostNetwork: [true, 'POD/dnsPolicy', 'ClusterFirstWithHostNet'],
      dnsPolicy: ['Default', 'POD/dnsPolicy'],
      dnsConfig: [{ nameservers: ['10.0.0.10'] }, 'POD/dnsConfig'],
      startupProbe: [{ failureThreshold: 60 }, 'EXPORTER/startupProbe/failureThreshold', 60],
      livenessProbe: [{ timeoutSeconds: 9 }, 'EXPORTER/livenessProbe/timeoutSeconds', 9],
      readinessProbe: [{ periodSeconds: 5 }, 'EXPORTER/readinessProbe/periodSeconds', 5],
      podSecurityContext: [{ supplementalGroups: [1] }, 'POD/securityContext/supplementalGroups', [1]],
      securityContext: [{ runAsGroup: 1 }, 'EXPORTER/securityContext/runAsGroup', 1],
      extraArgs: [['--log.format=json'], 'EXPORTER/args/2', '--log.format=json'],
      extraEnv: [[{ name: 'TZ', value: 'UTC' }], 'EXPORTER/env/1/value', 'UTC'],
      extraVolumes: [[{ name: 'ca', configMap: { name: 'kubelet-ca' } }], 'POD/volumes/2/name', 'ca'],
      extraVolumeMounts: [[{ name: 'ca', mountPath: '/ca' }], 'EXPORTER/volumeMounts/2/name', 'ca'],
      extraContainers: [[container('proxy')], 'POD/containers/1', container('proxy')],
      initContainers: [[container('folder')], 'POD/initContainers'],
      'serviceAccount.create': [false, 'ServiceAccount kind', undefined],
      'serviceAccount.name': ['reader', 'POD/serviceAccountName'],
      'serviceAccount.annotations': [team, 'ServiceAccount metadata/annotations'],
      'rbac.create': [false, 'ClusterRole kind', undefined],
      'reader.create': [false, 'Role kind', undefined],
      'reader.subjects': [[{ kind: 'Group', name: 'developers' }], 'RoleBinding subjects'],
      'nodesConfigz.enabled': [true, 'EXPORTER/env/1/name', variable('KUBELET_READ_CONFIG')],
      'nodeProxy.enabled': [true, 'EXPORTER/env/1/name', variable('KUBELET_ACCESS')],
      'kubernetesAuthorization.enabled': [true, 'EXPORTER/env/1/name', variable('WEB_AUTHORIZATION')],
      'tls.secretName': ['exporter-tls', 'POD/volumes/2/secret/secretName'],
      'service.annotations': [team, 'Service metadata/annotations'],
      'service.labels': [team, 'Service metadata/labels'],
      'service.port': [9000, 'EXPORTER/args/2', '--web.listen-address=:9000'],
      'service.type': ['NodePort', 'Service spec/type'],
      'service.clusterIP': ['10.0.0.9', 'Service spec/clusterIP'],
      'service.ipFamilyPolicy': ['PreferDualStack', 'Service spec/ipFamilyPolicy'],
      'serviceMonitor.enabled': [true, 'ServiceMonitor kind', 'ServiceMonitor'],
      'prometheusRule.enabled': [true, 'PrometheusRule kind', 'PrometheusRule'],
      'dashboards.enabled': [true, 'ConfigMap:-dashboard-node kind', 'ConfigMap'],
      'networkPolicy.enabled': [true, 'NetworkPolicy kind', 'NetworkPolicy'],
      'testPod.enabled': [false, 'Pod kind', undefined],
    },
  ],
  [{ service: { type: 'NodePort' } }, { 'service.nodePort': [30_000, 'Service spec/ports/0/nodePort'] }],
  [{ mode: 'sharded' }, { shards: [5, 'StatefulSet spec/replicas'] }],
  [
    { mode: 'node-local' },
    {
      'agent.enabled': [true, 'DaemonSet spec/template/spec/volumes/0/hostPath/path', '/sys/fs/cgroup'],
      'evictions.volume': [
        { hostPath: { path: '/var/lib/exporter' } },
        'DaemonSet spec/template/spec/volumes/1/hostPath/path',
        '/var/lib/exporter',
      ],
    },
  ],
  [
    { extraVolumeMounts: [{ name: 'token' }] },
    { automountServiceAccountToken: [false, 'POD/automountServiceAccountToken'] },
  ],
  [
    { kubernetesAuthorization: { enabled: true } },
    {
      'kubernetesAuthorization.prometheus.serviceAccountName': ['p', 'ClusterRoleBinding::metrics subjects/0/name'],
      'kubernetesAuthorization.prometheus.namespace': ['p', 'ClusterRoleBinding::metrics subjects/0/namespace'],
    },
  ],
  [{ ingress: { hosts: ['disks.example'] } }, { 'ingress.enabled': [true, 'Ingress kind', 'Ingress'] }],
  [
    { ingress: { enabled: true, hosts: ['disks.example'] } },
    {
      'ingress.annotations': [team, 'Ingress metadata/annotations'],
      'ingress.labels': [team, 'Ingress metadata/labels'],
      'ingress.className': ['nginx', 'Ingress spec/ingressClassName'],
      'ingress.hosts': [['a.example', 'b.example'], 'Ingress spec/rules/1/host', 'b.example'],
      'ingress.tls': [[{ secretName: 'page' }], 'Ingress spec/tls'],
    },
  ],
  [{ httpRoute: route }, { 'httpRoute.enabled': [true, 'HTTPRoute kind', 'HTTPRoute'] }],
  [
    { httpRoute: { enabled: true, ...route } },
    {
      'httpRoute.annotations': [team, 'HTTPRoute metadata/annotations'],
      'httpRoute.labels': [team, 'HTTPRoute metadata/labels'],
      'httpRoute.parentRefs': [[{ name: 'other' }], 'HTTPRoute spec/parentRefs'],
      'httpRoute.hostnames': [['a.example'], 'HTTPRoute spec/hostnames'],
      'httpRoute.filters': [
        [{ type: 'ResponseHeaderModifier', responseHeaderModifier: { remove: ['server'] } }],
        'HTTPRoute spec/rules/0/filters/0/type',
        'ResponseHeaderModifier',
      ],
    },
  ],
  [
    { serviceMonitor: { enabled: true } },
    {
      'serviceMonitor.kind': ['PodMonitor', 'PodMonitor spec/podMetricsEndpoints/0/port', 'metrics'],
      'serviceMonitor.namespace': ['watched', 'ServiceMonitor spec/namespaceSelector/matchNames', [name]],
      'serviceMonitor.additionalLabels': [team, 'ServiceMonitor metadata/labels'],
      'serviceMonitor.annotations': [team, 'ServiceMonitor metadata/annotations'],
      'serviceMonitor.interval': ['30s', 'ENDPOINT/interval'],
      'serviceMonitor.scrapeTimeout': ['20s', 'ENDPOINT/scrapeTimeout'],
      'serviceMonitor.honorLabels': [false, 'ENDPOINT/honorLabels', undefined],
      'serviceMonitor.jobLabel': ['team', 'ServiceMonitor spec/jobLabel'],
      'serviceMonitor.targetLabels': [['team'], 'ServiceMonitor spec/targetLabels'],
      'serviceMonitor.podTargetLabels': [['team'], 'ServiceMonitor spec/podTargetLabels'],
      'serviceMonitor.sampleLimit': [600_000, 'ServiceMonitor spec/sampleLimit'],
      'serviceMonitor.proxyUrl': ['http://proxy.example', 'ENDPOINT/proxyUrl'],
      'serviceMonitor.authorization': [
        { credentials: { name: 'prometheus-token', key: 'token' } },
        'ENDPOINT/authorization',
      ],
      'serviceMonitor.relabelings': [
        [{ action: 'replace', targetLabel: 'cluster', replacement: 'eu' }],
        'ENDPOINT/relabelings/2/replacement',
        'eu',
      ],
      'serviceMonitor.metricRelabelings': [[{ action: 'labeldrop', regex: 'x' }], 'ENDPOINT/metricRelabelings'],
    },
  ],
  [
    { serviceMonitor: { enabled: true }, tls: { secretName: 'exporter-tls' } },
    { 'serviceMonitor.tlsConfig': [{ ca, serverName: 'x' }, 'ENDPOINT/tlsConfig'] },
  ],
  [
    { prometheusRule: { enabled: true } },
    {
      'prometheusRule.kind': ['VMRule', 'VMRule apiVersion', 'operator.victoriametrics.com/v1beta1'],
      'prometheusRule.namespace': ['watched', 'PrometheusRule metadata/namespace'],
      'prometheusRule.additionalLabels': [team, 'PrometheusRule metadata/labels'],
      'prometheusRule.annotations': [team, 'PrometheusRule metadata/annotations'],
      'prometheusRule.alertLabels': [{ team: 'x' }, 'RULES/EphemeralStorageNearLimit/labels/team', 'x'],
      'prometheusRule.alerts': [
        { EphemeralStorageNearLimit: { for: '1h' } },
        'RULES/EphemeralStorageNearLimit/for',
        '1h',
      ],
      'prometheusRule.disabled': [['EphemeralStoragePodEvicted'], 'RULES/EphemeralStoragePodEvicted/alert', undefined],
      'prometheusRule.optionalAlerts': [
        ['EphemeralStorageNodeDataGaps'],
        'RULES/EphemeralStorageNodeDataGaps/alert',
        'EphemeralStorageNodeDataGaps',
      ],
    },
  ],
  [
    { dashboards: { enabled: true } },
    {
      'dashboards.labels': [team, 'ConfigMap:-dashboard-node metadata/labels'],
      'dashboards.annotations': [team, 'ConfigMap:-dashboard-node metadata/annotations'],
      'dashboards.namespace': ['watched', 'ConfigMap:-dashboard-node metadata/namespace'],
    },
  ],
  [
    { networkPolicy: { enabled: true } },
    {
      'networkPolicy.annotations': [team, 'NetworkPolicy metadata/annotations'],
      'networkPolicy.from': [[peer], 'NetworkPolicy spec/ingress/0/from/0', peer],
      'networkPolicy.apiServerPorts': [[8080], 'NetworkPolicy spec/egress/1/ports/0/port', 8080],
      'networkPolicy.kubeletPort': [10_251, 'NetworkPolicy spec/egress/2/ports/0/port'],
      'networkPolicy.extraEgress': [[{ ports: [{ port: 8443 }] }], 'NetworkPolicy spec/egress/3/ports/0/port', 8443],
    },
  ],
];

const paths: Readonly<Record<string, string>> = {
  POD: 'Deployment spec/template/spec',
  EXPORTER: 'Deployment spec/template/spec/containers/0',
  ENDPOINT: 'ServiceMonitor spec/endpoints/0',
  RULES: 'PrometheusRule spec/groups',
};

/** What is at a path of the objects; an alert is found by its name in groups of rules. */
export function found(objects: readonly KubeObject[], at: string): unknown {
  const whole = at.replace(/^[A-Z]+(?=\/)/, (word) => paths[word] ?? word);
  const [, kind, end = '', path = ''] = /^(\w+):?(\S*) (.*)$/.exec(whole) ?? [];
  const object = objects.find((one) => one.kind === kind && one.metadata.name.endsWith(end));
  return path.split('/').reduce<unknown>((inner, key) => {
    if (Array.isArray(inner) && !/^\d+$/.test(key))
      return inner.flatMap(({ rules }: Json) => rules as Json[]).find(({ alert }) => alert === key);
    return isObject(inner) || Array.isArray(inner) ? (inner as Json)[key] : undefined;
  }, object);
}

/** Both, the second where they differ; sections key by key. */
function merged(one: Json, other: Json): Json {
  const entries = Object.entries(other).map(([key, value]) => {
    const own = one[key];
    return [key, isObject(own) && isObject(value) ? merged(own, value) : value] as const;
  });
  return { ...one, ...Object.fromEntries(entries) };
}

const nested = (path: string, value: unknown): Json =>
  path.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Json;

/** Each value, with where it arrives and what; `without` are the values without it, `values` those with it. */
export const arrivals = groups.flatMap(([without, rows]) =>
  Object.entries(rows).map(([path, row]) => {
    const [value, at] = row;
    const values = merged(without, nested(path, value));
    return { path, at, arrives: row.length === 3 ? row[2] : value, without, values };
  }),
);

/** Values that leave out what others are about, or that exclude others. */
const exclusive =
  /^(?:mode|\w+\.(?:create|kind)|testPod\..*|automountServiceAccountToken|hostNetwork|image\.repository|service\.clusterIP)$/;

const excluded: Readonly<Record<Mode, RegExp>> = {
  deployment: /^(?:agent|evictions\.volume)/,
  sharded: /^(?:agent|evictions\.volume|ingress|httpRoute|service\.(?:type|nodePort))/,
  'node-local': /^(?:evictions\.claim|ingress|httpRoute|reader)/,
};

/** Every value at once that a mode takes. */
export const everyValue = (mode: Mode): Json =>
  arrivals
    .filter(({ path }) => !exclusive.test(path) && !excluded[mode].test(path))
    .reduce<Json>((all, { values }) => ({ ...merged(all, values), mode }), {});
