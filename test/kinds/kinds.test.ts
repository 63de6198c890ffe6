import fc from 'fast-check';
import { expect, it } from 'vitest';

import { type Kind, listDocument } from '../../src/people/kinds/kind.js';
import { nodeKind } from '../../src/people/kinds/node-kind.js';
import {
  containerKind,
  evictionKind,
  namespaceKind,
  volumeKind,
  workloadKind,
} from '../../src/people/kinds/part-kinds.js';
import { podKind } from '../../src/people/kinds/pod-kind.js';
import type { BlockOf } from '../../src/people/pens/document.js';
import { writeText } from '../../src/people/pens/text-pen.js';
import { ordersOf, parseListQuery } from '../../src/people/query/list-query.js';
import { evictionReport, type ShownEviction } from '../../src/people/report/eviction-report.js';
import type { ListedNodeReport } from '../../src/people/report/node-report.js';
import type { PodReport } from '../../src/people/report/pod-report.js';
import { documentOf } from '../../src/people/status/document-of.js';
import { viewOf } from '../../src/people/status/views.js';
import { anEvictionRecord } from '../support/eviction-builders.js';
import { atOnce } from '../support/lanes.js';
import {
  aClusterSnapshot,
  aContainerUsage,
  aFreshNode,
  aLimitRatio,
  aMeasuredPod,
  aNodeSnapshot,
  aPodUsage,
  aReading,
  aVolumeUsage,
  aWorkload,
  aWorkloadSnapshot,
} from '../support/snapshot-builders.js';
import { aMeasuredNode, anAbsentNodeStatus, aStatus, someStatusSettings } from '../support/status-builders.js';
import { gib, mib } from '../support/units.js';
import { aPage } from '../support/view-pages.js';

const pod = aMeasuredPod({
  usage: aPodUsage({
    usedBytes: 3 * gib,
    containers: [
      aContainerUsage({ name: 'main', usedBytes: 3 * gib, rootfsBytes: 2 * gib, logsBytes: gib }),
      aContainerUsage({ name: '', usedBytes: mib, rootfsBytes: undefined, logsBytes: undefined }),
    ],
    volumes: [
      aVolumeUsage({ name: 'cache', usedBytes: mib, sizeLimitBytes: 4 * mib }),
      aVolumeUsage({ name: 'tmp', medium: 'Memory', usedBytes: 2 * mib, sizeLimitBytes: 2 * mib }),
    ],
  }),
  ratios: [
    aLimitRatio({ rule: 'container', container: 'main', usedBytes: 3 * gib, limitBytes: 3 * gib }),
    aLimitRatio({
      rule: 'emptydir',
      volume: 'tmp',
      usedBytes: 2 * mib,
      limitBytes: 2 * mib,
      unenforced: 'memory_medium',
    }),
  ],
});
const workloads = ['builder-bxbwq', 'builder-q2xzc'].map((name) =>
  aWorkloadSnapshot({ workload: aWorkload({ name, type: 'sandbox' }), expectedPods: 1 }),
);
const reading = aReading({
  snapshot: aClusterSnapshot({ nodes: [aFreshNode(aNodeSnapshot({ pods: [pod] }))], workloads }),
});

it.each(['pods', 'containers', 'volumes', 'workloads', 'namespaces', 'nodes'] as const)(
  'the list of %s as text is the one that was read last, with all its columns too',
  async (kind) => {
    const settings = someStatusSettings;
    const inputs = { status: aStatus(), reading, settings, lane: atOnce };
    const view = await viewOf({ kind, path: [], parameters: {} }, inputs);
    const [usual, wide] = [false, true].map((isWide) =>
      writeText(documentOf(view, aStatus()), { width: Infinity, isWide }),
    );
    await expect(`${usual}\n${wide}`).toMatchFileSnapshot(`../golden/list-${kind}.txt`);
  },
);

it('a page of a list has no colour for a limit that cannot evict, and leads to pods and nodes', async () => {
  const { main: volumes } = await aPage(reading, { kind: 'volumes' });
  expect(volumes).not.toContain('t-critical');
  const { main, html } = await aPage(reading, { kind: 'containers' });
  expect(main).toContain('<span class="t-critical">100 %</span>');
  for (const href of ['./pods/shop/cart-0', './nodes/node-1', '?order=ratio']) expect(html).toContain(`href="${href}"`);
  expect(main).toMatch(/aria-sort="descending"><a href="\?order=used"/);
  const { main: nodes } = await aPage(reading, { kind: 'nodes', parameters: { order: 'headroom' } });
  expect(nodes).toMatch(/aria-sort="ascending"><a href="\?order=headroom"/);
  expect((await aPage(reading, { kind: 'containers', parameters: { limit: '1' } })).main).toContain('?limit=1000"');
});

it('a page of workloads mutes the random ends of names', async () => {
  const { html } = await aPage(reading, { kind: 'workloads' });
  expect(html).toContain('>builder<span class="muted">-bxbwq</span></a>');
});

