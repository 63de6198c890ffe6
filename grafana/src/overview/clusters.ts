import type { Section } from '../dashboard.js';
import { drillDown } from '../links.js';
import { evictable, fullness, inPool, limitRatios, podsUsed } from '../queries.js';
import { absentNodes, dataAge, silentNodes } from '../silence.js';
import { noneSteps, ratioSteps, thresholds, word } from '../states.js';
import { tablePanel } from '../tables.js';
import { units } from '../units.js';

const absent = inPool(absentNodes());
/** By reason. -1 where the data is older than a day, or where there never was any. */
const silentFor = `${absent} * on (cluster, node) group_left () (${dataAge()}) or -1 * ${absent}`;

export const causes: Section = {
  title: 'Clusters and silent nodes',
  panels: [
    tablePanel({
      title: 'Silent nodes',
      description:
        'Nodes for which no instance has data, with the reason, and how old their last data is; skipped nodes are not listed. not scraped: Prometheus has lost the exporter of the node. tls, unauthorized and forbidden: check the settings and permissions of the exporter. timeout, connection and http_status: check the node and the network. Click to open the node.',
      span: 10,
      height: 5,
      noValue: 'none found',
      clusters: true,
      labels: ['node', 'reason'],
      link: drillDown('node', 'row', []),
      columns: [
        {
          title: 'Silent for',
          expr: `topk(50, ${silentFor})`,
          unit: units.seconds,
          decimals: 0,
          mappings: [word(-1, 'over a day', 'unknown')],
        },
      ],
    }),
    tablePanel({
      title: 'Clusters',
      description:
        'The state of each selected cluster, with all of its nodes: usage of its pods, its fullest filesystem, limits above the share selected at the top, nodes without data (silent), and the age of the oldest data.',
      span: 14,
      height: 5,
      clusters: true,
      labels: [],
      columns: [
        {
          title: 'Fullest',
          expr: `max by (cluster) (${fullness()})`,
          unit: units.ratio,
          decimals: 0,
          cell: 'share',
          thresholds: thresholds(ratioSteps, 'unknown'),
        },
        { title: 'Used', expr: `sum by (cluster) (${podsUsed()})`, unit: units.bytes },
        {
          title: 'Near limit',
          expr: `sum by (cluster) (${evictable(limitRatios())} >= bool $near)`,
          unit: units.count,
          cell: 'coloured',
          thresholds: thresholds([[1, 'warning']], 'unknown'),
        },
        {
          title: 'Silent',
          expr: `sum by (cluster) (${silentNodes()})`,
          unit: units.count,
          cell: 'coloured',
          thresholds: thresholds(noneSteps),
        },
        { title: 'Oldest', expr: `max by (cluster) (${dataAge()})`, unit: units.seconds, decimals: 0 },
      ],
    }),
  ],
};
