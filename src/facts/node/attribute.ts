import type { Pod } from '../../cluster/kube/objects.js';
import { othersName } from '../../cluster/kube/pod-bounds.js';
import type { ContainerSummary, PodSummary } from '../../cluster/kubelet/summary.js';
import { addFigures, type Figure } from '../../cluster/kubelet/summary.js';
import { finderByName, mergeByName } from '../../lib/base/maps.js';
import { sortedByName } from '../../lib/base/ranking.js';
import { addShares, type Share, sharersOfVolumes } from './shares.js';
import type { AttributionMode, Component, ContainerUsage, PodUsage } from './usage.js';
import { areVolumesPending, countedComponent, volumeUsages } from './volume-usage.js';

export interface AttributeInput {
  readonly summary: PodSummary;
  /** The API object of the same pod; undefined for a pod that the API server does not know. */
  readonly pod: Pod | undefined;
  readonly mode: AttributionMode;
}

/**
 * Splits the kubelet's total of one pod into components and over its containers, each time exactly to the byte.
 *
 * Values are whole bytes from 0 to 2^53. Parts beyond 2^53 bytes (8 PiB) in all are dropped: no disk holds them, only
 * saturated or nonsensical values get there, and up to there every sum of the result is exact in a double. What a part that is
 * unknown belongs to is unknown; the rest stays.
 */
export function attributePod(input: AttributeInput): PodUsage {
  return attribute(input, addShares).usage;
}

/** What is attributed to a container. NaN while that is unknown, as is each sum with it. */
export interface Receiver {
  readonly name: string;
  usedBytes: number;
}

/**
 * {@link attributePod} with every distribution of bytes passed to `distribute`, for callers that record them: it adds the
 * bytes to the receivers, see {@link addShares}. `volume`: their source, undefined for bytes outside volumes.
 */
export function attribute(
  { summary, pod, mode }: AttributeInput,
  distribute: (shares: readonly Share<Receiver>[], bytes: number, volume?: string) => void,
): {
  readonly usage: PodUsage;
  /** In the order of the usage's containers. */
  readonly listed: readonly MeasuredContainer[];
  /** Whether containers have their own values; otherwise the total is split evenly, by the settings or because none has. */
  readonly isMeasured: boolean;
} {
  const { usedBytes = NaN } = summary;
  const breakdown = new Breakdown(usedBytes);
  const { containers: own, othersCount } = ownContainers(summary, pod);
  const listed = mergeByName(
    own.map((container) => listContainer(container, breakdown)),
    addContainers,
  );
  const isMeasured =
    mode === 'measured' && (summary.containers.length === 0 || listed.some(({ isCounted }) => isCounted));
  if (isMeasured) addOwn(listed);
  const volumes = volumeUsages(summary, pod);
  // Kubelets list containers in changing order, and the first receivers get the bytes that do not divide.
  const shares = sortedByName(listed).map((receiver) => ({
    receiver,
    count: receiver.name === othersName ? Math.max(1, othersCount) : 1,
  }));
  const sharersOf = sharersOfVolumes(shares, pod);
  for (const volume of volumes) {
    const component = countedComponent(volume);
    if (component === undefined) continue;
    const bytes = breakdown.take(component, volume.usedBytes);
    if (isMeasured) distribute(sharersOf(volume.name), bytes, volume.name);
  }
  distribute(shares, isMeasured ? breakdown.otherBytes : usedBytes);
  const usage = {
    usedBytes: summary.usedBytes,
    inodesUsed: summary.inodesUsed,
    components: breakdown.components(),
    containers: listed.map(containerUsage),
    volumes,
    volumesPending: areVolumesPending(summary, pod),
    unknownItems:
      othersCount === 0 ? summary.others : { volumeCount: 0, ...summary.others, containerCount: othersCount },
  };
  return { usage, listed, isMeasured };
}

function addOwn(containers: readonly MeasuredContainer[]): void {
  for (const container of containers) container.usedBytes = container.ownRootfsBytes + container.ownLogsBytes;
}

function containerUsage(container: MeasuredContainer): ContainerUsage {
  const { name, usedBytes, rootfsBytes, logsBytes, rootfsInodesUsed, logsInodesUsed } = container;
  return { name, usedBytes: sizeOf(usedBytes), rootfsBytes, logsBytes, rootfsInodesUsed, logsInodesUsed };
}

/** Undefined for an unknown sum. */
export function sizeOf(bytes: number): number | undefined {
  return Number.isNaN(bytes) ? undefined : bytes;
}

