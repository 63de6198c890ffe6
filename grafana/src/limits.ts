import type * as table from '@grafana/grafana-foundation-sdk/table';

import { drillDown } from './links.js';
import { limitLabels, limitRatios, only, secondsToLimit } from './queries.js';
import { ratioSteps, thresholds, timeLeftSteps } from './states.js';
import { type ListOptions, tablePanel } from './tables.js';
import { units } from './units.js';

export interface LimitsTableOptions extends Pick<ListOptions, 'title' | 'description' | 'span' | 'height'> {
  /** Which pods. */
  readonly matchers?: readonly string[];
  /** Keeps of the ratios and times those that are asked for; all without it. */
  readonly restrict?: (query: string) => string;
  /** Share of a limit, or a variable with one, from which it is listed. */
  readonly near: string;
  /** At most so many rows. */
  readonly count: number;
}

/** The limits closest to eviction, with the time that is left by the trend of the past hour. */
export function limitsTable(options: LimitsTableOptions): table.PanelBuilder {
  const { matchers = [], restrict = (query: string) => query, near, count, ...panel } = options;
  const closest = `topk(${count}, ${restrict(`${limitRatios({ matchers })} >= ${near}`)})`;
  return tablePanel({
    ...panel,
    noValue: 'none known',
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
