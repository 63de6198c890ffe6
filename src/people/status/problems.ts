import { soonMs } from '../../facts/forecast/forecast.js';
import { programName } from '../../lib/base/text.js';
import { absenceNames } from '../report/absence-hints.js';
import type { ClusterReport } from '../report/cluster-report.js';
import type { ShownEviction } from '../report/eviction-report.js';
import { fullRatio, isFull } from '../report/filesystem-report.js';
import type { HealthReport, ReadinessCheck } from '../report/health-report.js';
import type { RankedNodeReport } from '../report/ranked-nodes.js';
import { absenceProblems, arePodsUnseen, unlistedProblems } from './absence-problems.js';
import { enforcementProblems } from './enforcement-problems.js';
import { evictionProblems } from './eviction-problems.js';
import { gapProblems } from './gap-problems.js';
import {
  hasNoSpace,
  isPresent,
  limitProblems,
  nodeSubject,
  noSpaceProblem,
  pressureProblems,
} from './next-eviction-problems.js';
import { aboutOne, counted, namesText, warning, withExamples } from './problem-texts.js';
import type { Problem, Status } from './status.js';

/** The current problems: the critical ones, then evictions within minutes, the soonest first, then those that were, then the others. */
export function problemsOf({
  readinessChecks,
  notListed,
  cluster,
  health,
  evictions,
}: Pick<Status, 'readinessChecks' | 'notListed' | 'health'> & {
  readonly cluster: ClusterReport | undefined;
  readonly evictions: readonly ShownEviction[];
}): readonly Problem[] {
  const problems = [
    ...notReady(readinessChecks, notListed, health),
    ...unlistedProblems(health, cluster),
    ...(cluster === undefined
      ? []
      : [...limitProblems(cluster), ...pressureProblems(cluster), ...noSpaceProblem(cluster)]),
    ...absenceProblems(health, cluster),
    ...(cluster === undefined ? [] : nodeProblems(cluster)),
    ...(cluster === undefined ? [] : gapProblems(cluster, arePodsUnseen(health))),
    ...(cluster === undefined ? [] : enforcementProblems(cluster)),
    ...evictionProblems(evictions),
    ...healthProblems(health),
  ];
  return problems.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** The less, the sooner. What is over comes after what is about to happen, however bad it was. */
function placeOf({ severity, section, timeToEvictionMs = soonMs + 2 }: Problem): number {
  if (severity !== 'critical') return timeToEvictionMs;
  return section === 'evictions' ? soonMs + 1 : -1;
}

/** The first problem may not be the worst. */
export function worstSeverity(problems: readonly Problem[]): Problem['severity'] | 'ok' {
  if (problems.some(({ severity }) => severity === 'critical')) return 'critical';
  return problems.length > 0 ? 'warning' : 'ok';
}

function notReady(
  checks: readonly ReadinessCheck[],
  notListed: string | undefined,
  { unlisted }: HealthReport,
): readonly Problem[] {
  const missing = checks.filter(({ isOk, isOptional = false }) => !isOk && !isOptional);
  if (missing.length === 0) return [];
  const names = missing.map(({ name }) => name);
  const failed = unlisted.filter(({ reason }) => reason !== undefined);
  const messages = namesText([...new Set(failed.map(({ message }) => message))]);
  const detail = notListed === undefined || messages === '' ? notListed : `${notListed} Last errors: ${messages}`;
  const hint = notListed === undefined ? undefined : unlistedHint(failed[0]);
  return [{ severity: 'critical', text: `not ready: ${namesText(names)}`, detail, hint, section: 'trust' }];
}

/** What to do where nothing could be listed, by the first failure. */
function unlistedHint(failed: HealthReport['unlisted'][number] | undefined): string | undefined {
  switch (failed?.reason) {
    case undefined:
      return undefined;
    case 'unauthorized':
      return 'The API server does not accept the credentials. Check the token of the service account, or the user of the kubeconfig.';
    case 'forbidden':
      return 'Bind a role that may list and watch nodes and pods to the exporter, as in the manifests and the Helm chart.';
    case 'tls':
      return 'Check the certificate authority of the kubeconfig or of the service account, and the address of the API server.';
    default:
      return 'Check the API server and the network between it and the exporter.';
  }
}

function pressedNodes({ items }: ClusterReport['pressure']): readonly string[] {
  return items.filter(({ dataState, headroom = 0 }) => isPresent(dataState) && headroom < 0).map(({ node }) => node);
}

function nodeProblems({ summary, nodes, pressure }: ClusterReport): readonly Problem[] {
  const { staleNodeCount } = summary;
  const fullNodeCount = summary.fullNodeCount - summary.pressedFullNodeCount - summary.noSpaceNodeCount;
  const pressed = pressedNodes(pressure);
  const full = nodes.items.filter(
    (node) => node.state !== 'absent' && isFull(node.filesystems) && !hasNoSpace(node) && !pressed.includes(node.node),
  );
  const stale = nodes.items.filter(({ state }) => state === 'stale');
  return [
    ...withExamples(
      counted(fullNodeCount, 'warning', 'nodes', [
        `node at least ${fullRatio * 100} % full`,
        `nodes at least ${fullRatio * 100} % full`,
      ]),
      {
        names: full.map(({ node }) => node),
        count: fullNodeCount,
        hint: (node) => fullHint(node, full),
        ...aboutOne(full.map(nodeSubject), fullNodeCount),
      },
    ),
    ...withExamples(counted(staleNodeCount, 'warning', 'nodes', ['node with stale data', 'nodes with stale data']), {
      names: stale.map(staleText),
      count: staleNodeCount,
      only: 'unknown',
      ...aboutOne(stale.map(nodeSubject), staleNodeCount),
    }),
    ...(nodes.totalCount === 0 ? [warning('no nodes in scope', 'nodes')] : []),
  ];
}

/** What fills the disk of the host of a virtual cluster is not known. */
function fullHint(node: string, full: readonly RankedNodeReport[]): string {
  return full.find((one) => one.node === node)?.enforcement?.includes('virtual_cluster') === true
    ? 'Writes fail when nothing is free: free space on the host. What fills it is not known in a virtual cluster.'
    : `${programName} explain node ${node} shows what fills its disk.`;
}

/** With why the last request failed. */
function staleText({ node, failure }: RankedNodeReport): string {
  return failure === undefined ? node : `${node} (${absenceNames[failure.reason]})`;
}

const configurationHint =
  'kubelet.readConfig needs get on nodes/configz, or on nodes/proxy with kubelet.access: proxy. Until then the thresholds of evictions are assumed.';

function healthProblems(health: HealthReport): readonly Problem[] {
  const { droppedFamilies, workloadNameClashCount, isLastReloadSuccessful, isKubeletTlsUnverified } = health;
  const { isConfigurationForbidden } = health;
  const { evictionFileFault: fileFault } = health;
  return [
    ...counted(droppedFamilies.length, 'warning', 'trust', [
      'metric family dropped by metrics.maxSeries',
      'metric families dropped by metrics.maxSeries',
    ]),
    ...counted(workloadNameClashCount, 'warning', 'trust', ['workload name clash', 'workload name clashes']),
    ...(isLastReloadSuccessful === false ? [warning('the last reload of the settings failed', 'trust')] : []),
    ...(fileFault === undefined ? [] : [{ ...warning(fileFault.text, 'evictions'), hint: fileFault.fix }]),
    ...(isConfigurationForbidden
      ? [{ ...warning('the configuration of kubelets is not readable', 'trust'), hint: configurationHint }]
      : []),
    ...(isKubeletTlsUnverified ? [warning('kubelet TLS verification is disabled', 'trust')] : []),
  ];
}
