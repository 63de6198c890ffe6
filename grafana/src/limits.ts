import type * as table from '@grafana/grafana-foundation-sdk/table';

import { limitLabels, limitRatios, only, secondsToLimit, withLimitLabel } from './queries.js';
import { ratioSteps, thresholds, timeLeftSteps } from './states.js';
import { type ListOptions, tablePanel } from './tables.js';
import { units } from './units.js';

export interface LimitsTableOptions extends Omit<ListOptions, 'expr'> {
  /** Selects pods. */
  readonly matchers?: readonly string[];
  /** Filters the ratios and times; without it all are kept. */
  readonly restrict?: (query: string) => string;
  /** Share of a limit, or a variable with it, from which a limit is listed. */
  readonly near: string;
  /** Largest number of rows. */
  readonly count: number;
}

/** The limits closest to eviction, with the time left at their present growth. */
export function limitsTable(options: LimitsTableOptions): table.PanelBuilder {
  const { matchers = [], restrict = (query: string) => query, near, count, ...panel } = options;
  const closest = `topk(${count}, ${restrict(`${limitRatios({ matchers })} >= ${near}`)})`;
  return tablePanel({
    ...panel,
    noValue: 'none found',
    columns: [
      {
        title: 'Usage of limit',
        expr: withLimitLabel(closest),
        unit: units.ratio,
        decimals: 0,
        cell: 'share',
        thresholds: thresholds(ratioSteps),
      },
      {
        title: 'Reached in',
        expr: withLimitLabel(only(secondsToLimit(matchers), limitLabels, closest)),
        unit: units.seconds,
        decimals: 0,
        cell: 'coloured',
        thresholds: thresholds(timeLeftSteps, 'critical'),
      },
    ],
  });
}
