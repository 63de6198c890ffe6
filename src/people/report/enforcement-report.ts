import { isOfVirtualCluster } from '../../cluster/kube/objects.js';
import type { EvictionSignal } from '../../cluster/kubelet/eviction-signals.js';
import { nothingFrozen } from '../../facts/node/frozen-statistics.js';
import { isFreeUnknown } from '../../facts/node/full-disks.js';
import { type NodeSnapshot, type NodeView, unenforcedOn } from '../../facts/node/node-view.js';
import { groupBy, leastKnown } from '../../lib/base/maps.js';
import { formatTime } from '../../lib/base/units.js';
import { type FilesystemReport, isFull } from './filesystem-report.js';
import { exampleCount } from './workload-report.js';

/**
 * `threshold_unset`: no threshold bounds a disk of the node. `threshold_refuted`: the kubelet has other thresholds than those
 * that are assumed. `capacity_differs`: the Node object has another size of the disk than the disk. `statistics_frozen`: the kubelet
 * reports what it measures no longer. `free_space_unknown`: it does not report what is free on a filesystem, or what cannot be. `virtual_cluster`: the Node object is made up. The others are reasons why limits of the whole
 * node do not do what they seem to do.
 */
export type EnforcementKind =
  | NonNullable<NodeSnapshot['unenforced']>
  | 'threshold_unset'
  | 'threshold_refuted'
  | 'capacity_differs'
  | 'statistics_frozen'
  | 'free_space_unknown'
  | 'virtual_cluster';

/** The nodes with one kind. */
export interface EnforcementReport {
  readonly kind: EnforcementKind;
  readonly nodeCount: number;
  /** The first of them by name. */
  readonly exampleNodes: readonly string[];
  /** With `threshold_unset` and `threshold_refuted`: those of all its nodes, each once. */
  readonly signals?: readonly EvictionSignal[] | undefined;
  /** With `statistics_frozen`: the oldest time of them, by the clock of its node. */
  readonly frozenSinceMs?: number | undefined;
}

/** `views`: in the order of their names. */
export function enforcementReports(views: readonly NodeView[]): readonly EnforcementReport[] {
  const kinds = groupBy(
    views.flatMap((view) => enforcementKinds(view).map((kind) => ({ kind, view }))),
    ({ kind }) => kind,
  );
  return Array.from(kinds, ([kind, found]) => {
    const signals = new Set(found.flatMap(({ view }) => signalsOf(kind, view) ?? []));
    const frozen = found.map(({ view }) => (view.state === 'absent' ? undefined : view.snapshot.frozen.sinceMs));
    return {
      kind,
      nodeCount: found.length,
      exampleNodes: found.slice(0, exampleCount).map(({ view }) => view.nodeName),
      ...(signals.size > 0 && { signals: [...signals] }),
      ...(kind === 'statistics_frozen' && { frozenSinceMs: frozen.reduce(leastKnown) }),
    };
  });
}

/** Returns those that a kind is about. */
export function signalsOf(kind: EnforcementKind, view: NodeView): readonly EvictionSignal[] | undefined {
  if (view.state === 'absent') return undefined;
  if (kind === 'threshold_unset') return view.snapshot.unsetSignals;
  return kind === 'threshold_refuted' ? view.snapshot.refutedSignals : undefined;
}

/** Those of one node. */
export function enforcementKinds(view: NodeView): readonly EnforcementKind[] {
  const unenforced = unenforcedOn(view);
  return [
    ...(unenforced === undefined ? [] : [unenforced]),
    ...(view.state === 'absent' ? [] : thresholdKinds(view.snapshot)),
  ];
}

function thresholdKinds(snapshot: NodeSnapshot): readonly EnforcementKind[] {
  const { unsetSignals, refutedSignals, frozen, node } = snapshot;
  return [
    ...(unsetSignals.length > 0 ? (['threshold_unset'] as const) : []),
    ...(refutedSignals.length > 0 ? (['threshold_refuted'] as const) : []),
    ...(differsInCapacity(snapshot) ? (['capacity_differs'] as const) : []),
    ...(frozen.sinceMs === undefined ? [] : (['statistics_frozen'] as const)),
    ...(isFreeUnknown({ ...snapshot, frozen: nothingFrozen }) ? (['free_space_unknown'] as const) : []),
    ...(isOfVirtualCluster(node.labels) ? (['virtual_cluster'] as const) : []),
  ];
}

