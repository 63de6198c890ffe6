import { resultColours } from '../colours.js';
import type { Section } from '../dashboard.js';
import { timeSeriesPanel } from '../panels.js';
import { words } from '../states.js';
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
      title: 'Watches connected',
      description:
        '1 while all watches of the resource are connected. Often 0: the API server or a proxy closes them. While they cannot be kept, lists replace them (polled).',
      unit: units.none,
      span: 8,
      max: 1,
      mappings: words('connected', 'broken'),
      queries: [{ expr: gaugeOf('min', 'store_watch_connected', ['resource']), legend: `${legend} {{resource}}` }],
    }),
    timeSeriesPanel({
      title: 'Events',
      description:
        'Watch events by type. Updates that change no stored field are counted separately: they cost little.',
      unit: units.perSecond,
      span: 8,
      queries: [
        { expr: rateOf('store_events_total', ['resource', 'type']), legend: `${legend} {{resource}} {{type}}` },
        { expr: rateOf('store_suppressed_updates_total', ['resource']), legend: `${legend} {{resource}} no change` },
      ],
    }),
    timeSeriesPanel({
      title: 'Lists',
      description:
        'Lists by result, and lists rejected because of an old resource version. Many successes: watches break often; each list of pods is expensive for the API server.',
      unit: units.perSecond,
      span: 8,
      colours: resultColours,
      queries: [
        { expr: rateOf('store_lists_total', ['resource', 'result']), legend: `${legend} {{resource}} {{result}}` },
        {
          expr: rateOf('store_stale_resource_versions_total', ['resource']),
          legend: `${legend} {{resource}} too old`,
        },
      ],
    }),
    timeSeriesPanel({
      title: 'Watches ended',
      description: 'Watches that ended, by result. API servers close them every 5 to 10 minutes, which is normal.',
      unit: units.perSecond,
      span: 8,
      colours: resultColours,
      queries: [
        { expr: rateOf('store_watches_total', ['resource', 'result']), legend: `${legend} {{resource}} {{result}}` },
      ],
    }),
  ],
};
