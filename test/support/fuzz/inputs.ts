/** Valid inputs, and the hostile ones that are made from them. */
import fc from 'fast-check';

import { healthyNames, hostileNode } from './fuzzed-cluster.js';
import { mutatedJson } from './json-mutations.js';
import { mutated } from './mutations.js';

const names = fc.constantFrom('a', 'web-0', 'größe', '\n', '"', '', '__proto__', 'a'.repeat(300), '\ud800');

const fsStats = fc.record(
  {
    time: fc.constantFrom('2026-01-01T00:00:00Z', 'never', 7),
    usedBytes: fc.constantFrom(0, 5, -1, 2 ** 60, '7', null),
    inodesUsed: fc.nat(),
  },
  { requiredKeys: [] },
);

const summaryText = fc
  .array(
    fc.record(
      {
        podRef: fc.record({ name: names, namespace: names, uid: fc.constantFrom('u1', 'u2', '', 7) }),
        containers: fc.oneof(
          fc.constant(null),
          fc.array(fc.record({ name: names, rootfs: fsStats, logs: fsStats }, { requiredKeys: ['name'] }), {
            maxLength: 4,
          }),
        ),
        volume: fc.array(fc.record({ name: names, usedBytes: fc.constantFrom(1, -3, 1.5) }, { requiredKeys: [] }), {
          maxLength: 3,
        }),
        'ephemeral-storage': fsStats,
      },
      { requiredKeys: ['podRef'] },
    ),
    { maxLength: 5 },
  )
  .map((pods) =>
    JSON.stringify({ node: { nodeName: hostileNode, fs: { capacityBytes: 1_000, availableBytes: 10 } }, pods }),
  );

const summaryObject = {
  node: {
    nodeName: hostileNode,
    fs: { time: '2026-01-01T00:00:00Z', capacityBytes: 100, availableBytes: 50, usedBytes: 50, inodesUsed: 3 },
  },
  pods: ['a', 'b', 'c'].map((name) => ({
    podRef: { name, namespace: 'shop', uid: `uid-${name}` },
    containers: [{ name: 'app', rootfs: { usedBytes: 10, inodesUsed: 2 }, logs: { usedBytes: 5 } }],
    volume: [{ name: 'tmp', usedBytes: 7 }],
    'ephemeral-storage': { usedBytes: 22, inodesUsed: 4 },
  })),
};
/** Of the pods of the list. */
export const validSummary = JSON.stringify(summaryObject);

const podObject = (name: string) => ({
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'shop',
    uid: `uid-${name}`,
    resourceVersion: '7',
    labels: { app: 'web' },
    ownerReferences: [{ controller: true, kind: 'ReplicaSet', name: 'web-5d4f8' }],
  },
  spec: {
    nodeName: hostileNode,
    containers: [{ name: 'app', resources: { limits: { 'ephemeral-storage': '1Gi' } } }],
    volumes: [{ name: 'tmp', emptyDir: { sizeLimit: '2Gi' } }],
  },
  status: {
    phase: 'Running',
    startTime: '2026-01-01T00:00:00Z',
    containerStatuses: [{ name: 'app', state: { running: { startedAt: '2026-01-01T00:00:00Z' } } }],
  },
});
const listObject = {
  kind: 'PodList',
  metadata: { resourceVersion: '9' },
  items: ['a', 'b', 'c'].map(podObject),
};
const validList = JSON.stringify(listObject);
const validWatch = ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK']
  .map((type, index) => JSON.stringify({ type, object: podObject(`pod-${index}`) }))
  .join('\n');
const validSettings = `
cluster: {nodeSelector: "pool=blue", namespaces: [shop]}
cache: {ttl: 20s}
workloads:
  selectors:
    - {name: carts, selector: {matchLabels: {app: cart}, matchExpressions: [{key: old, operator: DoesNotExist}]}}
  labels: [team]
metrics: {levels: [pod, node], allow: ["a.*"]}
web: {clusterName: prod, links: {docs: "https://example.com/"}}
`;

const selectors = ['app=web', 'a in (b,c),!d', 'x notin (y)', 'a==b,c!=d,e'];
const headers = [
  'text/plain;version=0.0.4;q=0.5,*/*',
  'application/openmetrics-text; version=1.0.0',
  'gzip;q=0',
  '9.5',
  'name[]=known&collect[]=pod',
];

/** Longer ones are refused before: https://nodejs.org/docs/latest-v20.x/api/http.html#httpmaxheadersize */
const maxHeaderLength = 16 * 1024;

/** By the name of the target. */
export const hostileInputs = {
  summary: fc.oneof(mutated([validSummary]), mutatedJson([summaryObject], healthyNames), summaryText),
  pods: fc.oneof(mutated([validList]), mutatedJson([listObject])),
  list: mutated([validList]),
  watch: mutated([validWatch]),
  selector: fc.oneof(mutated(selectors), fc.string()),
  settings: fc.oneof(mutated([validSettings]), fc.string()),
  headers: fc.oneof(mutated(headers), fc.string()).map((text) => text.slice(0, maxHeaderLength)),
} as const;
