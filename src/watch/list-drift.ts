import type { Logger } from '../base/logger.js';
import type { Lane } from '../base/scheduler.js';
import type { StoreChange } from './object-store.js';
import type { Resource } from './resource-path.js';
import type { WatchObserver } from './watch-observer.js';
import type { WatchEvent } from './watch-stream.js';

/**
 * Counts what a list has corrected in a store that was watched. A watch is always a little behind: after the list it continues
 * where it was, and what its events up to the version of the list explain would have come anyway. The store has these already.
 * Nothing is counted where versions are not numbers.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions
 */
export class ListDrift<T> {
  readonly #options;
  /** What the list has changed, by key, and no event has explained. */
  readonly #unexplained = new Map<string, StoreChange<T>['type']>();
  /** The version of the list; undefined when the watch has reached it. */
  #listVersion: bigint | undefined;

  constructor(options: {
    readonly resource: Resource;
    readonly keyOf: (object: T) => string;
    readonly project: (object: unknown) => T | undefined;
    readonly logger: Logger;
    readonly observer: Pick<WatchObserver, 'driftFound'>;
    readonly lane: Lane;
  }) {
    this.#options = options;
  }

  /** Returns the version from which the watch continues. `changes`: by a list at `listVersion` of a store at `version`. */
  async listed(changes: readonly StoreChange<T>[], version: string, listVersion: string): Promise<string> {
    const [before, listed] = [numberOf(version), numberOf(listVersion)];
    this.#unexplained.clear();
    this.#listVersion = undefined;
    if (changes.length === 0 || before === undefined || listed === undefined || before > listed) return listVersion;
    const { keyOf, lane } = this.#options;
    await lane.each(changes, ({ type, object }) => this.#unexplained.set(keyOf(object), type));
    this.#listVersion = listed;
    if (before === listed) this.#count();
    return version;
  }

  /** To be called for each event. Returns whether the store has what it tells, from the list. */
  isListed({ type, object, resourceVersion }: WatchEvent): boolean {
    if (this.#listVersion === undefined) return false;
    const [version, listVersion] = [numberOf(resourceVersion) ?? 0n, this.#listVersion];
    if (version <= listVersion && type !== 'BOOKMARK') this.#explain(object);
    if (version >= listVersion) this.#count();
    return version <= listVersion;
  }

  #explain(object: unknown): void {
    const { project, keyOf } = this.#options;
    try {
      const projected = project(object);
      if (projected !== undefined) this.#unexplained.delete(keyOf(projected));
    } catch {
      // A malformed object is not in the list either.
    }
  }

  #count(): void {
    const { resource, observer, logger } = this.#options;
    const [types, [example]] = [[...this.#unexplained.values()], this.#unexplained.keys()];
    this.#unexplained.clear();
    this.#listVersion = undefined;
    if (example === undefined) return;
    const countOf = (counted: StoreChange<T>['type']): number => types.filter((type) => type === counted).length;
    observer.driftFound(resource, types.length);
    logger.warn('the store differed from the API server: a list has corrected it', {
      ...{ resource, objectCount: types.length, example },
      ...{ missingCount: countOf('added'), extraCount: countOf('removed'), differentCount: countOf('updated') },
    });
  }
}

function numberOf(version: string): bigint | undefined {
  return /^\d+$/.test(version) ? BigInt(version) : undefined;
}
