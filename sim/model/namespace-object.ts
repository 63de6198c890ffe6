import type { StoredObject } from '../api-server/versioned-objects.js';
import { humanDuration, timestamp } from './object-format.js';

export interface SimulatedNamespace {
  readonly name: string;
  readonly uid: string;
  readonly createdAtMs: number;
}

/** The namespace as the API server returns it. */
export function namespaceObject({ name, uid, createdAtMs }: SimulatedNamespace): StoredObject {
  return {
    resource: 'namespaces',
    object: {
      metadata: {
        name,
        uid,
        resourceVersion: '',
        creationTimestamp: timestamp(createdAtMs),
        labels: { 'kubernetes.io/metadata.name': name },
      },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    },
    fields: { 'metadata.name': name, 'status.phase': 'Active' },
    cells: (nowMs) => [name, 'Active', humanDuration(nowMs - createdAtMs)],
  };
}
