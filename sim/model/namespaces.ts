import type { ObjectStore } from '../api-server/versioned-objects.js';
import { namespaceObject } from './namespace-object.js';
import type { Random } from './random.js';
import type { Schedule } from './schedule.js';

export interface ClusterModelOptions {
  readonly store: ObjectStore;
  readonly schedule: Schedule;
  readonly random: Random;
}

/** Adds the namespace unless it exists. */
export function ensureNamespace({ store, schedule, random }: ClusterModelOptions, name: string): void {
  if (store.get('namespaces', name) !== undefined) return;
  store.put(namespaceObject({ name, uid: random.uuid(), createdAtMs: schedule.nowMs }));
}
