/** The figures of one pod, from what the kubelet and the API server wrote, in whole bytes of any size. */
import {
  dealt,
  largest,
  nanosPerByte,
  quantityNanos,
  storageNanosOf,
  sum,
  sumOfAll,
  sumOfKnown,
  toBytes,
} from './quantity.js';
import type { RawContainer, RawContainerStats, RawPod, RawPodStats, RawVolume, RawVolumeStats } from './raw.js';

export type Attribution = 'measured' | 'even';

export const componentNames = ['rootfs', 'logs', 'emptydir', 'configmap', 'other'] as const;
type ComponentName = (typeof componentNames)[number];

export interface VolumeKind {
  readonly type: string;
  readonly medium: string;
  /** In billionths of a byte. */
  readonly limit: bigint | undefined;
}

const typeOfKey: Readonly<Record<string, string>> = {
  emptyDir: 'emptydir',
  configMap: 'configmap',
  gitRepo: 'gitrepo',
  secret: 'secret',
  projected: 'projected',
  downwardAPI: 'downwardapi',
  hostPath: 'hostpath',
  persistentVolumeClaim: 'pvc',
  ephemeral: 'ephemeral',
  csi: 'csi',
  nfs: 'nfs',
  image: 'image',
};

export function kindOfSpec(volume: RawVolume): VolumeKind {
  const source = Object.keys(volume).find((key) => key !== 'name') ?? '';
  const sizeLimit = quantityNanos(volume.emptyDir?.sizeLimit ?? '0');
  return {
    type: typeOfKey[source] ?? 'unknown',
    medium: volume.emptyDir?.medium ?? '',
    limit: sizeLimit > 0n ? sizeLimit : undefined,
  };
}

/** Which component of the pod's total holds the volume: none for those in memory and those of other sources. */
export function countedIn({ type, medium }: VolumeKind): ComponentName | undefined {
  if (type === 'configmap') return type;
  return type === 'emptydir' && medium === '' ? type : undefined;
}

const big = (figure: number | undefined): bigint | undefined => (figure === undefined ? undefined : BigInt(figure));

/** What the kubelet counted of a container: nothing of one without a root filesystem, not even its logs. */
const countedRootfs = ({ rootfs }: RawContainerStats): bigint | undefined => counted(rootfs?.usedBytes);
const countedLogs = ({ rootfs, logs }: RawContainerStats): bigint | undefined =>
  rootfs === undefined ? 0n : counted(logs?.usedBytes);
/** Undefined for a negative figure. */
const counted = (figure = 0): bigint | undefined => (figure < 0 ? undefined : BigInt(figure));
const isCounted = ({ rootfs, logs }: RawContainerStats): boolean =>
  rootfs !== undefined && (rootfs.usedBytes !== undefined || logs?.usedBytes !== undefined);

const isEmpty = ({ containers }: RawPodStats): boolean => (containers ?? []).length === 0;

/** A pod between two runs is listed without containers: those of its spec hold its bytes. */
function containersOf(stats: RawPodStats, pod: RawPod | undefined): readonly RawContainerStats[] {
  if (!isEmpty(stats) || pod === undefined) return stats.containers ?? [];
  const { initContainers = [], containers } = pod.spec;
  return [...initContainers.filter(isSidecar), ...containers].map(({ name }) => ({ name }));
}

export interface ServedContainer {
  readonly name: string;
  /** Undefined where it is unknown. */
  readonly share: bigint | undefined;
  readonly reported: (place: 'rootfs' | 'logs', figure: 'usedBytes' | 'inodesUsed') => bigint | undefined;
}

/** Undefined when nothing is reported, or something negative. */
function sumOfReported(figures: readonly (number | undefined)[]): bigint | undefined {
  return figures.some((figure = 0) => figure < 0) ? undefined : sumOfKnown(figures.map(big));
}

export class PodFigures {
  readonly stats: RawPodStats;
  readonly pod: RawPod | undefined;
  readonly used: bigint;
  readonly containers: readonly RawContainerStats[];

