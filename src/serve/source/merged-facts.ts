import { groupBy } from '../../lib/base/maps.js';
import type { Coverage } from '../../people/query/coverage.js';
import type { WorkloadReport } from '../../people/report/workload-report.js';

/** What is no sum of what several exporters have. */
const largest: ReadonlySet<string> = new Set([
  ...['podMaxUsedBytes', 'maxUsedBytes'],
  ...['backoffMs', 'ttlMs', 'oldestDataAgeMs'],
]);
/** What is unknown where one part of it is; of other numbers, the known ones are added up. */
const whole: ReadonlySet<string> = new Set(['usedBytes', 'podMaxUsedBytes', 'maxUsedBytes']);

/** Adds up what several exporters have of one thing. What is no number, and no answer to a question, is that of the first. */
export function added<T extends object>(parts: readonly [T, ...T[]]): T {
  const keys = new Set(parts.flatMap((part) => Object.keys(part)));
  const entries = Array.from(keys, (key) => {
    const all = parts.map((part) => (part as Readonly<Record<string, unknown>>)[key]);
    return [key, addedValue(key, all)] as const;
  });
  return Object.fromEntries(entries) as T;
}

function addedValue(key: string, all: readonly unknown[]): unknown {
  const known = all.filter((value) => value !== undefined);
  const [first] = known;
  if (whole.has(key) && known.length < all.length) return undefined;
  if (typeof first === 'boolean') return key === 'isComplete' ? known.every(Boolean) : known.some(Boolean);
  if (typeof first !== 'number') return first;
  const numbers = known.map(Number);
  return largest.has(key) ? Math.max(...numbers) : numbers.reduce((sum, value) => sum + value, 0);
}

/** `isPartial`: an exporter is missing, which may have pods of it too. */
export function addedWorkload(
  parts: readonly [WorkloadReport, ...WorkloadReport[]],
  isPartial: boolean,
): WorkloadReport {
  const sum = added(parts);
  const { usedBytes, podMaxUsedBytes } = added(summedParts(parts));
  const isComplete = sum.isComplete && !isPartial;
  const all = parts.flatMap(({ containers = [] }) => containers);
  const containers = Array.from(groupBy(all, ({ container }) => container).values(), added);
  const isKnown = sum.containers !== undefined && usedBytes !== undefined;
  return { ...sum, isComplete, usedBytes, podMaxUsedBytes, containers: isKnown ? containers : undefined };
}

/** A part that measures none of its pods adds nothing to those of others, and makes them incomplete. */
function summedParts(parts: readonly [WorkloadReport, ...WorkloadReport[]]): typeof parts {
  const [first, ...others] = parts.filter(({ measuredPodCount }) => measuredPodCount > 0);
  if (first !== undefined) return [first, ...others];
  const [expected, ...more] = parts.filter(({ expectedPodCount }) => expectedPodCount > 0);
  return expected === undefined ? parts : [expected, ...more];
}

const exampleCount = 5;

export function addedCoverage(parts: readonly [Coverage, ...Coverage[]]): Coverage {
  const sum = { ...added(parts), shard: undefined, totalShards: undefined, onlyNode: undefined };
  const all = parts.flatMap(({ absences }) => absences);
  const gaps = groupBy(all, ({ reason, isAwaited }) => `${reason} ${isAwaited}`);
  const absences = Array.from(gaps.values(), (some) => ({
    ...added(some),
    exampleNodes: some.flatMap(({ exampleNodes }) => exampleNodes).slice(0, exampleCount),
  }));
  return { ...sum, absences };
}
