import type { Section } from '../dashboard.js';
import { timeSeriesPanel } from '../panels.js';
import { words } from '../states.js';
import { units } from '../units.js';
import { gaugeOf, legend, rateOf } from './queries.js';

export const stores: Section = {
  title: 'Objects of the API server',
  panels: [
    timeSeriesPanel({
      title: 'Objects',
      description: 'Nodes and pods that are kept, by all instances. They should follow what kubectl counts.',
      unit: units.count,
      span: 8,
      queries: [{ expr: gaugeOf('sum', 'store_objects', ['resource']), legend: `${legend} {{resource}}` }],
    }),
    timeSeriesPanel({
      title: 'Time since progress',
      description:
        'Since the last list, event or bookmark, of the instance that waits longest. Bookmarks come about once a minute: several minutes mean a watch that hangs.',
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
      description: '1 while all watches of the resource are connected. Often 0: the API server or a proxy ends them.',
      unit: units.none,
      span: 8,
      max: 1,
      mappings: words('connected', 'broken'),
      queries: [{ expr: gaugeOf('min', 'store_watch_connected', ['resource']), legend: `${legend} {{resource}}` }],
    }),
    timeSeriesPanel({
      title: 'Events',
      description:
        'Watch events by type. Updates that changed nothing that is kept are counted apart: they cost little.',
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
        'Lists by result, and those refused because of an old resource version. Many successes: watches do not hold; each list of pods costs the API server.',
      unit: units.perSecond,
      span: 8,
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
      description: 'Watches that ended, by the way they did. Servers end them every 5 to 10 minutes: that is no fault.',
      unit: units.perSecond,
      span: 8,
      queries: [
        { expr: rateOf('store_watches_total', ['resource', 'result']), legend: `${legend} {{resource}} {{result}}` },
      ],
    }),
  ],
};
