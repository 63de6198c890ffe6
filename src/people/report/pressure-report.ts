import { countsInodes, type EvictionSignal } from '../../cluster/kubelet/eviction-signals.js';
import { isHeadroomUnknown } from '../../facts/node/full-disks.js';
import { exemptionOf, isActive } from '../../facts/node/limits.js';
import { type NodeStanding, nodeStanding } from '../../facts/node/node-standing.js';
import type { NodeThreshold } from '../../facts/node/node-thresholds.js';
import type { NodeSnapshot } from '../../facts/node/node-view.js';
import { nextVictims } from '../../facts/node/victims.js';
import { largestFirst, naturalNames, type Ranked, Ranking } from '../../lib/base/ranking.js';
import { fullestRatio, fullRatio } from './filesystem-report.js';
import { type DataFacts, dataFacts, type PodSource } from './pod-report.js';
import type { VictimReport } from './signal-report.js';
import type { VerdictOf, VerdictReport } from './verdict-report.js';

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

/** The nodes that are close to evicting pods, the nearest first. Nodes are added one by one. */
export class RankedPressure {
  readonly #ranking: Ranking<PressedNode>;
  readonly #verdictOf: VerdictOf;
  crossedCount = 0;
  /** Of them, those with a full filesystem. */
  crossedFullCount = 0;
  /** Of them, those with no pod left that may be evicted. */
  crossedEmptyCount = 0;
  /** The others, with data. */
  nearCount = 0;
  /** With data, and below no threshold that is known. */
  unknownCount = 0;

  constructor(count: number, verdictOf: VerdictOf) {
    this.#verdictOf = verdictOf;
    this.#ranking = new Ranking(
      count,
      largestFirst<PressedNode>(
        ({ urgency }) => urgency,
        ({ source }) => naturalNames(source.nodeName),
      ),
    );
  }

  /** A node without data is ranked by what was last known of it, and counts nowhere else. See {@link pressedNode}. */
  add(source: PodSource, snapshot: NodeSnapshot): PressedNode | undefined {
    const pressed = pressedNode(source, snapshot);
    const isCrossed = pressed?.nearest.isCrossed === true;
    if (source.state !== 'absent' && !isCrossed && isHeadroomUnknown(snapshot)) this.unknownCount += 1;
    if (pressed === undefined) return undefined;
    if (source.state !== 'absent') this.#count(snapshot, pressed.nearest);
    this.#ranking.add(pressed);
    return pressed;
  }

  #count(snapshot: NodeSnapshot, { isCrossed }: NodeThreshold): void {
    if (!isCrossed) {
      this.nearCount += 1;
      return;
    }
    this.crossedCount += 1;
    if ((fullestRatio(snapshot) ?? 0) >= fullRatio) this.crossedFullCount += 1;
    if (!mayEvict(snapshot)) this.crossedEmptyCount += 1;
  }

  nodes(): Ranked<NodePressureReport> {
    return this.#ranking.ranked((pressed) => pressureReport(pressed, this.#verdictOf));
  }
}

/** Whether there is a pod, or may be one that is not read, that the kubelet does not pass over. */
function mayEvict({ unreadPodCount, podsOnNode }: NodeSnapshot): boolean {
  return unreadPodCount !== undefined || podsOnNode.some((pod) => isActive(pod) && exemptionOf(pod) === undefined);
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

export function pressureReport(
  { source, snapshot, nearest, isClose, timeMs }: PressedNode,
  verdictOf: VerdictOf,
): NodePressureReport {
  const { signal, threshold, isAssumed, available, headroom } = nearest;
  const { unreadPodCount } = snapshot;
  return {
    node: source.nodeName,
    ...dataFacts(source),
    signal,
    ...(countsInodes(signal) ? { thresholdInodes: threshold } : { thresholdBytes: threshold }),
    isAssumed,
    available,
    headroom,
    timeToEvictionMs: timeMs === undefined ? undefined : Math.round(timeMs),
    verdict: verdictOf(source, snapshot),
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
