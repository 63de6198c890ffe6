import { describe, expect, it } from 'vitest';

import { type TopResource, topResources } from '../../../src/commands/resources.js';
import { displayWidth } from '../../../src/commands/text/terminal-text.js';
import {
  list,
  pageText,
  parseSortBy,
  type Screen,
  topPage,
  type TopQuery,
} from '../../../src/commands/top/top-page.js';
import { parseSelector } from '../../../src/kube/selector.js';
import type { ClusterReading } from '../../../src/query/cluster-reading.js';
import { workloadKey } from '../../../src/workload/workload.js';
import type { WorkloadSnapshot } from '../../../src/workload/workload-partial.js';
import { aContainer, anFsStats, aNodeSummary, aPod, aPodSummary, aVolume } from '../../support/builders.js';
import {
  aClusterSnapshot,
  aContainerUsage,
  aDeployment,
  aFreshNode,
  aLimitRatio,
  aMeasuredPod,
  anAbsentNode,
  aNodeSnapshot,
  aPodUsage,
  aReading,
  aVolumeUsage,
  aWorkload,
  aWorkloadSnapshot,
} from '../../support/snapshot-builders.js';
import { mib } from '../../support/units.js';

const everything = { namespace: undefined, selector: [], workload: undefined };
const all = { filter: everything, sortBy: undefined, limit: Infinity } as const;

type Query = Partial<TopQuery> & Pick<TopQuery, 'resource'>;

function textOf(reading: ClusterReading, query: Query, screen: Screen): string {
  return pageText(topPage(reading, { ...all, limit: 20, ...query }, screen));
}

function reportsOf(reading: ClusterReading, query: Query): readonly object[] {
  const { limit } = { ...all, ...query };
  return list(reading, { ...all, ...query }).reports(limit);
}

const cart = aDeployment('cart');
const search = aWorkload({ name: 'search' });

const cartPod = aMeasuredPod({
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
    aLimitRatio({ rule: 'emptydir', volume: 'tmp', usedBytes: 90 * mib - 4096, limitBytes: 100 * mib }),
    aLimitRatio({ usedBytes: 400 * mib, limitBytes: 500 * mib }),
    aLimitRatio({ rule: 'container', container: 'app', usedBytes: 308 * mib, limitBytes: 500 * mib }),
  ],
  workloads: [cart],
});
const indexPod = aMeasuredPod({
  namespace: 'search',
  name: 'index-0',
  pod: aPod({ namespace: 'search', name: 'index-0', labels: { app: 'index' } }),
  usage: aPodUsage({ usedBytes: 40 * mib, volumes: [], volumesPending: true }),
  workloads: [search],
});
const strayPod = aMeasuredPod({ namespace: 'gone', name: 'stray', pod: undefined, workloads: [] });

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
        limitBytes: 500 * mib,
        usage: { usedBytes: 400 * mib, podMaxUsedBytes: 400 * mib, containers: [] },
      }),
      aWorkloadSnapshot({
        workload: aWorkload({ name: 'resting' }),
        complete: false,
        measuredPods: 0,
        usage: undefined,
      }),
    ],
  }),
  failures: new Map([
    ['node-3', { reason: 'timeout', message: 'the kubelet of node node-3 did not answer within 10 s', ageMs: 0 }],
  ]),
});

