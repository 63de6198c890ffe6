import type { Config } from '../../config/schema.js';
import { countedText, formatCount, joinTruncated } from '../../lib/base/text.js';
import { formatAge } from '../../lib/base/units.js';
import { terminalText } from '../../people/pens/terminal-text.js';
import type { Coverage } from '../../people/query/coverage.js';
import { unreachableReasons } from '../../people/report/absence-hints.js';
import type { AnswerFacts } from '../../serve/source/view-source.js';

const maxNamesCount = 5;

/** How old the data is, and where it is watched, when there is newer data; undefined without any. */
export function ageNote({ coverage }: AnswerFacts, isWatched: boolean): string | undefined {
  const { freshNodeCount, staleNodeCount, oldestDataAgeMs, ttlMs } = coverage;
  const count = freshNodeCount + staleNodeCount;
  if (count === 0 || oldestDataAgeMs === undefined) return undefined;
  const stale = staleNodeCount === 0 ? '' : `, ${formatCount(staleNodeCount)} of them stale`;
  const nextMs = Math.max(0, ttlMs - oldestDataAgeMs);
  const next = isWatched && nextMs >= 1_000 ? `; the next values come within ${formatAge(nextMs)}` : '';
  return `Data from ${formatCount(count)} of ${formatCount(count + absentCount(coverage))} nodes${stale}, up to ${formatAge(oldestDataAgeMs)} old${next}.`;
}

/** What is missing from the values, a sentence each. */
export function missingNotes({ coverage, notes }: AnswerFacts): readonly string[] {
  const { absences, skippedNodeCount } = coverage;
  const failed = absences.flatMap(({ reason, isAwaited, exampleNodes }) =>
    exampleNodes.map((name) => `${terminalText(name)} (${isAwaited ? 'no response yet' : reason})`),
  );
  const shown = failed.slice(0, maxNamesCount);
  const hiddenCount = absentCount(coverage) - shown.length;
  return [
    ...notes.map(terminalText),
    ...(shown.length === 0
      ? []
      : [`No data from ${shown.join(', ')}${hiddenCount > 0 ? ` and ${formatCount(hiddenCount)} more` : ''}.`]),
    ...(skippedNodeCount === 0
      ? []
      : [`Skipped by cluster.skipNodes: ${countedText(skippedNodeCount, ['node', 'nodes'])}.`]),
  ];
}

/**
 * Why no node has data, a line per reason and the fix, where there is one; empty when a node has data, or there is none to scrape.
 * `access`: undefined where the kubelets are not reached from here.
 */
export function causesOfAbsence(
  { coverage: { absences, freshNodeCount, staleNodeCount } }: AnswerFacts,
  access: Config['kubelet']['access'] | undefined,
): readonly string[] {
  if (freshNodeCount + staleNodeCount > 0) return [];
  const causes = absences.map(({ reason, nodeCount, exampleNodes, message, hint }) => {
    const names = joinTruncated(exampleNodes.map(terminalText), maxNamesCount);
    const others = nodeCount - exampleNodes.length;
    const more = others > 0 ? ` and ${others} more` : '';
    return `no data from ${names}${more} (${reason}): ${terminalText(message ?? hint)}`;
  });
  const isUnreachable = causes.length > 0 && absences.every(({ reason }) => unreachableReasons.has(reason));
  return access === 'direct' && isUnreachable ? [...causes, proxyHint] : causes;
}

const proxyHint =
  'to reach the kubelets through the API server, add --set kubelet.access=proxy (needs get on nodes/proxy)';

/** Nodes without data that are to be measured. */
export function absentCount({ absences }: Coverage): number {
  return absences.reduce((sum, { nodeCount }) => sum + nodeCount, 0);
}
