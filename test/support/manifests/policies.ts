/** The policies for every set of objects that a user may apply. */
import { at, isObject, type Json, type KubeObject, listAt } from './documents.js';

const exporterName = 'ephemeral-storage-exporter';
const workloadKinds = ['Deployment', 'StatefulSet', 'DaemonSet'];
/** The service account of Prometheus in kube-prometheus: no object of these manifests. */
const prometheusAccount = 'prometheus-k8s';
const clusterWideKinds = ['Namespace', 'ClusterRole', 'ClusterRoleBinding'];

export interface Workload {
  readonly object: KubeObject;
  readonly podLabels: Json;
  readonly pod: Json;
  readonly containers: readonly Json[];
}

export function workloadsOf(objects: readonly KubeObject[]): readonly Workload[] {
  return objects
    .filter(({ kind }) => workloadKinds.includes(kind))
    .map((object) => {
      const pod = at(object, 'spec', 'template', 'spec');
      if (!isObject(pod)) throw new Error(`${object.kind} ${object.metadata.name} has no pod template`);
      const podLabels = at(object, 'spec', 'template', 'metadata', 'labels');
      const containers = [...listAt(pod, 'initContainers'), ...listAt(pod, 'containers')];
      return { object, pod, podLabels: isObject(podLabels) ? podLabels : {}, containers };
    });
}

/** The exporter's container. Throws unless there is exactly one. */
export function exporterOf(objects: readonly KubeObject[]): Json {
  const [container, ...others] = workloadsOf(objects)
    .flatMap(({ containers }) => containers)
    .filter(({ name }) => name === 'exporter');
  if (container === undefined || others.length > 0) throw new Error('not exactly one exporter');
  return container;
}

/** The text of its configuration file. */
export function configOf(objects: readonly KubeObject[]): string {
  const maps = objects.filter(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === exporterName);
  const text = at(maps[0], 'data', 'config.yaml');
  if (maps.length !== 1 || typeof text !== 'string') throw new Error('not exactly one config.yaml');
  return text;
}

function subjectsOf(binding: Json): readonly Json[] {
  return listAt(binding, 'subjects').filter(({ name }) => name !== prometheusAccount);
}

/** The Role for people with the command line. */
function readerRoleOf(objects: readonly KubeObject[]): KubeObject | undefined {
  return objects.find(({ kind, metadata }) => kind === 'Role' && metadata.name.endsWith('-reader'));
}

/** What that Role grants, as `verb resource [names]`; empty without one. */
export function readerGrantsOf(objects: readonly KubeObject[]): readonly string[] {
  return listAt(readerRoleOf(objects), 'rules').map((rule) => {
    const { verbs, resources, resourceNames = [] } = rule as Readonly<Record<string, readonly string[]>>;
    return [verbs?.join(), resources?.join(), ...resourceNames].join(' ');
  });
}

/** What the roles grant to the exporter, such as `get nodes/stats`, sorted. */
export function grantsOf(objects: readonly KubeObject[]): readonly string[] {
  const othersRoles = objects
    .filter((object) => object.kind.endsWith('RoleBinding') && subjectsOf(object).length === 0)
    .map((binding) => at(binding, 'roleRef', 'name'));
  const readerRole = readerRoleOf(objects);
  const rules = objects
    .filter((object) => object.kind.endsWith('Role') && object !== readerRole)
    .filter(({ metadata }) => !othersRoles.includes(metadata.name))
    .flatMap((role) => listAt(role, 'rules'));
  return rules
    .flatMap((rule) => {
      const { verbs, apiGroups, resources, ...others } = rule as Readonly<Record<string, readonly string[]>>;
      if (Object.keys(others).length > 0) return [`something by ${Object.keys(others).join()}`];
      return (apiGroups ?? []).flatMap((group) =>
        (verbs ?? []).flatMap((verb) =>
          (resources ?? []).map((resource) => `${verb} ${group === '' ? '' : `${group}/`}${resource}`),
        ),
      );
    })
    .sort();
}

type Check = (container: Json) => boolean;

