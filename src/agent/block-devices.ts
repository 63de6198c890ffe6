import { readlinkSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';

import { getOrAdd } from '../lib/base/maps.js';
import { namesIn, textOf } from './host-files.js';

/**
 * Block devices by major and minor number, as the kernel has them in sysfs, which every container sees. Each device is looked up
 * once: numbers pass to other devices, so an object lives as long as one scrape.
 */
export class BlockDevices {
  readonly #folder: string;
  readonly #names = new Map<string, string>();
  readonly #below = new Map<string, readonly string[]>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns `sda` for `8:0`, and the number itself for a device that is not there. */
  nameOf(id: string): string {
    return getOrAdd(this.#names, id, () => {
      try {
        return basename(readlinkSync(join(this.#folder, id)));
      } catch {
        return id;
      }
    });
  }

  /** Returns the disks that a logical volume, an encrypted device or a RAID writes to, by their numbers. */
  below(id: string): readonly string[] {
    return getOrAdd(this.#below, id, () => {
      const folder = join(this.#folder, id, 'slaves');
      return namesIn(folder).flatMap((name) => diskOf(join(folder, name)));
    });
  }
}

/** Returns the number of the disk that a device is, or is a partition of; none where it has just been removed. */
function diskOf(link: string): readonly string[] {
  try {
    const device = realpathSync(link);
    const id = textOf(join(device, '..', 'dev')) ?? textOf(join(device, 'dev'));
    return id === undefined ? [] : [id.trimEnd()];
  } catch {
    return [];
  }
}
