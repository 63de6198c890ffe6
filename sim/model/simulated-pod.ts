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

/** A container of a pod, and what has become of it. */
export interface SimulatedContainer {
  readonly spec: ContainerSpec;
  readonly state: ContainerState;
  readonly restartCount: number;
  readonly lastTermination: Termination | undefined;
}

type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

/** A pod at one moment; the model replaces it by a new one at each change. Times are wall times in milliseconds. */
export interface SimulatedPod {
  readonly spec: PodSpec;
  readonly uid: string;
  /** The UID that the kubelet uses: of a static pod its configuration's hash. */
  readonly kubeletUid: string;
  readonly ownerUid: string | undefined;
  readonly phase: PodPhase;
  readonly createdAtMs: number;
  readonly startedAtMs: number | undefined;
  readonly deletedAtMs: number | undefined;
  readonly containers: readonly SimulatedContainer[];
  /** Its own speed of growth, near 1. */
  readonly pace: number;
  /** From its start until the kubelet first measures its volumes. */
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
