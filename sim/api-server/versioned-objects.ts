import { ApiError } from './error.js';

export type Resource = 'namespaces' | 'nodes' | 'pods' | 'services';

interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly creationTimestamp: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** An object as the API server serves it, without kind and apiVersion. */
export interface ApiObject {
  readonly metadata: ObjectMeta;
  readonly spec: object;
  readonly status: object;
}

/** An object with its values for selectors and tables. */
export interface StoredObject {
  readonly resource: Resource;
  readonly object: ApiObject;
  /** Values of the field selectors that its resource supports. */
  readonly fields: Readonly<Record<string, string>>;
  /** Its row in the tables of kubectl. */
  readonly cells: (nowMs: number) => readonly unknown[];
}

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** One change; `resourceVersion` counts all changes of the cluster, starting at 1. */
export interface StoreEvent {
  readonly resourceVersion: number;
  readonly type: EventType;
  /** The new state, for DELETED the last one; its metadata has the event's resourceVersion. */
  readonly stored: StoredObject;
  /** The state before; undefined for ADDED. */
  readonly previous: StoredObject | undefined;
}

/** The objects at one resourceVersion, in the order of their keys. */
export interface Snapshot {
  readonly resourceVersion: number;
  readonly entries: readonly (readonly [key: string, stored: StoredObject])[];
}

export interface ObjectStoreOptions {
  /** Number of past changes for watches and for lists of past versions; older ones result in 410. */
  readonly keptEventCount: number;
}

/** The storage of the API server, as etcd and the watch cache: objects, the log of changes and one counter. */
export class ObjectStore {
  readonly #keptEventCount: number;
  readonly #objects: Readonly<Record<Resource, Map<string, StoredObject>>> = {
    namespaces: new Map(),
    nodes: new Map(),
    pods: new Map(),
    services: new Map(),
  };
  readonly #lastChange: Record<Resource, number> = { namespaces: 0, nodes: 0, pods: 0, services: 0 };
  readonly #subscribers = new Set<(event: StoreEvent) => void>();
  #events: StoreEvent[] = [];
  #resourceVersion = 0;
  #compactedVersion = 0;

  constructor({ keptEventCount }: ObjectStoreOptions) {
    this.#keptEventCount = keptEventCount;
  }

  get resourceVersion(): number {
    return this.#resourceVersion;
  }

  /** Oldest resourceVersion that can be read or watched from. */
  get oldestVersion(): number {
    return this.#compactedVersion;
  }

  get(resource: Resource, key: string): StoredObject | undefined {
    return this.#objects[resource].get(key);
  }

  /** Adds the object, or replaces the one of the same namespace and name. */
  put(stored: StoredObject): void {
    const previous = this.get(stored.resource, keyOf(stored.object));
    this.#append(previous === undefined ? 'ADDED' : 'MODIFIED', stored, previous);
  }

  remove(resource: Resource, key: string): void {
    const previous = this.get(resource, key);
    if (previous !== undefined) this.#append('DELETED', previous, previous);
  }

  latest(resource: Resource): Snapshot {
    return { resourceVersion: this.#resourceVersion, entries: sorted(this.#objects[resource]) };
  }

  /** The latest objects at the version of the resource's last change, as from the watch cache for resourceVersion 0. */
  cached(resource: Resource): Snapshot {
    const version = Math.max(this.#lastChange[resource], this.#compactedVersion, 1); // 0 is no version
    return { ...this.latest(resource), resourceVersion: version };
  }

  /** The objects at a version, at most the current one. A compacted version results in 410. */
  at(resource: Resource, version: number): Snapshot {
    if (version < this.#compactedVersion) {
      throw new ApiError(410, 'Expired', 'The resourceVersion for the provided list is too old.');
    }
    const objects = new Map(this.#objects[resource]);
    for (const { resourceVersion, stored, previous } of this.#events.toReversed()) {
      if (resourceVersion <= version) break;
      if (stored.resource !== resource) continue;
      const key = keyOf(stored.object);
      if (previous === undefined) objects.delete(key);
      else objects.set(key, previous);
    }
    return { resourceVersion: version, entries: sorted(objects) };
  }

  /** The changes after a resourceVersion, oldest first. A compacted version results in 410. */
  eventsAfter(version: number): readonly StoreEvent[] {
    if (version < this.#compactedVersion) {
      const message = `too old resource version: ${version} (${this.#compactedVersion})`;
      throw new ApiError(410, 'Expired', message);
    }
    return this.#events.filter((event) => event.resourceVersion > version);
  }

  /** Called for each change until the returned function is called. */
  subscribe(subscriber: (event: StoreEvent) => void): () => void {
    this.#subscribers.add(subscriber);
    return () => {
      this.#subscribers.delete(subscriber);
    };
  }

  /** Drops past versions, as etcd's compaction does: every earlier resourceVersion results in 410. */
  compact(): void {
    this.#events = [];
    this.#compactedVersion = this.#resourceVersion;
  }

  #append(type: EventType, changed: StoredObject, previous: StoredObject | undefined): void {
    const resourceVersion = ++this.#resourceVersion;
    const stored = atVersion(changed, resourceVersion);
    const objects = this.#objects[changed.resource];
    if (type === 'DELETED') objects.delete(keyOf(stored.object));
    else objects.set(keyOf(stored.object), stored);
    this.#lastChange[changed.resource] = resourceVersion;
    const event = { resourceVersion, type, stored, previous };
    this.#events.push(event);
    this.#forgetOldest();
    for (const subscriber of [...this.#subscribers]) subscriber(event);
  }

  #forgetOldest(): void {
    if (this.#events.length <= 2 * this.#keptEventCount) return;
    const forgotten = this.#events.splice(0, this.#events.length - this.#keptEventCount);
    this.#compactedVersion = forgotten.at(-1)?.resourceVersion ?? this.#compactedVersion;
  }
}

/** The same object under another resourceVersion. */
export function atVersion(stored: StoredObject, resourceVersion: number): StoredObject {
  const { object } = stored;
  const metadata = { ...object.metadata, resourceVersion: String(resourceVersion) };
  return { ...stored, object: { ...object, metadata } };
}

/** `namespace/name`, or the name alone. */
function keyOf({ metadata }: ApiObject): string {
  return metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
}

function sorted(objects: ReadonlyMap<string, StoredObject>): Snapshot['entries'] {
  return [...objects].sort(([a], [b]) => (a < b ? -1 : 1));
}
