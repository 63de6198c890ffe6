import type { Container, Pod } from '../../cluster/kube/objects.js';
import { checkedContainers, checkedVolumes } from '../../cluster/kube/pod-rest.js';
import { type Amount, formatQuantity, ratioTo, roundUp } from '../../cluster/kube/quantity.js';
import type { ContainerSummary, PartFigures, PodSummary, VolumeSummary } from '../../cluster/kubelet/summary.js';
import { addFigures, type Figure } from '../../cluster/kubelet/summary.js';
import { finderByName, mergeByName } from '../../lib/base/maps.js';
import { exemptionOf, podLimit } from './limits.js';
import { canBind, cannotExceed, comparedSizeLimit, lacksRootfs, type UnenforcedReason } from './unenforced-limits.js';

/** The limits that the kubelet evicts for, in the order in which it checks them. */
export const limitRules = ['emptydir', 'pod', 'container'] as const;
export type LimitRule = (typeof limitRules)[number];

/** From this part of a limit on, an eviction for it is near. */
export const nearRatio = 0.8;

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
  /** Of a few bytes with a fraction, which is most of what is rounded up: as Kubernetes writes it, such as `500m`. */
  readonly limitQuantity?: string | undefined;
  /** Of the exact limit: above 1 exactly when the kubelet evicts; `Infinity` for a limit of 0 and any use. */
  readonly ratio: number;
  /** Why it does not do what it seems to do; undefined for a limit that does. */
  readonly unenforced: UnenforcedReason | undefined;
}

/** How a kubelet enforces limits. */
export interface Enforcement {
  /** Images are on a separate filesystem: only logs count towards a container's limit then. */
  readonly hasDedicatedImagefs: boolean;
  /** Whether the kubelet holds sidecars to their own limits. */
  readonly enforcesSidecars: boolean;
  /** See `resizesMemoryVolumes`. */
  readonly resizesVolumes: boolean;
}

export interface LimitRatiosInput extends Enforcement {
  readonly summary: PodSummary;
  readonly pod: Pod;
  /** Undefined: all. */
  readonly rule?: LimitRule | undefined;
}

/**
 * Usage and limit for each rule that the kubelet enforces on a pod that has not ended: in the order in which it checks
 * them, so that the first one above 1 is the one that the pod is evicted for. Pods that it never evicts for limits (static,
 * critical) have them too: their limits can be exceeded, too. Without a figure to compare, or with an impossible part, there is no ratio.
 * https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#how-pods-with-ephemeral-storage-limits-run
 */
export function limitRatios(input: LimitRatiosInput): readonly LimitRatio[] {
  const ratios: LimitRatio[] = [];
  const isOf = (rule: LimitRule): boolean => (input.rule ?? rule) === rule;
  if (isOf('emptydir')) addVolumeRatios(ratios, input);
  if (isOf('pod')) addPodRatio(ratios, input);
  if (isOf('container')) addContainerRatios(ratios, input);
  return input.pod.rest === undefined ? ratios : withDecisiveOnes(ratios, input.pod);
}

function addPodRatio(ratios: LimitRatio[], input: LimitRatiosInput): void {
  const place = { rule: 'pod', container: '', volume: '', unenforced: podReason(input) } as const;
  addRatio(ratios, place, input.summary.usedBytes, podLimit(input.pod));
}

function podReason({ pod, summary }: LimitRatiosInput): UnenforcedReason | undefined {
  return exemptReason(pod) ?? (lacksRootfs(summary) ? 'rootfs_not_measured' : undefined);
}

function exemptReason(pod: Pod): 'exempt' | undefined {
  return exemptionOf(pod) === undefined ? undefined : 'exempt';
}

