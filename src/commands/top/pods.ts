import { largestRatio, type LimitFigures } from '../../eviction/limit-figures.js';
import { workloadName } from '../../workload/workload.js';
import type { ClusterReading } from '../cluster-reader.js';
import { type FoundPod, measuredPods, type PodFilter } from './filter.js';
import { ratioText } from './ratio.js';
import { biggestFirst, bytesColumn, type View } from './view.js';

interface PodRow {
  readonly namespace: string;
  readonly pod: string;
  readonly node: string;
  readonly usedBytes: number;
  readonly limitBytes: number | undefined;
  readonly requestBytes: number | undefined;
  readonly largestRatio: LimitFigures | undefined;
  readonly rootfsBytes: number;
  readonly logsBytes: number;
  readonly emptydirBytes: number;
  readonly configmapBytes: number;
  readonly otherBytes: number;
  readonly inodesUsed: number | undefined;
  /** The kubelet has not measured the volumes yet: the total is too small. */
  readonly volumesPending: boolean;
  /** Whether the API server knows it; the kubelet may still report one that was deleted. */
  readonly isKnown: boolean;
  readonly workloads: readonly string[];
  readonly summaryAgeMs: number;
}

export const podsView: View<PodRow> = {
  rows: (reading: ClusterReading, filter: PodFilter) =>
    biggestFirst(
      measuredPods(reading, filter).map(podRow),
      ({ usedBytes }) => usedBytes,
      ({ namespace, pod }) => `${namespace}/${pod}`,
    ),
  columns: [
    { header: 'NAMESPACE', text: ({ namespace }) => namespace, minWidth: 6, dropRank: 2 },
    { header: 'POD', text: ({ pod }) => pod, minWidth: 12 },
    { header: 'NODE', text: ({ node }) => node, minWidth: 10, dropRank: 3 },
    bytesColumn('USED', ({ usedBytes }) => usedBytes),
    bytesColumn('LIMIT', ({ limitBytes }) => limitBytes, 4),
    { header: 'RATIO', text: (row) => ratioText(row.largestRatio), dropRank: 1 },
    bytesColumn('ROOTFS', ({ rootfsBytes }) => rootfsBytes, 5),
    bytesColumn('LOGS', ({ logsBytes }) => logsBytes, 6),
    bytesColumn('EMPTYDIR', ({ emptydirBytes }) => emptydirBytes, 7),
  ],
};

function podRow({ node, pod }: FoundPod): PodRow {
  const { components, usedBytes, inodesUsed, volumesPending } = pod.usage;
  return {
    namespace: pod.namespace,
    pod: pod.name,
    node: node.nodeName,
    usedBytes,
    limitBytes: pod.limitBytes,
    requestBytes: pod.requestBytes,
    largestRatio: largestRatio(pod.ratios),
    rootfsBytes: components.rootfs,
    logsBytes: components.logs,
    emptydirBytes: components.emptydir,
    configmapBytes: components.configmap,
    otherBytes: components.other,
    inodesUsed,
    volumesPending,
    isKnown: pod.pod !== undefined,
    workloads: pod.workloads.map(workloadName),
    summaryAgeMs: Math.round(node.ageMs),
  };
}
