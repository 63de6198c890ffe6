import type { Clock } from '../base/clock.js';
import { UserError } from '../base/errors.js';
import { FailureRun, type Logger } from '../base/logger.js';
import { retainKeys } from '../base/maps.js';
import type { OwnerBytes } from '../node/agent-disk.js';
import type { DuEntry } from './du-records.js';
import type { DuLimits, DuWalker } from './du-walker.js';
import { agentHint } from './host-files.js';
import { diskOwners, type DiskPlace, type PlaceSize } from './owners-classify.js';
import type { DiskListing } from './owners-listing.js';

export interface DiskWalksOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** How often the directories are listed, which is cheap. What is new is measured then. */
  readonly checkIntervalMs: number;
  /** How often each of them is measured. */
  readonly walkIntervalMs: number;
  readonly list: () => Promise<DiskListing>;
  readonly walker: Pick<DuWalker, 'walk'>;
  /** Of each walk, which measures a number of places. */
  readonly limits: DuLimits;
  /** Nothing is measured while the disk is. */
  readonly isBusy: () => Promise<boolean>;
}

/** Places that one walk measures; between two of them, others that wait for du have their turn. */
const batchCount = 20;

/** Keeps the sizes of all that is on the disk of a node and is not its pods'. */
export class DiskWalks {
  readonly #options: DiskWalksOptions;
  readonly #failures: FailureRun;
  #listing: DiskListing | undefined;
  /** By path. */
  readonly #sizes = new Map<string, PlaceSize & { readonly monotonicMs: number }>();

  constructor(options: DiskWalksOptions) {
    this.#options = options;
    this.#failures = new FailureRun(options.logger);
  }

  /** Returns those that are known: none before the first check. */
  owners(usage: Parameters<typeof diskOwners>[2]): readonly OwnerBytes[] {
    return this.#listing === undefined ? [] : diskOwners(this.#listing, this.#sizes, usage);
  }

  /** Runs until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, checkIntervalMs } = this.#options;
    while (!signal.aborted) {
      try {
        const problems = await this.#check(signal);
        if (problems.length > 0) throw new UserError(`${problems.join('; ')}; mount what is missing: ${agentHint}`);
        this.#failures.ended('disk measured', {});
      } catch (error) {
        this.#failures.failed('failed to measure the disk', {}, error);
      }
      await clock.sleep(checkIntervalMs, signal).catch(() => undefined);
    }
  }

  /** Returns which directories could not be listed; the others are measured. */
  async #check(signal: AbortSignal): Promise<readonly string[]> {
    const listing = await this.#options.list();
    this.#listing = listing;
    retainKeys(this.#sizes, new Set(listing.places.map(({ path }) => path)));
    const due = this.#duePlaces(listing.places);
    for (let start = 0; start < due.length; start += batchCount) {
      if (signal.aborted || (await this.#options.isBusy())) break;
      if (!(await this.#measure(due.slice(start, start + batchCount), signal))) break;
    }
    return listing.problems;
  }

  /** The longest without a measurement first, so that what a cut walk has not reached is next. */
  #duePlaces(places: readonly DiskPlace[]): readonly string[] {
    const { clock, walkIntervalMs } = this.#options;
    const measuredMs = (path: string): number => this.#sizes.get(path)?.monotonicMs ?? -Infinity;
    const dueMs = clock.monotonicMs() - walkIntervalMs;
    const due = new Set(places.map(({ path }) => path).filter((path) => measuredMs(path) <= dueMs));
    return [...due].sort((one, other) => measuredMs(one) - measuredMs(other));
  }

  /** Returns whether the walk was complete. */
  async #measure(paths: readonly string[], signal: AbortSignal): Promise<boolean> {
    const { walker, clock, limits } = this.#options;
    const byRawPath = new Map(paths.map((path) => [Buffer.from(path).toString('latin1'), path]));
    const measured = new Map<string, number>();
    const onEntry = ({ rawPath, usedBytes }: DuEntry): void => {
      const path = byRawPath.get(rawPath);
      if (path !== undefined) measured.set(path, usedBytes);
    };
    const job = { directories: paths, maxDepth: 0, thresholdBytes: 0, ...limits, onEntry };
    const { end, unreadableCount } = await walker.walk(job, signal);
    const monotonicMs = clock.monotonicMs();
    const isComplete = end === 'complete';
    // du measures them in their order. The one that takes too long must not keep it from the others at each check.
    const unfinished = paths.find((path) => !measured.has(path));
    const reached =
      end === 'aborted' || unfinished === undefined ? [...measured.keys()] : [...measured.keys(), unfinished];
    for (const path of isComplete ? paths : reached) {
      // du does not report which of them it could not read.
      this.#sizes.set(path, { usedBytes: unreadableCount > 0 ? undefined : measured.get(path), monotonicMs });
    }
    return isComplete;
  }
}
