import type { VolumeUsage } from '../../attribution/usage.js';
import { countedComponent } from '../../attribution/volume-usage.js';
import { formatRatio } from '../../base/units.js';
import { type LimitFigures, limitFigures } from '../../eviction/limit-figures.js';
import { type FoundPod, measuredPods } from './filter.js';
import { biggestFirst, bytesColumn, type View } from './view.js';

interface VolumeRow {
  readonly namespace: string;
  readonly pod: string;
  readonly volume: string;
  readonly node: string;
  readonly type: VolumeUsage['type'];
  readonly medium: string;
  readonly usedBytes: number | undefined;
  /** Whether its bytes are part of the pod's ephemeral storage. */
  readonly isCounted: boolean;
  readonly limitBytes: number | undefined;
  readonly limitRatio: LimitFigures | undefined;
  readonly capacityBytes: number | undefined;
  readonly availableBytes: number | undefined;
  readonly inodesUsed: number | undefined;
  /** Wall time of the kubelet's measurement, since the epoch. */
  readonly measuredAtMs: number | undefined;
}

export const volumesView: View<VolumeRow> = {
  rows: (reading, filter) =>
    biggestFirst(
      measuredPods(reading, filter).flatMap((found) =>
        found.pod.usage.volumes.map((volume) => volumeRow(found, volume)),
      ),
      ({ usedBytes }) => usedBytes,
      ({ namespace, pod, volume }) => `${namespace}/${pod}/${volume}`,
    ),
  columns: [
    { header: 'NAMESPACE', text: ({ namespace }) => namespace, minWidth: 6, dropRank: 4 },
    { header: 'POD', text: ({ pod }) => pod, minWidth: 10 },
    { header: 'VOLUME', text: ({ volume }) => volume, minWidth: 6 },
    { header: 'NODE', text: ({ node }) => node, minWidth: 10, dropRank: 7 },
    bytesColumn('USED', ({ usedBytes }) => usedBytes),
    { header: 'TYPE', text: ({ type }) => type, dropRank: 5 },
    { header: 'MEDIUM', text: ({ medium }) => medium || '-', dropRank: 6 },
    { header: 'COUNTED', text: ({ isCounted }) => (isCounted ? 'yes' : 'no'), dropRank: 3 },
    bytesColumn('LIMIT', ({ limitBytes }) => limitBytes, 2),
    { header: 'RATIO', text: ({ limitRatio }) => formatRatio(limitRatio?.ratio), align: 'right', dropRank: 1 },
  ],
};

function volumeRow({ node, pod }: FoundPod, volume: VolumeUsage): VolumeRow {
  const ratio = pod.ratios.find((candidate) => candidate.rule === 'emptydir' && candidate.volume === volume.name);
  return {
    namespace: pod.namespace,
    pod: pod.name,
    volume: volume.name,
    node: node.nodeName,
    type: volume.type,
    medium: volume.medium,
    usedBytes: volume.usedBytes,
    isCounted: countedComponent(volume) !== undefined,
    limitBytes: volume.sizeLimitBytes,
    limitRatio: ratio && limitFigures(ratio),
    capacityBytes: volume.capacityBytes,
    availableBytes: volume.availableBytes,
    inodesUsed: volume.inodesUsed,
    measuredAtMs: volume.measuredAtMs,
  };
}
