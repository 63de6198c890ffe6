import type * as table from '@grafana/grafana-foundation-sdk/table';

import { drillDown } from './links.js';
import { limitLabels, limitRatios, only, secondsToLimit } from './queries.js';
import { ratioSteps, thresholds, timeLeftSteps } from './states.js';
import { type ListOptions, tablePanel } from './tables.js';
import { units } from './units.js';

export interface LimitsTableOptions extends Pick<ListOptions, 'title' | 'description' | 'span' | 'height'> {
  /** Selects pods. */
  readonly matchers?: readonly string[];
  /** Filters the ratios and times; without it all are kept. */
  readonly restrict?: (query: string) => string;
  /** Share of a limit, or a variable with it, from which a limit is listed. */
  readonly near: string;
  /** Largest number of rows. */
  readonly count: number;
}

/** The limits closest to eviction, with the time left at the growth of the past hour. */
export function limitsTable(options: LimitsTableOptions): table.PanelBuilder {
  const { matchers = [], restrict = (query: string) => query, near, count, ...panel } = options;
  const closest = `topk(${count}, ${restrict(`${limitRatios({ matchers })} >= ${near}`)})`;
  return tablePanel({
    ...panel,
    noValue: 'none found',
    labels: limitLabels,
    link: drillDown('pod', 'row'),
    columns: [
      {
        title: 'Usage of limit',
        expr: closest,
        unit: units.ratio,
        decimals: 0,
        cell: 'gauge',
        thresholds: thresholds(ratioSteps),
      },
      {
        title: 'Reached in',
        expr: only(secondsToLimit(matchers), limitLabels, closest),
        unit: units.seconds,
        decimals: 0,
        cell: 'coloured',
        thresholds: thresholds(timeLeftSteps, 'red'),
      },
    ],
  });
}
