import { describe, expect, it } from 'vitest';

import { displayWidth } from '../../../src/commands/text/terminal-text.js';
import { topRows, type TopSubject, topSubjects, topText } from '../../../src/commands/top/text.js';
import type { WorkloadSnapshot } from '../../../src/scrape/snapshot.js';
import { noFigures } from '../../../src/workload/figures.js';
import { aContainer, anFsStats, aNodeSummary, aPod, aVolume } from '../../support/builders.js';
import {
  aClusterSnapshot,
  aContainerUsage,
  aFreshNode,
  anAbsentNode,
  aNodeSnapshot,
  aPodSnapshot,
  aPodUsage,
  aReading,
  aVolumeUsage,
  aWorkload,
  aWorkloadSnapshot,
} from '../../support/snapshot-builders.js';

const mib = 2 ** 20;
const everything = { namespace: undefined, workload: undefined };

const cart = aWorkload({ name: 'shop/Deployment/cart' });
const search = aWorkload({ name: 'search' });

const cartPod = aPodSnapshot({
  namespace: 'shop',
  name: 'cart-6b7f9c-x2x9k',
  pod: aPod({
    namespace: 'shop',
    name: 'cart-6b7f9c-x2x9k',
    containers: [aContainer({ name: 'app', limitBytes: 500 * mib }), aContainer({ name: 'proxy' })],
    volumes: [aVolume({ name: 'tmp', sizeLimitBytes: 100 * mib })],
  }),
  usage: aPodUsage({
    usedBytes: 400 * mib,
    components: { rootfs: 300 * mib, logs: 10 * mib, emptydir: 90 * mib - 4096, configmap: 0, other: 4096 },
    containers: [
      aContainerUsage({ name: 'app', usedBytes: 390 * mib, rootfsBytes: 299 * mib, logsBytes: 9 * mib }),
      aContainerUsage({ name: 'proxy', usedBytes: 10 * mib, rootfsBytes: mib, logsBytes: mib }),
    ],
    volumes: [
      aVolumeUsage({ name: 'tmp', usedBytes: 90 * mib - 4096, sizeLimitBytes: 100 * mib }),
      aVolumeUsage({ name: 'shm', medium: 'Memory', usedBytes: 5 * mib }),
      aVolumeUsage({ name: 'token', type: 'projected', usedBytes: undefined }),
    ],
  }),
  limitBytes: 500 * mib,
  ratios: [
    { rule: 'emptydir', container: '', volume: 'tmp', usedBytes: 90 * mib - 4096, limitBytes: 100 * mib },
    { rule: 'pod', container: '', volume: '', usedBytes: 400 * mib, limitBytes: 500 * mib },
    { rule: 'container', container: 'app', volume: '', usedBytes: 308 * mib, limitBytes: 500 * mib },
  ],
  workloads: [cart],
});
const indexPod = aPodSnapshot({
  namespace: 'search',
  name: 'index-0',
  usage: aPodUsage({ usedBytes: 40 * mib, volumes: [], volumesPending: true }),
  workloads: [search],
});
const strayPod = aPodSnapshot({ namespace: 'gone', name: 'stray', pod: undefined, workloads: [] });

const reading = aReading({
  snapshot: aClusterSnapshot({
    nodes: [
      aFreshNode(
        aNodeSnapshot({
          nodeName: 'node-1.zone-a.example.internal',
          summary: aNodeSummary({
            nodefs: anFsStats({ usedBytes: 40_000 * mib, availableBytes: 60_000 * mib, capacityBytes: 100_000 * mib }),
          }),
          pods: [indexPod, strayPod, cartPod],
        }),
        12_345,
      ),
      { ...aFreshNode(aNodeSnapshot({ nodeName: 'node-2', pods: [] }), 70_000), state: 'stale' },
      anAbsentNode('node-3', 'timeout'),
      anAbsentNode('node-4', 'skipped'),
    ],
    workloads: [
      aWorkloadSnapshot({ workload: search, complete: false }),
      aWorkloadSnapshot({
        workload: cart,
        expectedPods: 2,
        complete: false,
        figures: {
          usedBytes: 400 * mib,
          podMaxUsedBytes: 400 * mib,
          limitBytes: 500 * mib,
          requestBytes: undefined,
          containers: [],
        },
      }),
      aWorkloadSnapshot({
        workload: aWorkload({ name: 'resting' }),
        complete: false,
        measuredPods: 0,
        figures: undefined,
      }),
    ],
  }),
  nodeErrors: new Map([['node-3', 'the kubelet of node node-3 did not answer within 10 s']]),
});

