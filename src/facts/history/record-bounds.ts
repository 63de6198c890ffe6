/** Bounds of what a record keeps of one pod, whose author chooses its size: less than 32 KiB, however large it is. */
import type { Labels } from '../../cluster/kube/objects.js';
import { othersName } from '../../cluster/kube/pod-bounds.js';
import { type Figure, known } from '../../cluster/kubelet/summary.js';
import { divided } from '../../lib/base/ranking.js';
import type { LimitRatio } from '../node/limit-ratios.js';
import { unnamedContainer, unnamedVolume } from '../node/unknown-items.js';
import type { MeasuredUsage } from '../node/usage.js';
import type { KeptUsage } from './eviction-record.js';
import type { StorageEviction } from './eviction-snapshot.js';

/** Containers that are kept one by one; volumes and limits as many. */
const maxItemCount = 20;

/** Characters of all labels together: several times those of real pods. */
const maxLabelLength = 8_192;

/** What the pod was evicted for is kept in any case. */
type Exceeded = Pick<StorageEviction, 'container' | 'volume'>;

/** The largest containers and volumes; the others are one entry `(others)`. Sums stay right. */
export function boundedUsage(usage: MeasuredUsage, exceeded: Exceeded): KeptUsage {
  const { usedBytes, inodesUsed, components, volumesPending } = usage;
  const containers = largest(usage.containers, (item) => rankOf(item, exceeded.container));
  const volumes = largest(usage.volumes, (item) => rankOf(item, exceeded.volume));
  return {
    usedBytes,
    inodesUsed,
    components,
    volumesPending,
    containers: [...containers.first, ...unnamedContainer(containers.others, othersName)].map(
      ({ name, usedBytes, rootfsBytes, logsBytes }) => {
        return { name, usedBytes, rootfsBytes: known(rootfsBytes), logsBytes: known(logsBytes) };
      },
    ),
    volumes: [...volumes.first, ...unnamedVolume(volumes.others, othersName)].map(
      ({ name, type, medium, usedBytes }) => ({ name, type, medium, usedBytes: known(usedBytes) }),
    ),
  };
}

/** The nearest ones, in their order. */
export function boundedRatios(ratios: readonly LimitRatio[], { container, volume }: Exceeded): readonly LimitRatio[] {
  return largest(ratios, (ratio) =>
    ratio.container === container && ratio.volume === volume ? Infinity : Math.min(ratio.ratio, Number.MAX_VALUE),
  ).first;
}

/** The first ones, which the API server sorts by key; as a rule, the same object. */
export function boundedLabels(labels: Labels): Labels {
  const kept: [string, string][] = [];
  let length = 0;
  for (const [key, value] of Object.entries(labels)) {
    length += key.length + value.length;
    if (length > maxLabelLength) return Object.fromEntries(kept);
    kept.push([key, value]);
  }
  return labels;
}

/** An entry that stands for several stays one: it is not kept beside another one. */
function rankOf({ name, usedBytes }: { readonly name: string; readonly usedBytes: Figure }, exceeded: string): number {
  if (name === othersName) return -1;
  return name === exceeded ? Infinity : (known(usedBytes) ?? 0);
}

function largest<T>(items: readonly T[], rankOf: (item: T) => number) {
  return divided(items, maxItemCount, (a, b) => rankOf(b) - rankOf(a));
}