/** EmptyDirs of any medium, in the order of the spec: the kubelet compares the volume's own usage. */
function addVolumeRatios(ratios: LimitRatio[], input: LimitRatiosInput): void {
  const {
    summary: { volumes = [] },
    pod,
    resizesVolumes,
  } = input;
  const limited = checkedVolumes(pod).filter(({ sizeLimitBytes }) => sizeLimitBytes !== undefined);
  if (limited.length === 0) return;
  const findVolume = finderByName(mergeByName(volumes, addVolumes));
  for (const spec of mergeByName(limited, (first) => first)) {
    const { name } = spec;
    const { usedBytes, capacityBytes }: Partial<VolumeSummary> = findVolume(name) ?? {};
    const limit = comparedSizeLimit(spec, capacityBytes, resizesVolumes);
    const isBounded = limit !== undefined && cannotExceed(spec, limit, capacityBytes);
    const unenforced = exemptReason(pod) ?? (isBounded ? 'memory_medium' : undefined);
    addRatio(ratios, { rule: 'emptydir', container: '', volume: name, unenforced }, usedBytes, limit);
  }
}

function addVolumes(a: VolumeSummary, b: VolumeSummary): VolumeSummary {
  return { ...a, usedBytes: addFigures(a.usedBytes, b.usedBytes) };
}

/** In the order of the summary. None of a pod without any figure, as virtual kubelets list them. */
function addContainerRatios(ratios: LimitRatio[], input: LimitRatiosInput): void {
  const limited = checkedContainers(input.pod).filter((container) => hasOwnLimit(container, input));
  if (limited.length === 0 || !hasFigures(input.summary)) return;
  const findSpec = finderByName(limited);
  for (const { name, usedBytes } of comparedBytes(input)) {
    const unenforced = containerReason(name, input);
    const place = { rule: 'container', container: name, volume: '', unenforced } as const;
    addRatio(ratios, place, usedBytes, findSpec(name)?.limitBytes);
  }
}

function containerReason(
  name: string,
  { pod, summary: { containers }, hasDedicatedImagefs }: LimitRatiosInput,
): UnenforcedReason | undefined {
  const exempt = exemptReason(pod);
  if (exempt !== undefined) return exempt;
  if (hasDedicatedImagefs) return 'dedicated_imagefs';
  const isUnmeasured = (container: ContainerSummary): boolean =>
    container.name === name && container.rootfs?.usedBytes === undefined;
  return containers.some(isUnmeasured) ? 'rootfs_not_measured' : undefined;
}

function hasFigures({ usedBytes, containers }: PodSummary): boolean {
  return (
    usedBytes !== undefined ||
    containers.some(({ rootfs, logs }) => rootfs?.usedBytes !== undefined || logs?.usedBytes !== undefined)
  );
}

/** Ordinary init containers have no limit of their own while they run; ephemeral ones never have one; 0 is none. */
function hasOwnLimit({ kind, limitBytes }: Container, { enforcesSidecars }: LimitRatiosInput): boolean {
  return (kind === 'app' || (kind === 'sidecar' && enforcesSidecars)) && limitBytes !== undefined && limitBytes !== 0;
}

/** A figure that the kubelet lacks for a container that it lists counts as 0 with it. */
function comparedBytes({
  summary,
  hasDedicatedImagefs,
}: LimitRatiosInput): readonly { readonly name: string; readonly usedBytes: Figure }[] {
  const compared = summary.containers.map(({ name, rootfs, logs }) => {
    return { name, usedBytes: addFigures(logs?.usedBytes ?? 0, hasDedicatedImagefs ? 0 : rootfs?.usedBytes) };
  });
  return mergeByName(compared, (a, b) => ({ name: a.name, usedBytes: addFigures(a.usedBytes, b.usedBytes) }));
}

/**
 * Whether what counts towards one of the limits of the pod is unknown: it has no total, or a part of a container or an emptyDir with
 * a limit is impossible.
 */
