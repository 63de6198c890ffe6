import type { ContainerKind, ContainerSpec, PodSpec } from './specs.js';

export interface Termination {
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
  readonly exitCode: number;
}

export type ContainerState =
  | { readonly state: 'waiting'; readonly reason: 'ContainerCreating' | 'CrashLoopBackOff' }
  | { readonly state: 'running'; readonly startedAtMs: number }
  | ({ readonly state: 'terminated' } & Termination);

/** A container of a pod, and its state. */
export interface SimulatedContainer {
  readonly spec: ContainerSpec;
  readonly state: ContainerState;
  readonly restartCount: number;
  readonly lastTermination: Termination | undefined;
}

type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

/** A pod at one time; the model replaces it at each change. Times are wall times in milliseconds. */
export interface SimulatedPod {
  readonly spec: PodSpec;
  readonly uid: string;
  /** The UID in the kubelet: for a static pod, the hash of its configuration. */
  readonly kubeletUid: string;
  readonly ownerUid: string | undefined;
  readonly phase: PodPhase;
  readonly createdAtMs: number;
  readonly startedAtMs: number | undefined;
  readonly deletedAtMs: number | undefined;
  readonly containers: readonly SimulatedContainer[];
  /** The factor of its speed of growth, near 1. */
  readonly pace: number;
  /** Time from its start to the kubelet's first measurement of its volumes. */
  readonly firstVolumePassMs: number;
}

export interface RunningContainer {
  readonly spec: ContainerSpec;
  readonly startedAtMs: number;
}

/** The containers that the kubelet measures. */
export function runningContainers(pod: SimulatedPod): readonly RunningContainer[] {
  return pod.containers.flatMap(({ spec, state }) =>
    state.state === 'running' ? [{ spec, startedAtMs: state.startedAtMs }] : [],
  );
}

export function kindOf(spec: ContainerSpec): ContainerKind {
  return spec.kind ?? 'app';
}
