import type { ContainerUsage } from '../../attribution/usage.js';
import { formatRatio } from '../../base/units.js';
import { type LimitFigures, limitFigures } from '../../eviction/limit-figures.js';
import { type FoundPod, measuredPods } from './filter.js';
import { biggestFirst, bytesColumn, type View } from './view.js';

interface ContainerRow {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly node: string;
  /** Attributed: its own files and its share of what the pod shares. */
  readonly usedBytes: number;
  readonly rootfsBytes: number | undefined;
  readonly logsBytes: number | undefined;
  readonly limitBytes: number | undefined;
  readonly requestBytes: number | undefined;
  /** Where the kubelet holds the container to its own limit. */
  readonly limitRatio: LimitFigures | undefined;
  readonly summaryAgeMs: number;
}

export const containersView: View<ContainerRow> = {
  rows: (reading, filter) =>
    biggestFirst(
      measuredPods(reading, filter).flatMap((found) =>
        found.pod.usage.containers.map((container) => containerRow(found, container)),
      ),
      ({ usedBytes }) => usedBytes,
      ({ namespace, pod, container }) => `${namespace}/${pod}/${container}`,
    ),
  columns: [
    { header: 'NAMESPACE', text: ({ namespace }) => namespace, minWidth: 6, dropRank: 3 },
    { header: 'POD', text: ({ pod }) => pod, minWidth: 10 },
    { header: 'CONTAINER', text: ({ container }) => container, minWidth: 9 },
    { header: 'NODE', text: ({ node }) => node, minWidth: 10, dropRank: 7 },
    bytesColumn('USED', ({ usedBytes }) => usedBytes),
    bytesColumn('ROOTFS', ({ rootfsBytes }) => rootfsBytes, 5),
    bytesColumn('LOGS', ({ logsBytes }) => logsBytes, 6),
    bytesColumn('LIMIT', ({ limitBytes }) => limitBytes, 2),
    { header: 'RATIO', text: ({ limitRatio }) => formatRatio(limitRatio?.ratio), align: 'right', dropRank: 1 },
  ],
};

function containerRow({ node, pod }: FoundPod, { name, ...usage }: ContainerUsage): ContainerRow {
  const spec = pod.pod?.containers.find((container) => container.name === name);
  const ratio = pod.ratios.find(({ rule, container }) => rule === 'container' && container === name);
  return {
    namespace: pod.namespace,
    pod: pod.name,
    container: name,
    node: node.nodeName,
    usedBytes: usage.usedBytes,
    rootfsBytes: usage.rootfsBytes,
    logsBytes: usage.logsBytes,
    limitBytes: spec?.limitBytes,
    requestBytes: spec?.requestBytes,
    limitRatio: ratio && limitFigures(ratio),
    summaryAgeMs: Math.round(node.ageMs),
  };
}
