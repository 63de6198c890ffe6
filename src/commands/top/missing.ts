import { joinTruncated } from '../../base/text.js';
import { formatAge } from '../../base/units.js';
import type { AbsentNodeState, WorkloadSnapshot } from '../../scrape/snapshot.js';
import { workloadName } from '../../workload/workload.js';
import type { ClusterReading } from '../cluster-reader.js';
import { terminalText } from '../text/terminal-text.js';
import { type PodFilter, wantedWorkloads } from './filter.js';

const maxNamesCount = 5;

/** How old the data is; undefined without any. */
export function ageNote({ snapshot: { nodes } }: ClusterReading): string | undefined {
  const ages = nodes.flatMap((node) => (node.state === 'absent' ? [] : [node.ageMs]));
  if (ages.length === 0) return undefined;
  const askedCount = nodes.filter((node) => node.state !== 'absent' || node.reason !== 'skipped').length;
  const staleCount = nodes.filter(({ state }) => state === 'stale').length;
  const stale = staleCount === 0 ? '' : `, ${staleCount} of them stale`;
  return `Data of ${ages.length} of ${askedCount} nodes${stale}, up to ${formatAge(Math.max(...ages))} old.`;
}

/** What the figures lack, a sentence each; none when they are whole. */
export function missingNotes(reading: ClusterReading, filter: PodFilter): readonly string[] {
  const absent = absentNodes(reading);
  const skipped = absent.filter(({ reason }) => reason === 'skipped').map(({ nodeName }) => terminalText(nodeName));
  const silent = absent
    .filter(({ reason }) => reason !== 'skipped')
    .map(({ nodeName, reason }) => `${terminalText(nodeName)} (${reason})`);
  const incomplete = wantedWorkloads(reading, filter).filter(({ complete }) => !complete);
  const notes: readonly (readonly [string, readonly string[]])[] = [
    ['No data of', silent],
    ['Never asked, as they serve no summaries:', skipped],
    ['Incomplete:', incomplete.map(incompleteText)],
  ];
  return notes.flatMap(([what, names]) =>
    names.length === 0 ? [] : [`${what} ${joinTruncated(names, maxNamesCount)}.`],
  );
}

/** Why no node at all gives data, a line per reason; empty when one does, or there is none to ask. */
export function causesOfSilence(reading: ClusterReading): readonly string[] {
  if (reading.snapshot.nodes.some(({ state }) => state !== 'absent')) return [];
  const byReason = new Map<string, string[]>();
  for (const { nodeName, reason } of absentNodes(reading)) {
    if (reason !== 'skipped') byReason.set(reason, [...(byReason.get(reason) ?? []), nodeName]);
  }
  return Array.from(byReason, ([reason, names]) => {
    const error = names.map((name) => reading.nodeErrors.get(name)).find((text) => text !== undefined);
    const nodes = joinTruncated(names.map(terminalText), maxNamesCount);
    return `no data of ${nodes} (${reason})${error === undefined ? '' : `: ${terminalText(error)}`}`;
  });
}

function absentNodes({ snapshot }: ClusterReading): readonly AbsentNodeState[] {
  return snapshot.nodes.filter((node) => node.state === 'absent');
}

function incompleteText(snapshot: WorkloadSnapshot): string {
  return `${terminalText(workloadName(snapshot.workload))} (${lackOf(snapshot)})`;
}

function lackOf({ measuredPods, expectedPods, figures, backoffMs }: WorkloadSnapshot): string {
  if (measuredPods < expectedPods) return `${measuredPods} of ${expectedPods} pods`;
  return figures === undefined ? `collected again in ${formatAge(backoffMs)}` : 'volumes not measured yet';
}
