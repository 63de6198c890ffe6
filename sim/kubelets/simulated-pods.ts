import { podObject } from '../model/pod-object.js';
import type { SimulatedPod } from '../model/simulated-pod.js';

/** The body of `/pods`: the pods that a kubelet runs, and no mirrors. */
export function nodePods(pods: readonly SimulatedPod[]): object {
  return { kind: 'PodList', apiVersion: 'v1', metadata: {}, items: pods.map(listedPod) };
}

/** A kubelet writes where it has a pod from to each; a static one comes from a file and has no API object of its own. */
function listedPod(pod: SimulatedPod): object {
  const { object } = podObject(pod);
  const { annotations = {}, ownerReferences, ...metadata } = { ...(object['metadata'] as Metadata) };
  const seen = { 'kubernetes.io/config.seen': metadata['creationTimestamp'] };
  if (pod.spec.isStatic !== true) {
    const fromApi = { ...annotations, ...seen, 'kubernetes.io/config.source': 'api' };
    const owners = ownerReferences === undefined ? {} : { ownerReferences };
    return { ...object, metadata: { ...metadata, ...owners, annotations: fromApi, resourceVersion: '1' } };
  }
  const { 'kubernetes.io/config.mirror': _mirror, ...ofManifest } = annotations;
  const { resourceVersion: _version, ...ofFile } = metadata;
  return {
    ...object,
    metadata: { ...ofFile, uid: pod.kubeletUid, creationTimestamp: null, annotations: ofManifest },
  };
}

interface Metadata extends Readonly<Record<string, unknown>> {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: unknown;
}
