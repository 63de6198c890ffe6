import { formatCount, programName, shellWord } from '../base/text.js';
import { formatAge, formatBytes } from '../base/units.js';
import { causeText, eventText } from './eviction-cause-text.js';
import type { EvictionReport } from './eviction-report.js';
import { ownerTarget } from './pod-commands.js';
import { explainEviction } from './verdict-commands.js';
import type { WorkloadReport } from './workload-report.js';

/** What is to be known of a workload first. `near`: pods of it are near a limit. `incomplete`: its sums lack pods or volumes. */
export interface WorkloadVerdictReport {
  readonly kind: 'near' | 'incomplete' | 'complete' | 'empty';
  readonly text: string;
  /** To copy, the explanation first. */
  readonly commands: readonly string[];
}

type AgedEviction = EvictionReport & { readonly ageMs: number };

/**
 * `nearPodCount`: of pods that are near a limit, or above it. `eviction`: the last one of its pods; undefined where none is
 * remembered.
 */
export function workloadVerdict(
  workload: WorkloadReport,
  nearPodCount: number,
  eviction: AgedEviction | undefined,
): WorkloadVerdictReport {
  const { workload: name, workloadType, workloadNamespace, isComplete, expectedPodCount, measuredPodCount } = workload;
  const path = workloadNamespace === '' ? name : `${workloadNamespace}/${workloadType}/${name}`;
  const explain = `${programName} explain workload ${shellWord(path)}`;
  const target = ownerTarget([workload]);
  const near =
    nearPodCount === 0
      ? ''
      : ` ${formatCount(nearPodCount)} of them ${nearPodCount === 1 ? 'is' : 'are'} near a limit.`;
  if (expectedPodCount + measuredPodCount + nearPodCount === 0) return emptyVerdict(isComplete, explain, eviction);
  return {
    kind: nearPodCount > 0 ? 'near' : isComplete ? 'complete' : 'incomplete',
    text: `${sumText(workload)}${near}`,
    commands: nearPodCount > 0 && target !== undefined ? [explain, `kubectl edit ${target}`] : [explain],
  };
}

function emptyVerdict(isComplete: boolean, explain: string, eviction: AgedEviction | undefined): WorkloadVerdictReport {
  const last = eviction === undefined ? '' : evictionText(eviction);
  return {
    kind: isComplete ? 'complete' : 'empty',
    text: `No pods are expected or measured.${last}`,
    commands: [explain, ...(eviction === undefined ? [] : [explainEviction(eviction)])],
  };
}

function evictionText(eviction: AgedEviction): string {
  const { namespace, pod, ageMs } = eviction;
  return ` Pod ${namespace}/${pod} was ${eventText(eviction)} ${formatAge(ageMs)} ago: ${causeText(eviction)}.`;
}

function sumText(workload: WorkloadReport): string {
  const { usedBytes, podMaxUsedBytes, isComplete, expectedPodCount, measuredPodCount, backoffMs } = workload;
  if (usedBytes === undefined) {
    const retry = backoffMs > 0 ? ` It is collected again in ${formatAge(Math.max(1_000, backoffMs))}.` : '';
    return `No sum: ${formatCount(measuredPodCount)} of ${podsText(expectedPodCount)} measured.${retry}`;
  }
  const largest = `the largest uses ${formatBytes(podMaxUsedBytes)}`;
  if (isComplete) return `${formatBytes(usedBytes)} in ${podsText(measuredPodCount)}; ${largest}.`;
  const lack =
    measuredPodCount < expectedPodCount
      ? `${formatCount(measuredPodCount)} of ${podsText(expectedPodCount)} measured`
      : 'pods or volumes are not measured';
  return `Incomplete, at least ${formatBytes(usedBytes)}: ${lack}; of those, ${largest}.`;
}

function podsText(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'pod' : 'pods'}`;
}