function tableOf<Report>(kind: Kind<Report>, ...items: readonly Report[]): BlockOf<'table'> {
  const page = { items, totalCount: items.length, isComplete: true, limit: 50 };
  const { blocks } = listDocument(kind, page, parseListQuery('nodes', {}));
  return blocks[0] as BlockOf<'table'>;
}

function cellsOf(node: ListedNodeReport): Readonly<Record<string, unknown>> {
  const { columns, rows } = tableOf(nodeKind, node);
  return Object.fromEntries(columns.map(({ title }, index) => [title, rows[0]?.cells[index]]));
}

const pressure = {
  ...{ node: 'node-1', signal: 'nodefs.available', isAssumed: true, available: 1, headroom: gib },
  ...{ timeToEvictionMs: 240_000, dataState: 'fresh', dataAgeMs: 1 },
} as const;
const threshold = { signal: 'nodefs.available', headroom: gib, isAssumed: true, timeToEvictionMs: 240_000 } as const;
const near = { ...aMeasuredNode(), condition: 'near', threshold, pressure } as const;
const below = { ...near, condition: 'evicting', threshold: { ...threshold, headroom: -gib } } as const;
const silent = { ...anAbsentNodeStatus(), condition: 'silent' } as const;
const lastKnown = aMeasuredNode({ dataAgeMs: 720_000 });

it.each([
  ['is near', near, { text: 'near a threshold', tone: 'warning' }, { text: '1Gi*', tone: 'warning' }, '4m'],
  ['evicts', below, { text: 'below threshold', tone: 'critical' }, { text: '-1Gi*', tone: 'critical' }, 'now'],
  [
    'evicts as of old data',
    { ...below, state: 'stale', pressure: { ...pressure, dataState: 'stale', dataAgeMs: 240_000 } } as const,
    { text: 'below threshold, stale', tone: 'critical' },
    { text: '-1Gi*', tone: 'critical' },
    'as of 4m ago',
  ],
  [
    'has evicted all of its pods',
    { ...below, pressure: { ...pressure, victims: [] } },
    { text: 'below threshold', tone: 'critical' },
    { text: '-1Gi*', tone: 'critical' },
    'no pod left',
  ],
  [
    'is well',
    { ...near, condition: 'ok', pressure: undefined },
    { text: 'fresh', tone: 'ok' },
    { text: '1Gi*', tone: 'ok' },
    '4m',
  ],
  ['is silent', { ...silent, lastKnown }, { text: 'no data: no answer in time', tone: 'warning' }, '-', undefined],
  [
    'is silent with a threshold',
    { ...silent, threshold },
    { text: 'no data: no answer in time', tone: 'warning' },
    '-',
    undefined,
  ],
  [
    'was below a threshold when it fell silent',
    { ...silent, condition: 'evicting' },
    { text: 'below threshold when last known', tone: 'critical' },
    '-',
    undefined,
  ],
  [
    'was full when it fell silent',
    { ...silent, condition: 'full' },
    { text: 'nearly full when last known', tone: 'warning' },
    '-',
    undefined,
  ],
  [
    'has not answered',
    { ...silent, condition: 'awaited' },
    { text: 'not responded yet', tone: 'unknown' },
    '-',
    undefined,
  ],
] as const)('a node that %s is listed with its state, headroom and time', (_what, node, ...shown) => {
  const cells = cellsOf(node as ListedNodeReport);
  expect([cells['State'], cells['Headroom'], cells['To eviction']]).toEqual(shown);
});

it('at 80 columns, ratio and state stay beside shortened names longer than node and limit, and hidden columns are named', async () => {
  const long = aMeasuredPod({
    namespace: 'n'.repeat(30),
    name: 'p'.repeat(40),
    usage: aPodUsage({ volumesPending: true }),
  });
  const snapshot = aClusterSnapshot({ nodes: [aFreshNode(aNodeSnapshot({ pods: [pod, long] }))] });
  const inputs = {
    status: aStatus(),
    reading: aReading({ snapshot }),
    settings: someStatusSettings,
    lane: atOnce,
  };
  const document = documentOf(await viewOf({ kind: 'pods', path: [], parameters: {} }, inputs), aStatus());
  const text = writeText(document, { width: 80 });
  expect(text).toMatch(
    /^NAMESPACE +POD +USED +RATIO +STATE\n[^]* pending\nColumns hidden: NODE, COUNTED, LIMIT, RULE, /m,
  );
  expect(text).toContain('cart-0 ');
});

