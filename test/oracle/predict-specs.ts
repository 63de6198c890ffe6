/** Series of what the API server wrote, whatever kubelets have measured. */
import { aggregated, countedIn, kindOfSpec, lastingSpecs } from './pods.js';
import { storageOf, toBytes } from './quantity.js';
import type { RawNode, RawPod, RawVolume } from './raw.js';
import type { Labels, Prediction } from './series.js';
import { isMirror, runningCount, workloadOf } from './workloads.js';

/** Of a pod that is bound to a node. */
export function predictSpecs(
  prediction: Prediction,
  pod: RawPod,
  { controllers }: { readonly controllers: boolean },
): void {
  const { namespace, name } = pod.metadata;
  const labels = { namespace, pod: name, node: pod.spec.nodeName ?? '' };
  predictInfo(prediction, pod, labels);
  prediction.add('pod_limit_bytes', labels, aggregated(pod, 'limits'));
  prediction.add('pod_request_bytes', labels, aggregated(pod, 'requests'));
  for (const container of lastingSpecs(pod)) {
    const { limits, requests } = container.resources ?? {};
    prediction.add('container_limit_bytes', { ...labels, container: container.name }, storageOf(limits));
    prediction.add('container_request_bytes', { ...labels, container: container.name }, storageOf(requests));
  }
  for (const volume of mountedVolumes(pod)) {
    const { type, medium, limit } = kindOfSpec(volume);
    const counted = String(countedIn({ type, medium, limit }) !== undefined);
    const own = { ...labels, volume: volume.name, type, medium, counted };
    prediction.add('volume_limit_bytes', own, limit === undefined ? undefined : toBytes(limit));
  }
  if (!controllers) return;
  const { namespace: workload_namespace, ...workload } = workloadOf(pod);
  prediction.add('pod_workload_info', { namespace, pod: name, ...workload, workload_namespace }, 1);
}

/** The kubelet neither mounts nor measures others. */
function mountedVolumes({ spec }: RawPod): readonly RawVolume[] {
  const { initContainers = [], containers, ephemeralContainers = [], volumes = [] } = spec;
  const all = [...initContainers, ...containers, ...ephemeralContainers];
  return volumes.filter((volume) =>
    all.some(({ volumeMounts = [] }) => volumeMounts.some(({ name }) => name === volume.name)),
  );
}

function predictInfo(prediction: Prediction, { metadata, spec, status }: RawPod, labels: Labels): void {
  const about = {
    uid: metadata.uid,
    qos_class: status.qosClass ?? '',
    phase: status.phase,
    host_ip: status.hostIP ?? '',
    static: String(isMirror({ metadata, spec, status })),
    priority_class: spec.priorityClassName ?? '',
  };
  prediction.add('pod_info', { ...labels, ...about }, 1);
}

/** Of one node; `pods` may hold those of others. */
export function predictNodeObject(
  prediction: Prediction,
  { metadata, status = {} }: RawNode,
  pods: readonly RawPod[],
): void {
  const node = metadata.name;
  const { operatingSystem = '', kubeletVersion = '' } = status.nodeInfo ?? {};
  const pressure = status.conditions?.find(({ type }) => type === 'DiskPressure')?.status ?? 'Unknown';
  const bound = pods.filter(({ spec }) => spec.nodeName === node);
  prediction.add('node_info', { node, os: operatingSystem, kubelet_version: kubeletVersion }, 1);
  prediction.add('node_allocatable_bytes', { node }, storageOf(status.allocatable));
  prediction.add('node_disk_pressure', { node }, pressure === 'Unknown' ? undefined : Number(pressure === 'True'));
  prediction.add('node_pods_running', { node }, bound.filter(({ status: { phase } }) => phase === 'Running').length);
  prediction.add(
    'node_containers_running',
    { node },
    bound.reduce((count, pod) => count + runningCount(pod), 0),
  );
}