/** https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted, and a file system for reading only. */
const securityChecks: Readonly<Record<string, Check>> = {
  'allowPrivilegeEscalation is not false': (container) =>
    at(container, 'securityContext', 'allowPrivilegeEscalation') === false,
  'the root file system can be written to': (container) =>
    at(container, 'securityContext', 'readOnlyRootFilesystem') === true,
  'it has capabilities': (container) =>
    JSON.stringify(at(container, 'securityContext', 'capabilities')) === '{"drop":["ALL"]}',
  'it is privileged': (container) => at(container, 'securityContext', 'privileged') === undefined,
  'it undoes what the pod says': (container) =>
    ['runAsNonRoot', 'runAsUser', 'seccompProfile'].every(
      (field) => at(container, 'securityContext', field) === undefined,
    ),
  'it has a port of the host': (container) =>
    listAt(container, 'ports').every((port) => port['hostPort'] === undefined),
};

const probeChecks: Readonly<Record<string, Check>> = {
  'it has no liveness probe': (container) => isObject(container['livenessProbe']),
  'it has no readiness probe': (container) => isObject(container['readinessProbe']),
  'a probe asks a port that it does not have': (container) =>
    ['startupProbe', 'livenessProbe', 'readinessProbe'].every((probe) => {
      const port = at(container, probe, 'httpGet', 'port');
      return port === undefined || listAt(container, 'ports').some(({ name }) => name === port);
    }),
};

const resourceChecks: Readonly<Record<string, Check>> = Object.fromEntries(
  [
    ['requests', 'cpu'],
    ['requests', 'memory'],
    ['requests', 'ephemeral-storage'],
    ['limits', 'memory'],
    ['limits', 'ephemeral-storage'],
  ].map((path): [string, Check] => [
    `no resources.${path.join('.')}`,
    (container) => typeof at(container, 'resources', ...path) === 'string',
  ]),
);

const imageChecks: Readonly<Record<string, Check>> = {
  'the image has no version': ({ image }) => typeof image === 'string' && /:(?!latest$)[\w.-]+$/.test(image),
};

function containerFaults(container: Json): readonly string[] {
  return [securityChecks, probeChecks, resourceChecks, imageChecks]
    .flatMap(Object.entries<Check>)
    .flatMap(([fault, holds]) => (holds(container) ? [] : [`container ${String(container['name'])}: ${fault}`]));
}

function podFaults(pod: Json): readonly string[] {
  const checks: Readonly<Record<string, boolean>> = {
    'runAsNonRoot is not true': at(pod, 'securityContext', 'runAsNonRoot') === true,
    'it runs as root': Number(at(pod, 'securityContext', 'runAsUser')) > 0,
    'seccomp is not RuntimeDefault': at(pod, 'securityContext', 'seccompProfile', 'type') === 'RuntimeDefault',
    'it shares something with the host': ['hostNetwork', 'hostPID', 'hostIPC'].every((key) => pod[key] === undefined),
    'it mounts a path of the host': listAt(pod, 'volumes').every((volume) => !('hostPath' in volume)),
    'an emptyDir can fill the disk': listAt(pod, 'volumes').every(
      (volume) => !('emptyDir' in volume) || typeof at(volume, 'emptyDir', 'sizeLimit') === 'string',
    ),
    // The drain of App, 10 s, and some more to send the last answers.
    'it is killed before its scrapes have ended': Number(pod['terminationGracePeriodSeconds']) >= 15,
  };
  return Object.entries(checks).flatMap(([fault, holds]) => (holds ? [] : [`pod: ${fault}`]));
}

/** Everything that is wrong with the objects, one line each; the grants apart, which differ. */
export function policyFaults(objects: readonly KubeObject[]): readonly string[] {
  const workloads = workloadsOf(objects);
  return [
    ...workloads.flatMap(({ pod, containers }) => [...podFaults(pod), ...containers.flatMap(containerFaults)]),
    ...referenceFaults(objects, workloads),
    ...objects.flatMap((object) => selectorFaults(object, objects, workloads)),
    ...namespaceFaults(objects),
  ];
}