describe('the table of', () => {
  it.each(topSubjects.flatMap((subject) => [40, 80, 200].map((columns) => ({ subject, columns }))))(
    '$subject fits $columns columns',
    async ({ subject, columns }) => {
      const text = topText(reading, { subject, filter: everything, limit: 20 }, { columns });
      for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
      await expect(text).toMatchFileSnapshot(`../../golden/top-${subject}-${columns}.txt`);
    },
  );

  it('pods never breaks a line, however narrow', () => {
    const text = topText(reading, { subject: 'pods', filter: everything, limit: 20 }, { columns: 10 });
    for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(10);
  });

  it('pods says how many it leaves out', () => {
    const text = topText(reading, { subject: 'pods', filter: everything, limit: 1 }, { columns: 200 });
    expect(text).toContain('cart-6b7f9c-x2x9k');
    expect(text).not.toContain('index-0');
    expect(text).toContain('1 of 3 pods; --limit 0 for all.');
  });

  it('workloads tells pods that are too young to be expected from none', () => {
    const workloads = [
      aWorkloadSnapshot({ workload: aWorkload({ name: 'young' }), expectedPods: 0, measuredPods: 0 }),
      aWorkloadSnapshot({
        workload: aWorkload({ name: 'none' }),
        expectedPods: 0,
        measuredPods: 0,
        figures: noFigures,
      }),
    ];
    const text = topText(
      aReading({ snapshot: aClusterSnapshot({ workloads }) }),
      { subject: 'workloads', filter: everything, limit: 20 },
      { columns: 80 },
    );
    expect(text).toMatch(/^young +new /m);
    expect(text).toMatch(/^none +0\/0 /m);
  });

  it('workloads says why one is incomplete', () => {
    const workload = (name: string, counts: Partial<WorkloadSnapshot>): WorkloadSnapshot =>
      aWorkloadSnapshot({ workload: aWorkload({ name }), complete: false, ...counts });
    const workloads = [
      workload('lacking', { measuredPods: 1, expectedPods: 3 }),
      workload('pending', {}),
      workload('resting', { figures: undefined, backoffMs: 9000 }),
    ];
    const text = topText(
      aReading({ snapshot: aClusterSnapshot({ workloads }) }),
      { subject: 'workloads', filter: everything, limit: 20 },
      { columns: 200 },
    );
    expect(text).toContain(
      'Incomplete: lacking (1 of 3 pods), pending (volumes not measured yet), resting (collected again in 9s).',
    );
  });

  it('nothing says so', () => {
    const empty = aReading({ snapshot: { nodes: [], workloads: [] } });
    expect(topText(empty, { subject: 'volumes', filter: everything, limit: 20 }, { columns: 80 })).toBe(
      'No volumes.\n',
    );
  });

  it('pods gives way to what there is to say where the lines are few', () => {
    const query = { subject: 'pods', filter: everything, limit: Infinity } as const;
    const whole = topText(reading, query, { columns: 200, rows: 40 }).split('\n');
    const rows = whole.length - 1;
    const cut = topText(reading, query, { columns: 200, rows }).split('\n');
    expect(cut.length).toBeLessThanOrEqual(rows);
    expect(cut.join('\n')).toMatch(
      /^NAMESPACE.*\nshop +cart-6b7f9c-x2x9k[^]*1 of 3 pods; the terminal has room for no more\.[^]*No data of/,
    );
  });
});

describe('a terminal', () => {
  const pods = Array.from({ length: 50 }, (_, index) => aPodSnapshot({ name: `pod-${index}` }));
  const many = aReading({ snapshot: aClusterSnapshot({ nodes: [aFreshNode(aNodeSnapshot({ pods }))] }) });

  it.each([
    { columns: 20, limit: Infinity },
    { columns: 80, limit: Infinity },
    { columns: 80, limit: 45 },
  ])('of $columns columns is filled to its last line: $limit rows at most', ({ columns, limit }) => {
    const text = topText(many, { subject: 'volumes', filter: everything, limit }, { columns, rows: 40 });
    expect(text.split('\n')).toHaveLength(40);
  });
});