/** The kubelet rounds, and may look at another moment. */
const differentRatio = 0.05;

/** Whether scheduler and disk disagree about the size of the filesystem with the kubelet's root. */
function differsInCapacity({ node, summary }: Pick<NodeSnapshot, 'node' | 'summary'>): boolean {
  const ofNode = node.capacityBytes;
  const ofDisk = summary.nodefs?.capacityBytes;
  if (ofNode === undefined || ofDisk === undefined || ofDisk === 0) return false;
  return Math.abs(ofNode - ofDisk) / ofDisk > differentRatio;
}

/** What the words for one node name of it. */
export interface EnforcementFacts {
  /** With `threshold_unset`: the signals without a threshold. */
  readonly unsetSignals?: readonly EvictionSignal[] | undefined;
  /** With `statistics_frozen`: the oldest time of them, by the clock of the node. */
  readonly frozenSinceMs?: number | undefined;
}

/** Returns what is wrong in words for one node. */
export function enforcementText(
  kind: EnforcementKind,
  {
    unsetSignals = [],
    frozenSinceMs,
    filesystems,
  }: EnforcementFacts & { readonly filesystems?: readonly FilesystemReport[] },
): string {
  if (kind === 'free_space_unknown')
    return `the kubelet does not report ${sizeUnknown(filesystems) ?? 'what is free on a filesystem'}, or figures that cannot be right`;
  if (kind === 'statistics_frozen' && frozenSinceMs !== undefined)
    return `${enforcementTexts[kind]}, since ${formatTime(frozenSinceMs)}`;
  if (kind !== 'threshold_unset' || unsetSignals.length === 0) return enforcementTexts[kind];
  return `the kubelet has no eviction threshold for ${unsetSignals.join(', ')}: the disk fills up completely`;
}

/** Of a node whose headroom is not known. */
export function unknownHeadroomText(
  filesystems: readonly FilesystemReport[],
  enforcement: readonly EnforcementKind[] = [],
): string {
  const full = isFull(filesystems) ? 'Nearly full: writes fail when nothing is free. ' : '';
  const why = enforcement.includes('virtual_cluster')
    ? 'the thresholds are those of the host'
    : `${sizeUnknown(filesystems) ?? 'what is free'} is not known`;
  return `${full}Not known whether it is close to evicting pods: ${why}.`;
}

/** Names the capacity where that alone keeps nodefs from being compared with its thresholds. */
function sizeUnknown(filesystems: readonly FilesystemReport[] = []): string | undefined {
  const { capacityBytes, availableBytes }: Partial<FilesystemReport> =
    filesystems.find(({ filesystem }) => filesystem === 'nodefs') ?? {};
  return availableBytes !== undefined && capacityBytes === undefined ? 'the capacity of nodefs' : undefined;
}

const enforcementTexts: Readonly<Record<Exclude<EnforcementKind, 'free_space_unknown'>, string>> = {
  isolation_disabled: 'the kubelet enforces no limits (localStorageCapacityIsolation: false)',
  rootfs_not_measured: 'limits do not see writable layers: the kubelet does not measure them',
  dedicated_imagefs: 'limits of containers see logs alone: images and writable layers are on a separate filesystem',
  threshold_unset: 'the kubelet has no eviction threshold for a disk: it fills up to the last byte',
  threshold_refuted: 'the kubelet has other eviction thresholds than the defaults of Kubernetes',
  capacity_differs: 'the capacity of the Node object is not that of the disk',
  statistics_frozen: 'the kubelet reports old values: the time of its measurements does not move',
  virtual_cluster:
    'the Node object is made up by a virtual cluster: the version, capacity, thresholds, DiskPressure and other pods of the host are not known',
};
