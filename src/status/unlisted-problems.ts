import { formatAge } from '../base/units.js';
import type { ClusterReport } from '../report/cluster-report.js';
import type { HealthReport, UnlistedReport } from '../report/health-report.js';
import { affectedText, joinParts, namesText } from './problem-texts.js';
import type { Problem } from './status.js';

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
  const where = names.length === 1 ? `namespace ${names.join('')}` : `${names.length} namespaces`;
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
