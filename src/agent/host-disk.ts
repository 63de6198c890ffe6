import path from 'node:path';

import { Mutex } from 'async-mutex';

import type { Clock } from '../base/clock.js';
import { messageOf } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { Pod } from '../kube/objects.js';
import { type KnownDiskUse, type NodeDiskOwners, unmeasuredDisk } from '../node/agent-disk.js';
import type { FoundPart } from '../report/pod-directories.js';
import { busyDisk } from './disk-pressure.js';
import { DiskWalks } from './disk-walks.js';
import { findDuCommand } from './du-command.js';
import { DuBudget } from './du-pacing.js';
import { DuWalker } from './du-walker.js';
import { readLayerMounts } from './mount-table.js';
import { listDisk } from './owners-listing.js';
import { walkPod } from './pod-walk.js';

export interface HostDiskOptions {
  /** Where paths of the host are mounted: `/var/log` of the host at `var/log` in it. */
  readonly hostRoot: string;
  /** Of the time, that in which du may run. */
  readonly budgetShare: number;
  /** Where programs are, as in `PATH`. */
  readonly searchPath: string;
  /** Default: that of the kernel. */
  readonly pressureFile?: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Above the budget by default: du waits for the disk too. */
const busyPercent = 20;

/** Measures pods, and what is on the disk of a node and is not its pods', in the background, from the first time that it is asked for. */
export class HostDisk {
  readonly #options: HostDiskOptions;
  readonly #signal: AbortSignal;
  readonly #isBusy: () => Promise<boolean>;
  readonly #budget: DuBudget;
  /** Held for a pod, whose parts have one time limit. Of all else, du is stopped meanwhile. */
  readonly #podTurns = new Mutex();
  #podWalker: Promise<DuWalker> | undefined;
  #known: KnownDiskUse | undefined;
  #walks: DiskWalks | undefined;

  /** `signal`: ends the measurements. */
  constructor(options: HostDiskOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    this.#isBusy = busyDisk(busyPercent, options.pressureFile);
    this.#budget = new DuBudget(options.budgetShare);
  }

  /** See {@link walkPod}. Rejects when du is missing. */
  async podDirectories(pod: Pod): Promise<readonly FoundPart[]> {
    this.#podWalker ??= this.#newWalker(this.#isBusy);
    const options = { ...this.#options, walker: await this.#podWalker };
    return this.#podTurns.runExclusive(() => walkPod(pod, options, this.#signal));
  }

  /** Returns what is known so far. The directories are compared with `known` until the next call. */
  owners(known: KnownDiskUse): NodeDiskOwners {
    const isFirst = this.#known === undefined;
    this.#known = known;
    if (isFirst) {
      this.#measure(known).catch((error: unknown) => {
        this.#options.logger.warn('the agent does not measure the disk', { error: messageOf(error) });
      });
    }
    return { nodeName: known.nodeName, ...(this.#walks?.owners(known) ?? unmeasuredDisk) };
  }

  async #measure(known: KnownDiskUse): Promise<void> {
    const { hostRoot, clock, logger } = this.#options;
    const walker = await this.#newWalker(async () => this.#podTurns.isLocked() || (await this.#isBusy()));
    const readMounts = () => readLayerMounts(path.join(hostRoot, 'proc/1/mountinfo'));
    this.#walks = new DiskWalks({
      clock,
      logger,
      hostRoot,
      list: () => listDisk({ clock, hostRoot, readMounts, ...(this.#known ?? known) }),
      walker,
      isBusy: this.#isBusy,
    });
    await this.#walks.run(this.#signal);
  }

  async #newWalker(isBusy: () => Promise<boolean>): Promise<DuWalker> {
    const { searchPath, clock } = this.#options;
    return new DuWalker({ command: await findDuCommand(searchPath), clock, budget: this.#budget, isBusy });
  }
}
