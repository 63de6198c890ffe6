import { lstat, opendir, stat } from 'node:fs/promises';
import path from 'node:path';

import type { Clock } from '../base/clock.js';
import { codeOf } from '../base/errors.js';
import { getOrAdd } from '../base/maps.js';
import { joinTruncated } from '../base/text.js';
import type { KnownDiskUse } from '../node/agent-disk.js';
import { containerdRootOf, type LayerMount, mountedSnapshots } from '../node/mount-info.js';
import { type DiskPlace, type DiskPlaceKind, type ListedPlaces, snapshotKinds } from '../node/owners-classify.js';
import { causeOf } from './host-files.js';

export interface DiskListing extends ListedPlaces {
  /** Each cause, or what to do about it, with the paths that could not be read. */
  readonly problems: readonly string[];
}

export interface DiskListingOptions extends Partial<
  Pick<KnownDiskUse, 'knownPodUids' | 'measuredPodUids' | 'imagesBytes'>
> {
  readonly clock: Pick<Clock, 'nowMs'>;
  /** Where the root filesystem of the host is mounted. */
  readonly hostRoot: string;
  readonly readMounts: () => Promise<readonly LayerMount[]>;
}

/** In each directory. */
const maxNameCount = 20_000;

const shownPathCount = 3;

/** The kubelet may know a pod before the exporter does. */
const orphanGraceMs = 600_000;

/** Lists what is on the disk of a node and is not counted for its pods, without measuring it. */
export async function listDisk(options: DiskListingOptions): Promise<DiskListing> {
  const listing = new DiskLister(options);
  await listing.addAll();
  return listing;
}

class DiskLister implements DiskListing {
  readonly places: DiskPlace[] = [];
  readonly #failed = new Map<string, Set<string>>();
  readonly unlisted = new Set<DiskPlaceKind>();
  readonly imagesBytes: number | undefined;
  readonly #options: DiskListingOptions;

  constructor(options: DiskListingOptions) {
    this.#options = options;
    this.imagesBytes = options.imagesBytes;
  }

  async addAll(): Promise<void> {
    const { hostRoot } = this.#options;
    const root = path.join(hostRoot, containerdRootOf(await this.#mounts()) ?? '/var/lib/containerd');
    const content = path.join(root, 'io.containerd.content.v1.content');
    for (const name of await this.#namesIn(content, ['image_copies'])) this.#add('image_copies', content, name);
    const containers = path.join(root, 'io.containerd.grpc.v1.cri/containers');
    const containerIds = await this.#namesIn(containers, ['runtime_volumes', ...snapshotKinds]);
    await this.#addSnapshots(
      path.join(root, 'io.containerd.snapshotter.v1.overlayfs/snapshots'),
      new Set(containerIds),
    );
    await this.#addVolumes(containers, containerIds);
    const pods = path.join(hostRoot, '/var/lib/kubelet/pods');
    await this.#addPods(pods);
    await this.#addLogs(path.join(hostRoot, '/var/log'), await Promise.all([pods, root].map(deviceOf)));
  }

  get problems(): readonly string[] {
    return Array.from(this.#failed, ([cause, paths]) => `${cause}: ${joinTruncated([...paths], shownPathCount)}`);
  }

  /** None where they cannot be read; all but snapshots is listed without them. */
  #mounts(): Promise<readonly LayerMount[]> {
    return this.#options.readMounts().catch((error: unknown) => {
      this.#fail(error, path.join(this.#options.hostRoot, 'proc/1/mountinfo'), snapshotKinds);
      return [];
    });
  }

