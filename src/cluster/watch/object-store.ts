import type { Lane } from '../../lib/base/lane.js';
import { isEqual } from '../../lib/base/memo.js';
import type { StoredObject } from '../kube/objects.js';
import { NamedObjects } from './named-objects.js';

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

interface ReplaceOptions<T> {
  /** Which objects the list could contain; all without it. */
  readonly isInScope?: ((object: T) => boolean) | undefined;
  /** False without it. */
  readonly isInitial?: boolean;
  /** Whether the list is applied; always without it. */
  readonly isPlausible?: (difference: ListDifference) => boolean;
}

/** The objects of the store that a list could contain, against that list. */
export interface ListDifference {
  readonly knownCount: number;
  /** Those that the list does not contain. */
  readonly missingCount: number;
}

/** Everything that a reader can see. */
interface Content<T extends StoredObject> {
  readonly objects: NamedObjects<T>;
  /** The members of a group are an array of their own after each change, so that readers may keep one. */
  readonly groups: Map<string, readonly T[]>;
}

/**
 * The objects of one resource by name, with one index. Plain data only. A single change is one synchronous step; a list is built
 * beside the present content in slices and takes its place in one step, so that a reader never sees half of a list.
 */
export class ObjectStore<T extends StoredObject> {
  readonly #options;
  #content: Content<T>;
  /** What a list is about to make of it. */
  #next: Content<T> | undefined;
  /** Lists are applied one after the other. */
  #replacing: Promise<unknown> = Promise.resolve();
  readonly #noMembers: readonly T[] = [];

  constructor(options: {
    /** Undefined for objects that belong to none. A name is unique in it among the objects that exist at one time. */
    readonly namespaceOf: (object: T) => string | undefined;
    /** The group of an object; undefined for one that belongs to none. */
    readonly groupOf: (object: T) => string | undefined;
    /** Called once for each step that changes something: the store already has its result. Does not throw. */
    readonly onChanges?: (changes: readonly StoreChange<T>[]) => void;
    /** The turns in which lists are applied. */
    readonly lane: Lane;
  }) {
    this.#options = options;
    this.#content = { objects: new NamedObjects(options.namespaceOf), groups: new Map() };
  }

  get size(): number {
    return this.#content.objects.size;
  }

  get(name: string, namespace?: string): T | undefined {
    return this.#content.objects.get(name, namespace);
  }

  values(): Iterable<T> {
    return this.#content.objects.values();
  }

  /** Returns the names of the groups that have objects. */
  groupNames(): Iterable<string> {
    return this.#content.groups.keys();
  }

  /** Returns the objects of a group: the same array until one of them changes. */
  group(name: string): readonly T[] {
    return this.#content.groups.get(name) ?? this.#noMembers;
  }

  /** Returns the object as the store has it, if only the resource version differs, so that no second copy is kept. */
  known(object: T): T {
    const known = this.#content.objects.namedAs(object);
    return known !== undefined && isEqual(known, object, 'resourceVersion') ? known : object;
  }

  /**
   * Makes the store equal to a complete list. Until the step in which it does, readers see the content before. Removes the
   * objects that are not in the list; `isInScope` limits that to the objects that the list could contain, which nobody else
   * may change meanwhile. Notifies of removals, then of updates, then of additions, and returns them. Changes nothing when it
   * rejects, or returns undefined: the list is not plausible.
   */
  replace(objects: readonly T[], options: ReplaceOptions<T> = {}): Promise<readonly StoreChange<T>[] | undefined> {
    const replaced = this.#replacing.then(() => this.#replace(objects, options));
    this.#replacing = replaced.catch(() => undefined);
    return replaced;
  }