/** The components of one total. Parts are taken out of `other`, so the components add up to the total at every step. */
class Breakdown {
  readonly #bytes: Record<Component, number>;
  #roomBytes = 2 ** 53;

  constructor(usedBytes: number) {
    this.#bytes = { rootfs: 0, logs: 0, emptydir: 0, configmap: 0, other: usedBytes };
  }

  get otherBytes(): number {
    return this.#bytes.other;
  }

  /** Returns how much was taken: all of it while there is room below the bound. */
  take(component: Component, figure: Figure = 0): number {
    const takenBytes = figure === 'impossible' ? NaN : Math.min(figure, this.#roomBytes);
    if (figure !== 'impossible') this.#roomBytes -= takenBytes;
    this.#bytes[component] += takenBytes;
    this.#bytes.other -= takenBytes;
    return takenBytes;
  }

  components(): PodUsage['components'] {
    if (!Number.isNaN(this.#bytes.other)) return this.#bytes;
    return Object.fromEntries(Object.entries(this.#bytes).filter(([, bytes]) => !Number.isNaN(bytes)));
  }
}

interface MeasuredContainer extends Omit<ContainerUsage, 'usedBytes'>, Receiver {
  /** The part of the pod's total that is in its root filesystem and in its logs. NaN for an unknown one. */
  readonly ownRootfsBytes: number;
  readonly ownLogsBytes: number;
  /** Whether values of its own are part of the pod's total. */
  readonly isCounted: boolean;
}

function listContainer({ name, rootfs, logs }: ContainerSummary, breakdown: Breakdown): MeasuredContainer {
  const rootfsBytes = rootfs?.usedBytes;
  const logsBytes = logs?.usedBytes;
  // The kubelet leaves out the logs of a container without a root filesystem.
  const isCounted = rootfs !== undefined && (rootfsBytes ?? logsBytes) !== undefined;
  return {
    name,
    usedBytes: 0,
    rootfsBytes,
    logsBytes,
    rootfsInodesUsed: rootfs?.inodesUsed,
    logsInodesUsed: logs?.inodesUsed,
    ownRootfsBytes: isCounted ? breakdown.take('rootfs', rootfsBytes) : 0,
    ownLogsBytes: isCounted ? breakdown.take('logs', logsBytes) : 0,
    isCounted,
  };
}

function addContainers(a: MeasuredContainer, b: MeasuredContainer): MeasuredContainer {
  return {
    name: a.name,
    usedBytes: 0,
    rootfsBytes: addFigures(a.rootfsBytes, b.rootfsBytes),
    logsBytes: addFigures(a.logsBytes, b.logsBytes),
    rootfsInodesUsed: addFigures(a.rootfsInodesUsed, b.rootfsInodesUsed),
    logsInodesUsed: addFigures(a.logsInodesUsed, b.logsInodesUsed),
    ownRootfsBytes: a.ownRootfsBytes + b.ownRootfsBytes,
    ownLogsBytes: a.ownLogsBytes + b.ownLogsBytes,
    isCounted: a.isCounted || b.isCounted,
  };
}

interface OwnContainers {
  /** Those that are not in detail have the name `(others)`, and come last. */
  readonly containers: readonly ContainerSummary[];
  /** How many have that name, in the summary already or here. */
  readonly othersCount: number;
}

/**
 * Returns the containers that hold a pod's bytes. Kubelets that take their figures from the container runtime list a pod
 * without containers while none runs, as in CrashLoopBackOff, with the bytes of its volumes: the containers of its spec
 * hold them.
 */
function ownContainers({ containers, others }: PodSummary, pod: Pod | undefined): OwnContainers {
  const summedCount = others?.containerCount ?? 0;
  if (containers.length === 0 && pod !== undefined) return containersOfSpec(pod);
  if (pod?.rest === undefined) return { containers, othersCount: summedCount };
  const find = finderByName(pod.containers);
  const more = containers.filter(({ name }) => find(name) === undefined);
  const names = new Set(more.map(({ name }) => name));
  names.delete(othersName);
  return {
    containers: [
      ...containers.filter(({ name }) => find(name) !== undefined),
      ...more.map((container) => ({ ...container, name: othersName })),
    ],
    othersCount: summedCount + names.size,
  };
}

function containersOfSpec({ containers, rest }: Pod): OwnContainers {
  const lasting = containers.filter(({ kind }) => kind === 'app' || kind === 'sidecar');
  const othersCount = rest?.lastingContainerCount ?? 0;
  const names = [...lasting.map(({ name }) => name), ...(othersCount > 0 ? [othersName] : [])];
  return { containers: names.map((name) => ({ name, rootfs: undefined, logs: undefined })), othersCount };
}
