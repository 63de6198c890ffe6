import type { ApiObject, StoredObject } from '../api-server/versioned-objects.js';
import { humanDuration, quantity, timestamp } from './object-format.js';
import { requestOf } from './pod-resources.js';
import { imageOf, isInitContainer, isTerminal, kindOf, type SimulatedPod } from './simulated-pod.js';
import { podStatus } from './simulated-pod-status.js';
import type { ContainerSpec, OwnerSpec, PodSpec, VolumeSource, VolumeSpec } from './specs.js';

/** The pod as the API server returns it. */
export function podObject(pod: SimulatedPod): StoredObject {
  const { spec } = pod;
  return {
    resource: 'pods',
    object: { metadata: metadata(pod), spec: podSpec(spec), status: podStatus(pod) },
    fields: {
      'metadata.name': spec.name,
      'metadata.namespace': spec.namespace,
      'spec.nodeName': spec.nodeName ?? '',
      'status.phase': pod.phase,
    },
    cells: (nowMs) => cells(pod, nowMs),
  };
}

function metadata(pod: SimulatedPod): ApiObject['metadata'] {
  const { spec, deletedAtMs } = pod;
  const annotations = { ...spec.annotations, ...(spec.isStatic === true && mirrorAnnotations(pod)) };
  const owner = ownerReference(pod);
  return {
    name: spec.name,
    namespace: spec.namespace,
    uid: pod.uid,
    resourceVersion: '',
    creationTimestamp: timestamp(pod.createdAtMs),
    ...(deletedAtMs !== undefined && {
      deletionTimestamp: timestamp(deletedAtMs),
      deletionGracePeriodSeconds: isTerminal(pod) ? 0 : 30,
    }),
    ...(spec.labels !== undefined && { labels: spec.labels }),
    ...(Object.keys(annotations).length > 0 && { annotations }),
    ...(owner !== undefined && { ownerReferences: [owner] }),
  };
}

function mirrorAnnotations(pod: SimulatedPod): Record<string, string> {
  return {
    'kubernetes.io/config.hash': pod.kubeletUid,
    'kubernetes.io/config.mirror': pod.kubeletUid,
    'kubernetes.io/config.seen': timestamp(pod.createdAtMs),
    'kubernetes.io/config.source': 'file',
  };
}

const ownerApiVersions: Readonly<Record<OwnerSpec['kind'], string>> = {
  ReplicaSet: 'apps/v1',
  StatefulSet: 'apps/v1',
  DaemonSet: 'apps/v1',
  Job: 'batch/v1',
  EphemeralRunner: 'actions.github.com/v1alpha1',
  Sandbox: 'agents.x-k8s.io/v1alpha1',
};

