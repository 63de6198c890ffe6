import { isDeepStrictEqual } from 'node:util';

import type {
  ApiObject,
  ObjectStore,
  Resource,
  StoredObject,
  StoreEvent,
} from '../../sim/api-server/versioned-objects.js';
import type { SimulatedPod } from '../../sim/model/simulated-pod.js';
import type { RealApiServer } from './real-api-server.js';

const kinds: Readonly<Record<Resource, string>> = {
  namespaces: 'Namespace',
  nodes: 'Node',
  pods: 'Pod',
  services: 'Service',
};

/** Writes the objects of a simulated cluster to a real API server, one change after the other. */
export class RealObjects {
  readonly #server: RealApiServer;
  /** Those that the real API server has given, by those of the simulated one. */
  readonly #uids = new Map<string, string>();
  #written = Promise.resolve();

  constructor(server: RealApiServer) {
    this.#server = server;
  }

  /** Static pods have UIDs of their kubelet; others are unknown to it before they exist. */
  kubeletUidOf({ spec, uid, kubeletUid }: SimulatedPod): string | undefined {
    return spec.isStatic === true ? kubeletUid : this.#uids.get(uid);
  }

  /** What there is, then each change. */
  follow(objects: Pick<ObjectStore, 'latest' | 'subscribe'>): void {
    for (const resource of ['namespaces', 'nodes', 'pods', 'services'] as const) {
      for (const [, stored] of objects.latest(resource).entries) this.#write(async () => this.#create(stored));
    }
    objects.subscribe((event) => {
      this.#write(async () => this.#apply(event));
    });
  }

  async settled(): Promise<void> {
    await this.#written;
  }

  /** After a refused one, none follows. */
  #write(change: () => Promise<void>): void {
    this.#written = this.#written.then(change);
    this.#written.catch(() => undefined); // `settled` rejects
  }

  async #apply({ type, stored, previous }: StoreEvent): Promise<void> {
    if (type === 'ADDED') await this.#create(stored);
    else if (type === 'MODIFIED') await this.#update(stored, previous);
    else await this.#delete(stored, 0);
  }

  async #create({ resource, object }: StoredObject): Promise<void> {
    const { metadata } = object;
    const path = collectionOf(resource, metadata);
    if (resource === 'namespaces' && (await this.#server.call(`${path}/${metadata.name}`)).status === 200) return;
    const created = await this.#server.request(path, { method: 'POST', body: bodyOf(resource, object) });
    this.#uids.set(metadata.uid, (created['metadata'] as { readonly uid: string }).uid);
    // The server creates every pod as pending.
    if (resource === 'pods') await this.#putStatus(resource, object);
  }

  async #update({ resource, object }: StoredObject, previous: StoredObject | undefined): Promise<void> {
    const { deletionTimestamp, deletionGracePeriodSeconds } = object.metadata;
    if (resource === 'nodes' && !isDeepStrictEqual(object.spec, previous?.object.spec)) {
      await this.#put(pathOf(resource, object), { resource, object });
    }
    await this.#putStatus(resource, object);
    const isMarked = deletionTimestamp !== undefined && previous?.object.metadata['deletionTimestamp'] === undefined;
    if (isMarked) await this.#delete({ resource, object }, Number(deletionGracePeriodSeconds));
  }

  /** Also its labels and annotations. */
  async #putStatus(resource: Resource, object: ApiObject): Promise<void> {
    await this.#put(`${pathOf(resource, object)}/status`, { resource, object });
  }

  async #put(path: string, { resource, object }: Pick<StoredObject, 'resource' | 'object'>): Promise<void> {
    await this.#server.request(path, { method: 'PUT', body: bodyOf(resource, object) });
  }

  async #delete({ resource, object }: Pick<StoredObject, 'resource' | 'object'>, graceSeconds: number): Promise<void> {
    const path = `${pathOf(resource, object)}?gracePeriodSeconds=${graceSeconds}`;
    await this.#server.request(path, { method: 'DELETE' });
  }
}

/** Without what the server decides. */
function bodyOf(resource: Resource, { metadata, spec, status }: ApiObject): object {
  const { name, namespace, labels, annotations, ownerReferences } = metadata;
  const own = { name, namespace, labels, annotations, ownerReferences };
  return { apiVersion: 'v1', kind: kinds[resource], metadata: own, spec, status };
}

function collectionOf(resource: Resource, { namespace }: ApiObject['metadata']): string {
  return namespace === undefined ? `/api/v1/${resource}` : `/api/v1/namespaces/${namespace}/${resource}`;
}

function pathOf(resource: Resource, { metadata }: ApiObject): string {
  return `${collectionOf(resource, metadata)}/${metadata.name}`;
}