describe('the table', () => {
  it.each(topResources.flatMap((resource) => [40, 80, 200].map((columns) => ({ resource, columns }))))(
    'the table of $resource fits $columns columns',
    async ({ resource, columns }) => {
      const text = textOf(reading, { resource }, { columns });
      for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
      await expect(text).toMatchFileSnapshot(`../../golden/top-${resource}-${columns}.txt`);
    },
  );

  it('the table of pods never breaks a line, however narrow', () => {
    const text = textOf(reading, { resource: 'pods' }, { columns: 10 });
    for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(10);
  });

  it('the table of pods has a note of how many it leaves out', () => {
    const text = textOf(reading, { resource: 'pods', limit: 1 }, { columns: 200 });
    expect(text).toContain('cart-6b7f9c-x2x9k');
    expect(text).not.toContain('index-0');
    expect(text).toContain('1 of 3 pods; --limit 0 for all.');
  });

  it('the table of workloads shows why one is incomplete', () => {
    const workload = (name: string, counts: Partial<WorkloadSnapshot>): WorkloadSnapshot =>
      aWorkloadSnapshot({ workload: aWorkload({ name }), complete: false, ...counts });
    const workloads = [
      workload('lacking', { measuredPods: 1, expectedPods: 3 }),
      workload('pending', {}),
      workload('resting', { usage: undefined, backoffMs: 9000 }),
    ];
    const text = textOf(
      aReading({ snapshot: aClusterSnapshot({ workloads }) }),
      { resource: 'workloads' },
      { columns: 200 },
    );
    expect(text).toContain(
      'Incomplete: lacking (1 of 3 pods), pending (volumes not measured yet), resting (backing off for 9s).',
    );
  });

  it('nothing is shown as no table', () => {
    const empty = aReading({ snapshot: aClusterSnapshot({ nodes: [], workloads: [] }) });
    expect(textOf(empty, { resource: 'volumes' }, { columns: 80 })).toBe('No volumes found.\n');
  });

  it('the table of pods gives way to its notes where the lines are few', () => {
    const query = { resource: 'pods' } as const;
    const whole = textOf(reading, query, { columns: 200, rows: 40 }).split('\n');
    const rows = whole.length - 1;
    const cut = textOf(reading, query, { columns: 200, rows }).split('\n');
    expect(cut.length).toBeLessThanOrEqual(rows);
    expect(cut.join('\n')).toMatch(
      /^NAMESPACE.*\nshop +cart-6b7f9c-x2x9k[^]*1 of 3 pods; the terminal has no more lines\.[^]*No data from/,
    );
  });
});

describe('a terminal', () => {
  const pods = Array.from({ length: 50 }, (_, index) => aMeasuredPod({ name: `pod-${index}` }));
  const many = aReading({ snapshot: aClusterSnapshot({ nodes: [aFreshNode(aNodeSnapshot({ pods }))] }) });

  it.each([
    { columns: 20, limit: Infinity },
    { columns: 80, limit: Infinity },
    { columns: 80, limit: 45 },
  ])('a terminal of $columns columns is filled to its last line: $limit rows at most', ({ columns, limit }) => {
    const text = textOf(many, { resource: 'volumes', limit }, { columns, rows: 40 });
    expect(text.split('\n')).toHaveLength(40);
  });
});

describe('a filter', () => {
  const filters = {
    shop: { namespace: 'shop' },
    search: { workload: workloadKey(search) },
    'search in shop': { namespace: 'shop', workload: workloadKey(search) },
    cart: { workload: workloadKey(cart) },
    resting: { workload: workloadKey(aWorkload({ name: 'resting' })) },
    'app=index': { selector: parseSelector('app=index') },
    '!app': { selector: parseSelector('!app') },
  } as const;

  it.each([
    { resource: 'pods', filter: 'shop', names: ['pod/cart-6b7f9c-x2x9k'] },
    { resource: 'pods', filter: 'search', names: ['pod/index-0'] },
    { resource: 'pods', filter: 'search in shop', names: [] },
    { resource: 'pods', filter: 'app=index', names: ['pod/index-0'] },
    { resource: 'pods', filter: '!app', names: ['pod/cart-6b7f9c-x2x9k'] },
    {
      resource: 'containers',
      filter: 'shop',
      names: ['container/cart-6b7f9c-x2x9k/app', 'container/cart-6b7f9c-x2x9k/proxy'],
    },
    { resource: 'volumes', filter: 'app=index', names: [] },
    { resource: 'workloads', filter: 'shop', names: ['deployment/cart', 'selector/search', 'selector/resting'] },
    { resource: 'workloads', filter: 'app=index', names: ['selector/search'] },
    { resource: 'workloads', filter: 'resting', names: ['selector/resting'] },
    { resource: 'nodes', filter: 'shop', names: ['node/node-1.zone-a.example.internal'] },
  ] as const)('the filter $filter leaves of $resource $names', ({ resource, filter, names }) => {
    const query = { ...all, resource, filter: { ...everything, ...filters[filter] } };
    expect(list(reading, query).names(Infinity)).toEqual(names);
  });

  it('the sums of nodes are about the pods of the filter', () => {
    const [node] = reportsOf(reading, { resource: 'nodes', filter: { ...everything, namespace: 'shop' } });
    expect(node).toMatchObject({ podsUsedBytes: 400 * mib, podCount: 1 });
  });

  it('a filter keeps nodes without data that have such pods', () => {
    const lost = { pod: aPod({ namespace: 'shop', name: 'cart-lost', nodeName: 'node-3' }), workloads: [cart] };
    const rows = reportsOf(
      { ...reading, knownPods: [...reading.knownPods, lost] },
      { resource: 'nodes', filter: { ...everything, namespace: 'shop' }, limit: Infinity },
    );
    expect(rows).toMatchObject([
      { node: 'node-1.zone-a.example.internal' },
      {
        node: 'node-3',
        state: 'absent',
        reason: 'timeout',
        failure: { message: expect.stringContaining('10 s') as unknown },
      },
    ]);
  });
});