  /**
   * Mounts are read after the names: a container that starts meanwhile is not listed, one that ends is among the ended. Of a container
   * of a pod, the layer that is mounted is the pod's own.
   */
  async #addSnapshots(folder: string, containerIds: ReadonlySet<string>): Promise<void> {
    const names = await this.#namesIn(folder, snapshotKinds);
    const { uppers, lowers } = mountedSnapshots(await this.#mounts());
    if (this.unlisted.has('unused_layers')) return;
    for (const name of names) {
      const upper = uppers.get(name);
      if (upper === undefined) {
        const kind = lowers.has(name) ? 'layers_in_use' : await this.#unmountedKind(path.join(folder, name));
        this.#add(kind, folder, name, 'fs');
      } else if (!containerIds.has(upper)) this.#add('sandboxes', folder, name, 'fs');
    }
  }

  /** The kernel leaves `work/work` in each snapshot that was the writable layer of a mount. */
  async #unmountedKind(snapshot: string): Promise<DiskPlaceKind> {
    const names = await this.#namesIn(path.join(snapshot, 'work'), snapshotKinds, 'optional');
    return names.includes('work') ? 'ended_containers' : 'unused_layers';
  }

  async #addVolumes(folder: string, containerIds: readonly string[]): Promise<void> {
    for (const container of containerIds) {
      const names = await this.#namesIn(path.join(folder, container), ['runtime_volumes'], 'optional');
      if (names.includes('volumes')) this.#add('runtime_volumes', folder, container, 'volumes');
    }
  }

  async #addPods(folder: string): Promise<void> {
    const { knownPodUids, clock } = this.#options;
    if (knownPodUids === undefined) this.unlisted.add('orphaned_pods');
    for (const uid of await this.#namesIn(folder, ['orphaned_pods', 'logs'])) {
      if (knownPodUids?.has(uid) !== false) continue;
      const { mtimeMs } = await stat(path.join(folder, uid)).catch(() => ({ mtimeMs: Infinity }));
      if (clock.nowMs() - mtimeMs >= orphanGraceMs) this.#add('orphaned_pods', folder, uid);
    }
  }

  /** Those on filesystems of the kubelet, which are these `devices`: it does not count `/var/log` on one of its own. */
  async #addLogs(folder: string, devices: readonly (number | undefined)[]): Promise<void> {
    const { measuredPodUids } = this.#options;
    if (measuredPodUids === undefined) this.unlisted.add('logs');
    const isOfGonePod = (name: string) => measuredPodUids?.has(name.slice(name.lastIndexOf('_') + 1)) === false;
    const names = (await this.#namesIn(folder, ['logs'])).filter((name) => name !== 'pods');
    const podNames = (await this.#namesIn(path.join(folder, 'pods'), ['logs'])).filter(isOfGonePod);
    for (const name of [...names, ...podNames.map((podName) => `pods/${podName}`)]) {
      if (devices.includes(await deviceOf(path.join(folder, name)))) this.#add('logs', folder, name);
    }
  }

  #add(kind: DiskPlaceKind, ...parts: readonly string[]): void {
    this.places.push({ kind, path: path.join(...parts) });
  }

  /** Names of a directory; without it, places of these kinds are missing. One that is `optional` may be deleted meanwhile. */
  async #namesIn(
    directory: string,
    kinds: readonly DiskPlaceKind[],
    presence?: 'optional',
  ): Promise<readonly string[]> {
    const names: string[] = [];
    try {
      for await (const { name } of await opendir(directory)) {
        if (names.length >= maxNameCount) throw new Error(`more than ${maxNameCount} entries`);
        names.push(name);
      }
    } catch (error) {
      const isExpected = presence === 'optional' && codeOf(error) === 'ENOENT';
      if (!isExpected) this.#fail(error, directory, kinds);
    }
    return names;
  }

  #fail(error: unknown, place: string, kinds: readonly DiskPlaceKind[]): void {
    getOrAdd(this.#failed, causeOf(error), () => new Set()).add(place);
    for (const kind of kinds) this.unlisted.add(kind);
  }
}

/** Undefined for what is not there. */
async function deviceOf(file: string): Promise<number | undefined> {
  return (await lstat(file).catch(() => undefined))?.dev;
}