  constructor(stats: RawPodStats, pod: RawPod | undefined, usedBytes: number) {
    this.stats = stats;
    this.pod = pod;
    this.used = BigInt(usedBytes);
    this.containers = containersOf(stats, pod);
  }

  kindOf(volumeName: string): VolumeKind {
    const spec = this.pod?.spec.volumes?.find(({ name }) => name === volumeName);
    if (spec !== undefined) return kindOfSpec(spec);
    const hasClaim = this.stats.volume?.some(({ name, pvcRef }) => name === volumeName && pvcRef !== undefined);
    return { type: hasClaim === true ? 'pvc' : 'unknown', medium: '', limit: undefined };
  }

  isCounted(kind: VolumeKind): boolean {
    return countedIn(kind) !== undefined;
  }

  /** Those of volumes where the pod has such a volume. */
  componentNames(): readonly ComponentName[] {
    const specs = this.pod?.spec.volumes ?? [];
    const counted = new Set(specs.map((spec) => countedIn(kindOfSpec(spec))));
    return componentNames.filter((name) => (name !== 'emptydir' && name !== 'configmap') || counted.has(name));
  }

  component(name: ComponentName): bigint | undefined {
    if (name === 'rootfs') return sumOfAll(this.containers.map(countedRootfs));
    if (name === 'logs') return sumOfAll(this.containers.map(countedLogs));
    if (name === 'other') {
      const named = componentNames.filter((other) => other !== 'other').map((other) => this.component(other));
      const known = sumOfAll(named);
      return known === undefined ? undefined : this.used - known;
    }
    return sumOfAll(this.#countedVolumes().flatMap((volume) => (volume.component === name ? [volume.bytes] : [])));
  }

  /** In the order of the containers. */
  shares(attribution: Attribution): readonly (bigint | undefined)[] {
    const isMeasured = isEmpty(this.stats) || this.containers.some(isCounted);
    const isEven = attribution === 'even' || !isMeasured;
    const other = this.component('other');
    if (!isEven && other === undefined) return this.containers.map(() => undefined);
    const shares = this.containers.map((one) =>
      isEven ? 0n : sum([countedRootfs(one) ?? 0n, countedLogs(one) ?? 0n]),
    );
    const nameAt = (place: number): string => this.containers[place]?.name ?? '';
    const deal = (bytes: bigint, places: readonly number[]): void => {
      const receivers = places.toSorted((a, b) => (nameAt(a) < nameAt(b) ? -1 : 1));
      for (const [place, part] of dealt(bytes, receivers.length).entries()) {
        const receiver = receivers[place] ?? 0;
        shares[receiver] = (shares[receiver] ?? 0n) + part;
      }
    };
    if (isEven) {
      deal(this.used, [...this.containers.keys()]);
      return shares;
    }
    for (const { name, bytes } of this.#countedVolumes()) deal(bytes ?? 0n, this.#mounting(name));
    deal(other ?? 0n, [...this.containers.keys()]);
    return shares;
  }

  /** As they are served: those that the spec lacks are one without a name. */
  servedContainers(attribution: Attribution): readonly ServedContainer[] {
    const shares = this.shares(attribution);
    const isOfSpec = ({ name }: RawContainerStats): boolean =>
      this.pod === undefined || specsOf(this.pod).some((spec) => spec.name === name);
    const all = this.containers.map((container, place) => ({ container, share: shares[place] }));
    const strangers = all.filter(({ container }) => !isOfSpec(container));
    const known = all.filter(({ container }) => isOfSpec(container));
    const groups = [...known.map((one) => [one]), ...(strangers.length === 0 ? [] : [strangers])];
    return groups.map((group) => ({
      name: group === strangers ? '' : (group[0]?.container.name ?? ''),
      share: sumOfAll(group.map(({ share }) => share)),
      reported: (place, figure) => sumOfReported(group.map(({ container }) => container[place]?.[figure])),
    }));
  }

  /** The same of volumes. */
  servedVolumes(): readonly RawVolumeStats[] {
    const isOfSpec = ({ name }: RawVolumeStats): boolean =>
      this.pod === undefined || (this.pod.spec.volumes ?? []).some((spec) => spec.name === name);
    const all = this.stats.volume ?? [];
    const used = sumOfReported(all.filter((volume) => !isOfSpec(volume)).map(({ usedBytes }) => usedBytes));
    return [...all.filter(isOfSpec), ...(used === undefined ? [] : [{ name: '', usedBytes: Number(used) }])];
  }

  /** The spec has volumes that count or have a size limit, and none of its volumes is listed. */
  get arePending(): boolean {
    const specs = this.pod?.spec.volumes ?? [];
    const matters = (kind: VolumeKind): boolean => countedIn(kind) !== undefined || kind.limit !== undefined;
    if (!specs.some((spec) => matters(kindOfSpec(spec)) && this.#isMounted(spec.name))) return false;
    return !specs.some(({ name }) => this.stats.volume?.some((volume) => volume.name === name));
  }

  #isMounted(volumeName: string): boolean {
    const { containers = [], initContainers = [], ephemeralContainers = [] } = this.pod?.spec ?? {};
    return [...containers, ...initContainers, ...ephemeralContainers].some(({ volumeMounts = [] }) =>
      volumeMounts.some(({ name }) => name === volumeName),
    );
  }

  #countedVolumes(): readonly { name: string; component: ComponentName; bytes: bigint | undefined }[] {
    return (this.stats.volume ?? []).flatMap(({ name, usedBytes }) => {
      const component = countedIn(this.kindOf(name));
      return component === undefined ? [] : [{ name, component, bytes: counted(usedBytes) }];
    });
  }

  /** Places of the containers that mount the volume; of all when none does. */
  #mounting(volumeName: string): readonly number[] {
    const names = specsOf(this.pod)
      .filter(({ volumeMounts = [] }) => volumeMounts.some((mount) => mount.name === volumeName))
      .map(({ name }) => name);
    const places = [...this.containers.keys()];
    const mounting = places.filter((place) => names.includes(this.containers[place]?.name ?? ''));
    return mounting.length === 0 ? places : mounting;
  }
}

/** Init containers first. */
function specsOf(pod: RawPod | undefined): readonly RawContainer[] {
  if (pod === undefined) return [];
  const { initContainers = [], containers, ephemeralContainers = [] } = pod.spec;
  return [...initContainers, ...containers, ...ephemeralContainers];
}

const isSidecar = ({ restartPolicy }: RawContainer): boolean => restartPolicy === 'Always';

/** Those that run while the pod does. */
export function lastingSpecs({ spec }: RawPod): readonly RawContainer[] {
  return [...(spec.initContainers ?? []).filter(isSidecar), ...spec.containers, ...(spec.ephemeralContainers ?? [])];
}

export type Bound = 'limits' | 'requests';

/** Of all moments of the pod's life the largest, with the pod's overhead, in whole bytes. */
export function aggregated(pod: RawPod, bound: Bound): bigint | undefined {
  const nanos = aggregatedNanos(pod, bound);
  return nanos === undefined ? undefined : toBytes(nanos);
}

function aggregatedNanos({ spec }: RawPod, bound: Bound): bigint | undefined {
  const { initContainers = [], containers } = spec;
  const declared = ({ resources }: RawContainer): bigint | undefined => storageNanosOf(resources?.[bound]);
  const overhead = storageNanosOf(spec.overhead) ?? 0n;
  const total = (of: readonly RawContainer[]): bigint => sum(of.map((container) => declared(container) ?? 0n));
  if (![...initContainers, ...containers].some((container) => declared(container) !== undefined)) {
    return bound === 'requests' && overhead > 0n ? overhead : undefined;
  }
  const moments = initContainers.map((container, place) =>
    isSidecar(container) ? 0n : total([...initContainers.slice(0, place).filter(isSidecar), container]),
  );
  const amount = largest([...moments, total([...initContainers.filter(isSidecar), ...containers])]);
  // A limit of zero has no overhead: https://pkg.go.dev/k8s.io/component-helpers/resource#PodLimits
  return bound === 'limits' && amount === 0n ? 0n : amount + overhead;
}

export interface HeldLimit {
  readonly rule: 'emptydir' | 'pod' | 'container';
  readonly container?: string;
  readonly volume?: string;
  readonly used: bigint;
  /** In billionths of a byte. */
  readonly limit: bigint;
  /** The volume cannot hold more. */
  readonly isBounded?: boolean;
}

export interface Enforcement {
  readonly hasDedicatedImagefs: boolean;
  /** 0 when it is unknown. */
  readonly kubeletMinor: number;
}

/** The usage that the kubelet counts towards each limit, of a pod that has not ended. */
export function enforcedLimits(stats: RawPodStats, pod: RawPod, enforcement: Enforcement): readonly HeldLimit[] {
  if (pod.status.phase === 'Failed' || pod.status.phase === 'Succeeded') return [];
  const ofVolumes = (pod.spec.volumes ?? []).flatMap((spec): HeldLimit[] => {
    const { limit, medium } = kindOfSpec(spec);
    const { usedBytes, capacityBytes } = stats.volume?.find(({ name }) => name === spec.name) ?? {};
    if (limit === undefined || usedBytes === undefined || usedBytes < 0) return [];
    const held = { rule: 'emptydir', volume: spec.name, used: BigInt(usedBytes) } as const;
    return [{ ...held, ...(medium === 'Memory' ? heldOfTmpfs(limit, big(capacityBytes), enforcement) : { limit }) }];
  });
  const used = big(stats['ephemeral-storage']?.usedBytes);
  const limit = aggregatedNanos(pod, 'limits');
  const ofPod: HeldLimit[] = used === undefined || limit === undefined ? [] : [{ rule: 'pod', used, limit }];
  return [...ofVolumes, ...ofPod, ...heldOfContainers(stats, pod, enforcement)];
}

/** A tmpfs has the size of the limit, in whole pages; from 1.37 on it may be larger while a lower limit is not in force yet. */
function heldOfTmpfs(
  limit: bigint,
  capacity: bigint | undefined,
  { kubeletMinor }: Enforcement,
): Pick<HeldLimit, 'limit' | 'isBounded'> {
  if (capacity === undefined) return { limit, isBounded: limit % (4096n * nanosPerByte) === 0n };
  const isLarger = kubeletMinor >= 37 && capacity - toBytes(limit) >= 65_536n;
  const compared = isLarger ? capacity * nanosPerByte : limit;
  return { limit: compared, isBounded: capacity * nanosPerByte <= compared };
}

/** Virtual kubelets list pods without any. */
function hasFigures({ containers, ...stats }: RawPodStats): boolean {
  const ofContainers = (containers ?? []).flatMap(({ rootfs, logs }) => [rootfs?.usedBytes, logs?.usedBytes]);
  return [stats['ephemeral-storage']?.usedBytes, ...ofContainers].some((figure) => figure !== undefined);
}

function heldOfContainers(stats: RawPodStats, { spec }: RawPod, enforcement: Enforcement): readonly HeldLimit[] {
  if (!hasFigures(stats)) return [];
  const sidecars = enforcement.kubeletMinor >= 37 ? (spec.initContainers ?? []).filter(isSidecar) : [];
  return [...sidecars, ...spec.containers].flatMap(({ name, resources }): HeldLimit[] => {
    const limit = storageNanosOf(resources?.limits) ?? 0n;
    const listed = stats.containers?.find((container) => container.name === name);
    const used = listed && comparedOf(listed, enforcement);
    return limit === 0n || used === undefined ? [] : [{ rule: 'container', container: name, used, limit }];
  });
}

function comparedOf({ rootfs, logs }: RawContainerStats, { hasDedicatedImagefs }: Enforcement): bigint | undefined {
  return sumOfAll([counted(logs?.usedBytes), hasDedicatedImagefs ? 0n : counted(rootfs?.usedBytes)]);
}