describe('one namespace', () => {
  const inNamespace = (namespace: string, resource: TopResource = 'pods') =>
    textOf(reading, { resource, filter: { ...everything, namespace } }, { columns: 200 });

  it('the table of one namespace has no column of namespaces, that of all has', () => {
    expect(inNamespace('shop')).toMatch(/^POD /);
    expect(textOf(reading, { resource: 'pods' }, { columns: 200 })).toMatch(/^NAMESPACE +POD /);
  });

  it.each([
    ['shpo', 'No pods found in namespace shpo; did you mean shop?'],
    ['empty', 'No pods found in namespace empty; -A lists all namespaces.'],
  ])('the namespace %s without pods has a note', (namespace, note) => {
    expect(inNamespace(namespace)).toContain(`${note}\n`);
  });

  it('a namespace with pods that the filter leaves out has another note', () => {
    const filter = { ...everything, namespace: 'shop', selector: parseSelector('app=none') };
    const text = textOf(reading, { resource: 'pods', filter }, { columns: 200 });
    expect(text).toMatch(/^No pods found in namespace shop\.\n/);
  });
});

describe('the limit of a row', () => {
  it('the limit of a row is that of the rule with the highest ratio', () => {
    const text = textOf(reading, { resource: 'pods', limit: 1 }, { columns: 200 });
    expect(text).toMatch(/400Mi +100Mi +0\.89 +emptydir\/tmp /);
  });

  it.each([
    [0.79, undefined],
    [0.8, '33'],
    [0.95, '31'],
    [1, '1;31'],
  ])('a limit at a ratio of %d has the colour %s', (ratio, code) => {
    const limit = aLimitRatio({ usedBytes: ratio * 1000, limitBytes: 1000 });
    const pods = [aMeasuredPod({ ratios: [limit] })];
    const one = aReading({ snapshot: aClusterSnapshot({ nodes: [aFreshNode(aNodeSnapshot({ pods }))] }) });
    const text = textOf(one, { resource: 'pods' }, { columns: 200, hasColour: true });
    const shown = ratio.toFixed(2);
    expect(text).toContain(code === undefined ? ` ${shown} ` : `\u001b[${code}m${shown}\u001b[0m`);
    expect(textOf(one, { resource: 'pods' }, { columns: 200 })).not.toContain('\u001b');
  });
});

describe('--sort-by', () => {
  it.each([
    ['logs', 'pods', 'logs'],
    ['RATIO', 'pods', 'ratio'],
    ['.used', 'nodes', 'used'],
    ['{.used}', 'nodes', 'used'],
    ['name', 'volumes', 'volume'],
  ] as const)('--sort-by %s of %s is the column %s', (text, resource, column) => {
    expect(parseSortBy(text, resource)).toBe(column);
  });

  it('--sort-by refuses what is no column', () => {
    expect(() => parseSortBy('ration', 'pods')).toThrow(
      /--sort-by: found "ration", allowed: .*\(did you mean ratio\?\)/,
    );
  });

  it.each([
    ['pod', ['cart-6b7f9c-x2x9k', 'index-0', 'stray']],
    ['ratio', ['cart-6b7f9c-x2x9k', 'index-0', 'stray']],
    ['namespace', ['stray', 'index-0', 'cart-6b7f9c-x2x9k']],
  ])('--sort-by %s sorts numbers down and names up', (sortBy, pods) => {
    expect(reportsOf(reading, { resource: 'pods', sortBy })).toMatchObject(pods.map((pod) => ({ pod })));
  });
});

