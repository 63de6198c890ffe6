import { excessContainers } from '../../facts/history/eviction-message.js';
import { type EvictionRecord, isOutdated, sensibleShare } from '../../facts/history/eviction-record.js';
import { getOrAdd } from '../../lib/base/maps.js';
import { shellWord } from '../../lib/base/text.js';
import { isLeak, lastMeasured, mebibyte, ownerTarget, sizeText } from './verdict-commands.js';
import { workloadReferences } from './workload-report.js';

/**
 * Returns the change that would have made a pod that was evicted for the bytes of its node a later victim: the kubelet evicts
 * the pods above their request first, so the request is to cover what the pod used. Undefined where the pod is not known to
 * have been above it, or was last measured too long before, and for more than a tenth of the disk. For inodes no request does so.
 * https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/#pod-selection-for-kubelet-eviction
 */
export function raisedRequest(record: EvictionRecord): string | undefined {
  const target = ownerTarget(workloadReferences(record.workloads));
  const need = requestNeed(record);
  if (need === undefined || target === undefined) return undefined;
  const { container, bytes } = need;
  if (bytes > sensibleShare * (lastMeasured(record).nodeCapacityBytes ?? Infinity)) return undefined;
  const size = sizeText(bytes);
  const limit =
    limitOf(record, container) < Math.ceil(bytes / mebibyte) * mebibyte ? ` --limits=ephemeral-storage=${size}` : '';
  return `kubectl set resources ${target} -c ${shellWord(container)} --requests=ephemeral-storage=${size}${limit}`;
}

/** Returns what the request of the container furthest above its own has to cover, however much that is. */
function requestNeed(record: EvictionRecord): { readonly container: string; readonly bytes: number } | undefined {
  const { cause, message, evictedAtMs } = record;
  const { fetchedAtMs = evictedAtMs } = lastMeasured(record);
  if (cause !== 'node_bytes' || isOutdated(evictedAtMs - fetchedAtMs)) return undefined;
  const above = excessContainers(message);
  const largest = above.toSorted((a, b) => b.usedBytes - b.requestBytes - (a.usedBytes - a.requestBytes))[0];
  if (largest === undefined) return undefined;
  const { container, usedBytes } = largest;
  const requests = new Map(above.map((of) => [of.container, of.requestBytes]));
  return { container, bytes: Math.max(usedBytes, uncoveredBytes(record, container, requests)) };
}

/**
 * What the pod used, with its volumes, beyond the requests of its other containers. One that the message does not list
 * requested what it wrote outside of volumes, or more.
 */
function uncoveredBytes(record: EvictionRecord, container: string, requests: ReadonlyMap<string, number>): number {
  const { usage } = lastMeasured(record);
  const others = usage?.containers.filter(({ name }) => name !== container) ?? [];
  return others.reduce(
    (rest, { name, rootfsBytes = 0, logsBytes = 0 }) => rest - (requests.get(name) ?? rootfsBytes + logsBytes),
    usage?.usedBytes ?? 0,
  );
}

/** A request above it is refused. */
function limitOf(record: EvictionRecord, container: string): number {
  const { ratios = [] } = lastMeasured(record);
  return ratios.find((ratio) => ratio.rule === 'container' && ratio.container === container)?.limitBytes ?? Infinity;
}

/**
 * Returns for each eviction the one whose pod needs most, of those of the same workload for the same limit, or for the same
 * request: one value of a workload has to hold for all of its pods. Without those for which no value is known.
 */
export function largestNeeds(records: readonly EvictionRecord[]): ReadonlyMap<EvictionRecord, EvictionRecord> {
  const groups = new Map<string, { readonly record: EvictionRecord; readonly bytes: number }[]>();
  for (const record of records) {
    const need = needOf(record);
    const target = ownerTarget(workloadReferences(record.workloads));
    if (need === undefined || target === undefined) continue;
    const key = JSON.stringify([target, record.cause, need.container, record.volume]);
    getOrAdd(groups, key, () => []).push({ record, bytes: need.bytes });
  }
  const largest = [...groups.values()].flatMap((group) => {
    const most = group.reduce((a, b) => (b.bytes > a.bytes ? b : a)).record;
    return group.map(({ record }) => [record, most] as const);
  });
  return new Map(largest);
}

/** A leak has no limit that would do. */
function needOf(record: EvictionRecord): { readonly container: string; readonly bytes: number } | undefined {
  const { cause, container } = record;
  if (cause === 'node_bytes') return requestNeed(record);
  const bytes = isLeak(record) ? Infinity : lastMeasured(record).limitForAnHourBytes;
  return bytes === undefined ? undefined : { container, bytes };
}
