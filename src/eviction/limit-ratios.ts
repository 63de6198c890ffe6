import type { ContainerUsage, PodUsage, VolumeUsage } from '../attribution/usage.js';
import type { Container, Pod } from '../kube/objects.js';
import { podLimitBytes } from './limits.js';

/** The limits that the kubelet evicts for, in the order in which it checks them. */
export const limitRules = ['emptydir', 'pod', 'container'] as const;
type LimitRule = (typeof limitRules)[number];

/** The usage that counts towards one limit. Not clamped: above the limit, the pod is about to be evicted. */
export interface LimitRatio {
  readonly rule: LimitRule;
  /** '' unless the rule is about a container. */
  readonly container: string;
  /** '' unless the rule is about a volume. */
  readonly volume: string;
  readonly usedBytes: number;
  /** Above 0. */
  readonly limitBytes: number;
}

export interface LimitRatiosInput {
  readonly usage: PodUsage;
  readonly pod: Pod;
  /** Writable layers are on a separate filesystem: only logs count towards a container's limit then. */
  readonly hasDedicatedImagefs: boolean;
  /** Whether the kubelet enforces the limits of sidecars; old ones do not: https://github.com/kubernetes/kubernetes/issues/138371 */
  readonly enforcesSidecars: boolean;
}

/**
 * Usage and limit for each rule that the kubelet enforces on the pod. Pods that it never evicts for limits (static,
 * critical) have them too: their limits can be exceeded, too. Without usage there is no ratio.
 * https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#how-pods-with-ephemeral-storage-limits-run
 */
export function limitRatios(input: LimitRatiosInput): readonly LimitRatio[] {
  return [...volumeRatios(input), ...podRatio(input), ...containerRatios(input)];
}

/** EmptyDirs of any medium: the kubelet compares the volume's own usage. */
function volumeRatios({ usage }: LimitRatiosInput): readonly LimitRatio[] {
  return usage.volumes.flatMap(({ name, usedBytes, sizeLimitBytes }: VolumeUsage): LimitRatio[] => {
    if (usedBytes === undefined || sizeLimitBytes === undefined) return [];
    return [{ rule: 'emptydir', container: '', volume: name, usedBytes, limitBytes: sizeLimitBytes }];
  });
}

function podRatio({ usage: { usedBytes }, pod }: LimitRatiosInput): readonly LimitRatio[] {
  const limitBytes = podLimitBytes(pod) ?? 0;
  return limitBytes > 0 ? [{ rule: 'pod', container: '', volume: '', usedBytes, limitBytes }] : [];
}

function containerRatios(input: LimitRatiosInput): readonly LimitRatio[] {
  return input.usage.containers.flatMap((container): LimitRatio[] => {
    const limitBytes = enforcedLimitBytes(container.name, input);
    const usedBytes = countedBytes(container, input.hasDedicatedImagefs);
    if (limitBytes === undefined || usedBytes === undefined) return [];
    return [{ rule: 'container', container: container.name, volume: '', usedBytes, limitBytes }];
  });
}

/** Ordinary init containers have ended when the kubelet checks; ephemeral ones have no limits. */
function enforcedLimitBytes(name: string, { pod, enforcesSidecars }: LimitRatiosInput): number | undefined {
  const isEnforced = ({ kind }: Container): boolean => kind === 'app' || (kind === 'sidecar' && enforcesSidecars);
  const { limitBytes = 0 } = pod.containers.find((spec) => spec.name === name && isEnforced(spec)) ?? {};
  return limitBytes > 0 ? limitBytes : undefined;
}

function countedBytes({ rootfsBytes, logsBytes }: ContainerUsage, hasDedicatedImagefs: boolean): number | undefined {
  if (hasDedicatedImagefs) return logsBytes;
  if (rootfsBytes === undefined && logsBytes === undefined) return undefined;
  return (rootfsBytes ?? 0) + (logsBytes ?? 0);
}
