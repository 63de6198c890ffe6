import type { ApiObject, Resource } from '../api-server/versioned-objects.js';

interface Manager {
  readonly manager: string;
  readonly subresource?: 'status';
  readonly parts: readonly (keyof ApiObject)[];
}

/** Who writes the parts of an object. */
const managers: Readonly<Record<Resource, readonly Manager[]>> = {
  namespaces: [{ manager: 'kubectl-create', parts: ['metadata'] }],
  nodes: [
    { manager: 'kubelet', parts: ['metadata'] },
    { manager: 'kube-controller-manager', parts: ['spec'] },
    { manager: 'kubelet', subresource: 'status', parts: ['status'] },
  ],
  pods: [
    { manager: 'kube-controller-manager', parts: ['metadata', 'spec'] },
    { manager: 'kubelet', subresource: 'status', parts: ['status'] },
  ],
  services: [{ manager: 'kubectl-create', parts: ['metadata', 'spec'] }],
};

/** Lists whose items have owners of their own, and the key of an item. The others belong to one owner as a whole. */
const itemKeys: Readonly<Record<string, string>> = {
  addresses: 'type',
  conditions: 'type',
  containers: 'name',
  initContainers: 'name',
  ownerReferences: 'uid',
  volumeMounts: 'mountPath',
  volumes: 'name',
};

/** Fields that the server sets and nobody owns. */
const unowned: Readonly<Record<string, readonly string[]>> = {
  metadata: ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp'],
};

/** An object with larger ones would not fit into etcd: the server drops them. */
const maxBytes = 1.5 * 2 ** 20;

/**
 * The object as the API server sends it, with who owns which of its fields.
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
export function withManagedFields(resource: Resource, object: ApiObject): ApiObject {
  const { metadata } = object;
  const managedFields = managers[resource].map(({ manager, subresource, parts }) => ({
    manager,
    operation: 'Update',
    apiVersion: 'v1',
    time: metadata.creationTimestamp,
    fieldsType: 'FieldsV1',
    fieldsV1: Object.fromEntries(parts.map((part) => [`f:${part}`, fieldsOf(part, object[part])])),
    ...(subresource !== undefined && { subresource }),
  }));
  const isTooLarge = JSON.stringify(managedFields).length > maxBytes;
  return isTooLarge ? object : { ...object, metadata: { ...metadata, managedFields } };
}

function fieldsOf(parent: string, value: object): object {
  const owned = Object.entries(value).filter(([name]) => unowned[parent]?.includes(name) !== true);
  return Object.fromEntries(owned.map(([name, field]) => [`f:${name}`, fieldOf(name, field)]));
}

function fieldOf(name: string, value: unknown): object {
  if (typeof value !== 'object' || value === null) return {};
  if (!Array.isArray(value)) return { '.': {}, ...fieldsOf(name, value) };
  const key = itemKeys[name];
  if (key === undefined) return {};
  const items = value as readonly Readonly<Record<string, unknown>>[];
  const itemOf = (item: object): object => ({ '.': {}, ...fieldsOf(name, item) });
  return {
    '.': {},
    ...Object.fromEntries(items.map((item) => [`k:${JSON.stringify({ [key]: item[key] })}`, itemOf(item)])),
  };
}
