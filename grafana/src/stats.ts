/** Panels of one value. */
import {
  BigValueColorMode,
  BigValueGraphMode,
  ReduceDataOptionsBuilder,
  VizOrientation,
} from '@grafana/grafana-foundation-sdk/common';
import {
  type Threshold,
  type ThresholdsConfigBuilder,
  ThresholdsMode,
  type ValueMapping,
} from '@grafana/grafana-foundation-sdk/dashboard';
import * as stat from '@grafana/grafana-foundation-sdk/stat';

import { stateColours } from './colours.js';
import { describe, instant, type PanelOptions, type Query, refIdOf } from './panels.js';
import { thresholds, withoutValue } from './states.js';
import { units } from './units.js';

export interface StatOptions extends PanelOptions {
  /** Without a legend, the title names the value. */
  readonly query: Pick<Query, 'expr'> & Partial<Query>;
  readonly thresholds?: ThresholdsConfigBuilder;
  readonly mappings?: readonly ValueMapping[];
  readonly decimals?: number;
  readonly unknown?: Unknown;
}

/** What a value does not include. */
export interface Unknown {
  /** Labels by which the value and the counts belong together. */
  readonly on: readonly string[];
  readonly parts: readonly UnknownPart[];
}

export interface UnknownPart {
  /** Its count, above 0; no series where everything is known. */
  readonly expr: string;
  /** What is counted, such as "silent nodes". */
  readonly what: string;
}

/**
 * One value, coloured by its thresholds. Where a part is unknown, its count is beside the value, which then is not green:
 * what is missing could be bad.
 */
export function statPanel(options: StatOptions): stat.PanelBuilder {
  const { legend = options.title } = options.query;
  const query = { ...options.query, legend };
  const { thresholds: steps = thresholds([], 'unknown'), mappings = [], decimals, unknown, noValue } = options;
  const panel = describe(new stat.PanelBuilder(), { height: 3, ...options })
    .thresholds(steps)
    .mappings([...mappings, withoutValue(noValue ?? 'no data')])
    .colorMode(BigValueColorMode.Value)
    .graphMode(BigValueGraphMode.None)
    .orientation(VizOrientation.Horizontal)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']));
  if (decimals !== undefined) panel.decimals(decimals);
  if (unknown === undefined) return panel.withTarget(instant(query, 0));
  return withUnknown(panel, { query, unknown, steps: steps.build().steps });
}

interface PartlyKnown {
  readonly query: Query;
  readonly unknown: Unknown;
  readonly steps: readonly Threshold[];
}

/** The value where all is known; else the known value, which is not green, and the counts of what is unknown. */
function withUnknown(panel: stat.PanelBuilder, { query, unknown, steps }: PartlyKnown): stat.PanelBuilder {
  const { on, parts } = unknown;
  const where = `on (${on.join(', ')}) (${parts.map(({ expr }) => expr).join(' or ')})`;
  const perCluster = query.legend.includes('{{cluster}}') ? '{{cluster}} ' : '';
  const neutral = steps.map((step) =>
    step.color === stateColours.ok ? { ...step, color: stateColours.unknown } : step,
  );
  panel
    .withTarget(instant({ ...query, expr: `(${query.expr}) unless ${where}` }, 0))
    .withTarget(instant({ expr: `(${query.expr}) and ${where}`, legend: `${perCluster}known` }, 1))
    .overrideByQuery('B', [{ id: 'thresholds', value: { mode: ThresholdsMode.Absolute, steps: neutral } }]);
  for (const [index, { expr, what }] of parts.entries()) {
    const count = instant({ expr, legend: `${perCluster}${what}` }, index + 2);
    panel.withTarget(count).overrideByQuery(refIdOf(index + 2), [
      { id: 'thresholds', value: thresholds([], 'warning').build() },
      { id: 'unit', value: units.count },
      { id: 'decimals', value: 0 },
      { id: 'mappings', value: [] },
    ]);
  }
  return panel;
}
