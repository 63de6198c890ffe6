import { expect, it } from 'vitest';

import { wholeCluster } from '../../src/cluster/kube/scope.js';
import { coverageOf, missingNotes } from '../../src/people/query/coverage.js';
import { aClusterSnapshot, aFreshNode, anAbsentNode, aNodeSnapshot, aReading } from '../support/snapshot-builders.js';

const fresh = (nodeName: string, ageMs: number) => aFreshNode(aNodeSnapshot({ nodeName, pods: [] }), ageMs);
const noGaps = { freshNodeCount: 0, staleNodeCount: 0, skippedNodeCount: 0, absences: [] };
const timedOut = anAbsentNode('node-3', 'timeout');
const failure = { reason: 'timeout', message: 'no answer within 10 s', ageMs: 0 } as const;

const stale = { ...fresh('node-2', 90_000), state: 'stale' as const };

it.each([
  { nodes: 'no nodes', views: [], expected: {} },
  {
    nodes: 'fresh nodes',
    views: [fresh('node-1', 1_500.4), fresh('node-2', 700)],
    expected: { freshNodeCount: 2, oldestDataAgeMs: 1_500 },
  },
  {
    nodes: 'a stale node',
    views: [fresh('node-1', 10), stale],
    expected: { freshNodeCount: 1, staleNodeCount: 1, oldestDataAgeMs: 90_000 },
  },
  {
    nodes: 'skipped nodes',
    views: [anAbsentNode('node-1', 'skipped'), anAbsentNode('node-2', 'skipped')],
    expected: { skippedNodeCount: 2 },
  },
  {
    nodes: 'nodes without data for two reasons',
    views: [anAbsentNode('node-1', 'tls'), timedOut, anAbsentNode('node-4', 'timeout')],
    expected: {
      absences: [
        { reason: 'tls', nodeCount: 1, exampleNodes: ['node-1'], message: undefined },
        { reason: 'timeout', isAwaited: false, nodeCount: 1, exampleNodes: ['node-3'], message: failure.message },
        { reason: 'timeout', isAwaited: true, nodeCount: 1, exampleNodes: ['node-4'], message: undefined },
      ],
    },
  },
])('the coverage counts $nodes', ({ views, expected }) => {
  const snapshot = aClusterSnapshot({ nodes: views });
  const coverage = coverageOf(aReading({ snapshot, failures: new Map([['node-3', failure]]) }));
  expect(coverage).toMatchObject({ ...noGaps, ...expected });
  expect(coverage.oldestDataAgeMs).toBe('oldestDataAgeMs' in expected ? expected.oldestDataAgeMs : undefined);
});

it.each([
  ['timeout', undefined, true, /^The kubelet has not responded yet/],
  ['never', undefined, true, /^The kubelet has not responded yet/],
  ['timeout', failure, false, /^The kubelet does not answer in time/],
  ['connection', undefined, false, /^The kubelet cannot be reached/],
] as const)('a node without data (%s, its last failure %j) is awaited: %s', (reason, its, isAwaited, hint) => {
  const failures = new Map(its === undefined ? [] : [['node-1', its]]);
  const snapshot = aClusterSnapshot({ nodes: [anAbsentNode('node-1', reason)] });
  const { absences } = coverageOf(aReading({ snapshot, failures }));
  expect(absences).toMatchObject([{ isAwaited, hint: expect.stringMatching(hint) as string }]);
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

it.each([true, false])('an answer (of one object: %s) says that the API server is away', (isOfObject) => {
  const notesOf = (isAway: boolean) =>
    missingNotes(coverageOf(aReading({ apiServer: { isAway, access: 'direct' } })), isOfObject);
  expect(notesOf(false)).toEqual([]);
  expect(notesOf(true)).toEqual([
    'The API server is not reachable: nodes and pods are those from before, and may be gone.',
  ]);
});
