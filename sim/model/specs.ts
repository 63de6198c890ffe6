import type { Growth } from './growth.js';

/** What a test or scenario asks for; the model makes Kubernetes objects and bytes of it. */

export interface NodeSpec {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Size of the node's root filesystem; 100 GiB without it. */
  readonly capacityBytes?: number;
  /** Size of a filesystem of its own for images and writable layers; without it they share the root filesystem. */
  readonly imageFsCapacityBytes?: number;
  /** What the images take; 6 GiB without it. */
  readonly imagesBytes?: number;
  /** What the operating system and its logs take; 8 GiB without it. */
  readonly systemBytes?: number;
  /** Hard eviction thresholds by signal, as in the kubelet's configuration file; those of Kubernetes without it. */
  readonly evictionHard?: Readonly<Record<string, string>>;
}

export type ContainerKind = 'app' | 'init' | 'sidecar';

export interface ContainerSpec {
  readonly name: string;
  /** `init` has run to its end before the pod starts; `sidecar` is an init container that stays. `app` without it. */
  readonly kind?: ContainerKind;
  readonly rootfs: Growth;
  readonly logs: Growth;
  /** Limit and request of `ephemeral-storage`. */
  readonly limitBytes?: number;
  readonly requestBytes?: number;
  /** Runs for `runMs`, fails, waits for `backoffMs`, and again without end. */
  readonly crashLoop?: { readonly runMs: number; readonly backoffMs: number };
  /** Names of the volumes that it mounts; all of the pod's without it. */
  readonly mounts?: readonly string[];
}

export type VolumeSource =
  'emptyDir' | 'configMap' | 'gitRepo' | 'secret' | 'projected' | 'downwardAPI' | 'hostPath' | 'persistentVolumeClaim';

export interface VolumeSpec {
  readonly name: string;
  readonly source: VolumeSource;
  /** `Memory` makes an emptyDir a tmpfs. */
  readonly medium?: 'Memory';
  readonly sizeLimitBytes?: number;
  readonly content: Growth;
}

export interface OwnerSpec {
  readonly kind: 'ReplicaSet' | 'StatefulSet' | 'DaemonSet' | 'Job';
  readonly name: string;
}

export interface PodSpec {
  readonly namespace: string;
  readonly name: string;
  /** Without it the pod is not scheduled and stays pending. */
  readonly nodeName?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly owner?: OwnerSpec;
  /** A mirror of a static pod: owned by its node, known to the kubelet by its configuration's hash. */
  readonly isStatic?: boolean;
  readonly containers: readonly ContainerSpec[];
  readonly volumes?: readonly VolumeSpec[];
  /** From creation until its containers run; 0 without it: it is running when it appears. */
  readonly startAfterMs?: number;
  /** Completes with phase Succeeded after so long; without it, it runs until it is deleted. */
  readonly runMs?: number;
}
