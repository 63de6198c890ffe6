import { programName, shellWord } from '../base/text.js';
import { formatAge, formatBytes } from '../base/units.js';
import { ownerTarget } from './pod-commands.js';
import type { WorkloadReport } from './workload-report.js';

/** What is to be known of a workload first. `near`: pods of it are near a limit. `incomplete`: its sums lack pods or volumes. */
export interface WorkloadVerdictReport {
  readonly kind: 'near' | 'incomplete' | 'complete' | 'empty';
  readonly text: string;
  /** To copy, the explanation first. */
  readonly commands: readonly string[];
}

/** `nearPodCount`: of pods that are near a limit, or above it. */
export function workloadVerdict(workload: WorkloadReport, nearPodCount: number): WorkloadVerdictReport {
  const { workload: name, workloadType, workloadNamespace, isComplete, expectedPodCount, measuredPodCount } = workload;
  const path = workloadNamespace === '' ? name : `${workloadNamespace}/${workloadType}/${name}`;
  const explain = `${programName} explain workload ${shellWord(path)}`;
  const target = ownerTarget([workload]);
  const hasPods = expectedPodCount + measuredPodCount > 0;
  const near = nearPodCount === 0 ? '' : ` ${nearPodCount} of them ${nearPodCount === 1 ? 'is' : 'are'} near a limit.`;
  return {
    kind: nearPodCount > 0 ? 'near' : isComplete ? 'complete' : hasPods ? 'incomplete' : 'empty',
    text: hasPods ? `${sumText(workload)}${near}` : 'No pods are expected or measured.',
    commands: nearPodCount > 0 && target !== undefined ? [explain, `kubectl edit ${target}`] : [explain],
  };
}

function sumText(workload: WorkloadReport): string {
  const { usedBytes, podMaxUsedBytes, isComplete, expectedPodCount, measuredPodCount, backoffMs } = workload;
  if (usedBytes === undefined) {
    const retry = backoffMs > 0 ? ` It is collected again in ${formatAge(Math.max(1_000, backoffMs))}.` : '';
    return `No sum: ${measuredPodCount} of ${podsText(expectedPodCount)} measured.${retry}`;
  }
  const largest = `the largest uses ${formatBytes(podMaxUsedBytes)}`;
  if (isComplete) return `${formatBytes(usedBytes)} in ${podsText(measuredPodCount)}; ${largest}.`;
  const lack =
    measuredPodCount < expectedPodCount
      ? `${measuredPodCount} of ${podsText(expectedPodCount)} measured`
      : 'pods or volumes are not measured';
  return `Incomplete, at least ${formatBytes(usedBytes)}: ${lack}; of those, ${largest}.`;
}

function podsText(count: number): string {
  return `${count} ${count === 1 ? 'pod' : 'pods'}`;
}
