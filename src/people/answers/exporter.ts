import { countedText, formatCount } from '../../lib/base/text.js';
import { formatAge } from '../../lib/base/units.js';
import {
  type Block,
  type BlockOf,
  count,
  type Document,
  joined,
  type Line,
  type Piece,
  type Tone,
} from '../pens/document.js';
import type { ClusterReport } from '../query/cluster-report.js';
import type { HealthReport, ReadinessCheck, Status, StoreHealthReport } from '../query/status.js';
import { factList, section, table } from './parts.js';

/** How the exporter does, how far its data can be trusted, and its settings. */
export function exporterDocument(status: Status): Document {
  const { version, clusterName, scope, uptimeMs, isReady, readinessChecks, cluster, health, configuration } = status;
  const { settingsAgeMs, isLastReloadSuccessful } = health;
  return {
    title: ['Exporter', ''],
    blocks: [
      factList({
        Ready: isReady ? 'yes' : toned('no', 'critical'),
        Version: version,
        Cluster: clusterName,
        Scope: scope,
        'Running for': formatAge(uptimeMs),
        'Settings loaded': settingsAgeMs === undefined ? 'never' : `${formatAge(settingsAgeMs)} ago`,
        'Last reload': isLastReloadSuccessful === false ? toned('failed: see the log', 'warning') : undefined,
      }),
      section(
        {
          id: 'trust',
          title: 'Data quality',
          note: { path: ['nodes'], query: { only: 'unknown' }, shown: 'nodes that lack data' },
        },
        [coverageFacts(cluster), watches(health), expositionFacts(health)],
      ),
      section({ id: 'readiness', title: 'Readiness' }, [{ is: 'list', items: readinessChecks.map(checkLine) }]),
      section({ id: 'requests', title: 'Requests since the start' }, [
        factList({ ...results('Kubelets', health.kubeletRequests), ...results('Scrapes', health.scrapes) }),
      ]),
      section({ id: 'configuration', title: 'Configuration', detail: 'open' }, [
        { is: 'code', caption: 'All settings as YAML, including defaults', text: configuration, detail: 'folded' },
      ]),
    ],
  };
}

function toned(text: string, tone: Tone): Piece {
  return { text, tone };
}

/** In the tone if there are any; undefined for none. */
function some(amount: number, tone: Tone): Line | undefined {
  return amount === 0 ? undefined : { ...count(amount), tone };
}

/** What is missing is named where there is some. */
function coverageFacts(cluster: ClusterReport | undefined): Block {
  if (cluster === undefined) return { is: 'text', line: 'Nodes and pods have not been listed.' };
  const { summary } = cluster;
  const { freshNodeCount, staleNodeCount, absentNodeCount, oldestDataAgeMs } = summary;
  const { expectedPodCount, measuredPodCount } = summary;
  return factList({
    'Nodes with data': ofAll(freshNodeCount + staleNodeCount, freshNodeCount + staleNodeCount + absentNodeCount),
    'Oldest data': oldestDataAgeMs === undefined ? undefined : formatAge(oldestDataAgeMs),
    Stale: some(staleNodeCount, 'warning'),
    Absent: some(absentNodeCount, 'critical'),
    Skipped: some(summary.skippedNodeCount, 'ok'),
    'Running pods measured': ofAll(measuredPodCount, expectedPodCount),
    'Volumes not measured': some(summary.pendingPodCount, 'warning'),
    'Incomplete workloads': some(summary.incompleteWorkloadCount, 'warning'),
    'Namespaces not listed': some(summary.unlistedNamespaceCount, 'warning'),
  });
}

function ofAll(part: number, all: number): Line {
  return [{ ...count(part), tone: part < all ? 'warning' : 'ok' }, ' of ', count(all)];
}

function watches({ stores, unlisted }: HealthReport): BlockOf<'table'> {
  const unlistedCount = (of: StoreHealthReport) => unlisted.filter(({ resource }) => resource === of.resource).length;
  return table(
    { caption: 'Watches of the API server' },
    [
      { title: 'Resource', cell: ({ resource }) => resource },
      { title: 'State', cell: (store) => watchState(store, unlistedCount(store)) },
      {
        title: 'Last event',
        isNumber: true,
        cell: ({ lastProgressAgeMs: ageMs }) => (ageMs === undefined ? 'never' : `${formatAge(ageMs)} ago`),
      },
      { title: 'Objects', isNumber: true, cell: ({ objectCount }) => count(objectCount) },
    ],
    stores,
  );
}

function watchState({ isConnected, isPolled, lastProgressAgeMs }: StoreHealthReport, unlistedCount: number): Line {
  if (lastProgressAgeMs === undefined) return toned('not listed', 'critical');
  if (unlistedCount > 0)
    return toned(`${countedText(unlistedCount, ['namespace', 'namespaces'])} not listed`, 'critical');
  if (isPolled) return toned('listed each minute', 'warning');
  return isConnected ? 'connected' : toned('not connected', 'warning');
}

function expositionFacts(health: HealthReport): BlockOf<'facts'> {
  const { seriesCount, droppedSeriesCount, workloadNameClashCount, isKubeletTlsUnverified } = health;
  return factList({
    'Series in the last scrape': seriesCount === undefined ? 'none yet' : formatCount(seriesCount),
    'Series dropped': some(droppedSeriesCount, 'warning'),
    'Workload name clashes': some(workloadNameClashCount, 'warning'),
    'Kubelet certificates': isKubeletTlsUnverified ? toned('not verified', 'warning') : undefined,
  });
}

function checkLine({ name, isOk, isOptional = false, message }: ReadinessCheck): Line {
  const state = isOk ? 'ok' : toned(isOptional ? 'failing, optional' : 'failing', isOptional ? 'warning' : 'critical');
  return [`${name}: `, state, ...(message === undefined ? [] : [`, ${message}`])];
}

/** Successes, and the results that have occurred. */
function results(title: string, byResult: Readonly<Record<string, number>>): Readonly<Record<string, Line>> {
  const shown = Object.entries(byResult).filter(([result, amount]) => result === 'success' || amount > 0);
  const parts = shown.map(([result, amount]): readonly Piece[] => [
    `${result.replaceAll('_', ' ')} `,
    { ...count(amount), tone: result === 'success' ? 'ok' : 'warning' },
  ]);
  return { [title]: joined(parts, ', ') };
}
