/** The series of the families of k8s-ephemeral-storage-metrics, with its label names. */
import type { Container } from '../../cluster/kube/objects.js';
import type { FsStats } from '../../cluster/kubelet/summary.js';
import type { NodeSnapshot } from '../../facts/node/node-view.js';
import { finderByName } from '../../lib/base/maps.js';
import { seriesOf, type SeriesSource } from './family.js';
import type { PodOnNode, ShownPod } from './pod-on-node.js';
import { containers } from './pod-sources.js';

/** The filesystem that holds the kubelet's own files. */
export const legacyNodes = seriesOf(
  ['node_name'],
  ({ summary: { nodefs } }: NodeSnapshot) => (nodefs === undefined ? [] : [nodefs]),
  (_, { nodeName }) => [nodeName],
);

/** `ownLabels`: those after the labels of the pod. */
function ofPods<T>(
  ownLabels: readonly string[],
  itemsOf: (source: PodOnNode) => readonly T[],
  ownValuesOf: (item: T) => readonly string[],
): SeriesSource<PodOnNode, T> {
  return seriesOf([...legacyNodes.labels, 'pod_name', 'pod_namespace', ...ownLabels], itemsOf, (item, source) => {
    const { nodeName, pod } = source;
    return [nodeName, pod.summary.name, pod.summary.namespace, ...ownValuesOf(item)];
  });
}

export const legacyPods = ofPods(
  [],
  ({ nodefs, pod: { usage } }) => [{ usage, nodefs }],
  () => [],
);

/** The usage of each container, and the filesystems of its files. */
export const legacyContainers = ofPods(
  ['container'],
  ({ pod }) => {
    const findSummary = finderByName(pod.summary.containers);
    return pod.usage.containers.map((usage) => ({ usage, summary: findSummary(usage.name) }));
  },
  ({ usage }) => [usage.name],
);

/** With the labels of both exporters, for families of the same name. */
export const sharedContainers = seriesOf(
  [...containers.labels, ...legacyPods.labels],
  containers.itemsOf,
  (container, source) => {
    const {
      nodeName,
      pod: {
        summary: { namespace, name },
      },
    } = source;
    return [namespace, name, container.name, nodeName, nodeName, name, namespace];
  },
);

/**
 * Containers with a limit that the kubelet enforces: the usage that counts towards it, and the limit. Those without one:
 * usage and size of the node's filesystem, which any of them may fill.
 */
export const legacyLimits = ofPods(
  ['container', 'source'],
  ({ nodefs, pod }) => {
    const ofLimits = pod.ratios.flatMap(({ rule, container, usedBytes, limitBytes }) =>
      rule === 'container' ? [{ container, source: 'container', usedBytes, wholeBytes: limitBytes }] : [],
    );
    const fill = nodeFill(nodefs);
    if (fill === undefined) return ofLimits;
    const unlimited = runningContainers(pod).filter(({ limitBytes = 0 }) => limitBytes === 0);
    return [...ofLimits, ...unlimited.map(({ name }) => ({ container: name, source: 'node', ...fill }))];
  },
  ({ container, source }) => [container, source],
);

/** EmptyDirs of any medium: a series for each container that mounts them, and path. */
export const legacyMounts = ofPods(
  ['container', 'volume_name', 'mount_path'],
  ({ pod }) => {
    const volumes = new Map(pod.usage.volumes.map((volume) => [volume.name, volume]));
    return runningContainers(pod).flatMap(({ name, mounts }) =>
      mounts.flatMap(({ volumeName, path }) => {
        const volume = volumes.get(volumeName);
        return volume?.type === 'emptydir' ? [{ container: name, path, volume }] : [];
      }),
    );
  },
  ({ container, path, volume }) => [container, volume.name, path],
);

/** Unlike the kubelet's `usedBytes`, it includes blocks that are reserved for root, as they are not available. */
export function nodeFill(
  nodefs: FsStats | undefined,
): { readonly usedBytes: number; readonly wholeBytes: number } | undefined {
  if (nodefs?.capacityBytes === undefined || nodefs.availableBytes === undefined) return undefined;
  const { capacityBytes, availableBytes } = nodefs;
  return { usedBytes: Math.max(capacityBytes - availableBytes, 0), wholeBytes: capacityBytes };
}

function runningContainers({ bound }: ShownPod): readonly Container[] {
  return bound?.pod.containers.filter(({ kind }) => kind === 'app' || kind === 'sidecar') ?? [];
}