  async #replace(objects: readonly T[], options: ReplaceOptions<T>): Promise<readonly StoreChange<T>[] | undefined> {
    const next = { objects: new NamedObjects(this.#options.namespaceOf), groups: new Map(this.#content.groups) };
    this.#next = next;
    try {
      const changes = await this.#build(next, objects, options);
      if (changes === undefined) return undefined;
      this.#content = next;
      this.#next = undefined;
      this.#notify(changes);
      return changes;
    } finally {
      this.#next = undefined;
    }
  }

  /**
   * Adds the list to `next`, and the known objects that it could not contain. Returns what that changes; undefined for a list
   * that is not plausible.
   */
  async #build(
    next: Content<T>,
    objects: readonly T[],
    { isInScope = () => true, isInitial = false, isPlausible = () => true }: ReplaceOptions<T>,
  ): Promise<readonly StoreChange<T>[] | undefined> {
    const { lane } = this.#options;
    const known = this.#content.objects;
    const changes: Record<StoreChange<T>['type'], StoreChange<T>[]> = { removed: [], updated: [], added: [] };
    await lane.each(objects, (object) => {
      next.objects.set(object);
    });
    let knownCount = 0;
    await lane.each(known.values(), (object) => {
      const isOurs = isInScope(object);
      if (isOurs) knownCount += 1;
      if (next.objects.namedAs(object) !== undefined) return;
      if (!isOurs) {
        next.objects.set(object);
        return;
      }
      this.#regroup(next.groups, object, undefined);
      changes.removed.push({ type: 'removed', object, previous: object, isInitial });
    });
    if (!isPlausible({ knownCount, missingCount: changes.removed.length })) return undefined;
    await lane.each(next.objects.values(), (object) => {
      const previous = known.namedAs(object);
      const found = changesOf(previous, object, isInitial);
      for (const change of found) changes[change.type].push(change);
      if (found.length > 0) this.#regroup(next.groups, previous, object);
      else if (previous !== undefined) next.objects.set(previous);
    });
    return changes.removed.concat(changes.updated, changes.added);
  }

  /**
   * An object with another UID under the same name is another object: the old one is removed, the new one added. Returns false
   * where only the resource version differs: the stored object stays, so that everything derived from it or from its group
   * stays valid.
   */
  upsert(object: T): boolean {
    const previous = this.#content.objects.namedAs(object);
    const changes = changesOf(previous, object, false);
    if (changes.length === 0) return false;
    this.#write(previous, object);
    this.#notify(changes);
    return true;
  }

  /**
   * Removes the object with the name and the UID of `object`, which is its final state; an object with another UID stays.
   */
  remove(object: T): void {
    const previous = this.#content.objects.namedAs(object);
    if (previous?.uid !== object.uid) return;
    this.#write(previous, undefined);
    this.#notify([{ type: 'removed', object, previous, isInitial: false }]);
  }

  /** Writes also to what a list is about to replace: it could not contain the object. */
  #write(previous: T | undefined, object: T | undefined): void {
    for (const content of [this.#content, this.#next]) {
      if (content === undefined) continue;
      if (object !== undefined) content.objects.set(object);
      else if (previous !== undefined) content.objects.delete(previous);
      this.#regroup(content.groups, previous, object);
    }
  }

  /** Moves an object between groups. A member that is replaced within its group keeps its place. */
  #regroup(groups: Content<T>['groups'], previous: T | undefined, object: T | undefined): void {
    const { groupOf } = this.#options;
    const from = previous && groupOf(previous);
    const to = object && groupOf(object);
    if (from !== undefined && from !== to) {
      const members = this.#members(groups, from).filter((member) => member !== previous);
      if (members.length === 0) groups.delete(from);
      else groups.set(from, members);
    }
    if (object === undefined || to === undefined) return;
    const members = this.#members(groups, to);
    groups.set(
      to,
      from === to ? members.map((member) => (member === previous ? object : member)) : members.concat([object]),
    );
  }

  #members(groups: Content<T>['groups'], name: string): readonly T[] {
    return groups.get(name) ?? this.#noMembers;
  }

  #notify(changes: readonly StoreChange<T>[]): void {
    if (changes.length > 0) this.#options.onChanges?.(changes);
  }
}

/** Returns what lies between two states under one name. */
function changesOf<T extends StoredObject>(previous: T | undefined, object: T, isInitial: boolean): StoreChange<T>[] {
  if (previous !== undefined && isEqual(previous, object, 'resourceVersion')) return [];
  const added: StoreChange<T> = { type: 'added', object, previous: undefined, isInitial };
  if (previous === undefined) return [added];
  if (previous.uid === object.uid) return [{ type: 'updated', object, previous, isInitial }];
  return [{ type: 'removed', object: previous, previous, isInitial }, added];
}
