/** The pods of a node, each with what its series have from the node. */
import type { FsStats } from '../kubelet/summary.js';
import type { BoundPod, ListedPod, NodeObjects, NodeSnapshot } from '../node/node-state.js';
import { components } from '../node/usage.js';
import { withNamelessAsOne } from './nameless-pods.js';
import type { SourceParts } from './part-texts.js';
import type { Compatibility } from './profile.js';
import { escapeLabelValue } from './render.js';
import { boundPodWithoutRepeats, distinctPods, listedPodWithoutRepeats } from './unique.js';

/** The text of the labels that all series of a pod share, made once; without the closing brace. */
interface PodLabels {
  /** Namespace and pod. */
  readonly named: string;
  /** The same and the node. */
  readonly placed: string;
}

/** A pod of a node's summary. */
export interface PodOnNode extends PodLabels {
  readonly nodeName: string;
  readonly nodefs: FsStats | undefined;
  readonly pod: ListedPod;
}

/** A pod of the API server. */
export interface BoundPodOnNode extends PodLabels {
  readonly nodeName: string;
  readonly bound: BoundPod;
}

/**
 * Most series of one pod, which its author could make as many as a million: from its node's summary and from the API server.
 * Far above what pods have in any profile.
 */
const maxSeriesCounts = { measured: 650, declared: 350 };

/** The same pod has other series where families show values of the node's filesystem beside it. */
export function partsOfNode({
  compatibility,
}: {
  readonly compatibility: Compatibility;
}): SourceParts<NodeSnapshot, ListedPod, PodOnNode> {
  const shown: readonly (keyof FsStats)[] =
    compatibility === 'none' ? ['capacityBytes'] : ['capacityBytes', 'availableBytes', 'inodes', 'inodesFree'];
  return {
    maxSeriesCount: maxSeriesCounts.measured,
    sizeOf: measuredSize,
    /** Each once, and those that have no total last. */
    items: (snapshot) => {
      const pods = distinctPods(withNamelessAsOne(snapshot).pods, (pod) => pod);
      return snapshot.podsWithoutTotal.length === 0 ? pods : [...pods, ...snapshot.podsWithoutTotal];
    },
    partOf: ({ nodeName, summary: { nodefs } }) => {
      const labelsOf = podLabels(nodeName);
      return (pod) => ({ nodeName, nodefs, pod: listedPodWithoutRepeats(pod), ...labelsOf(pod) });
    },
    isSameFor: (former, { nodeName, summary: { nodefs } }) =>
      former.nodeName === nodeName && shown.every((field) => former.summary.nodefs?.[field] === nodefs?.[field]),
  };
}

function measuredSize({ pod, usage, ratios }: ListedPod): number {
  const { containers = [], volumes = [] } = usage ?? {};
  const specs = pod?.containers ?? [];
  const mountCount = specs.reduce((sum, { mounts }) => sum + mounts.length, 0);
  return components.length + ratios.length + containers.length + volumes.length + specs.length + mountCount;
}

export const partsOfObjects: SourceParts<NodeObjects, BoundPod, BoundPodOnNode> = {
  maxSeriesCount: maxSeriesCounts.declared,
  sizeOf: ({ pod: { containers, volumes }, workloads }) => 1 + containers.length + volumes.length + workloads.length,
  items: ({ pods }) => distinctPods(pods, ({ pod }) => pod),
  partOf: ({ nodeName }) => {
    const labelsOf = podLabels(nodeName);
    return (bound) => ({ nodeName, bound: boundPodWithoutRepeats(bound), ...labelsOf(bound.pod) });
  },
  isSameFor: (former, { nodeName }) => former.nodeName === nodeName,
};

function podLabels(nodeName: string): (pod: Pick<ListedPod, 'namespace' | 'name'>) => PodLabels {
  const ofNode = `,node="${escapeLabelValue(nodeName)}"`;
  return (pod) => {
    const named = `{namespace="${escapeLabelValue(pod.namespace)}",pod="${escapeLabelValue(pod.name)}"`;
    return { named, placed: `${named}${ofNode}` };
  };
}
