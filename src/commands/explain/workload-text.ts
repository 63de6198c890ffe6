import { formatCount } from '../../lib/base/text.js';
import { formatBytes } from '../../lib/base/units.js';
import { type Column, tableLines } from '../../people/pens/table.js';
import { paragraphs, wrap, wrapped } from '../../people/pens/terminal-text.js';
import { verdictLines } from '../../people/pens/verdict-lines.js';
import { isMissing, type OriginReport, type WorkloadFacts } from '../../people/query/workload-explanation.js';
import type { PodReport } from '../../people/report/pod-report.js';
import type { WorkloadVerdictReport } from '../../people/report/workload-verdict.js';
import type { Views } from '../../people/status/views.js';

/** A workload with its pods. */
export interface WorkloadWithPods extends WorkloadFacts {
  readonly verdict: WorkloadVerdictReport;
  /** Those that make it incomplete first, then those that are near a limit, then the largest; there may be more. */
  readonly pods: readonly PodReport[];
  readonly podCount: number;
}

/** Returns what is explained of a view. */
export function workloadWithPods({ workload, pods }: Views['workload']): WorkloadWithPods {
  const missingFirst = pods.items.toSorted((a, b) => Number(isMissing(b)) - Number(isMissing(a)));
  return { ...workload, pods: missingFirst, podCount: pods.totalCount };
}

/** Which pods the workload has, which are missing, and why. */
export function workloadText(
  explanation: WorkloadWithPods,
  {
    name,
    width,
  }: {
    /** As `workloadName` has it. */
    readonly name: string;
    /** In columns. */
    readonly width: number;
  },
): string {
  return paragraphs([
    verdictLines(explanation.verdict, width),
    wrapped([`Workload ${name}`, originText(explanation.origin), coverageText(explanation)], width),
    podLines(explanation, width),
    tableLines(containerColumns, explanation.containers ?? [], width),
  ]);
}

function originText(origin: OriginReport): string {
  switch (origin.source) {
    case 'configured': {
      const { selector, namespaces } = origin;
      const where = namespaces.length === 0 ? 'all namespaces' : `the namespaces ${namespaces.join(', ')}`;
      return `Configured: ${selector === '' ? 'every pod' : `pods with ${selector}`} in ${where}.`;
    }
    case 'labels': {
      const labels = Object.entries(origin.labels).map(([key, value]) => `${key}=${value}`);
      return `Found by labels: pods with ${labels.join(',')}.`;
    }
    case 'controller':
      return controllerText(origin.kind);
  }
}

/** The kinds of pods without a controller are those that stand in for one: see `controllerOf`. */
function controllerText(kind: string): string {
  if (kind === 'Pod') return 'A bare pod, without a controller.';
  return kind === 'Node' ? 'A static pod of a node.' : `Controller: ${kind}.`;
}

function coverageText({ measuredPodCount, expectedPodCount, isComplete, usedBytes, pods }: WorkloadWithPods): string {
  if (usedBytes === undefined && expectedPodCount === 0) return 'None of its pods is expected: it has no values.';
  const counts = `${formatCount(measuredPodCount)} of ${formatCount(expectedPodCount)} expected pods measured`;
  const pendingCount = pods.filter(({ state }) => state === 'pending').length;
  const pending = pendingCount === 0 ? '' : `, ${formatCount(pendingCount)} without volumes`;
  const verdict = isComplete ? 'complete' : 'incomplete';
  const effect = usedBytes === undefined ? ' It has no values: it could not be collected.' : '';
  return `${counts}${pending}: ${verdict}.${effect}`;
}

const podColumns: readonly Column<PodReport>[] = [
  { header: 'NAMESPACE', text: ({ namespace }) => namespace, minWidth: 6, dropRank: 3 },
  { header: 'POD', text: ({ pod }) => pod, minWidth: 10 },
  { header: 'NODE', text: ({ node }) => node ?? '-', minWidth: 6, dropRank: 2 },
  { header: 'BYTES', text: (pod) => formatCount(bytesOf(pod)), align: 'right' },
  { header: '', text: (pod) => formatBytes(bytesOf(pod)), align: 'right', dropRank: 4 },
  {
    header: 'STATE',
    text: (pod) => (isMissing(pod) && pod.state === 'unmeasured' ? 'MISSING' : pod.state),
    dropRank: 1,
  },
];

function bytesOf(pod: PodReport): number | undefined {
  return pod.state === 'unmeasured' ? undefined : pod.usedBytes;
}

/** The table with the sum, then why pods are not measured. */
function podLines({ pods, podCount, ...explanation }: WorkloadWithPods, width: number): readonly string[] {
  if (pods.length === 0) return wrap('It has no pods.', width);
  const reasons = pods.flatMap((pod) => {
    const reason = lackOf(pod);
    return reason === undefined ? [] : [`${pod.namespace}/${pod.pod}: ${reason.replace(/\.$/, '')}.`];
  });
  const moreCount = podCount - pods.length;
  const more = moreCount > 0 ? [`and ${formatCount(moreCount)} more pods.`] : [];
  return [...tableLines(podColumns, pods, width), ...wrapped([...more, ...sumLines(explanation), ...reasons], width)];
}

function lackOf(pod: PodReport): string | undefined {
  if (pod.state === 'unmeasured') return pod.reason;
  return pod.isKnown ? undefined : 'the API server does not know it';
}

function sumLines(explanation: WorkloadFacts): readonly string[] {
  const { usedBytes, podMaxUsedBytes, limitBytes, requestBytes } = explanation;
  if (usedBytes === undefined) return [];
  const extremes = `largest ${formatBytes(podMaxUsedBytes)}, limits ${formatBytes(limitBytes)}, requests ${formatBytes(requestBytes)}`;
  return [`= ${formatCount(usedBytes)} (${formatBytes(usedBytes)}) as exposed; ${extremes}.`];
}

const containerColumns: readonly Column<NonNullable<WorkloadWithPods['containers']>[number]>[] = [
  { header: 'CONTAINER', text: ({ container }) => container, minWidth: 9 },
  { header: 'BYTES', text: ({ usedBytes }) => formatCount(usedBytes), align: 'right' },
  { header: 'LARGEST', text: ({ maxUsedBytes }) => formatCount(maxUsedBytes), align: 'right', dropRank: 1 },
];
