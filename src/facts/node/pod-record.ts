import type { Node, Pod } from '../../cluster/kube/objects.js';
import type { ContainerSummary, PodSummary, VolumeSummary } from '../../cluster/kubelet/summary.js';
import { getOrAdd } from '../../lib/base/maps.js';
import type { Workload } from '../workload/workload.js';
import type { WorkloadContainerUsage } from '../workload/workload-partial.js';
import { attributePod } from './attribute.js';
import { enforcesSidecars } from './kubelet-version.js';
import { type Enforcement, type LimitRatio, limitRatios, type LimitRule } from './limit-ratios.js';
import { isActive } from './limits.js';
import type { NodeLayout } from './node-layout.js';
import { resizesMemoryVolumes, type UnenforcedLimits } from './unenforced-limits.js';
import { foldUnknown } from './unknown-items.js';
import type { AttributionMode, MeasuredUsage, PodUsage } from './usage.js';

/** A pod that is bound to a node: what follows from its API object alone. It outlives summaries. */
export interface BoundPod {
  /** As it is now: nothing may be derived from its `keysWithoutEffect` and kept as long as the bound pod. */
  readonly pod: Pod;
  /** Aggregated over the containers as the kubelet does; undefined where none declares one. */
  readonly limitBytes: number | undefined;
  readonly requestBytes: number | undefined;
  readonly workloads: readonly Workload[];
}

/**
 * A pod of a node's summary: what both servers said of it, and the few numbers that sums and warnings need. Immutable, and
 * the same object until one of them or the {@link PodContext} changes.
 */
export interface PodRecord {
  /** Part of the node's summary. The pod is measured when it has a total. */
  readonly summary: PodSummary;
  /** Undefined for a pod that the API server does not know. */
  readonly bound: BoundPod | undefined;
  /** Those that it belongs to. */
  readonly workloads: readonly Workload[];
  /** Whether it has no name in series: the API server knows neither it nor many others of its node. */
  readonly isNameless: boolean;
  /** See {@link PodUsage.volumesPending}. */
  readonly isPending: boolean;
  /** What is attributed to each, as sums of workloads hold it. The same array as long as no size of the pod changes. */
  readonly containers: readonly WorkloadContainerUsage[];
  readonly unknownItems: PodUsage['unknownItems'];
  /** Of the shorter TTL, see `podEvictionMs`. */
  readonly evictionMs: number | undefined;
  /** See `podUnenforced`. */
  readonly unenforced: UnenforcedLimits | undefined;
  /** See `limitStanding`: that of the limit that it is nearest to. */
  readonly standing: 'above' | 'near' | undefined;
  /** Of the limit that it is nearest to, see `knownNearest`: lists of all pods are in their order. Undefined without one. */
  readonly nearestRatio: number | undefined;
}

/** With all else that follows. It takes three times the memory of the record: made where it is shown, and not kept. */
export interface DerivedPod<Usage = PodUsage> extends PodRecord {
  readonly usage: Usage;
  /** In the order in which the kubelet checks; none of a pod that has ended, nor where the kubelet evicts for no limits. */
  readonly ratios: readonly LimitRatio[];
}

type Underived = Pick<PodRecord, 'summary' | 'bound' | 'isNameless'>;

/** Derives what follows from the pods of a node. The same object for all nodes between which it makes no difference. */
export interface PodContext {
  usageOf(pod: Underived): PodUsage;
  /** `rule`: those of one rule alone. */
  ratiosOf(pod: Underived, rule?: LimitRule): readonly LimitRatio[];
}

function podContext(attribution: AttributionMode, enforcement: Enforcement | undefined): PodContext {
  return {
    usageOf: ({ summary, bound, isNameless }) => {
      const usage = attributePod({ summary, pod: bound?.pod, mode: attribution });
      return foldUnknown(usage, bound?.pod, isNameless ? 0 : undefined);
    },
    ratiosOf: ({ summary, bound }, rule) =>
      bound === undefined || !isActive(bound.pod) ? [] : enforcedRatios(summary, bound.pod, enforcement, rule),
  };
}

/** Returns what makes the contexts of nodes, each once. `layout`: the one that the kubelet goes by. */
export function podContexts(attribution: AttributionMode): (node: Node, layout: NodeLayout) => PodContext {
  const contexts = new Map<string, PodContext>();
  return (node, layout) => {
    const enforcement = enforcementOf(node, layout);
    return getOrAdd(contexts, JSON.stringify({ enforcement }), () => podContext(attribution, enforcement));
  };
}

