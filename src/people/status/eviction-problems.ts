import { mostSpecific } from '../../facts/workload/workload.js';
import { groupBy } from '../../lib/base/maps.js';
import { countedText, formatCount, programName } from '../../lib/base/text.js';
import { causeText, evictionHint } from '../report/eviction-cause-text.js';
import type { EvictionReport } from '../report/eviction-report.js';
import type { ShownEviction } from '../report/eviction-report.js';
import { namesText, referenceName } from './problem-texts.js';
import type { Problem } from './status.js';

const recentEvictionMs = 3_600_000;

/** Of one workload within an hour; as the alert EphemeralStoragePodsEvictedRepeatedly. */
const repeatedCount = 3;

/** Those of the last hour. Refusals at admission are not evictions of running pods. */
export function evictionProblems(evictions: readonly ShownEviction[]): readonly Problem[] {
  const recent = evictions.filter(({ cause, ageMs }) => cause !== 'node_admission' && ageMs < recentEvictionMs);
  const groups = largestGroups(recent, workloadOf);
  const [largest] = groups;
  if (largest === undefined) return [];
  const isRepeated = groups.some(({ length, 0: { workloads } }) => workloads.length > 0 && length >= repeatedCount);
  return [
    {
      severity: isRepeated ? 'critical' : 'warning',
      text: countedText(recent.length, ['pod evicted in the last hour', 'pods evicted in the last hour']),
      detail: namesText(groups.map(groupText)),
      hint: hintOf(mostFrequent(largest)[0]),
      section: 'evictions',
    },
  ];
}

type EvictionGroup = readonly [EvictionReport, ...EvictionReport[]];

/** In each, the order stays. */
function largestGroups(
  evictions: readonly EvictionReport[],
  nameOf: (eviction: EvictionReport) => string,
): readonly EvictionGroup[] {
  return [...groupBy(evictions, nameOf).values()].sort((a, b) => b.length - a.length);
}

/** Those for the most frequent cause. */
function mostFrequent(group: EvictionGroup): EvictionGroup {
  return largestGroups(group, causeText)[0] ?? group;
}

/** The name of its workload, or of a pod without one. */
function workloadOf({ namespace, pod, workloads }: EvictionReport): string {
  const workload = mostSpecific(workloads);
  return workload === undefined ? `${namespace}/${pod}` : referenceName(workload);
}

function groupText(group: EvictionGroup): string {
  const same = mostFrequent(group);
  const cause = `${same.length < group.length ? 'mostly ' : ''}${causeText(same[0])}`;
  return `${group[0].workloads.length === 0 ? '' : `${formatCount(group.length)} of `}${workloadOf(group[0])} (${cause})`;
}

/** Where the node is the cause, it is what is to be explained. */
function hintOf(eviction: EvictionReport): string {
  const { cause, namespace, pod } = eviction;
  const hint = evictionHint(eviction);
  return cause === 'node_bytes' || cause === 'node_inodes'
    ? hint
    : `${hint} ${programName} explain eviction ${namespace}/${pod} shows what it used.`;
}
