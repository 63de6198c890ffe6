import { isObject } from '../kube/json.js';

export interface StoredObject {
  readonly uid: string;
  readonly name: string;
  /** Opaque. Proves nothing about the content: after a restore from a backup, the server gives versions out again. */
  readonly resourceVersion: string;
}

export interface StoreChange<T> {
  readonly type: 'added' | 'updated' | 'removed';
  /**
   * The new state. Of a removed object its final state, where the API server reported one: it may differ from the last
   * state in the store. Otherwise `previous` itself: a list shows that an object is gone, and not how it ended.
   */
  readonly object: T;
  /** The state in the store before; undefined for an added object. */
  readonly previous: T | undefined;
  /**
   * Whether it is part of the first list of its collection, or of the objects that a subscription begins with: what the
   * object shows may have happened long ago.
   */
  readonly isInitial: boolean;
}

export interface ObjectStoreOptions<T> {
  /** Unique among the objects that exist at one time: the name, or namespace and name. */
  readonly keyOf: (object: T) => string;
  /** The group of an object; undefined for one that belongs to none. */
  readonly groupOf: (object: T) => string | undefined;
  /** Called once for each change, after the whole step: the store already has its result. Does not throw. */
  readonly onChange?: (change: StoreChange<T>) => void;
}

export interface ReplaceOptions<T> {
  /** Which objects the list could contain; all without it. */
  readonly isInScope?: ((object: T) => boolean) | undefined;
  /** False without it. */
  readonly isInitial?: boolean;
}

/** The objects of the store that a list could contain, against that list. */
export interface ListDifference {
  readonly knownCount: number;
  /** Those that the list does not contain. */
  readonly missingCount: number;
}

export type UpsertOutcome = 'added' | 'updated' | 'replaced' | 'suppressed';

interface Group<T> {
  readonly members: Map<string, T>;
  /** Created on demand, dropped when a member changes. */
  list: readonly T[] | undefined;
}

/**
 * The objects of one resource by key, with one index. Plain data only. All steps are synchronous, so that a reader between
 * two of them never sees half of a list.
 */
export class ObjectStore<T extends StoredObject> {
  readonly #options: ObjectStoreOptions<T>;
  readonly #objects = new Map<string, T>();
  readonly #groups = new Map<string, Group<T>>();
  readonly #noMembers: readonly T[] = [];

  constructor(options: ObjectStoreOptions<T>) {
    this.#options = options;
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  /** Whether it has this object as it is; the resource version may differ. */
  contains(object: T): boolean {
    const known = this.#objects.get(this.#options.keyOf(object));
    return known !== undefined && isEqual(known, object, 'resourceVersion');
  }

  values(): Iterable<T> {
    return this.#objects.values();
  }

  /** The names of the groups that have objects. */
  groupNames(): Iterable<string> {
    return this.#groups.keys();
  }

  /** The objects of a group: the same array until one of them changes. */
  group(name: string): readonly T[] {
    const group = this.#groups.get(name);
    if (group === undefined) return this.#noMembers;
    group.list ??= [...group.members.values()];
    return group.list;
  }

  /** What a list would remove. `isInScope`: as in `replace`. */
  compare(objects: readonly T[], isInScope: (object: T) => boolean = () => true): ListDifference {
    const listed = new Set(objects.map(this.#options.keyOf));
    let knownCount = 0;
    let missingCount = 0;
    for (const [key, object] of this.#objects) {
      if (!isInScope(object)) continue;
      knownCount += 1;
      if (!listed.has(key)) missingCount += 1;
    }
    return { knownCount, missingCount };
  }

  /**
   * Makes the store equal to a complete list in one step. Removes the objects that are not in the list; `isInScope` limits
   * that to the objects that the list could contain. Notifies of removals, then of updates, then of additions.
   */
  replace(objects: readonly T[], { isInScope = () => true, isInitial = false }: ReplaceOptions<T> = {}): void {
    const listed = new Map(objects.map((object) => [this.#options.keyOf(object), object]));
    const removed: StoreChange<T>[] = [];
    for (const [key, object] of this.#objects) {
      if (listed.has(key) || !isInScope(object)) continue;
      this.#unset(key, object);
      removed.push({ type: 'removed', object, previous: object, isInitial });
    }
    const updated: StoreChange<T>[] = [];
    const added: StoreChange<T>[] = [];
    const changesByType = { removed, updated, added };
    for (const [key, object] of listed) {
      for (const change of this.#put(key, object, isInitial)) changesByType[change.type].push(change);
    }
    this.#notify([...removed, ...updated, ...added]);
  }

  /**
   * An object with another UID under the same key is another object: the old one is removed, the new one added.
   *
   * `suppressed`: only the resource version differs. The stored object stays, so that everything derived from it or from
   * its group stays valid.
   */
  upsert(object: T): UpsertOutcome {
    const changes = this.#put(this.#options.keyOf(object), object);
    this.#notify(changes);
    const [first, second] = changes;
    if (first === undefined) return 'suppressed';
    if (second !== undefined) return 'replaced';
    return first.type === 'added' ? 'added' : 'updated';
  }

  /**
   * Removes the object with the key and the UID of `object`, which is its final state. Returns whether there was one; an
   * object with another UID stays.
   */
  remove(object: T): boolean {
    const key = this.#options.keyOf(object);
    const previous = this.#objects.get(key);
    if (previous?.uid !== object.uid) return false;
    this.#unset(key, previous);
    this.#notify([{ type: 'removed', object, previous, isInitial: false }]);
    return true;
  }

  /** Stores the object. The caller notifies of the changes. */
  #put(key: string, object: T, isInitial = false): StoreChange<T>[] {
    const previous = this.#objects.get(key);
    if (previous !== undefined && isEqual(previous, object, 'resourceVersion')) return [];
    this.#objects.set(key, object);
    this.#regroup(key, previous, object);
    const added: StoreChange<T> = { type: 'added', object, previous: undefined, isInitial };
    if (previous === undefined) return [added];
    if (previous.uid === object.uid) return [{ type: 'updated', object, previous, isInitial }];
    return [{ type: 'removed', object: previous, previous, isInitial }, added];
  }

  #unset(key: string, object: T): void {
    this.#objects.delete(key);
    this.#regroup(key, object, undefined);
  }

  /** A member that is replaced within its group keeps its place. */
  #regroup(key: string, previous: T | undefined, object: T | undefined): void {
    const { groupOf } = this.#options;
    const from = previous && groupOf(previous);
    const to = object && groupOf(object);
    if (from !== undefined && from !== to) this.#leaveGroup(from, key);
    if (to === undefined || object === undefined) return;
    const group = this.#groups.get(to) ?? { members: new Map<string, T>(), list: undefined };
    group.members.set(key, object);
    group.list = undefined;
    this.#groups.set(to, group);
  }

  #leaveGroup(name: string, key: string): void {
    const group = this.#groups.get(name);
    if (group === undefined) return;
    group.members.delete(key);
    group.list = undefined;
    if (group.members.size === 0) this.#groups.delete(name);
  }

  #notify(changes: readonly StoreChange<T>[]): void {
    for (const change of changes) this.#options.onChange?.(change);
  }
}

/** Deep equality of JSON-like data. Not `isDeepStrictEqual`, which takes two to four times as long over a whole list. */
function isEqual(left: unknown, right: unknown, ignoredKey?: string): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) {
    return Array.isArray(right) && left.length === right.length && left.every((item, i) => isEqual(item, right[i]));
  }
  if (!isObject(left) || !isObject(right)) return false;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => key === ignoredKey || (Object.hasOwn(right, key) && isEqual(left[key], right[key])));
}
