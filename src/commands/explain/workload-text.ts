import { formatBytes } from '../../base/units.js';
import { type Column, renderTable } from '../text/table.js';
import { terminalText, wrap } from '../text/terminal-text.js';
import type { NearMiss } from './near-misses.js';
import type { MemberReport, OriginReport, WorkloadReport } from './workload-explanation.js';

/** Which pods the workload has, which it lacks, and why. */
export function workloadText(report: WorkloadReport, width: number): string {
  const sections = [
    [`Workload ${report.workload}`, originText(report.origin), coverageText(report)]
      .map(terminalText)
      .flatMap((line) => wrap(line, width)),
    memberLines(report, width),
    containerLines(report, width),
    nearMissLines(report, width),
  ];
  const texts = sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return `${texts.join('\n\n')}\n`;
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
      return `Discovered: pods with ${labels.join(',')}.`;
    }
    case 'controller':
      return `Controller: ${origin.controller.kind} ${origin.namespace}/${origin.controller.name}.`;
  }
}

function coverageText({ measuredPods, expectedPods, isComplete, figures, pods }: WorkloadReport): string {
  if (figures === undefined && expectedPods === 0)
    return 'None of its pods has to be measured yet, or any more: nothing is exposed of it.';
  const hasNewAlone = expectedPods === 0 && pods.some(({ state }) => state !== 'unmeasured');
  const counts = hasNewAlone
    ? 'Only new pods, none of which has to be measured yet'
    : `${measuredPods} of ${expectedPods} expected pods measured`;
  const pendingCount = pods.filter(({ state }) => state === 'pending').length;
  const pending = pendingCount === 0 ? '' : `, ${pendingCount} without volumes`;
  const verdict = isComplete ? 'complete' : 'incomplete';
  const effect = figures === undefined ? ' Nothing is exposed of it: the collection failed.' : '';
  return `${counts}${pending}: ${verdict}.${effect}`;
}

const memberColumns: readonly Column<MemberReport>[] = [
  { header: 'NAMESPACE', text: ({ namespace }) => namespace, minWidth: 6, dropRank: 3 },
  { header: 'POD', text: ({ pod }) => pod, minWidth: 10 },
  { header: 'NODE', text: ({ node }) => node ?? '-', minWidth: 6, dropRank: 2 },
  { header: 'BYTES', text: ({ usedBytes }) => String(usedBytes ?? '-'), align: 'right' },
  { header: '', text: ({ usedBytes }) => formatBytes(usedBytes), align: 'right', dropRank: 4 },
  {
    header: 'STATE',
    text: ({ state, isMissing }) => (isMissing && state === 'unmeasured' ? 'MISSING' : state),
    dropRank: 1,
  },
];

/** The table with the sum, then why pods are not measured. */
function memberLines({ pods, figures }: WorkloadReport, width: number): readonly string[] {
  if (pods.length === 0) return wrap('No pod belongs to it.', width);
  const reasons = pods.flatMap(({ namespace, pod, reason }) =>
    reason === undefined ? [] : [terminalText(`${namespace}/${pod}: ${reason}.`)],
  );
  const sum = figures && `= ${figures.usedBytes} (${formatBytes(figures.usedBytes)}) as exposed${extremes(figures)}.`;
  const notes = sum === undefined ? reasons : [sum, ...reasons];
  return [...renderTable(memberColumns, pods, width).lines, ...notes.flatMap((note) => wrap(note, width))];
}

function extremes({ podMaxUsedBytes, limitBytes, requestBytes }: NonNullable<WorkloadReport['figures']>): string {
  return `; largest ${formatBytes(podMaxUsedBytes)}, limits ${formatBytes(limitBytes)}, requests ${formatBytes(requestBytes)}`;
}

type ContainerFigures = NonNullable<WorkloadReport['figures']>['containers'][number];

const containerColumns: readonly Column<ContainerFigures>[] = [
  { header: 'CONTAINER', text: ({ container }) => container, minWidth: 9 },
  { header: 'BYTES', text: ({ usedBytes }) => String(usedBytes), align: 'right' },
  { header: 'LARGEST', text: ({ maxUsedBytes }) => String(maxUsedBytes), align: 'right', dropRank: 1 },
];

function containerLines({ figures }: WorkloadReport, width: number): readonly string[] {
  if (figures === undefined || figures.containers.length === 0) return [];
  return renderTable(containerColumns, figures.containers, width).lines;
}

function nearMissLines({ nearMisses, nearMissCount = 0 }: WorkloadReport, width: number): readonly string[] {
  if (nearMisses === undefined) return [];
  if (nearMisses.length === 0) return wrap('No other pod comes near its selector.', width);
  const hiddenCount = nearMissCount - nearMisses.length;
  const more = hiddenCount === 0 ? [] : [`and ${hiddenCount} more.`];
  const lines = ['Pods that do not belong to it for one reason alone:', ...nearMisses.map(nearMissText), ...more];
  return lines.map(terminalText).flatMap((line) => wrap(line, width));
}

function nearMissText({ namespace, pod, requirements }: NearMiss): string {
  const parts = requirements.map(({ requirement, isMet, found }) => {
    if (isMet) return `${requirement} is met`;
    return `${requirement} is NOT met (${found === undefined ? 'no such label' : `it has "${found}"`})`;
  });
  return `${namespace}/${pod}: ${parts.join(', ')}.`;
}