const hostile = fc
  .tuple(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\u001b[2J\n', '\u202e', '日', '<b>', 'x'),
    fc.constantFrom(1, 300, 1_000_000),
  )
  .map(([start, part, count]) => start + part.repeat(count));

it('the text of a thousand pods is bounded, with a line for each and nothing that a terminal obeys, whatever is in names', () => {
  fc.assert(
    fc.property(hostile, fc.constantFrom(20, 80, Infinity), (name, width) => {
      const known = { dataState: 'fresh', state: 'unmeasured', reason: name, node: 'node-1', isKnown: true } as const;
      const pods = Array.from({ length: 1_000 }, (_, index) => ({
        ...known,
        namespace: 'shop',
        pod: index < 2 ? name : 'cart',
      }));
      const page = {
        items: pods as unknown as readonly PodReport[],
        totalCount: 1_000,
        isComplete: true,
        limit: 1_000,
      };
      const text = writeText(listDocument(podKind, page, parseListQuery('pods', {})), { width });
      expect(text.length).toBeLessThan(6_200_000);
      const lineCount = text.split('\n').length;
      expect([lineCount > 1_000, lineCount < 1_020]).toEqual([true, true]);
      expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    }),
    { numRuns: 12 },
  );
});

it('at 80 columns, a list of evictions says what each pod exceeded and used', () => {
  const of = {
    pod: 'archives-29931768-lp6wm',
    cause: 'emptydir_limit',
    volume: 'work',
    limitBytes: 512 * mib,
  } as const;
  const items = [{ ...evictionReport(anEvictionRecord(of)), ageMs: 90_000 } as unknown as ShownEviction];
  const page = { items, totalCount: 1, isComplete: true, limit: 50 };
  const text = writeText(listDocument(evictionKind, page, parseListQuery('evictions', {})), { width: 80 });
  expect(text).toMatch(/^NAMESPACE +POD +AGE +CAUSE +USED.*\n.* emptyDir work .*of 512Mi /);
});

it('what ≥ means is said where it stands', () => {
  const of = { namespace: 'shop', measuredPodCount: 1, usedBytes: gib, unmeasuredPodCount: 1, evictionCount: 0 };
  const [table, note, unlisted] = [1, 0, 0].map((unmeasuredPodCount, index) => {
    const items = [{ ...of, unmeasuredPodCount, nearLimitPodCount: 0, isUnlisted: index === 2 }];
    const page = { items, totalCount: 1, isComplete: true, limit: 50 };
    return writeText(listDocument(namespaceKind, page, parseListQuery('namespaces', {})), { width: 80 });
  });
  expect(table).toMatch(/ ≥1Gi [^]*\n\n≥ At least: /);
  expect(note).not.toContain('≥');
  expect(unlisted).toContain(' ≥1Gi ');
});

it('the mark of how full a node is stands at the threshold, where it is known, and a silent node has no tone', () => {
  const filesystems = [
    { filesystem: 'nodefs', fullRatio: 0.85, capacityBytes: 1000, evictionThresholdBytes: 100 },
    { filesystem: 'imagefs', sameAs: 'nodefs', fullRatio: 0.99 },
  ] as const;
  const full = { ...aMeasuredNode({ filesystems }), condition: 'full' } as const;
  expect(cellsOf(full)['Full']).toMatchObject([{ amount: 0.85, mark: 0.9, tone: 'warning' }, '']);
  const old = { ...silent, lastKnown: { ...lastKnown, filesystems } };
  expect(cellsOf(old)['Full']).toEqual([{ amount: 0.85, mark: 0.9, tone: 'unknown', unit: 'share' }, ' 12m ago']);
  expect(tableOf(nodeKind, old).rows).toMatchObject([{ isOld: true, note: 'Look at the node.' }]);
  expect(cellsOf(silent)['Full']).toBe('-');
});

it.each([
  ['nodes', nodeKind],
  ['pods', podKind],
  ['containers', containerKind],
  ['volumes', volumeKind],
  ['workloads', workloadKind],
  ['namespaces', namespaceKind],
  ['evictions', evictionKind],
] as const)(
  'the orders of columns of %s are those of the list, each of one column, and only the default has none',
  (kind, { columns }) => {
    const orders = (columns as readonly { readonly order?: string }[]).flatMap(({ order }) => order ?? []);
    expect(new Set(orders).size).toBe(orders.length);
    const [first, ...others] = ordersOf[kind];
    expect([first, ...others]).toEqual(expect.arrayContaining(orders));
    expect(orders).toEqual(expect.arrayContaining(others));
  },
);

it.each([
  ['pods', { namespace: 'shop' }, 'volumes?namespace=shop&amp;counted=yes'],
  ['containers', {}, 'volumes?counted=yes'],
  ['volumes', { counted: 'yes', order: 'name' }, 'pods'],
] as const)('the list of %s filtered by %j is a tab beside %s', async (kind, parameters, other) => {
  const { html, main } = await aPage(reading, { kind, parameters });
  expect(main).toMatch(new RegExp(`<nav class="tabs"[^]*<a href="${kind}[^"]*" aria-current="page">`));
  expect(main).toContain(`<a href="${other}"`);
  expect(html.slice(0, html.indexOf('<main'))).not.toMatch(/>(?:Containers|Volumes)</);
});

it('lists of other things have no tabs', async () => {
  expect((await aPage(reading, { kind: 'workloads' })).main).not.toContain('class="tabs"');
});
