import { addKnown, mergeByName } from '../attribution/merge.js';
import { finderByName } from '../base/names.js';
import type { Pod } from '../kube/objects.js';
import { type Amount, ratioTo, roundUp } from '../kube/quantity.js';
import type { PodSummary, VolumeSummary } from '../kubelet/summary.js';
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
  const ratios: LimitRatio[] = [];
  addVolumeRatios(ratios, input);
  addRatio(ratios, { rule: 'pod', container: '', volume: '' }, input.summary.usedBytes, podLimit(input.pod));
  addContainerRatios(ratios, input);
  return ratios;
}

/** EmptyDirs of any medium, in the order of the spec: the kubelet compares the volume's own usage. */
function addVolumeRatios(ratios: LimitRatio[], { summary: { volumes = [] }, pod }: LimitRatiosInput): void {
  const limited = pod.volumes.filter(({ sizeLimitBytes }) => sizeLimitBytes !== undefined);
  if (limited.length === 0) return;
  const addVolumes = (a: VolumeSummary, b: VolumeSummary) => ({ ...a, usedBytes: addKnown(a.usedBytes, b.usedBytes) });
  const findVolume = finderByName(mergeByName(volumes, addVolumes));
  const seen = new Set<string>();
  for (const { name, sizeLimitBytes } of limited) {
    if (seen.has(name)) continue;
    seen.add(name);
    const usedBytes = findVolume(name)?.usedBytes;
    addRatio(ratios, { rule: 'emptydir', container: '', volume: name }, usedBytes, sizeLimitBytes);
  }
}

/** In the order of the summary. None of a pod without any figure, as virtual kubelets list them. */
function addContainerRatios(ratios: LimitRatio[], input: LimitRatiosInput): void {
  const { summary, pod } = input;
  if (!pod.containers.some(({ limitBytes }) => limitBytes !== undefined) || !hasFigures(summary)) return;
  const seen = new Set<string>();
  for (const { name } of summary.containers) {
    if (seen.has(name)) continue;
    seen.add(name);
    const limit = enforcedLimit(name, input);
    if (limit === undefined || limit === 0) continue;
    addRatio(ratios, { rule: 'container', container: name, volume: '' }, comparedBytes(name, input), limit);
  }
}

function hasFigures({ usedBytes, containers }: PodSummary): boolean {
  return (
    usedBytes !== undefined ||
    containers.some(({ rootfs, logs }) => rootfs?.usedBytes !== undefined || logs?.usedBytes !== undefined)
  );
}

/** Ordinary init containers have no limit of their own while they run; ephemeral ones never have one. */
function enforcedLimit(name: string, { pod, enforcesSidecars }: LimitRatiosInput): Amount | undefined {
  const spec = pod.containers.find(
    (container) =>
      container.name === name && (container.kind === 'app' || (container.kind === 'sidecar' && enforcesSidecars)),
  );
  return spec?.limitBytes;
}

/** A figure that the kubelet lacks for a container that it lists counts as 0 with it. */
function comparedBytes(containerName: string, { summary, hasDedicatedImagefs }: LimitRatiosInput): number {
  let bytes = 0;
  for (const { name, rootfs, logs } of summary.containers) {
    if (name !== containerName) continue;
    bytes += (logs?.usedBytes ?? 0) + (hasDedicatedImagefs ? 0 : (rootfs?.usedBytes ?? 0));
  }
  return bytes;
}

function addRatio(
  ratios: LimitRatio[],
  { rule, container, volume }: Pick<LimitRatio, 'rule' | 'container' | 'volume'>,
  usedBytes: number | undefined,
  limit: Amount | undefined,
): void {
  if (usedBytes === undefined || limit === undefined) return;
  ratios.push({ rule, container, volume, usedBytes, limitBytes: roundUp(limit), ratio: ratioTo(usedBytes, limit) });
}
