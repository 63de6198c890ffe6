/**
 * The kubelet's Summary API (`/stats/summary`, v1alpha1): the storage fields, decoded tolerantly. A field that is
 * missing or of a wrong type is undefined; only a body that is not a summary at all is an error.
 */
import { addKnown } from '../../lib/base/maps.js';

/**
 * A size or a count that a kubelet reports. `impossible`: one from 2^63 on, which is negative to the kubelet. It is unknown, and so
 * is each sum with it. Undefined where nothing is reported: the kubelet counts that as 0.
 */
export type Figure = number | 'impossible' | undefined;

/** The number that is shown; undefined without one. */
export function known(figure: Figure): number | undefined {
  return figure === 'impossible' ? undefined : figure;
}

/** The sum of what is reported; undefined when neither is. */
export function addFigures(a: Figure, b: Figure): Figure {
  return a === 'impossible' || b === 'impossible' ? 'impossible' : addKnown(a, b);
}

/** The sum over the items; `empty`: of none, or of none that is reported. */
export function sumOfFigures<T>(items: readonly T[], of: (item: T) => Figure, empty?: Figure): Figure {
  return items.reduce<Figure>((sum, item) => addFigures(sum, of(item)), empty);
}

/** A filesystem as a whole. */
export interface FilesystemSize {
  readonly availableBytes: number | undefined;
  readonly capacityBytes: number | undefined;
  readonly inodes: number | undefined;
  readonly inodesFree: number | undefined;
}

/** https://pkg.go.dev/k8s.io/kubelet/pkg/apis/stats/v1alpha1#FsStats */
export interface FsStats extends FilesystemSize {
  /** Wall time at which the kubelet measured, in milliseconds since the epoch. */
  readonly timeMs: number | undefined;
  readonly usedBytes: number | undefined;
  readonly inodesUsed: number | undefined;
}

/** Of a part of a pod. */
export interface PartFigures {
  readonly usedBytes: Figure;
  readonly inodesUsed: Figure;
}

/** The same of the files of a container. */
export interface ContainerFsStats extends PartFigures {
  /** Where they are: as a rule one object for all containers of a node. */
  readonly filesystem: FilesystemSize;
}

/**
 * Pressure stall information of the kernel, for input and output: times since the start of the cgroup. In microseconds,
 * as the kernel counts; the documentation of the kubelet's type says nanoseconds, but the kubelet passes on the kernel's
 * value unchanged, and cAdvisor's metrics of the same values take it for microseconds.
 * https://docs.kernel.org/accounting/psi.html
 * https://pkg.go.dev/k8s.io/kubelet/pkg/apis/stats/v1alpha1#PSIData
 */
export interface IoPressure {
  /** `some`: at least one task waited. */
  readonly waitingUs: number | undefined;
  /** `full`: all tasks waited at once. */
  readonly stalledUs: number | undefined;
}

export interface ContainerSummary {
  readonly name: string;
  /** Wall time at which the kubelet measured its writable layer, else its logs, in milliseconds since the epoch. */
  readonly timeMs?: number | undefined;
  /** The writable layer. */
  readonly rootfs: ContainerFsStats | undefined;
  readonly logs: ContainerFsStats | undefined;
}

/** Its filesystem as in FsStats; how many inodes that has and has free is not kept. */
export interface VolumeSummary extends PartFigures, Omit<FsStats, 'inodes' | 'inodesFree' | keyof PartFigures> {
  readonly name: string;
  /** Whether the kubelet names a persistent volume claim behind it (`pvcRef`). */
  readonly hasClaim: boolean;
}

export interface PodSummary {
  readonly namespace: string;
  readonly name: string;
  /** The API object's UID; of a static pod the hash of its manifest. */
  readonly uid: string;
  readonly startTimeMs: number | undefined;
  /** `ephemeral-storage.usedBytes`: what the kubelet counts towards the pod's limit. */
  readonly usedBytes: number | undefined;
  /** `ephemeral-storage.inodesUsed`. */
  readonly inodesUsed: number | undefined;
  /** Undefined where the kubelet does not measure it. */
  readonly ioPressure: IoPressure | undefined;
  readonly containers: readonly ContainerSummary[];
  /** Undefined when the kubelet lists no volume for the pod: it has none, or has not measured them yet. */
  readonly volumes: readonly VolumeSummary[] | undefined;
  /** How many containers and volumes the entries `(others)` stand for; undefined when the pod has none. */
  readonly others?: ItemCounts;
}

export interface ItemCounts {
  readonly containerCount: number;
  readonly volumeCount: number;
}

export interface NodeSummary {
  readonly nodeName: string;
  readonly nodefs: FsStats | undefined;
  readonly imagefs: FsStats | undefined;
  readonly containerfs: FsStats | undefined;
  /** Undefined where the kubelet does not measure it. */
  readonly ioPressure: IoPressure | undefined;
  readonly pods: readonly PodSummary[];
  /** Wall time of the kubelet's own start, in milliseconds; undefined where it does not report itself. */
  readonly kubeletStartedAtMs: number | undefined;
  /** How many of the values above no disk has: above 2^53, or more free than there is. */
  readonly saturatedCount: number;
}
