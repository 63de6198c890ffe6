/**
 * Nodes and pods: the fields that the exporter keeps, projected from the API server's JSON on arrival.
 * Everything else of an object is dropped at once.
 */

import type { Amount } from './quantity.js';

export type Labels = Readonly<Record<string, string>>;

export interface StoredObject {
  readonly uid: string;
  readonly name: string;
  /** Opaque. Proves nothing about the content: after a restore from a backup, the server gives versions out again. */
  readonly resourceVersion: string;
}

export interface Node extends StoredObject {
  readonly labels: Labels;
  readonly ready: boolean;
  /** Wall time in milliseconds of the last change of the condition `Ready`; undefined without it. */
  readonly readyChangedAtMs: number | undefined;
  /** The type is `InternalIP`, `ExternalIP`, `Hostname`, … as in the node's status. */
  readonly addresses: readonly { readonly type: string; readonly address: string }[];
  /** `status.daemonEndpoints.kubeletEndpoint.Port`; undefined until the kubelet has reported it. */
  readonly kubeletPort: number | undefined;
  /** `status.capacity` of `ephemeral-storage`: what the scheduler takes for the size of the disk. */
  readonly capacityBytes: number | undefined;
  /** `status.allocatable` of `ephemeral-storage`: what pods may request. */
  readonly allocatableBytes: number | undefined;
  /** `status.nodeInfo`; undefined until the kubelet has reported it. */
  readonly kubeletVersion: string | undefined;
  readonly operatingSystem: string | undefined;
  /**
   * Whether the kubelet evicts for limits of ephemeral storage. One with `localStorageCapacityIsolation: false` does not,
   * and reports no capacity of it.
   */
  readonly enforcesStorageLimits: boolean;
  /** The condition `DiskPressure`; undefined while it is unknown. */
  readonly diskPressure: boolean | undefined;
  /** `status.nodeInfo.containerRuntimeVersion`, such as `containerd://2.1.4`; undefined as above. */
  readonly containerRuntime: string | undefined;
  /** `status.images`, in its order: the largest ones. */
  readonly images: readonly NodeImage[];
}

/** An image on a node's disk. */
export interface NodeImage {
  /** A tag where it has one, else a digest; undefined for an image that has neither. */
  readonly name: string | undefined;
  /** What each of its names, up to five, has in common with those in {@link Pod.images}: the digest, or else the tag. */
  readonly keys: readonly string[];
  /** Compressed or not, see `NodeImages`. */
  readonly sizeBytes: number;
}

export type ContainerKind = 'app' | 'init' | 'sidecar' | 'ephemeral';

export interface Mount {
  readonly volumeName: string;
  readonly path: string;
}

export interface Container {
  readonly name: string;
  /** `sidecar`: an init container with `restartPolicy: Always`. */
  readonly kind: ContainerKind;
  /**
   * Of emptyDirs and configMaps, each once; the first of a pod with very many. Others are irrelevant to ephemeral storage,
   * and the majority: almost every container mounts a token.
   */
  readonly mounts: readonly Mount[];
  /** `resources.limits` and `requests` of `ephemeral-storage`; undefined where none is declared. */
  readonly limitBytes: Amount | undefined;
  readonly requestBytes: Amount | undefined;
}

/** The source of a pod volume, in lower case (`emptydir`, `configmap`, `gitrepo`, `pvc`, …); `unknown` for one that we do not know. */
export const volumeTypes = [
  'emptydir',
  'configmap',
  'gitrepo',
  'secret',
  'projected',
  'downwardapi',
  'hostpath',
  'pvc',
  'ephemeral',
  'csi',
  'nfs',
  'image',
  'unknown',
] as const;

export type VolumeType = (typeof volumeTypes)[number];

export interface Volume {
  readonly name: string;
  readonly type: VolumeType;
  /** An emptyDir's `medium`: '' for the node's disk, `Memory`, `HugePages…`; '' for all other types. */
  readonly medium: string;
  /** An emptyDir's `sizeLimit`, above 0; undefined without one, which 0 stands for as well. */
  readonly sizeLimitBytes: Amount | undefined;
  /** A container has it as a device: it has no filesystem, and the kubelet's values for it are zeros. */
  readonly isRawBlock: boolean;
}

export interface Controller {
  readonly kind: string;
  readonly name: string;
  /** Of an API group that has a kind of Kubernetes, too: its names follow other rules. */
  readonly isForeign?: true;
}

/** Volumes of one type that the same containers mount. */
export interface VolumeGroup {
  readonly type: 'emptydir' | 'configmap' | 'hostpath';
  /** Positions in {@link Pod.containers}. */
  readonly mountedBy: readonly number[];
  /** Of the containers that are not in detail, without init containers, how many mount them. */
  readonly othersCount: number;
  readonly names: readonly string[];
}

