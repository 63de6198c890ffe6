import { countedText, formatCount } from '../../lib/base/text.js';
import { formatAge } from '../../lib/base/units.js';
import type { ClusterReport, ClusterSummary } from '../query/cluster-report.js';
import type { HealthReport, StoreHealthReport } from '../query/status.js';
import { absenceNames } from '../report/absence-hints.js';
import type { AbsenceReport } from '../report/lack-report.js';
import { type AffectedWorkloadsReport, referenceName } from '../report/workload-report.js';
import { clusterRule, exporterRule, joinParts, namesText, type RuleFacts } from './rule.js';

/** Watches end every few minutes and are opened again at once; only a longer gap is a problem. */
const disconnectedAfterMs = 30_000;

/** Two lists of a polled resource are missing. */
const unpolledAfterMs = 150_000;

/** The API server sends a bookmark about once a minute. */
const silentAfterMs = 300_000;

const watchAlerts = ['EphemeralStorageExporterUnhealthy'];

export const checkApiServer = 'Check the API server and the network between it and the exporter.';

/**
 * Watches without events and nodes without data. Pods and workloads that lack values because of them are part of these
 * problems; nodes that have no data because the API server is away are part of that one.
 */
export const dataRules = {
  api_server_away: exporterRule({
    section: 'trust',
    alerts: [...watchAlerts, 'EphemeralStorageNodeAbsent'],
    applies: ({ cluster, health }) => {
      const { isAway, disconnected } = watchesOf(health);
      const absences = causedByApiServer(health, cluster?.absences);
      return [{ count: Number(isAway), stores: disconnected, absences }];
    },
    isCritical: ({ absences }, { cluster }) => absences.length > 0 && areMostNodesSilent(cluster),
    sentence: () => 'API server not reachable',
    detail: ({ stores, absences }, facts) =>
      joinParts(
        `no events for ${formatAge(Math.min(...stores.map(({ lastProgressAgeMs = 0 }) => lastProgressAgeMs)))}`,
        unseenText(stores, facts),
        ...absences.map((absence) => joinParts(nodesText(absence), costText(absence))),
        lastNearText(facts),
      ),
    step: ({ absences }) => [checkApiServer, ...new Set(absences.map(({ hint }) => hint))].join(' '),
  }),
  /** The server responds, and refuses. */
  watch_disconnected: exporterRule({
    section: 'trust',
    alerts: watchAlerts,
    applies: ({ health }) => {
      const { isAway, disconnected: stores } = watchesOf(health);
      return [{ count: isAway ? 0 : stores.length, stores }];
    },
    sentence: ({ stores }) => {
      const sinceMs = Math.max(...stores.map(({ lastProgressAgeMs = 0 }) => lastProgressAgeMs));
      return `${watchesText(stores, ['is', 'are'])} disconnected: no events for ${formatAge(sinceMs)}`;
    },
    detail: ({ stores }, facts) => unseenText(stores, facts),
    step: "Check the exporter's log for the error, its credentials and its role.",
  }),
  /** The server responds to lists, and the watches do not last. */
  watch_polled: exporterRule({
    section: 'trust',
    alerts: watchAlerts,
    applies: ({ health }) => {
      const { polled: stores } = watchesOf(health);
      return [{ count: stores.length, stores }];
    },
    sentence: ({ stores }) =>
      `${watchesText(stores, ['does', 'do'])} not last: ${namesOf(stores)} are listed about every minute instead`,
    detail: ({ stores }) => `changes of ${namesOf(stores)} are seen up to 75 s late`,
    step: 'Look for a proxy or load balancer between the exporter and the API server that cuts, buffers or refuses long requests, and check that the role of the exporter allows the verb watch.',
  }),
  /** Connected as far as the exporter knows. */
  watch_silent: exporterRule({
    section: 'trust',
    alerts: watchAlerts,
    applies: ({ health }) => {
      const connected = health.stores.filter(({ isConnected }) => isConnected);
      const silent = connected.filter(({ lastProgressAgeMs = 0 }) => lastProgressAgeMs >= silentAfterMs);
      return silent.map((store) => ({ count: 1, store }));
    },
    sentence: ({ store: { resource, lastProgressAgeMs } }) =>
      `watch of ${resource} had no events for ${formatAge(lastProgressAgeMs)}`,
  }),
  node_without_data: clusterRule({
    section: 'nodes',
    only: 'unknown',
    alerts: ['EphemeralStorageNodeAbsent'],
    applies: ({ cluster, health }) => {
      const { absences, isPartial } = cluster;
      const ofApiServer = causedByApiServer(health, absences);
      return absences
        .filter((absence) => !ofApiServer.includes(absence))
        .map((absence) => ({
          count: absence.nodeCount,
          examples: absence.exampleNodes.map((node) => ({ node })),
          absence,
          isWaiting: isPartial && absence.isAwaited,
        }));
    },
    isCritical: ({ isWaiting }, { cluster }) => !isWaiting && areMostNodesSilent(cluster),
    sentence: ({ absence, isWaiting }, { cluster }) =>
      isWaiting ? waitingText(absence, cluster.summary) : nodesText(absence),
    detail: ({ absence }) => costText(absence),
    step: ({ absence, isWaiting }) =>
      isWaiting ? 'A page waits for half a second: the next one has what they answer.' : absence.hint,
    commands: ({ absence, isWaiting }) => (isWaiting ? [] : absence.commands),
  }),
  node_with_stale_data: clusterRule({
    section: 'nodes',
    alerts: ['EphemeralStorageNodeAbsent'],
    applies: ({ cluster: { summary, nodes } }) => [
      { count: summary.staleNodeCount, examples: nodes.items.filter(({ state }) => state === 'stale') },
    ],
    sentence: ['node with stale data', 'nodes with stale data'],
    name: ({ node, failure }) => (failure === undefined ? node : `${node} (${absenceNames[failure.reason]})`),
  }),
  no_nodes: clusterRule({
    section: 'nodes',
    applies: ({ cluster }) => [{ count: Number(cluster.nodes.totalCount === 0) }],
    sentence: () => 'no nodes in scope',
  }),
};

