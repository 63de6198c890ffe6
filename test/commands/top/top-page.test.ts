import { describe, expect, it } from 'vitest';

import { sortOrder } from '../../../src/commands/reading-commands.js';
import { topResources } from '../../../src/commands/resources.js';
import { cutNote, type Listing, pageText, type Screen, tableOf, topPage } from '../../../src/commands/top/top-page.js';
import { nothingFrozen } from '../../../src/facts/node/frozen-statistics.js';
import type { NodeSnapshot } from '../../../src/facts/node/node-view.js';
import type { DerivedPod } from '../../../src/facts/node/pod-record.js';
import { displayWidth } from '../../../src/people/pens/terminal-text.js';
import type { ClusterReading } from '../../../src/people/query/cluster-reading.js';
import { evictionReport } from '../../../src/people/report/eviction-report.js';
import type { ListQuestion, ListResource } from '../../../src/serve/source/answer-source.js';
import { answersFrom } from '../../../src/serve/source/document-answers.js';
import { mergedReader } from '../../../src/serve/source/merged-views.js';
import type { ViewReader } from '../../../src/serve/source/view-source.js';
import {
  aContainer,
  aContainerSummary,
  anFsStats,
  aNode,
  aNodeSummary,
  aPod,
  aPodSummary,
  aVolume,
} from '../../support/builders.js';
import { anEvictionRecord } from '../../support/eviction-builders.js';
import {
  aBoundPod,
  aClusterSnapshot,
  aContainerUsage,
  aDeployment,
  aFreshNode,
  aLimitRatio,
  aMeasuredPod,
  anAbsentNode,
  aNodeReading,
  aNodeSnapshot,
  aNodeThreshold,
  aPodUsage,
  aReading,
  aReadingOf,
  aVolumeUsage,
  aWorkload,
  aWorkloadSnapshot,
  withoutTotal,
} from '../../support/snapshot-builders.js';
import { mib } from '../../support/units.js';
import { viewsOf } from '../../support/views.js';

interface Query {
  readonly resource: ListResource;
  readonly parameters?: Partial<Pick<ListQuestion, 'namespace' | 'selector' | 'node' | 'workload'>>;
  readonly name?: string;
  readonly sortBy?: string | undefined;
  readonly limit?: number;
}

function questionOf({ resource, parameters = {}, name, sortBy, limit = Infinity }: Query): ListQuestion {
  return {
    ...{ resource, name, limit, selector: '', namespace: undefined, workload: undefined, ...parameters },
    isNamespaceNamed: parameters.namespace !== undefined,
    order: undefined,
    ...(sortBy !== undefined && sortOrder(sortBy, resource)),
  };
}

async function listed(reader: ViewReader, query: Query): Promise<Listing> {
  const question = questionOf(query);
  return { question, answer: await answersFrom(reader, undefined).list(question) };
}

async function listingOf(reading: ClusterReading, query: Query): Promise<Listing> {
  return listed(await viewsOf(reading), query);
}

async function textOf(reading: ClusterReading, query: Query, screen: Screen): Promise<string> {
  return pageText(topPage(await listingOf(reading, { limit: 20, ...query }), screen));
}

async function reportsOf(reading: ClusterReading, query: Query): Promise<readonly object[]> {
  return (await listingOf(reading, query)).answer.data as readonly object[];
}

function namesOf({ answer }: Listing): readonly (string | undefined)[] {
  return tableOf(answer).rows.map(({ name }) => name);
}

/** What is said in the place of rows, and what is missing. */
function saidOf({ answer }: Listing): readonly (string | undefined)[] {
  const { rows, none } = tableOf(answer);
  return [rows.length === 0 ? none : undefined, ...answer.documents.flatMap(({ notes = [] }) => notes)];
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
            pods: [indexPod, strayPod, cartPod].map(({ summary }) => summary),
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
  evictions: [evictionReport(anEvictionRecord())],
  failures: new Map([
    ['node-3', { reason: 'timeout', message: 'the kubelet of node node-3 did not answer within 10 s', ageMs: 0 }],
  ]),
});

