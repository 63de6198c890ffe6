import { type JsonObject, objectOf, textOf } from './json.js';
import { otherNodeError } from './other-node.js';

/**
 * A pod as a kubelet lists it, in the form that the API server has of it; other values stay as they are. The kubelet lists a
 * static pod itself and not its mirror: under the hash of its manifest as UID, without an owner and without a resource version.
 * The source that the kubelet writes to every pod tells them apart, whatever the annotation of the API object says.
 *
 * Throws RequestError `decode` for a pod of another node: the whole list is then another machine's.
 */
export function apiFormOf(item: unknown, nodeName: string): unknown {
  const { metadata, spec, ...others } = objectOf(item);
  const found = textOf(objectOf(spec)['nodeName']);
  if (found !== undefined && found !== nodeName) throw otherNodeError(nodeName, 'lists a pod of', found);
  const meta = { resourceVersion: '0', ...objectOf(metadata) };
  return { ...others, spec, metadata: isStatic(meta) ? mirrorOf(meta, nodeName) : meta };
}

const annotation = 'kubernetes.io/config';

/** https://kubernetes.io/docs/reference/labels-annotations-taints/#kubernetes-io-config-source */
function isStatic(meta: JsonObject): boolean {
  const source = textOf(objectOf(meta['annotations'])[`${annotation}.source`]);
  return source !== undefined && source !== 'api';
}

/** The API object's own UID is known to the API server alone. */
function mirrorOf(meta: JsonObject, nodeName: string): JsonObject {
  const hash = textOf(meta['uid']) ?? '';
  return {
    ...meta,
    annotations: {
      ...objectOf(meta['annotations']),
      [`${annotation}.hash`]: hash,
      [`${annotation}.mirror`]: hash,
    },
    ownerReferences: [{ kind: 'Node', name: nodeName, controller: true }],
  };
}
