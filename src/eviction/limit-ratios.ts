import { addKnown, mergeByName } from '../attribution/merge.js';
import type { Container, Pod } from '../kube/objects.js';
import { type Amount, ratioTo, roundUp } from '../kube/quantity.js';
import type { ContainerSummary, PodSummary } from '../kubelet/summary.js';
import { podLimit } from './limits.js';

/** The limits that the kubelet evicts for, in the order in which it checks them. */
export const limitRules = ['emptydir', 'pod', 'container'] as const;
export type LimitRule = (typeof limitRules)[number];

/** The usage that counts towards one limit. Not clamped: above the limit, the pod is about to be evicted. */
export interface LimitRatio {
  readonly rule: LimitRule;
  /** '' unless the rule is about a container. */
  readonly container: string;
  /** '' unless the rule is about a volume. */
  readonly volume: string;
  readonly usedBytes: number;
  /** Rounded up to whole bytes. 0: any use evicts. */
  readonly limitBytes: number;
  /** Of the exact limit: above 1 exactly when the kubelet evicts; `Infinity` for a limit of 0 and any use. */
  readonly ratio: number;
}

export interface LimitRatiosInput {
  readonly summary: PodSummary;
  readonly pod: Pod;
  /** Images are on a separate filesystem: only logs count towards a container's limit then. */
  readonly hasDedicatedImagefs: boolean;
  /** Whether the kubelet holds sidecars to their own limits. */
  readonly enforcesSidecars: boolean;
}

/**
 * Usage and limit for each rule that the kubelet enforces on a pod that has not ended: in the order in which it checks
 * them, so that the first one above 1 is the one that the pod is evicted for. Pods that it never evicts for limits (static,
 * critical) have them too: their limits can be exceeded, too. Without a figure to compare there is no ratio.
 * https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#how-pods-with-ephemeral-storage-limits-run
 */
export function limitRatios(input: LimitRatiosInput): readonly LimitRatio[] {
  return [...volumeRatios(input), ...podRatio(input), ...containerRatios(input)];
}

/** EmptyDirs of any medium, in the order of the spec: the kubelet compares the volume's own usage. */
function volumeRatios({ summary: { volumes = [] }, pod }: LimitRatiosInput): readonly LimitRatio[] {
  return pod.volumes.flatMap(({ name, sizeLimitBytes }): readonly LimitRatio[] => {
    const usedBytes = volumes.filter((volume) => volume.name === name).map((volume) => volume.usedBytes);
    return ratioOf(
      { rule: 'emptydir', container: '', volume: name },
      usedBytes.reduce(addKnown, undefined),
      sizeLimitBytes,
    );
  });
}

function podRatio({ summary: { usedBytes }, pod }: LimitRatiosInput): readonly LimitRatio[] {
  return ratioOf({ rule: 'pod', container: '', volume: '' }, usedBytes, podLimit(pod));
}

/** In the order of the summary. None of a pod without any figure, as virtual kubelets list them. */
function containerRatios(input: LimitRatiosInput): readonly LimitRatio[] {
  if (!hasFigures(input.summary)) return [];
  const containers = input.summary.containers.map((container) => ({
    name: container.name,
    usedBytes: comparedBytes(container, input.hasDedicatedImagefs),
  }));
  const merged = mergeByName(containers, (a, b) => ({ ...a, usedBytes: a.usedBytes + b.usedBytes }));
  return merged.flatMap(({ name, usedBytes }): readonly LimitRatio[] => {
    const limit = enforcedLimit(name, input);
    return limit === 0 ? [] : ratioOf({ rule: 'container', container: name, volume: '' }, usedBytes, limit);
  });
}

function hasFigures({ usedBytes, containers }: PodSummary): boolean {
  const figures = containers.flatMap(({ rootfs, logs }) => [rootfs?.usedBytes, logs?.usedBytes]);
  return [usedBytes, ...figures].some((figure) => figure !== undefined);
}

/** Ordinary init containers have no limit of their own while they run; ephemeral ones never have one. */
function enforcedLimit(name: string, { pod, enforcesSidecars }: LimitRatiosInput): Amount | undefined {
  const isEnforced = ({ kind }: Container): boolean => kind === 'app' || (kind === 'sidecar' && enforcesSidecars);
  return pod.containers.find((spec) => spec.name === name && isEnforced(spec))?.limitBytes;
}

/** A figure that the kubelet lacks for a container that it lists counts as 0 with it. */
function comparedBytes({ rootfs, logs }: ContainerSummary, hasDedicatedImagefs: boolean): number {
  return (logs?.usedBytes ?? 0) + (hasDedicatedImagefs ? 0 : (rootfs?.usedBytes ?? 0));
}

function ratioOf(
  place: Pick<LimitRatio, 'rule' | 'container' | 'volume'>,
  usedBytes: number | undefined,
  limit: Amount | undefined,
): readonly LimitRatio[] {
  if (usedBytes === undefined || limit === undefined) return [];
  return [{ ...place, usedBytes, limitBytes: roundUp(limit), ratio: ratioTo(usedBytes, limit) }];
}
