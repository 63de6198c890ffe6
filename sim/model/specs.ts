import type { Growth } from './growth.js';

/** The input of tests and scenarios, from which the model derives Kubernetes objects and bytes. */

export interface NodeSpec {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Default: v1.37.1. */
  readonly kubeletVersion?: string;
  /** Size of the node's root filesystem. Default: 100 GiB. */
  readonly capacityBytes?: number;
  /** Size of a separate filesystem for images and writable layers. Default: they share the root filesystem. */
  readonly imageFsCapacityBytes?: number;
  /** Inodes of each filesystem. Default: 6,553,600. */
  readonly inodeCount?: number;
  /** Size of all images, of which a few are made up. Default: 6 GiB. */
  readonly imagesBytes?: number;
  /** The images at the start, instead of `imagesBytes`. */
  readonly images?: readonly ImageSpec[];
  /** Size of the runtime's other snapshots: of sandboxes and of containers that have ended. Default: 0. */
  readonly otherSnapshotsBytes?: number;
  /** Size of the operating system and its logs. Default: 8 GiB. */
  readonly systemBytes?: number;
  /** Hard eviction thresholds by signal, as in the kubelet's configuration file. Default: those of Kubernetes. */
  readonly evictionHard?: Readonly<Record<string, string>>;
  /** Time for which a node stays under pressure after its last crossed threshold. Default: 5 minutes. */
  readonly pressureTransitionMs?: number;
}

export interface ImageSpec {
  readonly name: string;
  /** Unpacked. */
  readonly sizeBytes: number;
  /**
   * Its compressed copy, which containerd keeps beside the unpacked layers, in none of the kubelet's figures, and reports as the
   * size of the image. Default: none is kept, and the size is that of the layers, as with CRI-O.
   */
  readonly contentBytes?: number;
  /** No container uses it: the kubelet deletes it before it evicts pods. */
  readonly isUnused?: boolean;
}

export type ContainerKind = 'app' | 'init' | 'sidecar' | 'ephemeral';

export interface ContainerSpec {
  readonly name: string;
  /**
   * `init` completes before the pod starts; `sidecar` is an init container that keeps running; `ephemeral` is added to a running pod.
   * Default: `app`.
   */
  readonly kind?: ContainerKind;
  /** Default: made of its name. */
  readonly image?: string;
  /** Of an ephemeral container: whose processes it sees. */
  readonly target?: string;
  readonly rootfs: Growth;
  readonly logs: Growth;
  /** Limit and request of `ephemeral-storage`. */
  readonly limitBytes?: number;
  readonly requestBytes?: number;
  /** Of memory. Those of all containers bound the tmpfs of an emptyDir of medium Memory. */
  readonly memoryLimitBytes?: number;
  /** Repeats forever: runs for `runMs`, fails, waits for `backoffMs`. */
  readonly crashLoop?: { readonly runMs: number; readonly backoffMs: number };
  /** Names of the volumes that it mounts. Default: all of the pod's volumes. */
  readonly mounts?: readonly string[];
  readonly ports?: readonly ContainerPortSpec[];
}

interface ContainerPortSpec {
  readonly name?: string;
  readonly containerPort: number;
  /** The port of 127.0.0.1 on which a server for it listens, as simulated pods have no address. Default: nobody listens. */
  readonly listensOn?: number;
}

/** A headless Service. */
export interface ServiceSpec {
  readonly namespace: string;
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly selector: Readonly<Record<string, string>>;
  /** `targetPort`: the name or number of a container's port. */
  readonly ports: readonly { readonly name: string; readonly port: number; readonly targetPort: number | string }[];
}

export type VolumeSource =
  'emptyDir' | 'configMap' | 'gitRepo' | 'secret' | 'projected' | 'downwardAPI' | 'hostPath' | 'persistentVolumeClaim';

export interface VolumeSpec {
  readonly name: string;
  /** No kubelet measures a `gitRepo`. */
  readonly source: VolumeSource;
  /** `Memory` makes an emptyDir a tmpfs. */
  readonly medium?: 'Memory';
  readonly sizeLimitBytes?: number;
  readonly content: Growth;
}

export interface OwnerSpec {
  /** `EphemeralRunner` is that of actions-runner-controller, `Sandbox` that of agent-sandbox. */
  readonly kind: 'ReplicaSet' | 'StatefulSet' | 'DaemonSet' | 'Job' | 'EphemeralRunner' | 'Sandbox';
  readonly name: string;
}

export interface PodSpec {
  readonly namespace: string;
  readonly name: string;
  /** Default: a random one. */
  readonly uid?: string;
  /** Without it, the pod is not scheduled and stays pending. */
  readonly nodeName?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly owner?: OwnerSpec;
  /** A mirror pod of a static pod: its node owns it, and its UID in the kubelet is the hash of its configuration. */
  readonly isStatic?: boolean;
  /** From 2,000,000,000 on, the kubelet never evicts it. Default: 0. */
  readonly priority?: number;
  readonly priorityClassName?: string;
  readonly containers: readonly ContainerSpec[];
  readonly volumes?: readonly VolumeSpec[];
  /** How long it has run when it is added. Default: 0. */
  readonly hasRunMs?: number;
  /** Time from its creation until its containers run. Default: 0. */
  readonly startAfterMs?: number;
  /** Time from its start until the kubelet's summary lists it; real ones take seconds. Default: 0. */
  readonly listedAfterMs?: number;
  /** Members of the `spec` of its API object in place of those that follow from all else; the kubelet does not know them. */
  readonly asIs?: Readonly<Record<string, unknown>>;
  /** Time until it completes with phase Succeeded. Default: it runs until it is deleted. */
  readonly runMs?: number;
}
