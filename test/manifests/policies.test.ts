import { expect, it } from 'vitest';

import type { Json, KubeObject } from '../support/manifests/documents.js';
import { grantsOf, policyFaults, readerGrantsOf } from '../support/manifests/policies.js';

const labels = { app: 'exporter' };

interface Planted {
  readonly container?: Json;
  readonly securityContext?: Json;
  readonly pod?: Json;
  readonly podLabels?: Json;
  readonly service?: Json;
  readonly subject?: Json;
  readonly more?: readonly KubeObject[];
}

const named = (kind: string, rest: Json = {}, metadata: Json = { namespace: 'n' }): KubeObject => ({
  apiVersion: 'any',
  kind,
  metadata: { name: 'exporter', labels, ...metadata },
  ...rest,
});

/** Valid objects with one planted fault. */
function objectsWith(planted: Planted = {}): readonly KubeObject[] {
  const container = {
    name: 'exporter',
    image: 'exporter:1.0.0',
    ports: [{ name: 'metrics', containerPort: 1 }],
    livenessProbe: { httpGet: { path: '/livez', port: 'metrics' } },
    readinessProbe: { httpGet: { path: '/readyz', port: 'metrics' } },
    resources: {
      requests: { cpu: '1', memory: '1Gi', 'ephemeral-storage': '1Gi' },
      limits: { memory: '1Gi', 'ephemeral-storage': '1Gi' },
    },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
      ...planted.securityContext,
    },
    ...planted.container,
  };
  const pod = {
    serviceAccountName: 'exporter',
    terminationGracePeriodSeconds: 20,
    securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [container],
    volumes: [{ name: 'config', configMap: { name: 'exporter' } }],
    ...planted.pod,
  };
  const template = { metadata: { labels: { ...labels, ...planted.podLabels } }, spec: pod };
  return [
    named('ServiceAccount'),
    named('ConfigMap'),
    named('Deployment', { spec: { selector: { matchLabels: labels }, template } }),
    named('Service', { spec: { selector: labels, ports: [{ targetPort: 'metrics' }], ...planted.service } }),
    named('ClusterRole', {}, {}),
    named(
      'ClusterRoleBinding',
      {
        roleRef: { name: 'exporter' },
        subjects: [{ kind: 'ServiceAccount', name: 'exporter', namespace: 'n', ...planted.subject }],
      },
      {},
    ),
    ...(planted.more ?? []),
  ];
}

it('policies accept valid objects', () => {
  expect(policyFaults(objectsWith())).toEqual([]);
});

it.each<Planted & { readonly fault: RegExp }>([
  { securityContext: { allowPrivilegeEscalation: true }, fault: /allowPrivilegeEscalation/ },
  { securityContext: { readOnlyRootFilesystem: undefined }, fault: /root file system/ },
  { securityContext: { capabilities: { drop: ['ALL'], add: ['SYS_ADMIN'] } }, fault: /capabilities/ },
  { securityContext: { privileged: true }, fault: /privileged/ },
  { securityContext: { runAsUser: 0 }, fault: /undoes/ },
  { container: { ports: [{ name: 'metrics', hostPort: 1 }] }, fault: /port of the host/ },
  { container: { livenessProbe: undefined }, fault: /no liveness probe/ },
  { container: { readinessProbe: null }, fault: /no readiness probe/ },
  { container: { startupProbe: { httpGet: { port: 'http' } } }, fault: /a port that it does not have/ },
  { container: { resources: { requests: { cpu: '1' } } }, fault: /no resources\.limits\.memory/ },
  { container: { image: 'exporter' }, fault: /no version/ },
  { container: { image: 'exporter:latest' }, fault: /no version/ },
  { pod: { securityContext: { runAsUser: 1 } }, fault: /runAsNonRoot/ },
  { pod: { hostNetwork: true }, fault: /shares something with the host/ },
  { pod: { volumes: [{ name: 'a', hostPath: { path: '/' } }] }, fault: /path of the host/ },
  { pod: { volumes: [{ name: 'a', emptyDir: {} }] }, fault: /emptyDir can fill the disk/ },
  { pod: { terminationGracePeriodSeconds: 5 }, fault: /before its scrapes have ended/ },
  { pod: { serviceAccountName: 'other' }, fault: /no ServiceAccount "other"/ },
  { pod: { volumes: [{ name: 'a', configMap: { name: 'other' } }] }, fault: /no ConfigMap "other"/ },
  { podLabels: { app: 'other' }, fault: /Deployment exporter: the selector/ },
  { service: { selector: { app: 'other' } }, fault: /Service exporter: selects the pods of 0/ },
  { service: { selector: {} }, fault: /Service exporter: selects the pods of 0/ },
  { service: { ports: [{ targetPort: 'http' }] }, fault: /no port http/ },
  { subject: { namespace: 'other' }, fault: /namespaces: n, other/ },
  { more: [named('PodMonitor', { spec: { selector: { matchLabels: { app: 'b' } } } })], fault: /PodMonitor.*of 0/ },
  {
    more: [named('ServiceMonitor', { spec: { selector: { matchLabels: labels }, endpoints: [{ port: 'web' }] } })],
    fault: /no port web/,
  },
  {
    more: [
      named('NetworkPolicy', {
        spec: { podSelector: { matchLabels: labels }, ingress: [{ ports: [{ port: 'web' }] }] },
      }),
    ],
    fault: /no port web/,
  },
  { more: [named('ConfigMap', {}, { namespace: undefined })], fault: /namespaces: n, undefined/ },
])('policies find $fault', ({ fault, ...planted }) => {
  expect(policyFaults(objectsWith(planted)).join('\n')).toMatch(fault);
});

it('policies list every grant of all kinds of roles', () => {
  const role = (kind: string, rules: readonly Json[]): KubeObject => named(kind, { rules });
  expect(
    grantsOf([
      role('ClusterRole', [{ apiGroups: ['', 'apps'], resources: ['*'], verbs: ['get'] }]),
      role('Role', [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }]),
    ]),
  ).toEqual(['get *', 'get apps/*', 'something by nonResourceURLs']);
});

it('policies list what readers are granted apart, with the names', () => {
  const rule = { apiGroups: [''], resources: ['services/proxy'], verbs: ['get'], resourceNames: ['a:web', 'b:web'] };
  const objects = [named('Role', { rules: [rule] }, { name: 'exporter-reader', namespace: 'n' })];
  expect(readerGrantsOf(objects)).toEqual(['get services/proxy a:web b:web']);
  expect(grantsOf(objects)).toEqual([]);
  expect(readerGrantsOf(objectsWith())).toEqual([]);
});
