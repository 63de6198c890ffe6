import { countedText, formatCount } from '../../lib/base/text.js';
import { formatAge } from '../../lib/base/units.js';
import { absenceNames } from '../report/absence-hints.js';
import type { AbsenceReport } from '../report/absence-report.js';
import type { ClusterReport, ClusterSummary } from '../report/cluster-report.js';
import type { HealthReport, StoreHealthReport, UnlistedReport } from '../report/health-report.js';
import { aboutOne, affectedText, joinParts, namesText, warning } from './problem-texts.js';
import type { Problem } from './status.js';

/** Watches end every few minutes and are opened again at once; only a longer gap is a problem. */
const disconnectedAfterMs = 30_000;

/** Two lists of a polled resource are missing. */
const unpolledAfterMs = 150_000;

/** The API server sends a bookmark about once a minute. */
const silentAfterMs = 300_000;

/**
 * Nodes without data and watches without events. Pods and workloads that lack values because of them are part of these
 * problems; nodes that have no data because the API server is away are part of that one.
 */
export function absenceProblems(health: HealthReport, cluster: ClusterReport | undefined): readonly Problem[] {
  const { absences = [] } = cluster ?? {};
  const { stores } = health;
  const disconnected = stores.filter((store) => isDisconnected(store, health));
  const polled = stores.filter((store) => store.isPolled && !disconnected.includes(store));
  const isApiServerAway = health.isApiServerAway && disconnected.length > 0 && disconnected.length === stores.length;
  const ofApiServer = isApiServerAway ? absences.filter((absence) => absence.isOfApiServer) : [];
  const endedText = arePodsUnseen(health) ? endedPodsText(cluster) : '';
  return [
    ...(isApiServerAway
      ? [awayProblem(disconnected, ofApiServer, endedText)]
      : disconnectedProblem(disconnected, endedText)),
    ...polledProblem(polled),
    ...absences.filter((absence) => !ofApiServer.includes(absence)).map((absence) => nodesProblem(absence, cluster)),
    ...stores.flatMap(silentProblem),
  ];
}

/** Returns whether pods may have ended or moved without the exporter seeing it, for so long that it is a problem. */
export function arePodsUnseen(health: HealthReport): boolean {
  return health.stores.some((store) => store.resource === 'pods' && isDisconnected(store, health));
}

/** Of pods that summaries lack: while changes of pods are not seen, the kubelet is not to blame. */
function endedPodsText(cluster: ClusterReport | undefined): string {
  const count = cluster?.gaps.find(({ kind }) => kind === 'missing')?.podCount ?? 0;
  return countedText(count, [
    'pod is no longer in the summary of its node: it may have ended or moved',
    'pods are no longer in the summaries of their nodes: they may have ended or moved',
  ]);
}

function isDisconnected(
  { isConnected, isPolled, lastProgressAgeMs = 0 }: StoreHealthReport,
  { isApiServerAway }: HealthReport,
): boolean {
  const limitMs = isPolled && !isApiServerAway ? unpolledAfterMs : disconnectedAfterMs;
  return !isConnected && lastProgressAgeMs >= limitMs;
}

function awayProblem(
  stores: readonly StoreHealthReport[],
  absences: readonly AbsenceReport[],
  endedText: string,
): Problem {
  const hints = new Set(absences.map(({ hint }) => hint));
  const sinceMs = Math.min(...stores.map(({ lastProgressAgeMs = 0 }) => lastProgressAgeMs));
  return {
    severity: 'critical',
    text: 'API server not reachable',
    detail: joinParts(
      `for ${formatAge(sinceMs)}`,
      unseenText(stores),
      endedText,
      ...absences.map((absence) => joinParts(nodesText(absence), costText(absence))),
    ),
    hint: ['Check the API server and the network between it and the exporter.', ...hints].join(' '),
    section: 'trust',
  };
}

/** The server responds, and refuses. */
function disconnectedProblem(stores: readonly StoreHealthReport[], endedText: string): readonly Problem[] {
  if (stores.length === 0) return [];
  const what = watchesText(stores, ['is', 'are']);
  const sinceMs = Math.max(...stores.map(({ lastProgressAgeMs = 0 }) => lastProgressAgeMs));
  return [
    {
      severity: 'critical',
      text: `${what} disconnected: no events for ${formatAge(sinceMs)}`,
      detail: joinParts(unseenText(stores), endedText),
      hint: "Check the exporter's log for the error, its credentials and its role.",
      section: 'trust',
    },
  ];
}

/** The server responds to lists, and the watches do not last. */
function polledProblem(stores: readonly StoreHealthReport[]): readonly Problem[] {
  if (stores.length === 0) return [];
  const names = stores.map(({ resource }) => resource).join(' and ');
  const subject = watchesText(stores, ['does', 'do']);
  return [
    {
      severity: 'warning',
      text: `${subject} not last: ${names} are listed about every minute instead`,
      detail: `changes of ${names} are seen up to 75 s late`,
      hint: 'Look for a proxy or load balancer between the exporter and the API server that cuts, buffers or refuses long requests, and check that the role of the exporter allows the verb watch.',
      section: 'trust',
    },
  ];
}

