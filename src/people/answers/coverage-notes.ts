import { countedText, formatCount } from '../../lib/base/text.js';
import { formatAge } from '../../lib/base/units.js';
import type { Coverage } from '../query/coverage.js';

const maxNamesCount = 5;

/** Says how old the data is, and, `isWatched`, when there is newer data; undefined without any. */
export function ageNote(coverage: Coverage, isWatched = false): string | undefined {
  const { freshNodeCount, staleNodeCount, oldestDataAgeMs, ttlMs } = coverage;
  const count = freshNodeCount + staleNodeCount;
  if (count === 0 || oldestDataAgeMs === undefined) return undefined;
  const stale = staleNodeCount === 0 ? '' : `, ${formatCount(staleNodeCount)} of them stale`;
  const nextMs = Math.max(0, ttlMs - oldestDataAgeMs);
  const next = isWatched && nextMs >= 1_000 ? `; the next values come within ${formatAge(nextMs)}` : '';
  return `Data from ${formatCount(count)} of ${formatCount(count + absentCount(coverage))} nodes${stale}, up to ${formatAge(oldestDataAgeMs)} old${next}.`;
}

/** Says which nodes are missing from an answer, a sentence each. */
export function missingNotes(coverage: Coverage): readonly string[] {
  const { absences, skippedNodeCount } = coverage;
  const failed = absences.flatMap(({ reason, isAwaited, exampleNodes }) =>
    exampleNodes.map((name) => `${name} (${isAwaited ? 'no response yet' : reason})`),
  );
  const shown = failed.slice(0, maxNamesCount);
  const hiddenCount = absentCount(coverage) - shown.length;
  const more = hiddenCount > 0 ? ` and ${formatCount(hiddenCount)} more` : '';
  return [
    ...(shown.length === 0 ? [] : [`No data from ${shown.join(', ')}${more}.`]),
    ...(skippedNodeCount === 0
      ? []
      : [`Skipped by cluster.skipNodes: ${countedText(skippedNodeCount, ['node', 'nodes'])}.`]),
  ];
}

/** Nodes without data that are to be measured. */
export function absentCount({ absences }: Coverage): number {
  return absences.reduce((sum, { nodeCount }) => sum + nodeCount, 0);
}
