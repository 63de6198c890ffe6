import { isFor } from '../../facts/history/eviction-record.js';
import { canBind } from '../../facts/node/unenforced-limits.js';
import type { Ranked } from '../../lib/base/ranking.js';
import { formatCount, numberText } from '../../lib/base/text.js';
import { formatAge, formatBytes } from '../../lib/base/units.js';
import { causeText, eventText } from './eviction-cause-text.js';
import { evictionHint, type ShownEviction } from './eviction-report.js';
import type { LimitReport } from './limit-report.js';
import type { PodReport } from './pod-report.js';
import { limitUse } from './pod-verdict.js';
import { explainEviction, explainWorkload, ownerCommand } from './verdict-commands.js';
import type { VerdictWords } from './verdict-text.js';
import { shownName, type WorkloadReport } from './workload-report.js';

/** What is to be known of a workload first. `near`: pods of it are near a limit. `incomplete`: its sums lack pods or volumes. */
export type WorkloadVerdictReport = VerdictWords<'near' | 'incomplete' | 'complete' | 'empty'>;

/**
 * `near`: pods that are near a limit, or above it, the one that is evicted first before the others. `eviction`: the last one of its pods;
 * undefined where none is remembered.
 */
export function workloadVerdict(
  workload: WorkloadReport,
  near: Ranked<PodReport>,
  eviction: ShownEviction | undefined,
): WorkloadVerdictReport {
  const { isComplete, expectedPodCount, measuredPodCount } = workload;
  const explain = explainWorkload(shownName(workload));
  if (expectedPodCount + measuredPodCount + near.totalCount === 0) return emptyVerdict(workload, explain, eviction);
  const advice = near.totalCount > 0 ? nearAdvice(workload, limitOf(near.items[0]), eviction) : undefined;
  return {
    kind: near.totalCount > 0 ? 'near' : isComplete ? 'complete' : 'incomplete',
    text: `${sumText(workload)}${nearText(near)}${advice?.text ?? ''}`,
    commands: [...new Set([explain, ...(advice?.commands ?? [])])],
  };
}

/** Where a pod was evicted for the same limit, what would have prevented that; else all that can be said. */
function nearAdvice(
  workload: WorkloadReport,
  limit: LimitReport | undefined,
  eviction: ShownEviction | undefined,
): Pick<WorkloadVerdictReport, 'text' | 'commands'> {
  if (limit === undefined || eviction?.verdict === undefined || !isFor(eviction, limit))
    return { text: '', commands: ownerCommand('edit', [workload]) };
  return { text: `${evictionText(eviction)} ${evictionHint(eviction) ?? ''}`, commands: eviction.verdict.commands };
}

function nearText({ totalCount, items: [first] }: Ranked<PodReport>): string {
  if (totalCount === 0) return '';
  const pods = `${formatCount(totalCount)} of them ${totalCount === 1 ? 'is' : 'are'}`;
  const limit = limitOf(first);
  if (first === undefined || limit === undefined) return ` ${pods} near a limit.`;
  const where = first.standing === 'above' ? 'above a limit' : 'near a limit';
  const all = totalCount === 1 ? where : `near a limit or above it; ${where}`;
  return ` ${pods} ${all}: ${first.namespace}/${first.pod}, ${limitUse(limit)}.`;
}

/** Undefined where it does not evict. */
function limitOf(pod: PodReport | undefined): LimitReport | undefined {
  const limit = pod?.nearestLimit;
  return limit !== undefined && canBind(limit) ? limit : undefined;
}

/** Why it has no pods, the API server knows: a cron job is not due, a quota is used up. */
function emptyVerdict(
  workload: WorkloadReport,
  explain: string,
  eviction: ShownEviction | undefined,
): WorkloadVerdictReport {
  const last = eviction === undefined ? '' : evictionText(eviction);
  return {
    kind: workload.isComplete ? 'complete' : 'empty',
    text: `No pods are expected or measured.${last}`,
    commands: [
      explain,
      ...ownerCommand('describe', [workload]),
      ...(eviction === undefined ? [] : [explainEviction(eviction)]),
    ],
  };
}

function evictionText(eviction: ShownEviction): string {
  const { namespace, pod, ageMs } = eviction;
  return ` Pod ${namespace}/${pod} was ${eventText(eviction)} ${formatAge(ageMs)} ago: ${causeText(eviction)}.`;
}

function sumText(workload: WorkloadReport): string {
  const { usedBytes, podMaxUsedBytes, isComplete, expectedPodCount, measuredPodCount, backoffMs } = workload;
  if (usedBytes === undefined) {
    const retry = backoffMs > 0 ? ` It is collected again in ${formatAge(Math.max(1_000, backoffMs))}.` : '';
    return `No sum: ${formatCount(measuredPodCount)} of ${numberText(expectedPodCount, ['pod', 'pods'])} measured.${retry}`;
  }
  const largest = `the largest uses ${formatBytes(podMaxUsedBytes)}`;
  if (isComplete) return `${formatBytes(usedBytes)} in ${numberText(measuredPodCount, ['pod', 'pods'])}; ${largest}.`;
  const lack =
    measuredPodCount < expectedPodCount
      ? `${formatCount(measuredPodCount)} of ${numberText(expectedPodCount, ['pod', 'pods'])} measured`
      : 'pods or volumes are not measured';
  return `Incomplete, at least ${formatBytes(usedBytes)}: ${lack}; of those, ${largest}.`;
}