function referenceFaults(objects: readonly KubeObject[], workloads: readonly Workload[]): readonly string[] {
  const has = (kind: string, name: unknown): boolean =>
    objects.some((object) => object.kind === kind && object.metadata.name === name);
  const missing = (kind: string, name: unknown): readonly string[] =>
    name === undefined || has(kind, name) ? [] : [`there is no ${kind} ${JSON.stringify(name)}`];
  return [
    ...workloads.flatMap(({ object, pod }) => [
      ...missing('ServiceAccount', pod['serviceAccountName']),
      ...missing('Service', at(object, 'spec', 'serviceName')),
      ...listAt(pod, 'volumes').flatMap((volume) => missing('ConfigMap', at(volume, 'configMap', 'name'))),
    ]),
    ...objects
      .filter(({ kind }) => kind === 'ClusterRoleBinding')
      .flatMap((binding) => [
        ...missing('ClusterRole', at(binding, 'roleRef', 'name')),
        ...subjectsOf(binding).flatMap((subject) => missing(String(subject['kind']), subject['name'])),
      ]),
  ];
}

const podSelectorPaths: Readonly<Partial<Record<string, readonly string[]>>> = {
  Service: ['spec', 'selector'],
  PodMonitor: ['spec', 'selector', 'matchLabels'],
  NetworkPolicy: ['spec', 'podSelector', 'matchLabels'],
  PodDisruptionBudget: ['spec', 'selector', 'matchLabels'],
};

/** What selects nothing, or asks a port by a name that what it selects does not have. */
function selectorFaults(
  object: KubeObject,
  objects: readonly KubeObject[],
  workloads: readonly Workload[],
): readonly string[] {
  const title = `${object.kind} ${object.metadata.name}`;
  if (workloadKinds.includes(object.kind)) {
    const own = workloads.filter((workload) => workload.object === object);
    return selected(own, at(object, 'spec', 'selector', 'matchLabels')).length === 1
      ? []
      : [`${title}: the selector is not that of its own pods`];
  }
  if (object.kind === 'ServiceMonitor') {
    const services = objects
      .filter(({ kind }) => kind === 'Service')
      .filter(({ metadata }) => matches(at(object, 'spec', 'selector', 'matchLabels'), metadata['labels']));
    if (services.length !== 1) return [`${title}: selects ${String(services.length)} Services`];
    return portFaults(
      object,
      services.flatMap((service) => listAt(service, 'spec', 'ports')),
    );
  }
  const path = podSelectorPaths[object.kind];
  if (path === undefined) return [];
  const pods = selected(workloads, at(object, ...path));
  if (pods.length !== 1) return [`${title}: selects the pods of ${String(pods.length)} workloads`];
  return portFaults(
    object,
    pods.flatMap(({ containers }) => containers).flatMap((container) => listAt(container, 'ports')),
  );
}

function selected(workloads: readonly Workload[], labels: unknown): readonly Workload[] {
  return workloads.filter(({ podLabels }) => matches(labels, podLabels));
}

function matches(selector: unknown, labels: unknown): boolean {
  if (!isObject(selector) || !isObject(labels) || Object.keys(selector).length === 0) return false;
  return Object.entries(selector).every(([key, value]) => labels[key] === value);
}

function portFaults(object: KubeObject, ports: readonly Json[]): readonly string[] {
  const wanted = [
    ...listAt(object, 'spec', 'endpoints').map(({ port }) => port),
    ...listAt(object, 'spec', 'podMetricsEndpoints').map(({ port }) => port),
    ...(object.kind === 'Service' ? listAt(object, 'spec', 'ports').map(({ targetPort }) => targetPort) : []),
    ...listAt(object, 'spec', 'ingress')
      .flatMap((rule) => listAt(rule, 'ports'))
      .map(({ port }) => port),
  ];
  return wanted
    .filter((port) => !ports.some(({ name }) => name === port))
    .map((port) => `${object.kind} ${object.metadata.name}: there is no port ${String(port)}`);
}

function namespaceFaults(objects: readonly KubeObject[]): readonly string[] {
  const namespaces = new Set(
    objects.flatMap(({ kind, metadata, ...object }) => [
      ...(kind === 'Namespace' ? [metadata.name] : []),
      ...(clusterWideKinds.includes(kind) ? [] : [metadata['namespace']]),
      ...subjectsOf(object).map((subject) => subject['namespace']),
    ]),
  );
  return namespaces.size === 1 ? [] : [`namespaces: ${[...namespaces].map(String).join(', ')}`];
}
