import { expect, it } from 'vitest';

import { type CountedFamily, familiesOverCap } from '../../src/metrics/exposition/series-cap.js';

const families: readonly CountedFamily[] = [
  { header: { name: 'workload_a', level: 'workload' }, seriesCount: 5 },
  { header: { name: 'pod_a', level: 'pod' }, seriesCount: 20 },
  { header: { name: 'pod_b', level: 'pod' }, seriesCount: 60 },
  { header: { name: 'pod_c', level: 'pod' }, seriesCount: 20 },
  { header: { name: 'container_a', level: 'container' }, seriesCount: 40 },
  { header: { name: 'volume_a', level: 'volume' }, seriesCount: 10 },
  { header: { name: 'volume_b', level: 'volume' }, seriesCount: 30 },
  { header: { name: 'volume_c', level: 'volume' }, seriesCount: 0 },
  { header: { name: 'node_a', level: 'node' }, seriesCount: 2 },
];

function namesOver(maxSeries: number): readonly string[] {
  return [...familiesOverCap(families, maxSeries)].map(({ header }) => header.name);
}

it.each([
  [187, []],
  [186, ['volume_b']],
  [157, ['volume_b']],
  [156, ['volume_b', 'volume_a']],
  [146, ['volume_b', 'volume_a', 'container_a']],
  [106, ['volume_b', 'volume_a', 'container_a', 'pod_b']],
  [46, ['volume_b', 'volume_a', 'container_a', 'pod_b', 'pod_a']],
  [7, ['volume_b', 'volume_a', 'container_a', 'pod_b', 'pod_a', 'pod_c']],
  [6, ['volume_b', 'volume_a', 'container_a', 'pod_b', 'pod_a', 'pod_c', 'node_a']],
  [1, ['volume_b', 'volume_a', 'container_a', 'pod_b', 'pod_a', 'pod_c', 'node_a', 'workload_a']],
])('a cap of %i series leaves out %j', (maxSeries, expected) => {
  expect(namesOver(maxSeries)).toEqual(expected);
});