describe('the table', () => {
  it.each(topResources.flatMap((resource) => [40, 80, 200].map((columns) => ({ resource, columns }))))(
    'the table of $resource fits $columns columns',
    async ({ resource, columns }) => {
      const text = await textOf(reading, { resource }, { columns });
      for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
      await expect(text).toMatchFileSnapshot(`../../golden/top-${resource}-${columns}.txt`);
    },
  );

  it('the table of pods never breaks a line, however narrow', async () => {
    const text = await textOf(reading, { resource: 'pods' }, { columns: 10 });
    for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(10);
  });

  it('nothing is shown as no table', async () => {
    const empty = aReading({ snapshot: aClusterSnapshot({ nodes: [], workloads: [] }) });
    expect(await textOf(empty, { resource: 'volumes' }, { columns: 20 })).toBe('No volumes found.\n');
  });

  it('the table of pods gives way to its notes where the lines are few', async () => {
    const query = { resource: 'pods' } as const;
    const whole = (await textOf(reading, query, { columns: 200, rows: 40 })).split('\n');
    const rows = whole.length - 1;
    const cut = (await textOf(reading, query, { columns: 200, rows })).split('\n');
    expect(cut.length).toBeLessThanOrEqual(rows);
    expect(cut.join('\n')).toMatch(
      /^NAMESPACE.*\nshop +cart-6b7f9c-x2x9k[^]*1 of 3 pods; the terminal has no more lines\.[^]*No data from/,
    );
  });
});

describe('a terminal', () => {
  const pods = Array.from({ length: 50 }, (_, index) => aMeasuredPod({ name: `pod-${index}` }));
  const many = aNodeReading({ pods });

  it.each([
    { columns: 20, limit: Infinity },
    { columns: 80, limit: Infinity },
    { columns: 80, limit: 45 },
  ])('a terminal of $columns columns is filled to its last line: $limit rows at most', async ({ columns, limit }) => {
    const text = await textOf(many, { resource: 'volumes', limit }, { columns, rows: 40 });
    expect(text.split('\n')).toHaveLength(40);
  });
});

describe('more rows than an answer has', () => {
  const pods = Array.from({ length: 1_005 }, (_, index) => aMeasuredPod({ name: `pod-${index}` }));
  const many = aNodeReading({ pods });

  it.each<[number, string | undefined, string]>([
    [20, undefined, '20 of 1,005 pods; --limit 0 for 1,000, or choose with -n, -l, --node.'],
    [1_000, undefined, '1,000 of 1,005 pods; choose with -n, -l, --node.'],
    [20, 'rule', 'Sorted by RULE: 1,000 of 1,005, the first of the usual order.'],
  ])('a note says how many there are, and what chooses fewer: limit %d, sorted by %s', async (limit, sortBy, note) => {
    const found = await listingOf(many, { resource: 'pods', limit, sortBy });
    const { notes } = topPage(found, { columns: Infinity });
    expect(notes).toContain(note);
    expect(cutNote(found)).toBe(limit < 1_000 ? undefined : note);
  });
});

it.each([
  [true, 12_000, 'Data from 1 of 1 nodes, up to 12s old; the next values come within 43s.'],
  [true, 54_500, 'Data from 1 of 1 nodes, up to 54s old.'],
  [false, 12_000, 'Data from 1 of 1 nodes, up to 12s old.'],
])('a table that is watched (%s) and has data of %i ms ends with %j', async (isWatched, ageMs, note) => {
  const reading = aNodeReading({}, ageMs);
  const text = await textOf(reading, { resource: 'nodes' }, { columns: 200, isWatched });
  expect(text.trimEnd().split('\n')).toContain(note);
});

const filters = {
  shop: { namespace: 'shop' },
  search: { workload: 'search' },
  'app=index': { selector: 'app=index' },
  'node-2': { node: 'node-2' },
} as const;

