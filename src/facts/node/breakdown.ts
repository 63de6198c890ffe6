import { getOrAdd } from '../../lib/base/maps.js';
import { attribute, type AttributeInput, sizeOf } from './attribute.js';
import { addShares } from './shares.js';
import type { PodUsage } from './usage.js';

interface VolumeShare {
  readonly volume: string;
  /** Undefined where it is unknown, as in all of a container. */
  readonly bytes?: number | undefined;
}

export interface PodBreakdown {
  readonly usage: PodUsage;
  /** `even`: the total is split evenly, by the settings or because no container has values of its own. */
  readonly split: 'measured' | 'even';
  /**
   * In the order of the usage's containers; their values add up to the pod's total. The parts of one value:
   * `ownRootfsBytes + ownLogsBytes + Σ volumeShares + restBytes` is its `usedBytes`.
   */
  readonly containers: readonly {
    readonly name: string;
    readonly usedBytes: number | undefined;
    /** The part of the pod's total that is in its root filesystem and in its logs; 0 with the even split. */
    readonly ownRootfsBytes: number | undefined;
    readonly ownLogsBytes: number | undefined;
    /** Its shares of the volumes that count towards the total. */
    readonly volumeShares: readonly VolumeShare[];
    /** Its share of `other`; with the even split, of the total. */
    readonly restBytes: number | undefined;
  }[];
}

/** The result of `attributePod` with the parts of each value. */
export function explainPod(input: AttributeInput): PodBreakdown {
  const volumeShares = new Map<string, VolumeShare[]>();
  const rests = new Map<string, number>();
  const { usage, listed, isMeasured } = attribute(input, (shares, bytes, volume) => {
    const parts = shares.map(({ receiver: { name }, count }) => ({ receiver: { name, usedBytes: 0 }, count }));
    addShares(parts, bytes);
    addShares(shares, bytes);
    for (const { receiver } of parts) {
      const { name, usedBytes } = receiver;
      if (volume === undefined) rests.set(name, usedBytes);
      else getOrAdd(volumeShares, name, (): VolumeShare[] => []).push({ volume, bytes: sizeOf(usedBytes) });
    }
  });
  const containers = usage.containers.map(({ name, usedBytes }, position) => ({
    name,
    usedBytes,
    ownRootfsBytes: sizeOf((isMeasured ? listed[position]?.ownRootfsBytes : undefined) ?? 0),
    ownLogsBytes: sizeOf((isMeasured ? listed[position]?.ownLogsBytes : undefined) ?? 0),
    volumeShares: volumeShares.get(name) ?? [],
    restBytes: sizeOf(rests.get(name) ?? 0),
  }));
  return { usage, split: isMeasured ? 'measured' : 'even', containers };
}
