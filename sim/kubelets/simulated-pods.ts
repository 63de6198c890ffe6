import { timestamp } from '../model/object-format.js';
import { podObject } from '../model/pod-object.js';
import type { SimulatedPod } from '../model/simulated-pod.js';

/** The body of `/pods`: the pods that a kubelet runs, and no mirrors. */
export function nodePods(pods: readonly SimulatedPod[]): object {
  return { kind: 'PodList', apiVersion: 'v1', metadata: {}, items: pods.map(listedPod) };
}

/** A kubelet writes where it has a pod from to each; a static one comes from a file and has no API object of its own. */
function listedPod(pod: SimulatedPod): object {
  const { object } = podObject(pod);
  const { uid, name, namespace, labels, creationTimestamp, annotations, ...others } = object.metadata as Metadata;
  const named = { name, namespace, ...(labels !== undefined && { labels }) };
  const seen = { 'kubernetes.io/config.seen': timestamp(pod.createdAtMs) };
  if (pod.spec.isStatic === true) {
    const source = { 'kubernetes.io/config.hash': pod.kubeletUid, 'kubernetes.io/config.source': 'file' };
    const ofFile = { ...pod.spec.annotations, ...seen, ...source };
    return { ...object, metadata: { ...named, uid: pod.kubeletUid, creationTimestamp: null, annotations: ofFile } };
  }
  const fromApi = { ...annotations, ...seen, 'kubernetes.io/config.source': 'api' };
  const metadata = { ...others, ...named, uid, creationTimestamp, annotations: fromApi, resourceVersion: '1' };
  return { ...object, metadata };
}

type Metadata = Readonly<Record<string, unknown>> & { readonly annotations?: Readonly<Record<string, string>> };
