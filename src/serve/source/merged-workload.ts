import type { NamespaceReport } from '../../people/query/list-namespaces.js';
import type { WorkloadReport } from '../../people/report/workload-report.js';
import type { WorkloadVerdictReport } from '../../people/report/workload-verdict.js';
import type { AnsweredShards } from './view-source.js';

/** Adds up what several exporters have of a workload. `isPartial`: one is missing, which may have pods of it too. */
export function mergedWorkload<Report extends WorkloadReport>(
  parts: readonly [Report, ...Report[]],
  isPartial: boolean,
): Report {
  const total = (values: readonly (number | undefined)[]): number | undefined =>
    values.every((value) => value === undefined)
      ? undefined
      : values.reduce<number>((sum, value = 0) => sum + value, 0);
  const [first] = parts;
  const isKnown = summedParts(parts).every(({ usedBytes }) => usedBytes !== undefined);
  return {
    ...first,
    expectedPodCount: total(parts.map(({ expectedPodCount }) => expectedPodCount)) ?? 0,
    measuredPodCount: total(parts.map(({ measuredPodCount }) => measuredPodCount)) ?? 0,
    isComplete: !isPartial && parts.every(({ isComplete }) => isComplete),
    backoffMs: Math.max(...parts.map(({ backoffMs }) => backoffMs)),
    usedBytes: isKnown ? total(parts.map(({ usedBytes }) => usedBytes)) : undefined,
    podMaxUsedBytes: isKnown ? largest(parts.map(({ podMaxUsedBytes }) => podMaxUsedBytes)) : undefined,
    limitBytes: total(parts.map(({ limitBytes }) => limitBytes)),
    requestBytes: total(parts.map(({ requestBytes }) => requestBytes)),
  };
}

/** Those that make the sums: a part that measures none of its pods adds nothing to those of others, and makes them incomplete. */
function summedParts<Report extends WorkloadReport>(parts: readonly Report[]): readonly Report[] {
  const measured = parts.filter(({ measuredPodCount }) => measuredPodCount > 0);
  const expected = parts.filter(({ expectedPodCount }) => expectedPodCount > 0);
  return [measured, expected].find((some) => some.length > 0) ?? parts;
}

/** Adds up what several exporters have of a namespace. */
export function mergedNamespace(parts: readonly [NamespaceReport, ...NamespaceReport[]]): NamespaceReport {
  return parts.reduce((a, b) => ({
    namespace: a.namespace,
    measuredPodCount: a.measuredPodCount + b.measuredPodCount,
    usedBytes: a.usedBytes + b.usedBytes,
    unmeasuredPodCount: a.unmeasuredPodCount + b.unmeasuredPodCount,
    nearLimitPodCount: a.nearLimitPodCount + b.nearLimitPodCount,
    evictionCount: a.evictionCount + b.evictionCount,
    isUnlisted: a.isUnlisted || b.isUnlisted,
  }));
}

/** Says what is missing. `shards`: undefined when nothing is. */
export function partialVerdict(
  verdict: WorkloadVerdictReport,
  shards: AnsweredShards | undefined,
): WorkloadVerdictReport {
  if (shards === undefined) return verdict;
  const { answeredCount, totalCount } = shards;
  const missing = `Pods on the nodes of ${totalCount - answeredCount} of ${totalCount} shards are missing.`;
  const lack = answeredCount < totalCount ? missing : 'Some of the exporters are left out.';
  return { ...verdict, text: `${verdict.text} ${lack}` };
}

export function largest(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}
