import { resultColours } from '../colours.js';
import type { Section } from '../dashboard.js';
import { timeSeriesPanel } from '../panels.js';
import { units } from '../units.js';
import { gaugeOf, legend, rateOf } from './queries.js';

export const stores: Section = {
  title: 'Objects of the API server',
  isCollapsed: true,
  panels: [
    timeSeriesPanel({
      title: 'Objects',
      description: 'Nodes and pods in the stores of all instances. They should match kubectl.',
      unit: units.count,
      decimals: 0,
      span: 8,
      queries: [{ expr: gaugeOf('sum', 'store_objects', ['resource']), legend: `${legend} {{resource}}` }],
    }),
    timeSeriesPanel({
      title: 'Time since progress',
      description:
        'Time since the last list, event or bookmark, for the instance that waits longest. Bookmarks arrive about once a minute: several minutes mean that a watch hangs.',
      unit: units.seconds,
      span: 8,
      queries: [
        {
          expr: `time() - ${gaugeOf('min', 'store_last_progress_timestamp_seconds', ['resource'])}`,
          legend: `${legend} {{resource}}`,
        },
      ],
    }),
    timeSeriesPanel({
      title: 'Lists',
      description:
        'Lists by result. Many successes: watches break often; each list of pods is expensive for the API server.',
      unit: units.perSecond,
      span: 8,
      colours: resultColours,
      queries: [
        { expr: rateOf('store_lists_total', ['resource', 'result']), legend: `${legend} {{resource}} {{result}}` },
      ],
    }),
  ],
};
