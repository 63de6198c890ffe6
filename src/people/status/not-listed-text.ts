import { formatTime } from '../../lib/base/units.js';
import type { EvictionReport } from '../report/eviction-report.js';
import type { HealthReport } from '../report/health-report.js';

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
