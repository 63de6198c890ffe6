import type { ContainerKind, ContainerSpec, PodSpec } from './specs.js';

/** Lost: the kubelet killed the container and did not find it afterwards. */
export type Termination =
  | { readonly startedAtMs: number; readonly finishedAtMs: number; readonly exitCode: number }
  | { readonly isLost: true };

export type ContainerState =
  | { readonly state: 'waiting'; readonly reason: 'ContainerCreating' | 'CrashLoopBackOff' | 'PodInitializing' }
  | { readonly state: 'running'; readonly startedAtMs: number }
  | ({ readonly state: 'terminated' } & Termination);

/** A container of a pod, and its state. */
export interface SimulatedContainer {
  readonly spec: ContainerSpec;
  readonly state: ContainerState;
  readonly restartCount: number;
  readonly lastTermination: Termination | undefined;
}

/** Why a pod with the reason `Evicted` is Failed. Messages end with a blank. */
export type PodFailure =
  | {
      readonly kind: 'evicted';
      readonly message: string;
      readonly failedAtMs: number;
      /** Evicted for the sake of its node, not for a limit. */
      readonly isForNode: boolean;
      /** What ran when it was killed: the kubelet measures it until `measuredUntilMs`. */
      readonly running: readonly RunningContainer[];
      readonly measuredUntilMs: number;
      /** False once the kubelet has removed what was left of the pod. */
      readonly hasSandbox: boolean;
    }
  /** Refused at admission: no container ran. */
  | { readonly kind: 'rejected'; readonly message: string; readonly failedAtMs: number };

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
  /** Only if its phase is Failed. */
  readonly failure: PodFailure | undefined;
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

export function isTerminal({ phase }: SimulatedPod): boolean {
  return phase === 'Failed' || phase === 'Succeeded';
}

/** Static and critical pods are compared with their limits and ranked, but never evicted. */
export function isExempt({ spec }: SimulatedPod): boolean {
  return spec.isStatic === true || (spec.priority ?? 0) >= 2_000_000_000;
}

/** The containers that the kubelet measures. */
export function measuredContainers(pod: SimulatedPod, nowMs: number): readonly RunningContainer[] {
  const { failure } = pod;
  return failure?.kind === 'evicted' && nowMs < failure.measuredUntilMs ? failure.running : runningContainers(pod);
}

export function runningContainers(pod: SimulatedPod): readonly RunningContainer[] {
  return pod.containers.flatMap(({ spec, state }) =>
    state.state === 'running' ? [{ spec, startedAtMs: state.startedAtMs }] : [],
  );
}

export function kindOf(spec: ContainerSpec): ContainerKind {
  return spec.kind ?? 'app';
}

/** Sidecars are among them. */
export function isInitContainer({ kind }: ContainerSpec): boolean {
  return kind === 'init' || kind === 'sidecar';
}

export function imageOf({ name, image = `registry.example/${name}:1` }: ContainerSpec): string {
  return image;
}