it('the wide table has more columns, whole names and no header on demand', () => {
  const screen = { columns: Infinity, isWide: true };
  const { lines } = topPage(reading, { ...all, resource: 'pods' }, screen);
  expect(lines[0]).toMatch(/EMPTYDIR +CONFIGMAP +OTHER +REQUEST +STATE +AGE$/);
  const bare = topPage(reading, { ...all, resource: 'pods' }, { ...screen, hasHeader: false });
  expect(bare.lines).toEqual(lines.slice(1));
});

describe('rows', () => {
  it('rows have exact numbers and what they stand for', () => {
    const [first] = reportsOf(reading, { resource: 'pods', limit: 1 });
    expect(first).toMatchObject({
      namespace: 'shop',
      pod: 'cart-6b7f9c-x2x9k',
      usedBytes: 400 * mib,
      components: { emptydir: 90 * mib - 4096 },
      nearestLimit: { rule: 'emptydir', volume: 'tmp', ratio: (90 * mib - 4096) / (100 * mib) },
      dataAgeMs: 12_345,
      isKnown: true,
    });
  });

  it('pods with a forecast come first, the soonest before the others, in a column of its own', () => {
    const pods = ['a', 'b', 'c'].map((name) => aMeasuredPod({ name, summary: aPodSummary({ name, uid: name }) }));
    const forecast = { rule: 'pod', container: '', volume: '', endsAtMs: Infinity } as const;
    const forecasts = {
      measuredAtMs: 0,
      pods: new Map([
        ['b', { ...forecast, reachedAtMs: 300_000 }],
        ['c', { ...forecast, reachedAtMs: 120_000 }],
      ]),
      thresholds: [],
    };
    const nodes = [aFreshNode(aNodeSnapshot({ pods, forecasts }), 0)];
    const soon = aReading({ snapshot: aClusterSnapshot({ nodes }) });
    expect(reportsOf(soon, { resource: 'pods' })).toMatchObject([{ pod: 'c' }, { pod: 'b' }, { pod: 'a' }]);
    const text = textOf(soon, { resource: 'pods' }, { columns: 200 });
    expect(text).toMatch(/TO-LIMIT/);
    expect(text).toMatch(/ c .* 2m /);
    expect(textOf(reading, { resource: 'pods' }, { columns: 200 })).not.toMatch(/TO-LIMIT/);
  });

  it('rows of equal size keep the order of their names', () => {
    const pods = ['b', 'c', 'a'].map((name) => aMeasuredPod({ name }));
    const same = aReading({ snapshot: aClusterSnapshot({ nodes: [aFreshNode(aNodeSnapshot({ pods }))] }) });
    expect(reportsOf(same, { resource: 'pods' })).toMatchObject([{ pod: 'a' }, { pod: 'b' }, { pod: 'c' }]);
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
              aMeasuredPod({
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

  it.each(topResources)('names that hold escapes never reach the terminal from %s', (resource) => {
    for (const columns of [40, 200]) {
      const text = textOf(hostileReading, { resource }, { columns });
      expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
    }
  });
});

describe('limits that do not do what they seem to do', () => {
  const ratios = (unenforced: 'exempt' | 'dedicated_imagefs') => [
    aLimitRatio({ rule: 'container', container: 'main', usedBytes: 19, limitBytes: 20, unenforced }),
  ];
  const reading = (unenforced: 'exempt' | 'dedicated_imagefs') =>
    aReading({
      snapshot: aClusterSnapshot({
        nodes: [
          aFreshNode(
            aNodeSnapshot({ unenforced: 'dedicated_imagefs', pods: [aMeasuredPod({ ratios: ratios(unenforced) })] }),
          ),
        ],
      }),
    });

  it.each(['pods', 'containers'] as const)('the ratio of a limit that is not enforced is marked: %s', (resource) => {
    const wide = { columns: 200, hasColour: true };
    expect(textOf(reading('exempt'), { resource }, wide)).toMatch(
      /(?<!m)0\.95\*[^]*^\* Limit not enforced: static and critical pods are never evicted\.$/m,
    );
    expect(textOf(reading('dedicated_imagefs'), { resource }, wide)).toMatch(
      /m *0\.95\*[^]*^\* Limit not enforced: limits of containers count logs alone/m,
    );
  });

  it('a node says what holds for it', () => {
    expect(textOf(reading('exempt'), { resource: 'nodes' }, { columns: 200 })).toMatch(/ dedicated_imagefs$/m);
  });
});