/** What is kept of a pod beyond its first containers, volumes and labels (`maxDetailCount` of each). */
export interface PodRest {
  /** Of each, the number that is not kept in detail. */
  readonly containerCount: number;
  /** Of these containers, the app containers and sidecars. */
  readonly lastingContainerCount: number;
  readonly volumeCount: number;
  readonly mountCount: number;
  readonly labelCount: number;
  /** What all containers declare together, those in detail too. */
  readonly declared: {
    /** As the kubelet enforces it, without overhead; undefined when none declares a limit. */
    readonly limitBytes: Amount | undefined;
    /** As the scheduler counts it, without overhead; undefined when none declares a request. */
    readonly requestBytes: Amount | undefined;
    /** The sum of kubelets before 1.34. */
    readonly formerRequestBytes: Amount;
  };
  /** A container or an emptyDir of the pod has a limit, in detail or not. */
  readonly hasLimits: boolean;
  /** The first ones that have a limit (`maxCheckedCount`), in the order of the spec, without their mounts. */
  readonly containers: readonly Container[];
  /** The first ones that have a limit and that a container mounts (`maxCheckedCount`), in the order of the spec. */
  readonly volumes: readonly Volume[];
  /**
   * Of the volumes in detail, the emptyDirs and configMaps that a container mounts. Of the others, those that count for
   * the pod and that a summary may list by name: with `volumes`, all that the kubelet's rules look at. Written as JSON,
   * which takes a tenth of the memory: see `volumeGroupsOf`.
   */
  readonly volumeGroups: string;
  /** Volumes that are not in detail, would count for the pod or have a limit, and no container mounts. */
  readonly unmountedVolumeCount: number;
}

/** What the status of a pod says about its eviction by the kubelet, for whatever cause. */
export interface EvictionStatus {
  /** As the kubelet wrote it. */
  readonly message: string;
  /** Wall time in milliseconds, to the second; undefined when the status does not show it. */
  readonly atMs: number | undefined;
}

export interface Pod extends StoredObject {
  readonly labels: Labels;
  readonly namespace: string;
  /**
   * The UID under which the kubelet reports the pod: the annotation `kubernetes.io/config.hash` of a static pod's
   * mirror, else the API object's UID.
   */
  readonly kubeletUid: string;
  readonly isStatic: boolean;
  /** Undefined until it is scheduled. */
  readonly nodeName: string | undefined;
  readonly phase: string;
  /** `Guaranteed`, `Burstable` or `BestEffort`; undefined until it is set, as the following ones. */
  readonly qosClass: string | undefined;
  readonly hostIp: string | undefined;
  readonly priorityClass: string | undefined;
  /** Wall time in milliseconds at which the kubelet accepted the pod. */
  readonly startTimeMs: number | undefined;
  /**
   * Wall time in milliseconds since which at least one of its containers runs, of whatever kind. Undefined when none
   * runs: the kubelet reports no storage for such a pod, or that of its volumes alone.
   */
  readonly runningSinceMs: number | undefined;
  /** Its containers that run, of all kinds; 0 where the status has no container. */
  readonly runningContainerCount: number;
  /**
   * Those containers, each as its name and the number of its restarts: `main#0`. In the order of the status. Those behind its
   * first containers (`maxDetailCount`) are one, with their number and the time of their last change: `(others)#3@1767225600000`.
   */
  readonly runs: readonly string[];
  /** Wall time in milliseconds, to the second, at which a container last started or ended; undefined before the first. */
  readonly runsChangedAtMs: number | undefined;
  /**
   * The images of its containers and its volumes: their digests, whatever the repository, or their names where the runtime
   * reports no digest. Each once, the first ones.
   */
  readonly images: readonly string[];
  /** The owner reference with `controller: true`. */
  readonly controller: Controller | undefined;
  /** The first ones in the order of the spec: init containers, app containers, ephemeral containers. */
  readonly containers: readonly Container[];
  /** The first ones. */
  readonly volumes: readonly Volume[];
  /** Undefined for a pod that is kept whole, as almost all are. */
  readonly rest: PodRest | undefined;
  /** `spec.overhead` of `ephemeral-storage`; 0 without one. */
  readonly overheadBytes: Amount;
  /** `spec.priority`; 0 without one. */
  readonly priority: number;
  /** `spec.resources` names cpu, memory or huge pages for the pod as a whole: KEP-2837. */
  readonly hasPodLevelResources: boolean;
  /** Undefined for a pod that its kubelet has not evicted. */
  readonly eviction: EvictionStatus | undefined;
}

export function hasEnded({ phase }: Pick<Pod, 'phase'>): boolean {
  return phase === 'Failed' || phase === 'Succeeded';
}

/**
 * Whether a node is one that vCluster has made up: its kubelet is that of a host, and its object is not.
 * https://www.vcluster.com/docs/vcluster/configure/vcluster-yaml/sync/from-host/nodes
 */
export function isOfVirtualCluster(labels: Labels): boolean {
  return labels['vcluster.loft.sh/fake-node'] === 'true';
}
