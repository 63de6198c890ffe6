import { countsInodes, type EvictionSignal } from '../../cluster/kubelet/eviction-signals.js';
import { type NodeStanding, nodeStanding } from '../../facts/node/node-standing.js';
import type { NodeThreshold } from '../../facts/node/node-thresholds.js';
import type { NodeSnapshot } from '../../facts/node/node-view.js';
import { nextVictims } from '../../facts/node/victims.js';
import { type DataFacts, dataFacts, type PodSource } from './pod-report.js';
import type { VictimReport } from './signal-report.js';
import type { VerdictReport } from './verdict-report.js';

/** A node that is close to evicting pods, or does, by the threshold that it is nearest to. Bytes, or inodes. */
export interface NodePressureReport extends DataFacts {
  readonly node: string;
  readonly signal: EvictionSignal;
  readonly thresholdBytes?: number | undefined;
  readonly thresholdInodes?: number | undefined;
  /** A default of Kubernetes: the kubelet's configuration is not known. */
  readonly isAssumed: boolean;
  /** Absent under DiskPressure where it is not known, as the headroom: it may be evicting. */
  readonly available?: number | undefined;
  /** Available above the threshold; below 0 the kubelet evicts. */
  readonly headroom?: number | undefined;
  /**
   * Until the node crosses the threshold if its disk goes on to fill as measured; 0 below it. Absent while no growth is known, and
   * from a day on.
   */
  readonly timeToEvictionMs?: number | undefined;
  readonly verdict?: VerdictReport | undefined;
  /** The pods that it would evict first, in its order; equals share a rank. Absent unless all of its pods are read, and under DiskPressure alone: no threshold is close. */
  readonly victims?: readonly Pick<VictimReport, 'rank' | 'namespace' | 'pod' | 'usage' | 'place'>[] | undefined;
  /** Pods of its summary that are not read; absent when all of its pods are. */
  readonly unreadPodCount?: number | undefined;
}

export interface PressedNode extends NodeStanding {
  readonly source: PodSource;
  readonly snapshot: NodeSnapshot;
  readonly nearest: NodeThreshold;
}

/** Undefined for a node that is not close to evicting pods. */
export function pressedNode(
  source: PodSource,
  snapshot: NodeSnapshot,
  standing = nodeStanding(source, snapshot),
): PressedNode | undefined {
  const { nearest, isClose } = standing;
  if (nearest === undefined || (!isClose && snapshot.node.diskPressure !== true)) return undefined;
  return { ...standing, source, snapshot, nearest };
}

/** `isApiServerAway`: its pods may have been evicted since. */
export function pressureReport(
  { source, snapshot, nearest, isClose, timeMs }: PressedNode,
  isApiServerAway = false,
): NodePressureReport {
  const { signal, threshold, isAssumed, available, headroom } = nearest;
  const { unreadPodCount = isApiServerAway ? 0 : undefined } = snapshot;
  return {
    node: source.nodeName,
    ...dataFacts(source),
    signal,
    ...(countsInodes(signal) ? { thresholdInodes: threshold } : { thresholdBytes: threshold }),
    isAssumed,
    available,
    headroom,
    timeToEvictionMs: timeMs === undefined ? undefined : Math.round(timeMs),
    victims: unreadPodCount === undefined && isClose ? firstVictims(snapshot, signal) : undefined,
    unreadPodCount,
  };
}

function firstVictims(snapshot: NodeSnapshot, signal: EvictionSignal): NodePressureReport['victims'] {
  const victims = nextVictims(snapshot).filter((next) => next.signal === signal);
  return victims.map(({ rank, victim: { pod, usage, place } }) => ({
    rank,
    namespace: pod.namespace,
    pod: pod.name,
    usage,
    place,
  }));
}
