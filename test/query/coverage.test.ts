import { expect, it } from 'vitest';

import { wholeCluster } from '../../src/kube/scope.js';
import { coverageOf } from '../../src/query/coverage.js';
import { aClusterSnapshot, aFreshNode, anAbsentNode, aNodeSnapshot, aReading } from '../support/snapshot-builders.js';

const fresh = (nodeName: string, ageMs: number) => aFreshNode(aNodeSnapshot({ nodeName, pods: [] }), ageMs);
const noGaps = { freshNodeCount: 0, staleNodeCount: 0, skippedNodeCount: 0, absences: [] };
const timedOut = anAbsentNode('node-3', 'timeout');
const failure = { reason: 'timeout', message: 'no answer within 10 s', ageMs: 0 } as const;

it.each([
  { nodes: 'no nodes', views: [], expected: noGaps },
  {
    nodes: 'fresh nodes',
    views: [fresh('node-1', 1_500.4), fresh('node-2', 700)],
    expected: { ...noGaps, freshNodeCount: 2, oldestDataAgeMs: 1_500 },
  },
  {
    nodes: 'a stale node',
    views: [fresh('node-1', 10), { ...fresh('node-2', 90_000), state: 'stale' as const }],
    expected: { ...noGaps, freshNodeCount: 1, staleNodeCount: 1, oldestDataAgeMs: 90_000 },
  },
  {
    nodes: 'skipped nodes',
    views: [anAbsentNode('node-1', 'skipped'), anAbsentNode('node-2', 'skipped')],
    expected: { ...noGaps, skippedNodeCount: 2 },
  },
  {
    nodes: 'nodes without data for two reasons',
    views: [anAbsentNode('node-1', 'tls'), timedOut, anAbsentNode('node-4', 'timeout')],
    expected: {
      ...noGaps,
      absences: [
        { reason: 'tls', nodeCount: 1, exampleNodes: ['node-1'], message: undefined },
        { reason: 'timeout', nodeCount: 2, exampleNodes: ['node-3', 'node-4'], message: failure.message },
      ],
    },
  },
])('the coverage counts $nodes', ({ views, expected }) => {
  const snapshot = aClusterSnapshot({ nodes: views });
  const coverage = coverageOf(aReading({ snapshot, failures: new Map([['node-3', failure]]) }));
  expect(coverage).toMatchObject(expected);
  expect(coverage.oldestDataAgeMs).toBe('oldestDataAgeMs' in expected ? expected.oldestDataAgeMs : undefined);
});

it('the coverage names the first five nodes of a reason, counts them all, and says what to do', () => {
  const names = Array.from({ length: 7 }, (_, index) => `node-${index}`);
  const nodes = names.map((name) => anAbsentNode(name, 'forbidden'));
  const { absences } = coverageOf(aReading({ snapshot: aClusterSnapshot({ nodes }) }));
  expect(absences).toMatchObject([{ nodeCount: 7, exampleNodes: names.slice(0, 5) }]);
  expect(absences[0]?.hint).toMatch(/nodes\/stats/);
});

it.each([
  [{}, { shard: undefined, totalShards: undefined, onlyNode: undefined }],
  [
    { shard: 1, totalShards: 3 },
    { shard: 1, totalShards: 3, onlyNode: undefined },
  ],
  [{ nodeName: 'node-1' }, { shard: undefined, totalShards: undefined, onlyNode: 'node-1' }],
])('the coverage of the scope %j has the part that is measured', (part, expected) => {
  const { shard, totalShards, onlyNode } = coverageOf(aReading({ scope: { ...wholeCluster, ...part } }));
  expect({ shard, totalShards, onlyNode }).toEqual(expected);
});