export function hasUnknownUsage({ usedBytes, containers, volumes = [] }: PodSummary, pod: Pod): boolean {
  if (usedBytes === undefined && podLimit(pod) !== undefined) return true;
  if (!containers.some(isUnknown) && !volumes.some(isImpossible)) return false;
  const unknown = [...containers.filter(isUnknown), ...volumes.filter(isImpossible)];
  const names = new Set(unknown.map(({ name }) => name));
  return (
    checkedContainers(pod).some(({ name, limitBytes }) => limitBytes !== undefined && names.has(name)) ||
    checkedVolumes(pod).some(({ name, sizeLimitBytes }) => sizeLimitBytes !== undefined && names.has(name))
  );
}

function isUnknown({ rootfs, logs }: ContainerSummary): boolean {
  return isImpossible(rootfs) || isImpossible(logs);
}

function isImpossible(part: PartFigures | undefined): boolean {
  return part?.usedBytes === 'impossible';
}

/** The ratios of what is kept in detail, and for each rule the one of the rest that decides: see {@link decisive}. */
function withDecisiveOnes(ratios: readonly LimitRatio[], { containers, volumes }: Pod): readonly LimitRatio[] {
  const [isContainer, isVolume] = [finderByName(containers), finderByName(volumes)];
  const isDetailed = ({ rule, container, volume }: LimitRatio): boolean =>
    rule === 'pod' || (rule === 'container' ? isContainer(container) : isVolume(volume)) !== undefined;
  const rest = ratios.filter((ratio) => !isDetailed(ratio));
  const kept = new Set(limitRules.map((rule) => decisive(rest.filter((ratio) => ratio.rule === rule))));
  return ratios.filter((ratio) => isDetailed(ratio) || kept.has(ratio));
}

/** The first one above its limit, which the kubelet evicts for; otherwise the nearest to it. */
function decisive(ratios: readonly LimitRatio[]): LimitRatio | undefined {
  return ratios.find(({ ratio }) => ratio > 1) ?? nearestRatio(ratios);
}

/**
 * The limit with the highest ratio, of those that can bind if there are any: a full tmpfs must not hide the limit that the
 * pod is evicted for. Of equal ones, the one that the kubelet checks first.
 */
export function nearestRatio(ratios: readonly LimitRatio[]): LimitRatio | undefined {
  let nearest: LimitRatio | undefined;
  for (const each of ratios) if (nearest === undefined || isNearer(each, nearest)) nearest = each;
  return nearest;
}

function isNearer(ratio: LimitRatio, than: LimitRatio): boolean {
  const binds = canBind(ratio);
  return binds === canBind(than) ? ratio.ratio > than.ratio : binds;
}

/** The limit of {@link nearestRatio}; undefined for a calm one while volumes are pending, or another may be nearer that is unknown. */
export function knownNearest(
  ratios: readonly LimitRatio[],
  { summary, pod, isPending }: { summary: PodSummary; pod: Pod | undefined; isPending: boolean },
): LimitRatio | undefined {
  const nearest = nearestRatio(ratios);
  if (pod === undefined || limitStanding(nearest) !== undefined) return nearest;
  return isPending || hasUnknownUsage(summary, pod) ? undefined : nearest;
}

/** Returns what follows from one limit alone, without a forecast: `undefined` below 80 % of it, and where it evicts nobody. */
export function limitStanding(
  limit: Pick<LimitRatio, 'ratio' | 'unenforced'> | undefined,
): 'above' | 'near' | undefined {
  if (limit === undefined || limit.ratio < nearRatio || !canBind(limit)) return undefined;
  return limit.ratio > 1 ? 'above' : 'near';
}

function addRatio(
  ratios: LimitRatio[],
  { rule, container, volume, unenforced }: Pick<LimitRatio, 'rule' | 'container' | 'volume' | 'unenforced'>,
  usedBytes: Figure,
  limit: Amount | undefined,
): void {
  if (typeof usedBytes !== 'number' || limit === undefined) return;
  const ratio = ratioTo(usedBytes, limit);
  const limitBytes = roundUp(limit);
  const limitQuantity = typeof limit === 'number' || limitBytes >= 1024 ? undefined : formatQuantity(limit);
  ratios.push({ rule, container, volume, usedBytes, limitBytes, limitQuantity, ratio, unenforced });
}