describe('a filter', () => {
  const names = (subject: TopSubject, filter: { namespace?: string; workload?: string }, key: string) =>
    topRows(reading, { subject, filter: { ...everything, ...filter }, limit: Infinity }).map(
      (row) => Object.entries(row).find(([name]) => name === key)?.[1] as unknown,
    );

  it.each([
    { subject: 'pods', filter: { namespace: 'shop' }, key: 'pod', found: ['cart-6b7f9c-x2x9k'] },
    { subject: 'pods', filter: { workload: 'search' }, key: 'pod', found: ['index-0'] },
    { subject: 'pods', filter: { workload: 'search', namespace: 'shop' }, key: 'pod', found: [] },
    { subject: 'containers', filter: { namespace: 'shop' }, key: 'container', found: ['app', 'proxy'] },
    { subject: 'volumes', filter: { workload: 'shop/Deployment/cart' }, key: 'volume', found: ['tmp', 'shm', 'token'] },
    { subject: 'workloads', filter: { namespace: 'shop' }, key: 'workload', found: ['shop/Deployment/cart'] },
    { subject: 'workloads', filter: { workload: 'resting' }, key: 'workload', found: ['resting'] },
    { subject: 'nodes', filter: { namespace: 'shop' }, key: 'podsUsedBytes', found: [400 * mib] },
  ] as const)('of $filter leaves of $subject $found', ({ subject, filter, key, found }) => {
    expect(names(subject, filter, key)).toEqual(found);
  });

  it('keeps nodes without data that have such pods', () => {
    const lost = { pod: aPod({ namespace: 'shop', name: 'cart-lost', nodeName: 'node-3' }), workloads: [cart] };
    const rows = topRows(
      { ...reading, knownPods: [...reading.knownPods, lost] },
      { subject: 'nodes', filter: { ...everything, namespace: 'shop' }, limit: Infinity },
    );
    expect(rows).toMatchObject([
      { node: 'node-1.zone-a.example.internal' },
      { node: 'node-3', state: 'absent', reason: 'timeout', error: expect.stringContaining('10 s') as unknown },
    ]);
  });
});

describe('rows', () => {
  it('have exact numbers and what they stand for', () => {
    const [first] = topRows(reading, { subject: 'pods', filter: everything, limit: 1 });
    expect(first).toMatchObject({
      namespace: 'shop',
      pod: 'cart-6b7f9c-x2x9k',
      usedBytes: 400 * mib,
      emptydirBytes: 90 * mib - 4096,
      largestRatio: { rule: 'emptydir', volume: 'tmp', ratio: (90 * mib - 4096) / (100 * mib) },
      summaryAgeMs: 12_345,
      isKnown: true,
    });
  });

  it('of equal size keep the order of their names', () => {
    const pods = ['b', 'c', 'a'].map((name) => aPodSnapshot({ name }));
    const same = aReading({ snapshot: aClusterSnapshot({ nodes: [aFreshNode(aNodeSnapshot({ pods }))] }) });
    expect(topRows(same, { subject: 'pods', filter: everything, limit: Infinity })).toMatchObject([
      { pod: 'a' },
      { pod: 'b' },
      { pod: 'c' },
    ]);
  });
});

describe('names that hold escapes', () => {
  const hostile = 'x\u001b[2J\u009b31m\n\u202eevil';
  const hostileReading = aReading({
    snapshot: aClusterSnapshot({
      nodes: [
        aFreshNode(
          aNodeSnapshot({
            nodeName: hostile,
            pods: [
              aPodSnapshot({
                namespace: hostile,
                name: hostile,
                usage: aPodUsage({
                  containers: [aContainerUsage({ name: hostile })],
                  volumes: [aVolumeUsage({ name: hostile, medium: hostile })],
                }),
                workloads: [aWorkload({ name: hostile })],
              }),
            ],
          }),
        ),
        anAbsentNode(`absent ${hostile}`, 'tls'),
        anAbsentNode(`skipped ${hostile}`, 'skipped'),
      ],
      workloads: [aWorkloadSnapshot({ workload: aWorkload({ name: hostile }), complete: false })],
    }),
  });

  it.each(topSubjects)('never reach the terminal from %s', (subject) => {
    for (const columns of [40, 200]) {
      const text = topText(hostileReading, { subject, filter: everything, limit: 20 }, { columns });
      expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
    }
  });
});
