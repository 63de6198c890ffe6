import type { Clock } from '../base/clock.js';
import { messageOf } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { retainKeys } from '../base/maps.js';
import { oneLine } from '../base/text.js';
import { type KnownDiskUse, type MeasuredDisk, unmeasuredDisk } from '../node/agent-disk.js';
import { diskOwners, type DiskPlace, isOutdated, type PlaceSize } from '../node/owners-classify.js';
import type { DuWalker } from './du-walker.js';
import { deniedHint } from './host-files.js';
import type { DiskListing } from './owners-listing.js';

export interface DiskWalksOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly hostRoot: string;
  readonly list: () => Promise<DiskListing>;
  readonly walker: Pick<DuWalker, 'walk'>;
  /** Nothing is measured while the disk is. */
  readonly isBusy: () => Promise<boolean>;
}

const minuteMs = 60_000;

/** How often the directories are listed, which is cheap, and sooner once images have changed. What is new is measured then. */
const checkIntervalMs = 10 * minuteMs;

/** How often each of them is measured; compressed copies of images, few files that grow at each pull, at each check. */
const walkIntervalMs = 360 * minuteMs;

/** Of each walk, which measures one place: du reports one line for it. */
const limits = { maxDurationMs: 60 * minuteMs, maxEntryCount: 1, maxOutputBytes: 2 ** 20 };

/** Keeps the sizes of all that is on the disk of a node and is not its pods'. */
export class DiskWalks {
  readonly #options: DiskWalksOptions;
  #listing: DiskListing | undefined;
  /** What the kubelet counts for images now. */
  #imagesBytes: number | undefined;
  /** By path. */
  readonly #sizes = new Map<
    string,
    PlaceSize & { readonly monotonicMs: number; readonly problem: string | undefined }
  >();

  constructor(options: DiskWalksOptions) {
    this.#options = options;
  }

  /** Returns those that are known: none before the first check. */
  owners(known: Pick<KnownDiskUse, 'imagesBytes' | 'unattributedBytes'>): MeasuredDisk {
    this.#imagesBytes = known.imagesBytes;
    if (this.#listing === undefined) return unmeasuredDisk;
    const { clock, hostRoot } = this.#options;
    return diskOwners(this.#listing, this.#sizes, { ...known, hostRoot, monotonicMs: clock.monotonicMs() });
  }

  /** Runs until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { logger } = this.#options;
    let known: readonly string[] = [];
    while (!signal.aborted) {
      const problems = await this.#check(signal).catch((error: unknown) => [messageOf(error)]);
      for (const error of problems) {
        (known.includes(error) ? logger.debug : logger.warn)('failed to measure all of the disk', { error });
      }
      if (problems.length === 0 && known.length > 0) logger.info('the disk is measured again', {});
      known = problems;
      await this.#untilDue(signal).catch(() => undefined);
    }
  }

  /** Of an outdated listing, until images change no more: of layers that are being unpacked, a part would be measured. */
  async #untilDue(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const dueMs = clock.monotonicMs() + checkIntervalMs;
    for (let imagesBytes = this.#imagesBytes, isDue = false; !isDue; imagesBytes = this.#imagesBytes) {
      await clock.sleep(minuteMs, signal);
      const isSteady = !isOutdated({ imagesBytes }, this.#imagesBytes);
      isDue = clock.monotonicMs() >= dueMs || (isSteady && isOutdated(this.#listing ?? {}, this.#imagesBytes));
    }
  }

  /** Returns what is not known, and why; all else is measured. */
  async #check(signal: AbortSignal): Promise<readonly string[]> {
    const listing = await this.#options.list();
    this.#listing = listing;
    retainKeys(this.#sizes, new Set(listing.places.map(({ path }) => path)));
    const waiting = await this.#measureDue(listing.places, signal);
    const unmeasured = [...this.#sizes.values()].flatMap(({ problem }) => problem ?? []);
    return [...listing.problems, ...unmeasured.slice(0, 1), ...waiting];
  }

  /** Returns a problem while the disk is so busy that places wait for longer than an interval, or have never been measured. */
  async #measureDue(places: readonly DiskPlace[], signal: AbortSignal): Promise<readonly string[]> {
    const { clock, isBusy } = this.#options;
    for (const path of this.#duePlaces(places)) {
      if (signal.aborted) return [];
      if (await isBusy()) {
        const { monotonicMs = -Infinity } = this.#sizes.get(path) ?? {};
        const isOverdue = monotonicMs <= clock.monotonicMs() - 2 * walkIntervalMs;
        return isOverdue ? ['directories wait to be measured, as tasks of the node wait for I/O'] : [];
      }
      await this.#measure(path, signal);
    }
    return [];
  }

  /** The longest without a measurement first, so that what a cut walk has not reached is next. */
  #duePlaces(places: readonly DiskPlace[]): readonly string[] {
    const { clock } = this.#options;
    const measuredMs = (path: string): number => this.#sizes.get(path)?.monotonicMs ?? -Infinity;
    const dueMs = clock.monotonicMs() - walkIntervalMs;
    const due = places.filter(({ path, kind }) => kind === 'image_copies' || measuredMs(path) <= dueMs);
    return due.map(({ path }) => path).sort((one, other) => measuredMs(one) - measuredMs(other));
  }

  /** By a process of its own: what du cannot read leaves the others known, and files with several names count for each place. */
  async #measure(path: string, signal: AbortSignal): Promise<void> {
    const { walker, clock } = this.#options;
    const job = { directory: path, maxDepth: 0, thresholdBytes: 0, ...limits, onEntry: () => undefined };
    const { end, usedBytes, unreadableCount, message } = await walker.walk(job, signal);
    if (end === 'aborted' || end === 'unstarted') return;
    const isKnown = end === 'complete' && unreadableCount === 0;
    const fix = message?.endsWith(': Permission denied') === true ? `${deniedHint}: ` : '';
    const problem = isKnown ? undefined : `${fix}cannot measure ${oneLine(path)}: ${message ?? end}`;
    this.#sizes.set(path, { usedBytes: isKnown ? usedBytes : undefined, problem, monotonicMs: clock.monotonicMs() });
  }
}
