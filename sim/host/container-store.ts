import path from 'node:path';

import type { Random } from '../model/random.js';
import type { FileSizes, HostTree } from './host-tree.js';

const root = '/var/lib/containerd';
const blobs = `${root}/io.containerd.content.v1.content/blobs/sha256`;
const snapshots = `${root}/io.containerd.snapshotter.v1.overlayfs/snapshots`;
const containers = `${root}/io.containerd.grpc.v1.cri/containers`;
const sandboxes = `${root}/io.containerd.grpc.v1.cri/sandboxes`;
const tasks = '/run/containerd/io.containerd.runtime.v2.task/k8s.io';

/** The mounts of a node besides those of containers. */
const nodeMounts = [
  '1 0 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw,discard,errors=remount-ro',
  '23 1 0:21 / /proc rw,nosuid,nodev,noexec,relatime shared:12 - proc proc rw',
  '24 1 0:22 / /sys rw,nosuid,nodev,noexec,relatime shared:7 - sysfs sysfs rw',
  '29 24 0:26 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate',
];

interface StoredImage {
  /** Unpacked. */
  readonly sizeBytes: number;
  readonly contentBytes: number;
  /** The topmost first. */
  readonly layers: readonly string[];
}

/** A layer on the disk, and its size as the runtime reports it. */
interface Snapshot {
  readonly folder: string;
  readonly usedBytes: number;
}

/** What containerd keeps on the disk of a node, with the snapshotter overlayfs, and the mounts of what runs. */
export class ContainerStore {
  readonly #tree: HostTree;
  readonly #random: Random;
  readonly #images = new Map<string, StoredImage>();
  readonly #mounts: string[] = [...nodeMounts];
  #snapshotCount = 0;

  constructor(tree: HostTree, random: Random) {
    this.#tree = tree;
    this.#random = random;
    tree.addFolder(`${root}/io.containerd.content.v1.content/ingest`);
    tree.addFiles(`${root}/io.containerd.metadata.v1.bolt`, { 'meta.db': 2 ** 18 });
  }

  /** Adds an image: its layers, the lowest first, and their compressed copies, two fifths of their size. */
  addImage(name: string, layers: readonly FileSizes[]): StoredImage {
    const unpacked = layers.map((files) => this.#addSnapshot(files));
    const copies = layers.map((files) => this.#addBlob(0.4 * sumOf(Object.values(files))));
    const image = {
      sizeBytes: sumOf(unpacked.map(({ usedBytes }) => usedBytes)),
      contentBytes: sumOf(copies),
      layers: unpacked.map(({ folder }) => folder).reverse(),
    };
    this.#images.set(name, image);
    return image;
  }

  /** Starts a container of the image. `volumes`: what it has written where its image declares a `VOLUME`. Returns its ID. */
  addContainer(
    image: string,
    { rootfs, volumes }: { readonly rootfs: FileSizes; readonly volumes?: FileSizes | undefined },
  ): { readonly id: string; readonly usedBytes: number } {
    const id = this.#random.hex(64);
    const upper = this.#addSnapshot(rootfs);
    this.#leaveWork(upper);
    this.#tree.addFiles(`${containers}/${id}`, { status: 512 });
    if (volumes !== undefined) this.#tree.addFiles(`${containers}/${id}/volumes/${this.#random.hex(64)}`, volumes);
    this.#mount(image, id, upper);
    return { id, usedBytes: upper.usedBytes };
  }

  /** Starts the sandbox of a pod. Returns the size of its writable layer. */
  addSandbox(image: string): number {
    const id = this.#random.hex(64);
    const upper = this.#addSnapshot({});
    this.#leaveWork(upper);
    this.#tree.addFiles(`${sandboxes}/${id}`, { hostname: 16, 'resolv.conf': 80 });
    this.#mount(image, id, upper);
    return upper.usedBytes;
  }

  /** Adds the writable layer of a container that has ended. Returns its size. */
  addEndedContainer(rootfs: FileSizes): number {
    const upper = this.#addSnapshot(rootfs);
    this.#leaveWork(upper);
    this.#tree.addFiles(`${containers}/${this.#random.hex(64)}`, { status: 512 });
    return upper.usedBytes;
  }

  /** Adds a layer on the disk that containerd has forgotten. */
  addForgottenLayer(files: FileSizes): void {
    this.#addSnapshot(files);
  }

  /** The mount table of the node: https://www.man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html */
  get mountInfo(): string {
    return `${this.#mounts.join('\n')}\n`;
  }

  #addSnapshot(files: FileSizes): Snapshot {
    this.#snapshotCount += 1;
    const folder = `${snapshots}/${this.#snapshotCount}/fs`;
    this.#tree.addFiles(folder, files);
    this.#tree.addFolder(workOf(folder));
    return { folder, usedBytes: this.#tree.bytes(folder) };
  }

  #addBlob(sizeBytes: number): number {
    const name = this.#random.hex(64);
    this.#tree.addFiles(blobs, { [name]: Math.round(sizeBytes) });
    return this.#tree.bytes(`${blobs}/${name}`);
  }

  /** As the kernel does at a mount. */
  #leaveWork({ folder }: Snapshot): void {
    this.#tree.addFolder(`${workOf(folder)}/work`);
  }

  #mount(imageName: string, id: string, { folder }: Snapshot): void {
    const image = this.#images.get(imageName);
    if (image === undefined) throw new Error(`no image ${imageName}`);
    const number = 100 + this.#mounts.length;
    const options = `rw,lowerdir=${image.layers.join(':')},upperdir=${folder},workdir=${workOf(folder)}`;
    const mountPoint = `${tasks}/${id}/rootfs`;
    this.#mounts.push(
      `${number} 1 0:${number} / ${mountPoint} rw,relatime shared:${number} - overlay overlay ${options}`,
    );
  }
}

function workOf(folder: string): string {
  return path.join(folder, '../work');
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
