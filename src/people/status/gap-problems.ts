import { countedText, formatCount, programName, shellWord } from '../../lib/base/text.js';
import type { ClusterReport } from '../report/cluster-report.js';
import type { GapReport } from '../report/gap-report.js';
import { limitThresholds } from '../report/limit-report.js';
import { aboutOne, affectedText, joinParts, namesText, placesText, referenceName } from './problem-texts.js';
import type { Problem } from './status.js';

/** What lacks values although its nodes have data. `arePodsUnseen`: pods that summaries lack are part of another problem. */
export function gapProblems({ gaps, limits }: ClusterReport, arePodsUnseen: boolean): readonly Problem[] {
  const before = limits.items.filter(
    ({ dataState, ratio }) => dataState === 'pending' && ratio >= limitThresholds.near,
  );
  const names = before.map(({ namespace, pod, podCount }) =>
    podCount > 1
      ? `${namespace}/${pod} and up to ${formatCount(podCount - 1)} more of its workload`
      : `${namespace}/${pod}`,
  );
  const nearText = names.length === 0 ? '' : `near a limit before: ${namesText(names)}`;
  const shown = gaps.filter(({ kind }) => !arePodsUnseen || kind !== 'missing');
  return shown.map((gap) => gapProblem(gap, nearText));
}

/** `nearText`: pods with pending volumes that were near a limit; '' for none. */
function gapProblem(gap: GapReport, nearText: string): Problem {
  const { kind, podCount, incompleteWorkloadCount, exampleWorkloads } = gap;
  const pods = podsText(gap);
  const affected = affectedText(gap);
  const about = aboutOne(
    gap.examplePods.map(({ namespace, pod }) => ({ namespace, pod })),
    podCount,
  );
  switch (kind) {
    case 'missing':
      return {
        severity: 'warning',
        text: countedText(podCount, [
          'pod missing from the summary of its node',
          'pods missing from the summaries of their nodes',
        ]),
        detail: joinParts(pods, affected),
        hint: "They have been running for more than a minute. Check the kubelet's log.",
        section: 'pods',
        only: 'unknown',
        ...about,
      };
    case 'no_total':
      return {
        severity: 'warning',
        text: countedText(podCount, [
          'pod without usage in the summary of its node',
          'pods without usage in the summaries of their nodes',
        ]),
        detail: joinParts(pods, affected),
        hint: "Check the kubelet's log, and whether the container runtime reports statistics.",
        section: 'pods',
        only: 'unknown',
        ...about,
      };
    case 'volumes_pending':
      return {
        severity: 'warning',
        text: `volumes of ${countedText(podCount, ['pod', 'pods'])} not measured`,
        detail: joinParts(pods, 'totals or ratios are too low', nearText, affected),
        hint: 'A kubelet measures volumes within two minutes of its start. If it takes longer, check its log and the disk.',
        section: 'pods',
        only: 'unknown',
        ...about,
      };
    case 'other':
      return {
        severity: 'warning',
        text: countedText(incompleteWorkloadCount, ['incomplete workload', 'incomplete workloads']),
        detail: namesText(exampleWorkloads.map(referenceName), incompleteWorkloadCount),
        hint: `${programName} explain workload ${shellWord(exampleWorkloads.slice(0, 1).map(referenceName).join(''))} shows which of its pods are not measured, and why.`,
        section: 'workloads',
      };
  }
}

function podsText({ examplePods, podCount }: GapReport): string {
  const moreCount = podCount - examplePods.length;
  return `${placesText(examplePods).join(', ')}${moreCount > 0 ? ` and ${formatCount(moreCount)} more` : ''}`;
}