it.each([
  { resource: 'pods', filter: 'search', names: ['pod/index-0'] },
  { resource: 'pods', filter: 'app=index', names: ['pod/index-0'] },
  { resource: 'pods', filter: 'node-2', names: [] },
  {
    resource: 'containers',
    filter: 'shop',
    names: ['container/cart-6b7f9c-x2x9k/app', 'container/cart-6b7f9c-x2x9k/proxy'],
  },
  { resource: 'workloads', filter: 'shop', names: ['deployment/cart', 'selector/search', 'selector/resting'] },
  { resource: 'workloads', filter: 'app=index', names: ['selector/search'] },
  { resource: 'next', filter: 'node-2', names: [] },
] as const)('the filter $filter leaves of $resource $names', async ({ resource, filter, names }) => {
  expect(namesOf(await listingOf(reading, { resource, parameters: filters[filter] }))).toEqual(names);
});

describe('a name', () => {
  it.each([
    { resource: 'pods', name: 'index-0', names: ['pod/index-0'] },
    { resource: 'nodes', name: 'node-2', names: ['node/node-2'] },
  ] as const)(
    'the name $name leaves of $resource one row, and no note of a count',
    async ({ resource, name, names }) => {
      const found = await listingOf(reading, { resource, name, limit: 1 });
      expect(namesOf(found)).toEqual(names);
      expect(topPage(found, { columns: 200 }).notes.join('\n')).not.toContain('--limit');
    },
  );

  it.each([
    { resource: 'pods', name: 'index-1', message: 'no pod index-1 in scope (did you mean search/index-0?)' },
    { resource: 'pods', name: 'index', message: 'no pod index in scope (did you mean search/index-0?)' },
    { resource: 'nodes', name: 'node-5', message: /^no node node-5 in scope \(did you mean node-/ },
  ] as const)(
    'the name $name of no $resource is refused with those that are like it',
    async ({ message, ...query }) => {
      await expect(listingOf(reading, query)).rejects.toThrow(message);
    },
  );

  it('a pod that is on no node has no figures, and is not meant by its own name', async () => {
    const waiting = aBoundPod({ pod: aPod({ namespace: 'search', name: 'index-9', nodeName: undefined }) });
    const named = { resource: 'pods', name: 'index-9', parameters: { namespace: 'search' } } as const;
    const found = listingOf({ ...reading, knownPods: [...reading.knownPods, waiting] }, named);
    await expect(found).rejects.toThrow('no pod search/index-9 in scope (did you mean search/index-0?)');
  });

  it.each(['pods', 'nodes'] as const)('a name of no %s may be one of a shard that did not answer', async (resource) => {
    const ready = [{ name: 'exporter-0', reader: await viewsOf(reading) }];
    const found = listed(mergedReader({ ready, totalCount: 3, leftOut: [] }), { resource, name: 'other' });
    await expect(found).rejects.toThrow(
      'among the nodes of the shards that answered (1 of 3)\n1 of 3 shards are ready',
    );
  });
});

describe('one namespace', () => {
  const inNamespace = (namespace: string, resource: ListResource = 'pods') =>
    textOf(reading, { resource, parameters: { namespace } }, { columns: 200 });

  it('the table of one namespace has no column of namespaces, that of all has', async () => {
    expect(await inNamespace('shop')).toMatch(/^POD /);
    expect(await textOf(reading, { resource: 'pods' }, { columns: 200 })).toMatch(/^NAMESPACE +POD /);
  });

  it.each([
    ['shpo', 'No pods found in namespace shpo (did you mean shop?)'],
    ['empty', 'No pods found in namespace empty; -A for all namespaces'],
  ])('the namespace %s without pods has a note', async (namespace, note) => {
    expect(await inNamespace(namespace)).toContain(`${note}\n`);
  });

  it('a namespace with pods that the filter leaves out has another note', async () => {
    const parameters = { namespace: 'shop', selector: 'app=none' };
    const text = await textOf(reading, { resource: 'pods', parameters }, { columns: 200 });
    expect(text).toMatch(/^No pods found in namespace shop\.\n/);
  });
});

it.each([
  [0.79, undefined],
  [0.8, '33'],
  [0.9, '1;31'],
  [1, '1;31'],
])('a limit at a ratio of %d has the colour %s', async (ratio, code) => {
  const limit = aLimitRatio({ usedBytes: ratio * 1000, limitBytes: 1000 });
  const pods = [aMeasuredPod({ ratios: [limit] })];
  const one = aNodeReading({ pods });
  const text = await textOf(one, { resource: 'pods' }, { columns: 200, hasColour: true });
  const shown = `${ratio * 100}%`;
  expect(text).toContain(code === undefined ? ` ${shown} ` : `\u001b[${code}m${shown}\u001b[0m`);
  expect(await textOf(one, { resource: 'pods' }, { columns: 200 })).not.toContain('\u001b');
});

describe('--sort-by', () => {
  it('without it pods are sorted by what they use', async () => {
    const pods = [aMeasuredPod({ name: 'near', ratios: [aLimitRatio({ usedBytes: 9, limitBytes: 10 })] }), cartPod];
    const one = aNodeReading({ pods });
    expect(namesOf(await listingOf(one, { resource: 'pods' }))).toEqual([`pod/${cartPod.summary.name}`, 'pod/near']);
  });

  it.each([
    ['logs', 'pods', { column: 'Logs' }],
    ['RATIO', 'pods', { order: 'ratio' }],
    ['.used', 'nodes', { order: 'used' }],
    ['{.used}', 'nodes', { order: 'used' }],
    ['name', 'volumes', { order: 'name' }],
    ['to-limit', 'pods', { order: 'time' }],
  ] as const)('--sort-by %s of %s is %o', (text, resource, order) => {
    expect(sortOrder(text, resource)).toEqual(order);
  });

  it('--sort-by refuses what is no column', () => {
    expect(() => sortOrder('ration', 'pods')).toThrow(/found "ration", allowed: .*\(did you mean ratio\?\)/);
    expect(() => sortOrder('usage', 'pods')).toThrow(/\(did you mean used\?\)/);
    expect(() => sortOrder('constructor', 'pods')).toThrow('--sort-by');
    expect(() => sortOrder('in', 'next')).toThrow('the soonest are first');
  });

  it.each([
    ['pod', ['stray', 'index-0', 'cart-6b7f9c-x2x9k']],
    ['ratio', ['cart-6b7f9c-x2x9k', 'index-0', 'stray']],
    ['namespace', ['stray', 'index-0', 'cart-6b7f9c-x2x9k']],
  ])('--sort-by %s sorts numbers down and names up, pods by their namespace first', async (sortBy, pods) => {
    expect(await reportsOf(reading, { resource: 'pods', sortBy })).toMatchObject(pods.map((pod) => ({ pod })));
  });
});

const ofVirtualCluster = { 'vcluster.loft.sh/fake-node': 'true' };

it.each([
  ['of all pods of its summary', { usedBytes: 30 }, {}, '30B'],
  ['measured parts of a pod without a total', { usedBytes: undefined }, {}, '7B'],
  ['totals on a virtual cluster', { usedBytes: 30 }, ofVirtualCluster, '2B'],
  ['not known on a virtual cluster without a total', { usedBytes: undefined }, ofVirtualCluster, '-'],
])('the bytes of pods of a node are %s', async (_what, total, labels, shown) => {
  const entries = [aPodSummary({ ...total, containers: [aContainerSummary({ rootfsBytes: 7 })] })];
  const [node, pods] = [aNode({ labels }), [aMeasuredPod({ usage: aPodUsage({ usedBytes: 2 }) })]];
  const view = {
    ...aFreshNode(aNodeSnapshot({ node, summary: aNodeSummary({ pods: entries }), pods })),
    measuredPods: total.usedBytes === undefined ? 0 : 1,
  };
  const reading = aReadingOf(view);
  const [header = '', row = ''] = (await textOf(reading, { resource: 'nodes' }, { columns: 200 })).split('\n');
  expect(
    row
      .slice(0, header.indexOf('PODS') + 4)
      .split(/ +/)
      .at(-1),
  ).toBe(shown);
});

it.each<[string, Partial<NodeSnapshot>, RegExp]>([
  [
    'far from it',
    { thresholds: [aNodeThreshold({ threshold: 100, headroom: 900, isCrossed: false })] },
    / fresh .* 900B /,
  ],
  ['of unknown free space', { summary: aNodeSummary({ nodefs: anFsStats({ usedBytes: 1 }) }) }, / headroom unknown /],
  [
    'that reports old values',
    { frozen: { filesystems: new Set(['nodefs']), pods: new Map(), sinceMs: 0 } },
    / headroom unknown, frozen since 1970-01-01 00:00:00 UTC /,
  ],
])('the state of a node %s is that of its page', async (_case, of, line) => {
  expect(await textOf(aNodeReading(of), { resource: 'nodes' }, { columns: 200 })).toMatch(line);
});

it('pods are sorted by their forecasts on demand, the soonest before the others, which are in a column of its own', async () => {
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
  const soon = aReadingOf(...nodes);
  const sorted = await reportsOf(soon, { resource: 'pods', sortBy: 'to-limit' });
  expect(sorted).toMatchObject([{ pod: 'c' }, { pod: 'b' }, { pod: 'a' }]);
  const text = await textOf(soon, { resource: 'pods' }, { columns: 200 });
  expect(text).toMatch(/TO-LIMIT/);
  expect(text).toMatch(/ c .* 2m /);
  expect(await textOf(reading, { resource: 'pods' }, { columns: 200 })).not.toMatch(/TO-LIMIT/);
});

describe('what is next', () => {
  const forecast = { rule: 'pod', container: '', volume: '', endsAtMs: Infinity } as const;
  const pods = ['soon', 'above', 'steady', 'calm'].map((name) =>
    aMeasuredPod({
      name,
      summary: aPodSummary({ name, uid: name }),
      ratios: [aLimitRatio({ usedBytes: { above: 12, calm: 7 }[name] ?? 9, limitBytes: 10 })],
    }),
  );
  const forecasts = {
    measuredAtMs: 0,
    pods: new Map([
      ['soon', { ...forecast, reachedAtMs: 600_000 }],
      ['above', { ...forecast, reachedAtMs: -Infinity }],
    ]),
    thresholds: [],
  };
  const nearNode = (nodeName: string) =>
    aFreshNode(aNodeSnapshot({ nodeName, pods: [], podsOnNode: [aPod()], thresholds: [aNodeThreshold()] }));
  const nodes = [
    aFreshNode(aNodeSnapshot({ pods, forecasts }), 0),
    nearNode('node-2'),
    { ...aFreshNode(aNodeSnapshot({ nodeName: 'node-20', pods: [] })), node: aNode({ diskPressure: true }) },
  ];
  const next = aReadingOf(...nodes);
  const rows = ['node/node-2', 'pod/above', 'pod/soon', 'pod/steady'];

  it.each([
    [{}, rows],
    [{ node: 'node-2' }, ['node/node-2']],
    [{ node: 'node-1' }, rows.slice(1)],
    [{ namespace: 'shop' }, rows.slice(1)],
    [{ selector: '!app' }, rows.slice(1)],
    [{ namespace: 'other' }, []],
  ])('what is next with %j is on one clock, what evicts already first: %j', async (parameters, names) => {
    const found = await listingOf(next, { resource: 'next', parameters });
    expect(namesOf(found)).toEqual(names);
    expect(tableOf(found.answer).totalCount).toBe(names.length);
  });

  it('what is next on a node is not of one whose name begins like its', async () => {
    const reading = aReadingOf(...['node-2', 'node-21'].map(nearNode));
    expect(namesOf(await listingOf(reading, { resource: 'next', parameters: { node: 'node-2' } }))).toEqual(
      rows.slice(0, 1),
    );
  });

  it('a full disk for which nobody is evicted takes no place of what is next', async () => {
    const nodefs = anFsStats({ usedBytes: 100, availableBytes: 0, capacityBytes: 100 });
    const full = { pods: [], unsetSignals: ['nodefs.available'], summary: aNodeSummary({ nodefs }) } as const;
    const thresholds = [aNodeThreshold({ available: 110, threshold: 100, headroom: 10, isCrossed: false })];
    const close = aFreshNode(aNodeSnapshot({ nodeName: 'node-2', pods: [], thresholds }));
    const reading = aReadingOf(aFreshNode(aNodeSnapshot({ nodeName: 'node-1', ...full })), close);
    expect(namesOf(await listingOf(reading, { resource: 'next', limit: 1 }))).toEqual(rows.slice(0, 1));
  });

  it('a pod without a total is next by the limit that is measured, and has its ratio among the pods', async () => {
    const pod = aPod({ name: 'cart-0', nodeName: 'node-1' });
    const ratios = [aLimitRatio({ rule: 'emptydir', volume: 'tmp', usedBytes: 3 * mib, limitBytes: 2 * mib })];
    const snapshot = aNodeSnapshot({
      pods: [],
      podsWithoutTotal: [withoutTotal(aMeasuredPod({ pod, ratios }))],
    });
    const reading = aReadingOf(aFreshNode(snapshot));
    const text = await textOf(reading, { resource: 'next' }, { columns: 200 });
    expect(text).toMatch(/pod +shop +cart-0 +node-1 +150% of 2Mi \(emptydir\/tmp\) +-1Mi/);
    expect(await textOf(reading, { resource: 'pods' }, { columns: 200 })).toMatch(
      /node-1 +- +3Mi +2Mi +150% .*unmeasured/,
    );
  });

  it.each([
    ['without a total', withoutTotal, {}, 'No'],
    ['without a total, of a namespace', withoutTotal, { namespace: 'shop' }, 'None of these pods is known to be'],
    ['whose volumes are pending', (pod: DerivedPod) => ({ ...pod, isPending: true }), {}, 'No'],
  ] as const)('a pod %s whose limit may be near is no all-clear', async (_what, lacking, parameters, calm) => {
    const pod = aPod({ name: 'cart-0', nodeName: 'node-1', containers: [aContainer({ limitBytes: 0 })] });
    const ratios = [aLimitRatio({ rule: 'emptydir', volume: 'tmp', usedBytes: 1, limitBytes: 100 })];
    const usage = aPodUsage({ volumesPending: true });
    const found = lacking(aMeasuredPod({ pod, ratios, usage }));
    const lists = found.summary.usedBytes === undefined ? { pods: [], podsWithoutTotal: [found] } : { pods: [found] };
    const reading = aNodeReading(lists);
    const [emptyNote, ...notes] = saidOf(await listingOf(reading, { resource: 'next', parameters }));
    expect(notes).toEqual(['Unknown: the usage of 1 pod with limits (shop/cart-0).']);
    expect(emptyNote).toMatch(calm === 'No' ? /^Nothing that is known is near/ : calm);
  });

  it('of more unknown pods and nodes than are listed, it is said that there are more', async () => {
    const containers = [aContainer({ limitBytes: 5 })];
    const podsWithoutTotal = Array.from({ length: 1_001 }, (_, index) => {
      const names = { name: `cart-${index}`, uid: `uid-${index}`, kubeletUid: `uid-${index}` };
      return withoutTotal(aMeasuredPod({ pod: aPod({ ...names, nodeName: 'node-1', containers }), ratios: [] }));
    });
    const summary = aNodeSummary({ nodefs: anFsStats({ usedBytes: 1 }) });
    const nodes = Array.from({ length: 1_001 }, (_, index) => {
      const lists = index === 0 ? { pods: [], podsWithoutTotal } : { pods: [] };
      return aFreshNode(aNodeSnapshot({ nodeName: `node-${index}`, summary, ...lists }));
    });
    const [, ...notes] = saidOf(await listingOf(aReadingOf(...nodes), { resource: 'next' }));
    expect(notes).toEqual([
      expect.stringContaining(' and 998 more.'),
      expect.stringContaining('Unknown: the usage of at least 1,000 pods with limits ('),
    ]);
  });

  it('the list shows no calm limit as nearest where another one is unknown', async () => {
    const pod = aPod({ name: 'cart-0', nodeName: 'node-1', containers: [aContainer({ limitBytes: 5 })] });
    const ratios = [aLimitRatio({ rule: 'emptydir', volume: 'tmp', usedBytes: 1, limitBytes: 100 })];
    const podsWithoutTotal = [withoutTotal(aMeasuredPod({ pod, ratios }))];
    const nodes = [aFreshNode(aNodeSnapshot({ pods: [], podsWithoutTotal }))];
    const text = await textOf(aReadingOf(...nodes), { resource: 'pods' }, { columns: 200 });
    expect(text).toMatch(/ RULE .*\n.*node-1 +- +- +- +- +unknown .*unmeasured/);
  });

  it('what is next has a note of how many it leaves out', async () => {
    const text = await textOf(next, { resource: 'next', limit: 2 }, { columns: 200 });
    expect(text).toMatch(/^now +node [^]*^now +pod +shop +above [^]*^2 of 4 pods and nodes; --limit 0 for all\./m);
  });

  it.each([
    [34, 'IN NAMESPACE NAME'],
    [60, 'IN NAMESPACE NAME WHY'],
    [70, 'IN NAMESPACE NAME WHY LEFT'],
    [80, 'IN KIND NAMESPACE NAME NODE WHY LEFT'],
  ])('what is next on %i columns has whole names and reasons: %s', async (columns, headers) => {
    const text = await textOf(next, { resource: 'next' }, { columns });
    expect(text.split('\n')[0]?.trim().split(/ +/)).toEqual(headers.split(' '));
    expect(text).not.toContain('…');
  });

  it('what was last known of a lost node is not shown as current', async () => {
    const snapshot = aNodeSnapshot({ pods, forecasts, thresholds: [aNodeThreshold()] });
    const reading = aReading({
      snapshot: aClusterSnapshot({ nodes: [anAbsentNode('node-1', 'timeout')] }),
      lastKnownOf: () => ({ snapshot, ageMs: 720_000 }),
    });
    const text = await textOf(reading, { resource: 'next' }, { columns: 200 });
    expect(text).toMatch(/ STATE\n/);
    expect(text).toMatch(/^ *- +node +- +node-1 .* last known 12m ago$/m);
    expect(text).toMatch(/^ *- +pod +shop +above .* last known 12m ago$/m);
  });

  it('a frozen disk is no all-clear', async () => {
    const snapshot = aNodeSnapshot({
      summary: aNodeSummary({ nodefs: anFsStats({ capacityBytes: 100, availableBytes: 1 }) }),
      frozen: { ...nothingFrozen, filesystems: new Set(['nodefs']), sinceMs: 0 },
    });
    const reading = aReadingOf(aFreshNode(snapshot));
    const [emptyNote, ...notes] = saidOf(await listingOf(reading, { resource: 'next' }));
    expect(emptyNote).toBe('Nothing that is known is near a limit or a threshold.');
    expect(notes).toEqual(['Not known whether close to evicting pods (explain node): node-1.']);
  });

  const calm = [aFreshNode(aNodeSnapshot({ pods: [aMeasuredPod({ namespace: 'shop', name: 'cart-0' })] }))];

  it.each([
    ['of a whole cluster', {}, calm, 'No pod is near a limit, and no node is near a threshold.'],
    [
      'with nodes without data',
      {},
      [...calm, anAbsentNode('node-2', 'timeout')],
      'No pod is near a limit, and no node is near a threshold among the 1 of 2 nodes with data.',
    ],
    ['without data', {}, [anAbsentNode('node-2', 'timeout')], 'No node has data: what is next is unknown.'],
    ['without nodes', {}, [], 'No node has data: what is next is unknown.'],
    [
      'of a namespace',
      { namespace: 'shop' },
      calm,
      'None of these pods is near a limit; nodes are shown without --namespace, --selector and --workload.',
    ],
    [
      'of a namespace without pods',
      { namespace: 'shpo' },
      calm,
      'No pods found in namespace shpo (did you mean shop?)',
    ],
    [
      'of a node',
      { node: 'node-1' },
      calm,
      'No pod on node node-1 is near a limit, and the node is near no threshold.',
    ],
    [
      'of a node without data',
      { node: 'node-2' },
      [...calm, anAbsentNode('node-2', 'timeout')],
      'Node node-2 has no data (timeout): what is next there is unknown.',
    ],
  ] as const)('what is next %s is said of what was looked at alone', async (_what, parameters, nodes, note) => {
    const reading = aReadingOf(...nodes);
    expect(saidOf(await listingOf(reading, { resource: 'next', parameters }))[0]).toBe(note);
  });

  it.each(['next', 'pods', 'containers'] as const)('%s of a node that there is not are refused', async (resource) => {
    const reading = aReadingOf(...calm);
    const found = listingOf(reading, { resource, parameters: { node: 'node-11' } });
    await expect(found).rejects.toThrow('no node node-11 in scope (did you mean node-1?)');
  });

  it('what is next as JSON has the reports of pods and of nodes', async () => {
    const reports = await reportsOf(next, { resource: 'next' });
    expect(reports).toMatchObject([{ node: 'node-2', headroom: -1 }, { pod: 'above' }, { pod: 'soon' }, {}]);
  });
});

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

it.each(topResources)('names that hold escapes never reach the terminal from %s', async (resource) => {
  for (const columns of [40, 200]) {
    const text = await textOf(hostileReading, { resource }, { columns });
    expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  }
});

describe('limits that do not do what they seem to do', () => {
  const ratios = (unenforced: 'exempt' | 'dedicated_imagefs') => [
    aLimitRatio({ rule: 'container', container: 'main', usedBytes: 19, limitBytes: 20, unenforced }),
  ];
  const reading = (unenforced: 'exempt' | 'dedicated_imagefs') =>
    aNodeReading({ unenforced: 'dedicated_imagefs', pods: [aMeasuredPod({ ratios: ratios(unenforced) })] });

  it.each(['pods', 'containers'] as const)(
    'the ratio of a limit that is not enforced is marked: %s',
    async (resource) => {
      const wide = { columns: 200, hasColour: true };
      expect(await textOf(reading('exempt'), { resource }, wide)).toMatch(
        /(?<!m)95%\*[^]*^\* Limit not enforced: static or critical pod\.$/m,
      );
      expect(await textOf(reading('dedicated_imagefs'), { resource }, wide)).toMatch(
        /m *95%.*\*[^]*^\* Limit not enforced: writable layers not compared\.$/m,
      );
    },
  );

  it('a node says what holds for it', async () => {
    expect(await textOf(reading('exempt'), { resource: 'nodes' }, { columns: 200 })).toMatch(/ dedicated_imagefs$/m);
  });
});

it('owners of one pod each, whose names end at random, are explained once, and those of one name are not', async () => {
  const sandboxes = (...names: string[]) =>
    aReading({
      snapshot: aClusterSnapshot({
        workloads: names.map((name) =>
          aWorkloadSnapshot({ workload: aWorkload({ name, type: 'sandbox' }), expectedPods: 1 }),
        ),
      }),
    });
  const wide = { columns: 200 };
  const note = /Owners of one pod each, such as builder-\*: workloads\.labels groups them/g;
  const text = await textOf(
    sandboxes('builder-wkmqntq2xz', 'builder-bxbwq', 'builder-q2xzc'),
    { resource: 'workloads' },
    wide,
  );
  expect(text.match(note)).toHaveLength(1);
  expect(await textOf(sandboxes('builder-bxbwq', 'other-q2xzc'), { resource: 'workloads' }, wide)).not.toMatch(note);
});