function ownerReference({ spec, ownerUid }: SimulatedPod): object | undefined {
  if (spec.isStatic === true) {
    return { apiVersion: 'v1', kind: 'Node', name: spec.nodeName, uid: ownerUid, controller: true };
  }
  if (spec.owner === undefined) return undefined;
  const { kind, name } = spec.owner;
  return {
    apiVersion: ownerApiVersions[kind],
    kind,
    name,
    uid: ownerUid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

function podSpec(spec: PodSpec): object {
  const initContainers = spec.containers.filter(isInitContainer);
  const ephemeralContainers = spec.containers.filter((container) => kindOf(container) === 'ephemeral');
  return {
    ...(spec.volumes !== undefined && { volumes: spec.volumes.map(volumeObject) }),
    ...(initContainers.length > 0 && {
      initContainers: initContainers.map((container) => containerObject(container, spec)),
    }),
    containers: spec.containers
      .filter((container) => kindOf(container) === 'app')
      .map((container) => containerObject(container, spec)),
    ...(ephemeralContainers.length > 0 && {
      ephemeralContainers: ephemeralContainers.map((container) => ({
        ...containerObject(container, spec),
        ...(container.target !== undefined && { targetContainerName: container.target }),
      })),
    }),
    restartPolicy: spec.runMs === undefined ? 'Always' : 'Never',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    ...(spec.nodeName !== undefined && { nodeName: spec.nodeName }),
    ...(spec.isStatic === true && { hostNetwork: true }),
    securityContext: {},
    schedulerName: 'default-scheduler',
    ...(spec.priorityClassName !== undefined && { priorityClassName: spec.priorityClassName }),
    priority: spec.priority ?? 0,
    preemptionPolicy: 'PreemptLowerPriority',
    ...spec.asIs,
  };
}

function containerObject(container: ContainerSpec, spec: PodSpec): object {
  const requestBytes = requestOf(container);
  const mounts = container.mounts ?? spec.volumes?.map(({ name }) => name) ?? [];
  return {
    name: container.name,
    image: imageOf(container),
    ...(container.ports !== undefined && {
      ports: container.ports.map(({ name, containerPort }) => ({ name, containerPort, protocol: 'TCP' })),
    }),
    resources: {
      ...limitsOf(container),
      ...(requestBytes !== undefined && { requests: { 'ephemeral-storage': quantity(requestBytes) } }),
    },
    ...(mounts.length > 0 && { volumeMounts: mounts.map((name) => ({ name, mountPath: `/mnt/${name}` })) }),
    ...(container.kind === 'sidecar' && { restartPolicy: 'Always' }),
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
  };
}

function limitsOf({ limitBytes, memoryLimitBytes }: ContainerSpec): object {
  const limits = {
    ...(limitBytes !== undefined && { 'ephemeral-storage': quantity(limitBytes) }),
    ...(memoryLimitBytes !== undefined && { memory: quantity(memoryLimitBytes) }),
  };
  return Object.keys(limits).length > 0 ? { limits } : {};
}

function volumeObject(volume: VolumeSpec): object {
  return { name: volume.name, [volume.source]: volumeSources[volume.source](volume) };
}

const volumeSources: Readonly<Record<VolumeSource, (volume: VolumeSpec) => object>> = {
  emptyDir: ({ medium, sizeLimitBytes }) => ({
    ...(medium !== undefined && { medium }),
    ...(sizeLimitBytes !== undefined && { sizeLimit: quantity(sizeLimitBytes) }),
  }),
  configMap: ({ name }) => ({ name, defaultMode: 420 }),
  secret: ({ name }) => ({ secretName: name, defaultMode: 420 }),
  projected: ({ name }) => ({ sources: [{ configMap: { name } }], defaultMode: 420 }),
  downwardAPI: () => ({
    items: [{ path: 'name', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } }],
    defaultMode: 420,
  }),
  gitRepo: ({ name }) => ({ repository: `https://git.example/${name}` }),
  hostPath: ({ name }) => ({ path: `/var/lib/${name}`, type: '' }),
  persistentVolumeClaim: ({ name }) => ({ claimName: name }),
};

function cells(pod: SimulatedPod, nowMs: number): readonly unknown[] {
  const counted = pod.containers.filter(({ spec }) => !['init', 'ephemeral'].includes(kindOf(spec)));
  const ready = counted.filter(({ state }) => state.state === 'running').length;
  const restarts = counted.reduce((sum, { restartCount }) => sum + restartCount, 0);
  return [
    pod.spec.name,
    `${ready}/${counted.length}`,
    statusText(pod),
    String(restarts),
    humanDuration(nowMs - pod.createdAtMs),
    pod.startedAtMs === undefined ? '<none>' : '127.0.0.1',
    pod.spec.nodeName ?? '<none>',
    '<none>',
    '<none>',
  ];
}

function statusText(pod: SimulatedPod): string {
  if (pod.deletedAtMs !== undefined) return 'Terminating';
  if (pod.failure !== undefined) return 'Evicted';
  if (pod.phase === 'Succeeded') return 'Completed';
  for (const { state } of pod.containers) {
    if (state.state === 'waiting' && pod.spec.nodeName !== undefined) return state.reason;
  }
  return pod.phase;
}