/** What is known of watches: `isAway`: none is kept, since the API server does not respond. */
function watchesOf(health: HealthReport) {
  const { stores, isApiServerAway } = health;
  const disconnected = stores.filter((store) => isDisconnected(store, health));
  const polled = stores.filter((store) => store.isPolled && !disconnected.includes(store));
  const isAway = isApiServerAway && disconnected.length > 0 && disconnected.length === stores.length;
  return { isAway, disconnected, polled };
}

function isDisconnected(
  { isConnected, isPolled, lastProgressAgeMs = 0 }: StoreHealthReport,
  { isApiServerAway }: HealthReport,
): boolean {
  const limitMs = isPolled && !isApiServerAway ? unpolledAfterMs : disconnectedAfterMs;
  return !isConnected && lastProgressAgeMs >= limitMs;
}

function causedByApiServer(health: HealthReport, absences: readonly AbsenceReport[] = []): readonly AbsenceReport[] {
  return watchesOf(health).isAway ? absences.filter((absence) => absence.isOfApiServer) : [];
}

/** Returns whether so many nodes have no data that it is critical, as the alert: one of them alone can wait. Those that are awaited do not count. */
export function areMostNodesSilent(cluster: Pick<ClusterReport, 'summary' | 'isPartial'> | undefined): boolean {
  if (cluster === undefined) return false;
  const { freshNodeCount, staleNodeCount, absentNodeCount, failedNodeCount } = cluster.summary;
  const silentCount = cluster.isPartial ? failedNodeCount : absentNodeCount;
  return silentCount > 1 && silentCount > (freshNodeCount + staleNodeCount + absentNodeCount) / 2;
}

/** Returns whether no node has data because the API server is away: all that is known of pods is what was last known. */
export function areNodesUnseen({ cluster, health }: Pick<RuleFacts, 'cluster' | 'health'>): boolean {
  const { freshNodeCount, staleNodeCount, absentNodeCount } = cluster?.summary ?? {};
  const unseen = causedByApiServer(health, cluster?.absences);
  const unseenCount = unseen.reduce((sum, { nodeCount }) => sum + nodeCount, 0);
  return freshNodeCount === 0 && staleNodeCount === 0 && unseenCount > 0 && unseenCount === absentNodeCount;
}

/** The pods and nodes in trouble, which are no problem of their own then. */
function lastNearText({ cluster, health }: RuleFacts): string {
  if (cluster === undefined || !areNodesUnseen({ cluster, health })) return '';
  const { nodes, grid, nearPods } = cluster;
  const { items, totalCount } = nearPods;
  const pods = countedText(totalCount, [
    'pod was near a limit or above one when last known',
    'pods were near a limit or above one when last known',
  ]);
  const names = items.map(({ namespace, pod }) => `${namespace}/${pod}`);
  const troubled = nodes.items.filter(({ condition }) => condition in grid.troubles).map(({ node }) => node);
  const nodeCount = Object.values(grid.troubles).reduce((sum, count) => sum + count, 0);
  const disks = countedText(nodeCount, ['node had a disk in trouble', 'nodes had a disk in trouble']);
  return joinParts(
    pods === '' ? '' : `${pods}: ${namesText(names, totalCount)}`,
    disks === '' ? '' : `${disks} when last known: ${namesText(troubled, nodeCount)}`,
  );
}

/** Returns whether pods may have ended or moved without the exporter seeing it, for so long that it is a problem. */
export function arePodsUnseen(health: HealthReport): boolean {
  return health.stores.some((store) => store.resource === 'pods' && isDisconnected(store, health));
}

function watchesText(stores: readonly StoreHealthReport[], [one, many]: readonly [one: string, many: string]): string {
  const names = stores.map(({ resource }) => resource);
  return names.length === 1 ? `watch of ${names.join('')} ${one}` : `watches of ${names.join(', ')} ${many}`;
}

function namesOf(stores: readonly StoreHealthReport[]): string {
  return stores.map(({ resource }) => resource).join(' and ');
}

/** With the pods that summaries lack: while changes of pods are not seen, the kubelet is not to blame. */
function unseenText(stores: readonly StoreHealthReport[], { cluster, health }: RuleFacts): string {
  const missing = arePodsUnseen(health) ? cluster?.gaps.find(({ kind }) => kind === 'missing') : undefined;
  const ended = countedText(missing?.podCount ?? 0, [
    'pod is no longer in the summary of its node: it may have ended or moved',
    'pods are no longer in the summaries of their nodes: they may have ended or moved',
  ]);
  return joinParts(`changes of ${namesOf(stores)} are not seen`, ended);
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

/** '' for none; also the names that `explain` takes. */
export function affectedText({ incompleteWorkloadCount, exampleWorkloads }: AffectedWorkloadsReport): string {
  const count = countedText(incompleteWorkloadCount, ['workload incomplete', 'workloads incomplete']);
  return count === '' ? '' : `${count}: ${namesText(exampleWorkloads.map(referenceName), incompleteWorkloadCount)}`;
}
