import {
  type ContainerState,
  isInitContainer,
  kindOf,
  type PodFailure,
  runningContainers,
  type SimulatedContainer,
  type SimulatedPod,
} from './simulated-pod.js';
import type { ContainerSpec, PodSpec } from './specs.js';

/** An edit of the pod as of the time of the edit. */
export type PodEdit = (current: SimulatedPod) => unknown;

export interface PodBirth extends Pick<SimulatedPod, 'uid' | 'kubeletUid' | 'ownerUid' | 'pace' | 'firstVolumePassMs'> {
  readonly nowMs: number;
}

/** A pod before its containers run. */
export function scheduledPod(spec: PodSpec, { nowMs, ...identity }: PodBirth): SimulatedPod {
  return {
    ...identity,
    spec,
    phase: 'Pending',
    createdAtMs: nowMs,
    startedAtMs: undefined,
    deletedAtMs: undefined,
    failure: undefined,
    containers: spec.containers.map((container) => ({
      spec: container,
      state: { state: 'waiting', reason: 'ContainerCreating' },
      restartCount: 0,
      lastTermination: undefined,
    })),
  };
}

/** A pod whose containers run and whose init containers have completed. */
export function started(pod: SimulatedPod, nowMs: number): SimulatedPod {
  const running: ContainerState = { state: 'running', startedAtMs: nowMs };
  const done: ContainerState = { state: 'terminated', startedAtMs: nowMs, finishedAtMs: nowMs, exitCode: 0 };
  const containers = pod.containers.map((container) => ({
    ...container,
    state: kindOf(container.spec) === 'init' ? done : running,
  }));
  return { ...pod, phase: 'Running', startedAtMs: nowMs, containers };
}

/** A pod with one more container, which runs at once. */
export function withEphemeralContainer(pod: SimulatedPod, container: ContainerSpec, nowMs: number): SimulatedPod {
  const spec: ContainerSpec = { ...container, kind: 'ephemeral', mounts: [] };
  const state: ContainerState = { state: 'running', startedAtMs: nowMs };
  return {
    ...pod,
    spec: { ...pod.spec, containers: [...pod.spec.containers, spec] },
    containers: [...pod.containers, { spec, state, restartCount: 0, lastTermination: undefined }],
  };
}

export function completed(pod: SimulatedPod, nowMs: number): SimulatedPod {
  const containers = pod.containers.map((container) => terminated(container, nowMs, 0));
  return { ...pod, phase: 'Succeeded', containers };
}

export interface Eviction extends Pick<PodFailure & { kind: 'evicted' }, 'message' | 'isForNode'> {
  readonly nowMs: number;
  readonly measuredUntilMs: number;
  /** Whether the kubelet does not find a container that it has killed. */
  readonly isLost: () => boolean;
}

/** A pod that its kubelet has killed. */
export function evicted(pod: SimulatedPod, { nowMs, isLost, ...eviction }: Eviction): SimulatedPod {
  const running = runningContainers(pod);
  const hasInit = pod.containers.some(({ spec }) => isInitContainer(spec));
  const containers = pod.containers.map((container): SimulatedContainer => {
    if (container.state.state !== 'running') return container;
    if (!isLost()) return terminated(container, nowMs, 137);
    return {
      ...container,
      state: { state: 'waiting', reason: hasInit ? 'PodInitializing' : 'ContainerCreating' },
      restartCount: container.restartCount + 1,
      lastTermination: { isLost: true },
    };
  });
  const failure: PodFailure = { kind: 'evicted', ...eviction, failedAtMs: nowMs, running, hasSandbox: true };
  return { ...pod, phase: 'Failed', containers, failure };
}

/** An evicted pod of which the kubelet has removed the rest. */
export function cleanedUp(pod: SimulatedPod): SimulatedPod {
  if (pod.failure?.kind !== 'evicted') return pod;
  const containers = pod.containers.map((container): SimulatedContainer => {
    const isLost = container.lastTermination !== undefined && 'isLost' in container.lastTermination;
    return isLost ? { ...container, state: { state: 'terminated', isLost: true } } : container;
  });
  return { ...pod, containers, failure: { ...pod.failure, hasSandbox: false } };
}

/** A pod that its kubelet refuses to start. */
export function rejected(pod: SimulatedPod, message: string, nowMs: number): SimulatedPod {
  return { ...pod, phase: 'Failed', failure: { kind: 'rejected', message, failedAtMs: nowMs } };
}

/** A pod with a container that has failed and waits for its restart; the pod's phase stays. */
export function crashed(pod: SimulatedPod, containerName: string, nowMs: number): SimulatedPod {
  return editContainer(pod, containerName, (container) => {
    const { state } = terminated(container, nowMs, 1);
    return {
      ...container,
      state: { state: 'waiting', reason: 'CrashLoopBackOff' },
      lastTermination: state.state === 'terminated' ? state : undefined,
    };
  });
}

export function restarted(pod: SimulatedPod, containerName: string, nowMs: number): SimulatedPod {
  return editContainer(pod, containerName, (container) => ({
    ...container,
    state: { state: 'running', startedAtMs: nowMs },
    restartCount: container.restartCount + 1,
  }));
}

function editContainer(
  pod: SimulatedPod,
  name: string,
  edit: (container: SimulatedContainer) => SimulatedContainer,
): SimulatedPod {
  const containers = pod.containers.map((container) => (container.spec.name === name ? edit(container) : container));
  return { ...pod, containers };
}

function terminated(container: SimulatedContainer, finishedAtMs: number, exitCode: number): SimulatedContainer {
  if (container.state.state !== 'running') return container;
  const { startedAtMs } = container.state;
  return { ...container, state: { state: 'terminated', startedAtMs, finishedAtMs, exitCode } };
}
