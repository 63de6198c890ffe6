import type { EvictionRecord } from '../../facts/history/eviction-record.js';
import { getOrAdd } from '../../lib/base/maps.js';
import { ownerTarget } from './pod-commands.js';
import { requestNeed } from './request-command.js';
import { isLeak } from './verdict-commands.js';
import { workloadReferences } from './workload-report.js';

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
  const { cause, container, lastUsage } = record;
  if (cause === 'node_bytes') return requestNeed(record);
  const bytes = isLeak(record) ? Infinity : typeof lastUsage === 'object' ? lastUsage.limitForAnHourBytes : undefined;
  return bytes === undefined ? undefined : { container, bytes };
}
