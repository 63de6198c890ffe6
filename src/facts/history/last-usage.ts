import type { Node, Pod } from '../../cluster/kube/objects.js';
import type { LastMeasurement } from '../../cluster/kubelet/lookup.js';
import { attributePod } from '../node/attribute.js';
import {
  type DiskVerdict,
  type EarlierEviction,
  evictionVerdict,
  nodeVerdict,
  type VerdictSources,
} from '../node/disk-verdict.js';
import type { NodeLayout } from '../node/node-layout.js';
import type { NodeSnapshot } from '../node/node-view.js';
import { enforcedRatios, enforcementOf } from '../node/pod-record.js';
import { foldUnknown } from '../node/unknown-items.js';
import type { AttributionMode } from '../node/usage.js';
import type { Workload } from '../workload/workload.js';
import { type KeptUsage, type LastUsage, longerLimit, sensibleShare } from './eviction-record.js';
import type { EvictionCause, StorageEviction } from './eviction-snapshot.js';
import { boundedRatios, boundedUsage } from './record-bounds.js';
import { growthBytesPerSecond } from './usage-growth.js';

/** What is known of an evicted pod besides its API object. */
export interface EvictionContext {
  /** Undefined for a node that has left the cluster. */
  readonly node: Node | undefined;
  /** Undefined while nothing of the node was measured. */
  readonly layout: NodeLayout | undefined;
  readonly measurement: LastMeasurement | undefined;
  /** The last one of the node; undefined before the first. */
  readonly snapshot: NodeSnapshot | undefined;
  /** How old a summary may be to explain an eviction, in milliseconds. */
  readonly maxAgeMs: number;
  readonly samplesOf: VerdictSources['samplesOf'];
  readonly attribution: AttributionMode;
  /** Those that the pod belongs to. */
  readonly workloads: readonly Workload[];
}

/** Undefined for a pod that was not measured. */
export function lastUsage(pod: Pod, eviction: StorageEviction, context: EvictionContext): LastUsage | undefined {
  const { node, layout, measurement, snapshot, attribution } = context;
  if (measurement === undefined) return undefined;
  const { summary, fetchedAtMs, samples } = measurement;
  const attributed = attributePod({ summary, pod, mode: attribution });
  const { usedBytes } = attributed;
  const usage =
    usedBytes === undefined ? undefined : boundedUsage({ ...foldUnknown(attributed, pod), usedBytes }, eviction);
  const enforcement = node && layout && enforcementOf(node, layout);
  const ratios = enforcedRatios(summary, pod, enforcement);
  const growth = growthBytesPerSecond(samples);
  const nodeCapacityBytes = snapshot?.summary.nodefs?.capacityBytes;
  const growing = { growth, sinceMs: evictedAtMs(pod) - fetchedAtMs, usage };
  return {
    fetchedAtMs,
    usage,
    ratios: boundedRatios(ratios, eviction),
    samples,
    growthBytesPerSecond: growth,
    limitForAnHourBytes: atMost(
      longerLimit(eviction, ratios, growing),
      sensibleBytes(eviction, usage, nodeCapacityBytes),
    ),
    nodeCapacityBytes,
  };
}

/**
 * What filled the node's disk; undefined for an eviction for a limit, and where nothing is known of the node, or only what was
 * long before. `evictedAtMs`: monotonic.
 */
export function verdictBefore(
  { cause, shortage }: StorageEviction,
  { snapshot, samplesOf, maxAgeMs }: EvictionContext,
  evictedAtMs: number,
  earlier: EarlierEviction | undefined,
): DiskVerdict | undefined {
  const ageMs = Math.max(0, evictedAtMs - (snapshot?.arrivedAtMs ?? -Infinity));
  if (snapshot === undefined || ageMs > maxAgeMs || !causesUnderPressure.has(cause)) return undefined;
  const ofInodes = cause === 'node_inodes';
  const verdict =
    cause === 'node_admission'
      ? nodeVerdict(snapshot, { samplesOf })
      : evictionVerdict(snapshot, { ofInodes, named: shortage, earlier }, { samplesOf });
  return verdict && { ...verdict, ageMs };
}

/** The kubelet evicts for the node's sake, and refuses pods, under its condition alone: what the API server has may be older. */
export const causesUnderPressure: ReadonlySet<EvictionCause> = new Set(['node_bytes', 'node_inodes', 'node_admission']);

function evictedAtMs({ eviction }: Pod): number {
  return eviction?.atMs ?? 0;
}

/** More than twice the peak, or a tenth of the disk, is no limit that anyone would set: no limit holds a leak. */
function sensibleBytes(
  { limitBytes = 0 }: StorageEviction,
  usage: KeptUsage | undefined,
  nodeCapacityBytes = Infinity,
): number {
  return Math.min(2 * Math.max(limitBytes, usage?.usedBytes ?? 0), nodeCapacityBytes * sensibleShare);
}

function atMost(bytes: number | undefined, maxBytes = Infinity): number | undefined {
  return bytes !== undefined && bytes > maxBytes ? undefined : bytes;
}