function watchesText(stores: readonly StoreHealthReport[], [one, many]: readonly [one: string, many: string]): string {
  const names = stores.map(({ resource }) => resource);
  return names.length === 1 ? `watch of ${names.join('')} ${one}` : `watches of ${names.join(', ')} ${many}`;
}

function unseenText(stores: readonly StoreHealthReport[]): string {
  return `changes of ${stores.map(({ resource }) => resource).join(' and ')} are not seen`;
}

/** Connected as far as the exporter knows. */
function silentProblem({ resource, isConnected, lastProgressAgeMs = 0 }: StoreHealthReport): readonly Problem[] {
  if (!isConnected || lastProgressAgeMs < silentAfterMs) return [];
  return [warning(`watch of ${resource} had no events for ${formatAge(lastProgressAgeMs)}`, 'trust')];
}

function nodesProblem(absence: AbsenceReport, cluster: ClusterReport | undefined): Problem {
  const isWaiting = cluster?.isPartial === true && absence.isAwaited;
  const cost = costText(absence);
  return {
    severity: isWaiting ? 'warning' : 'critical',
    text: isWaiting ? waitingText(absence, cluster.summary) : nodesText(absence),
    detail: cost === '' ? undefined : cost,
    hint: isWaiting ? 'A page waits for half a second: the next one has what they answer.' : absence.hint,
    section: 'nodes',
    only: 'unknown',
    ...aboutOne(
      absence.exampleNodes.map((node) => ({ node })),
      absence.nodeCount,
    ),
  };
}

function nodesText({ reason, nodeCount, exampleNodes }: AbsenceReport): string {
  const nodes = countedText(nodeCount, ['node without data', 'nodes without data']);
  return `${nodes} (${absenceNames[reason]}): ${namesText(exampleNodes, nodeCount)}`;
}

/** Of nodes whose last request did not fail: they are slow, not silent. Many are read for the first time, or after a while. */
function waitingText({ nodeCount, exampleNodes }: AbsenceReport, summary: ClusterSummary): string {
  const { freshNodeCount, staleNodeCount, absentNodeCount } = summary;
  const answeredCount = freshNodeCount + staleNodeCount;
  if (nodeCount > exampleNodes.length) {
    const ofAll = countedText(answeredCount + absentNodeCount, ['node has', 'nodes have']);
    return `being read: ${formatCount(answeredCount)} of ${ofAll} answered`;
  }
  const nodes = countedText(nodeCount, ['node has not answered yet', 'nodes have not answered yet']);
  return `${nodes}: ${namesText(exampleNodes, nodeCount)}`;
}

/** Since when there is no data, and what that costs. */
function costText(absence: AbsenceReport): string {
  const { dataAgeMs, expectedPodCount, isAwaited } = absence;
  const never = isAwaited ? '' : 'no data since the exporter started';
  const since = dataAgeMs === undefined ? never : `last data ${formatAge(dataAgeMs)} ago`;
  const pods = countedText(expectedPodCount, ['pod not measured', 'pods not measured']);
  return joinParts(since, [pods, affectedText(absence)].filter((text) => text !== '').join(', '));
}

/**
 * Namespaces whose pods cannot be listed while the others are served, by the reason. Without any data, the exporter is not
 * ready, which is another problem.
 */
export function unlistedProblems({ unlisted }: HealthReport, cluster: ClusterReport | undefined): readonly Problem[] {
  if (cluster === undefined) return [];
  const reasons = [...new Set(unlisted.map(({ reason }) => reason))];
  return reasons.map((reason) =>
    unlistedProblem(
      reason,
      unlisted.filter((list) => list.reason === reason),
      cluster,
    ),
  );
}

function unlistedProblem(
  reason: string | undefined,
  lists: readonly UnlistedReport[],
  { unlisted: affected }: ClusterReport,
): Problem {
  const names = lists.map(({ namespace }) => namespace);
  const where = names.length === 1 ? `namespace ${names.join('')}` : `${formatCount(names.length)} namespaces`;
  const cause = reason === undefined ? '' : ` (${reason.replaceAll('_', ' ')})`;
  const sinceMs = Math.max(...lists.map(({ forMs }) => forMs));
  return {
    severity: 'critical',
    text: `pods of ${where} not listed${cause}${names.length === 1 ? '' : `: ${namesText(names)}`}`,
    detail: joinParts(`for ${formatAge(sinceMs)}`, affectedText(affected)),
    hint: hintFor(reason, names),
    section: 'trust',
  };
}

function hintFor(reason: string | undefined, namespaces: readonly string[]): string {
  const [where, them] = namespaces.length === 1 ? [namespaces.join(''), 'it'] : ['each of them', 'them'];
  return reason === 'forbidden'
    ? `Bind a role that may list and watch pods to the exporter's service account with a RoleBinding in ${where}, or remove ${them} from cluster.namespaces.`
    : "Check the exporter's log for the error.";
}
