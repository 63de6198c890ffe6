import { formatCount, programName } from '../../lib/base/text.js';
import { formatAge, formatTime } from '../../lib/base/units.js';
import type { HealthReport } from '../query/status.js';
import type { EvictionReport } from '../report/eviction-report.js';
import { affectedText, checkApiServer } from './data-rules.js';
import { clusterRule, exporterRule, joinParts, namesText } from './rule.js';

/** What to do where nothing could be listed, by the reason of the first failure; the API server is to be checked for the others. */
const unlistedHints: Readonly<Partial<Record<string, string>>> = {
  unauthorized:
    'The API server does not accept the credentials. Check the token of the service account, or the user of the kubeconfig.',
  forbidden:
    'Bind a role that may list and watch nodes and pods to the exporter, as in the manifests and the Helm chart.',
  tls: 'Check the certificate authority of the kubeconfig or of the service account, and the address of the API server.',
};

/** What is not listed. */
export const readinessRules = {
  not_ready: exporterRule({
    isCritical: true,
    section: 'trust',
    applies: ({ readinessChecks, health }) => {
      const missing = readinessChecks.filter(({ isOk, isOptional = false }) => !isOk && !isOptional);
      const failed = health.unlisted.filter(({ reason }) => reason !== undefined);
      return [{ count: missing.length, names: missing.map(({ name }) => name), failed }];
    },
    sentence: ({ names }) => `not ready: ${namesText(names)}`,
    detail: ({ failed }, { notListed = '' }) => {
      const messages = namesText([...new Set(failed.map(({ message }) => message))]);
      return notListed === '' || messages === '' ? notListed : `${notListed} Last errors: ${messages}`;
    },
    step: ({ failed: [first] }, { notListed }) =>
      notListed === undefined || first?.reason === undefined
        ? undefined
        : (unlistedHints[first.reason] ?? checkApiServer),
  }),
  /** Namespaces, by the reason, while the others are served. Without any data, the exporter is not ready. */
  pods_not_listed: clusterRule({
    section: 'trust',
    alerts: ['EphemeralStorageExporterUnhealthy'],
    applies: ({ health: { unlisted } }) =>
      [...new Set(unlisted.map(({ reason }) => reason))].map((reason) => {
        const lists = unlisted.filter((list) => list.reason === reason);
        return { count: lists.length, reason, lists, names: lists.map(({ namespace }) => namespace) };
      }),
    sentence: ({ reason, names }) => {
      const where = names.length === 1 ? `namespace ${names.join('')}` : `${formatCount(names.length)} namespaces`;
      const cause = reason === undefined ? '' : ` (${reason.replaceAll('_', ' ')})`;
      return `pods of ${where} not listed${cause}${names.length === 1 ? '' : `: ${namesText(names)}`}`;
    },
    detail: ({ lists }, { cluster }) =>
      joinParts(`for ${formatAge(Math.max(...lists.map(({ forMs }) => forMs)))}`, affectedText(cluster.unlisted)),
    step: ({ reason, names }) => {
      if (reason !== 'forbidden') return "Check the exporter's log for the error.";
      const [where, them] = names.length === 1 ? [names.join(''), 'it'] : ['each of them', 'them'];
      return `Bind a role that may list and watch pods to the exporter's service account with a RoleBinding in ${where}, or remove ${them} from cluster.namespaces.`;
    },
  }),
};

/** What else of the exporter itself is to be looked at. */
export const healthRules = {
  series_dropped: exporterRule({
    section: 'trust',
    alerts: ['EphemeralStorageExporterUnhealthy'],
    applies: ({ health }) => [{ count: health.droppedFamilies.length }],
    sentence: ['metric family dropped by metrics.maxSeries', 'metric families dropped by metrics.maxSeries'],
  }),
  workload_names_clash: exporterRule({
    section: 'trust',
    applies: ({ health }) => [{ count: health.workloadNameClashCount }],
    sentence: ['workload name clash', 'workload name clashes'],
  }),
  reload_failed: exporterRule({
    section: 'trust',
    alerts: ['EphemeralStorageExporterUnhealthy'],
    applies: ({ health }) => [{ count: Number(health.isLastReloadSuccessful === false) }],
    sentence: () => 'the last reload of the settings failed',
    step: `Run ${programName} check-config --config.file FILE, or see the log.`,
  }),
  evictions_not_kept: exporterRule({
    section: 'evictions',
    applies: ({ health: { evictionFileFault: fault } }) => (fault === undefined ? [] : [{ count: 1, fault }]),
    sentence: ({ fault }) => fault.text,
    step: ({ fault }) => fault.fix,
  }),
  configuration_forbidden: exporterRule({
    section: 'trust',
    applies: ({ health }) => [{ count: Number(health.isConfigurationForbidden) }],
    sentence: () => 'the configuration of kubelets is not readable',
    step: 'kubelet.readConfig needs get on nodes/configz, or on nodes/proxy with kubelet.access: proxy. Until then the thresholds of evictions are assumed.',
  }),
  tls_unverified: exporterRule({
    section: 'trust',
    alerts: ['EphemeralStorageExporterTlsVerificationDisabled'],
    applies: ({ health }) => [{ count: Number(health.isKubeletTlsUnverified) }],
    sentence: () => 'kubelet TLS verification is disabled',
  }),
};

/** Returns why nothing but evictions is known before the first lists, and which of them. `newest`: undefined where none is known. */
export function notListedText(
  { isApiServerAway }: Pick<HealthReport, 'isApiServerAway'>,
  newest: Pick<EvictionReport, 'evictedAtMs'> | undefined,
  startedAtMs: number,
): string {
  const why = isApiServerAway ? 'The API server has not answered' : 'Nodes and pods have not been listed';
  const known =
    newest === undefined
      ? 'No eviction is known from before, and whether there was one since is not known.'
      : `Evictions are those known so far, the last at ${formatTime(newest.evictedAtMs)}: later ones may be missing.`;
  return `${why} since the exporter started at ${formatTime(startedAtMs)}. ${known}`;
}