/** Undefined where the kubelet of the node evicts for no limits. */
export function enforcementOf(
  { enforcesStorageLimits, kubeletVersion }: Pick<Node, 'enforcesStorageLimits' | 'kubeletVersion'>,
  layout: NodeLayout,
): Enforcement | undefined {
  if (!enforcesStorageLimits) return undefined;
  return {
    hasDedicatedImagefs: layout.hasDedicatedImagefs === true,
    enforcesSidecars: enforcesSidecars(kubeletVersion),
    resizesVolumes: resizesMemoryVolumes(kubeletVersion),
  };
}

/** The {@link limitRatios} that a kubelet enforces on a pod that has not ended. */
export function enforcedRatios(
  summary: PodSummary,
  pod: Pod,
  enforcement: Enforcement | undefined,
  rule?: LimitRule,
): readonly LimitRatio[] {
  if (enforcement === undefined) return [];
  const { hasDedicatedImagefs, enforcesSidecars: holdsSidecars, resizesVolumes } = enforcement;
  return limitRatios({ summary, pod, hasDedicatedImagefs, enforcesSidecars: holdsSidecars, resizesVolumes, rule });
}

/** What was derived in one task, so that records, counts and text made in it derive each pod once. */
export type DerivedPods = Map<PodRecord, DerivedPod>;

export function derivePod(pod: PodRecord, context: PodContext, derived?: DerivedPods): DerivedPod {
  const known = derived?.get(pod);
  if (known !== undefined) return known;
  const made = withDerived(pod, context.usageOf(pod), context.ratiosOf(pod));
  derived?.set(pod, made);
  return made;
}

/** Names each field: made for every pod of a summary, and a spread takes three times as long. */
export function withDerived(pod: PodRecord, usage: PodUsage, ratios: readonly LimitRatio[]): DerivedPod {
  const { summary, bound, workloads, isNameless, isPending, containers, unknownItems, evictionMs, unenforced } = pod;
  const { standing, nearestRatio } = pod;
  return {
    summary,
    bound,
    workloads,
    isNameless,
    isPending,
    containers,
    unknownItems,
    evictionMs,
    unenforced,
    standing,
    nearestRatio,
    usage,
    ratios,
  };
}

/** Derives a pod that is known to have a total. */
export function deriveMeasured(pod: PodRecord, context: PodContext, known?: DerivedPods): DerivedPod<MeasuredUsage> {
  const derived = derivePod(pod, context, known);
  if (!hasTotal(derived)) throw new Error(`pod ${pod.summary.namespace}/${pod.summary.name} has no total`);
  return derived;
}

function hasTotal(pod: DerivedPod): pod is DerivedPod<MeasuredUsage> {
  return pod.usage.usedBytes !== undefined;
}

/**
 * Whether two entries of one pod differ in nothing that its usage and its limits are derived from, apart from inodes, the
 * filesystems of its parts, and when all that was measured.
 */
export function haveSameSizes(a: PodSummary, b: PodSummary): boolean {
  return (
    a.usedBytes === b.usedBytes &&
    haveSameOthers(a, b) &&
    haveSame(a.containers, b.containers, isSameContainer) &&
    haveSame(a.volumes ?? [], b.volumes ?? [], isSameVolume)
  );
}

function haveSameOthers({ others: a }: PodSummary, { others: b }: PodSummary): boolean {
  return a?.containerCount === b?.containerCount && a?.volumeCount === b?.volumeCount;
}

function haveSame<T>(a: readonly T[], b: readonly T[], isSame: (a: T, b: T) => boolean): boolean {
  return a.length === b.length && a.every((item, index) => isSame(item, b[index] ?? item));
}

/** Whether a container has a root filesystem decides whether its logs count. */
function isSameContainer(a: ContainerSummary, b: ContainerSummary): boolean {
  const haveRootfs = (a.rootfs === undefined) === (b.rootfs === undefined);
  const haveSameFiles = a.rootfs?.usedBytes === b.rootfs?.usedBytes && a.logs?.usedBytes === b.logs?.usedBytes;
  return haveRootfs && haveSameFiles && a.name === b.name;
}

/** What a tmpfs can hold decides whether its limit binds; the size of a claim decides nothing. */
function isSameVolume(a: VolumeSummary, b: VolumeSummary): boolean {
  const haveSameCapacity = a.hasClaim || a.capacityBytes === b.capacityBytes;
  return a.usedBytes === b.usedBytes && a.name === b.name && a.hasClaim === b.hasClaim && haveSameCapacity;
}
