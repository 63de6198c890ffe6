import { blockBytes } from '../model/growth.js';
import type { Random } from '../model/random.js';
import { imageOf } from '../model/simulated-pod.js';
import type { ImageSpec, NodeSpec, PodSpec } from '../model/specs.js';
import { cgroupFiles, type PodActivity } from './cgroup-values.js';
import { ContainerStore } from './container-store.js';
import type { FileSizes, HostTree } from './host-tree.js';

/** What the containers of a pod have written, and what they do. */
export interface PodFiles {
  readonly containers: Readonly<Record<string, ContainerFiles>>;
  /** By emptyDir. */
  readonly volumes?: Readonly<Record<string, FileSizes>>;
  readonly activity: PodActivity;
}

interface ContainerFiles {
  readonly rootfs: FileSizes;
  readonly logs: FileSizes;
  /** Where its image declares a `VOLUME`. */
  readonly imageVolume?: FileSizes;
}

type KnownImage = Pick<ImageSpec, 'name' | 'isUnused'> & {
  /** The lowest first. */
  readonly layers: readonly FileSizes[];
};

/** Of each sandbox. */
const pauseImage = 'registry.k8s.io/pause:3.10.1';
const pods = '/var/lib/kubelet/pods';
const cgroups = '/sys/fs/cgroup';
const allPods = `${cgroups}/kubepods.slice`;
const idle: PodActivity = {
  cpuShare: 0,
  memoryBytes: 0,
  cacheBytes: 0,
  readBytesPerSecond: 0,
  writtenBytesPerSecond: 0,
  processCount: 0,
};

/** Writes what kubelet, containerd and kernel keep of pods, and returns the values that a kubelet reports of it. */
export class SimulatedDisk {
  readonly #tree: HostTree;
  readonly #random: Random;
  readonly #store: ContainerStore;
  readonly #images: ImageSpec[] = [];
  readonly #activities: { readonly uid: string; readonly activity: PodActivity }[] = [];
  /** Writable layers of sandboxes and of containers that have ended. */
  #otherSnapshotsBytes = 0;
  /** Of pods, as the kubelet counts them. */
  #podsBytes = 0;

  constructor(tree: HostTree, random: Random) {
    this.#tree = tree;
    this.#random = random;
    this.#store = new ContainerStore(tree, random);
    this.addImage({ name: pauseImage, layers: [{ pause: 2 ** 19 }] });
  }

  addImage({ layers, ...image }: KnownImage): void {
    const { sizeBytes, contentBytes } = this.#store.addImage(image.name, layers);
    this.#images.push({ ...image, sizeBytes, contentBytes });
  }

  /** Returns the pod with its UID and the sizes of its files. */
  addPod(pod: PodSpec, files: PodFiles): PodSpec {
    const uid = this.#random.uuid();
    this.#activities.push({ uid, activity: files.activity });
    this.#otherSnapshotsBytes += this.#store.addSandbox(pauseImage);
    this.#tree.addFiles(`${pods}/${uid}`, { 'etc-hosts': 250 });
    this.#podsBytes += blockBytes;
    const containers = pod.containers.map((container) => {
      const { rootfs, logs, imageVolume } = files.containers[container.name] ?? { rootfs: {}, logs: {} };
      const { id, usedBytes } = this.#store.addContainer(imageOf(container), { rootfs, volumes: imageVolume });
      const folder = `${logFolderOf(pod, uid)}/${container.name}`;
      this.#tree.addLink(
        `/var/log/containers/${pod.name}_${pod.namespace}_${container.name}-${id}.log`,
        `${folder}/0.log`,
      );
      return { ...container, rootfs: this.#counted(usedBytes), logs: this.#addCounted(folder, logs) };
    });
    const volumes = (pod.volumes ?? []).map((volume) => ({
      ...volume,
      content: this.#addCounted(emptyDirOf(uid, volume.name), files.volumes?.[volume.name] ?? {}),
    }));
    return { ...pod, uid, containers, volumes };
  }

  /** Adds what a kubelet has left of a pod that is gone. */
  addOrphanedPod({ volume, files, goneAtMs }: { volume: string; files: FileSizes; goneAtMs: number }): void {
    const uid = this.#random.uuid();
    this.#tree.addFiles(emptyDirOf(uid, volume), files);
    this.#tree.setModified(`${pods}/${uid}`, goneAtMs);
  }

  /** Adds the logs of a container whose pod is gone. */
  addLogsOfGonePod(pod: Pick<PodSpec, 'namespace' | 'name'>, container: string, files: FileSizes): void {
    this.#tree.addFiles(`${logFolderOf(pod, this.#random.uuid())}/${container}`, files);
  }

  addEndedContainer(rootfs: FileSizes): void {
    this.#otherSnapshotsBytes += this.#store.addEndedContainer(rootfs);
  }

  addForgottenLayer(files: FileSizes): void {
    this.#store.addForgottenLayer(files);
  }

  /** Writes the files of the kernel, which are on no disk: once all pods are there, and again as time passes. */
  writeKernelFiles(ageSeconds: number): void {
    this.#tree.writeText('/proc/1/mountinfo', this.#store.mountInfo);
    this.#tree.writeText(`${cgroups}/cgroup.controllers`, 'cpuset cpu io memory hugetlb pids rdma misc\n');
    this.#writeCgroup(allPods, idle, ageSeconds);
    for (const { uid, activity } of this.#activities) {
      const slice = `kubepods-besteffort-pod${uid.replaceAll('-', '_')}.slice`;
      this.#writeCgroup(`${allPods}/kubepods-besteffort.slice/${slice}`, activity, ageSeconds);
    }
  }

  /** Returns the values of the filesystem. What is nobody's is the system's. */
  filesystem(): Pick<NodeSpec, 'images' | 'otherSnapshotsBytes' | 'systemBytes'> {
    const usedBytes = this.#tree.bytes('/') - this.#tree.bytes('/proc') - this.#tree.bytes('/sys');
    const imagesBytes = this.#images.reduce(
      (sum, { sizeBytes, contentBytes = 0 }) => sum + sizeBytes + contentBytes,
      0,
    );
    const systemBytes = usedBytes - imagesBytes - this.#otherSnapshotsBytes - this.#podsBytes;
    return { images: this.#images, otherSnapshotsBytes: this.#otherSnapshotsBytes, systemBytes };
  }

  #addCounted(folder: string, files: FileSizes): { readonly initialBytes: number } {
    this.#tree.addFiles(folder, files);
    return this.#counted(this.#tree.bytes(folder));
  }

  #counted(usedBytes: number): { readonly initialBytes: number } {
    this.#podsBytes += usedBytes;
    return { initialBytes: usedBytes };
  }

  #writeCgroup(folder: string, activity: PodActivity, ageSeconds: number): void {
    for (const [name, text] of Object.entries(cgroupFiles(activity, ageSeconds))) {
      this.#tree.writeText(`${folder}/${name}`, text);
    }
  }
}

function emptyDirOf(uid: string, volume: string): string {
  return `${pods}/${uid}/volumes/kubernetes.io~empty-dir/${volume}`;
}

function logFolderOf({ namespace, name }: Pick<PodSpec, 'namespace' | 'name'>, uid: string): string {
  return `/var/log/pods/${namespace}_${name}_${uid}`;
}
