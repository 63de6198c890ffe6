import type { ApiObject, StoredObject } from '../api-server/versioned-objects.js';
import { humanDuration, timestamp } from './object-format.js';
import {
  type ContainerState,
  kindOf,
  type SimulatedContainer,
  type SimulatedPod,
  type Termination,
} from './simulated-pod.js';
import type { ContainerSpec, PodSpec, VolumeSource, VolumeSpec } from './specs.js';

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
    ...(deletedAtMs !== undefined && { deletionTimestamp: timestamp(deletedAtMs), deletionGracePeriodSeconds: 30 }),
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

const ownerApiVersions = { ReplicaSet: 'apps/v1', StatefulSet: 'apps/v1', DaemonSet: 'apps/v1', Job: 'batch/v1' };

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
  const initContainers = spec.containers.filter((container) => kindOf(container) !== 'app');
  return {
    ...(spec.volumes !== undefined && { volumes: spec.volumes.map(volumeObject) }),
    ...(initContainers.length > 0 && {
      initContainers: initContainers.map((container) => containerObject(container, spec)),
    }),
    containers: spec.containers
      .filter((container) => kindOf(container) === 'app')
      .map((container) => containerObject(container, spec)),
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
  };
}

function containerObject(container: ContainerSpec, spec: PodSpec): object {
  const mounts = container.mounts ?? spec.volumes?.map(({ name }) => name) ?? [];
  return {
    name: container.name,
    image: `registry.example/${container.name}:1`,
    resources: {
      ...(container.limitBytes !== undefined && { limits: { 'ephemeral-storage': quantity(container.limitBytes) } }),
      ...(container.requestBytes !== undefined && {
        requests: { 'ephemeral-storage': quantity(container.requestBytes) },
      }),
    },
    ...(mounts.length > 0 && { volumeMounts: mounts.map((name) => ({ name, mountPath: `/mnt/${name}` })) }),
    ...(container.kind === 'sidecar' && { restartPolicy: 'Always' }),
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
  };
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

/** A quantity, in binary units where they are exact. */
function quantity(bytes: number): string {
  for (const [unit, size] of [['Gi', 2 ** 30] as const, ['Mi', 2 ** 20] as const, ['Ki', 2 ** 10] as const]) {
    if (bytes > 0 && bytes % size === 0) return `${bytes / size}${unit}`;
  }
  return String(bytes);
}

function podStatus(pod: SimulatedPod): object {
  const init = pod.containers.filter(({ spec }) => kindOf(spec) !== 'app');
  const app = pod.containers.filter(({ spec }) => kindOf(spec) === 'app');
  const isStarted = pod.startedAtMs !== undefined;
  return {
    phase: pod.phase,
    conditions: conditions(pod),
    ...(isStarted && { hostIP: '127.0.0.1', podIP: '127.0.0.1', podIPs: [{ ip: '127.0.0.1' }] }),
    ...(pod.spec.nodeName !== undefined && { startTime: timestamp(pod.createdAtMs) }),
    ...(init.length > 0 && { initContainerStatuses: init.map(containerStatus) }),
    ...(pod.spec.nodeName !== undefined && { containerStatuses: app.map(containerStatus) }),
    qosClass: 'BestEffort',
  };
}

function conditions(pod: SimulatedPod): readonly object[] {
  const atMs = pod.startedAtMs ?? pod.createdAtMs;
  const isReady = pod.phase === 'Running' && pod.containers.every(isContainerReady);
  const condition = (type: string, isTrue: boolean): object => ({
    type,
    status: isTrue ? 'True' : 'False',
    lastProbeTime: null,
    lastTransitionTime: timestamp(atMs),
  });
  return [
    condition('Initialized', pod.startedAtMs !== undefined),
    condition('Ready', isReady),
    condition('ContainersReady', isReady),
    condition('PodScheduled', pod.spec.nodeName !== undefined),
  ];
}

function containerStatus({ spec, state, restartCount, lastTermination }: SimulatedContainer): object {
  return {
    name: spec.name,
    state: stateObject(state),
    lastState: lastTermination === undefined ? {} : terminatedObject(lastTermination),
    ready: isContainerReady({ spec, state, restartCount, lastTermination }),
    restartCount,
    image: `registry.example/${spec.name}:1`,
    imageID: '',
    started: state.state === 'running',
  };
}

function isContainerReady({ spec, state }: SimulatedContainer): boolean {
  return state.state === 'running' || (spec.kind === 'init' && state.state === 'terminated');
}

function stateObject(state: ContainerState): object {
  switch (state.state) {
    case 'waiting':
      return { waiting: { reason: state.reason } };
    case 'running':
      return { running: { startedAt: timestamp(state.startedAtMs) } };
    case 'terminated':
      return terminatedObject(state);
  }
}

function terminatedObject({ startedAtMs, finishedAtMs, exitCode }: Termination): object {
  const reason = exitCode === 0 ? 'Completed' : 'Error';
  return {
    terminated: { exitCode, reason, startedAt: timestamp(startedAtMs), finishedAt: timestamp(finishedAtMs) },
  };
}

function cells(pod: SimulatedPod, nowMs: number): readonly unknown[] {
  const counted = pod.containers.filter(({ spec }) => kindOf(spec) !== 'init');
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
  if (pod.phase === 'Succeeded') return 'Completed';
  for (const { state } of pod.containers) {
    if (state.state === 'waiting' && pod.spec.nodeName !== undefined) return state.reason;
  }
  return pod.phase;
}
