import { groupBy } from '../../base/maps.js';
import { joinTruncated } from '../../base/text.js';
import { formatAge } from '../../base/units.js';
import type { Config } from '../../config/schema.js';
import type { AbsentNodeView } from '../../node/node-view.js';
import type { ClusterReading } from '../../query/cluster-reading.js';
import { measuredNodes, type PodFilter, wantedWorkloads } from '../../query/pod-filter.js';
import { hintFor, unreachableReasons } from '../../report/absence-hints.js';
import { workloadName } from '../../workload/workload.js';
import type { WorkloadSnapshot } from '../../workload/workload-partial.js';
import { terminalText } from '../text/terminal-text.js';

const maxNamesCount = 5;

/** How old the data is; undefined without any. */
export function ageNote(reading: ClusterReading): string | undefined {
  const { nodes } = reading.snapshot;
  const ages = measuredNodes(reading).map(({ ageMs }) => ageMs);
  if (ages.length === 0) return undefined;
  const targetCount = nodes.filter((node) => node.state !== 'absent' || node.reason !== 'skipped').length;
  const staleCount = nodes.filter(({ state }) => state === 'stale').length;
  const stale = staleCount === 0 ? '' : `, ${staleCount} of them stale`;
  return `Data from ${ages.length} of ${targetCount} nodes${stale}, up to ${formatAge(Math.max(...ages))} old.`;
}

/** What is missing from the values, a sentence each. */
export function missingNotes(reading: ClusterReading, filter: PodFilter): readonly string[] {
  const absent = absentNodes(reading);
  const skipped = absent.filter(({ reason }) => reason === 'skipped').map(({ nodeName }) => terminalText(nodeName));
  const failed = absent
    .filter(({ reason }) => reason !== 'skipped')
    .map(({ nodeName, reason }) => `${terminalText(nodeName)} (${reason})`);
  const incomplete = wantedWorkloads(reading, filter).filter(({ complete }) => !complete);
  const notes: readonly (readonly [string, readonly string[]])[] = [
    ['No data from', failed],
    ['Skipped by cluster.skipNodes:', skipped],
    ['Incomplete:', incomplete.map(incompleteText)],
  ];
  const unread = reading.notes.map(terminalText);
  return [
    ...unread,
    ...notes.flatMap(([what, names]) =>
      names.length === 0 ? [] : [`${what} ${joinTruncated(names, maxNamesCount)}.`],
    ),
  ];
}

/** Why no node has data, a line per reason and the fix, where there is one; empty when a node has data, or there is none to scrape. */
export function causesOfAbsence(reading: ClusterReading, access: Config['kubelet']['access']): readonly string[] {
  if (reading.snapshot.nodes.some(({ state }) => state !== 'absent')) return [];
  const unexpected = absentNodes(reading).filter(({ reason }) => reason !== 'skipped');
  const byReason = groupBy(unexpected, ({ reason }) => reason);
  const causes = Array.from(byReason, ([reason, absent]) => {
    const names = absent.map(({ nodeName }) => nodeName);
    const message = names.map((name) => reading.failures.get(name)?.message).find((text) => text !== undefined);
    const nodes = joinTruncated(names.map(terminalText), maxNamesCount);
    return `no data from ${nodes} (${reason}): ${terminalText(message ?? hintFor(reason))}`;
  });
  const isUnreachable = causes.length > 0 && [...byReason.keys()].every((reason) => unreachableReasons.has(reason));
  return access === 'direct' && isUnreachable ? [...causes, proxyHint] : causes;
}

const proxyHint =
  'to reach the kubelets through the API server, add --set kubelet.access=proxy (needs get on nodes/proxy)';

function absentNodes({ snapshot }: ClusterReading): readonly AbsentNodeView[] {
  return snapshot.nodes.filter((node) => node.state === 'absent');
}

function incompleteText(snapshot: WorkloadSnapshot): string {
  return `${terminalText(workloadName(snapshot.workload))} (${lackOf(snapshot)})`;
}

function lackOf({ measuredPods, expectedPods, usage, backoffMs }: WorkloadSnapshot): string {
  if (measuredPods < expectedPods) return `${measuredPods} of ${expectedPods} pods`;
  return usage === undefined ? `backing off for ${formatAge(backoffMs)}` : 'volumes not measured yet';
}
