import { describe, expect, it } from 'vitest';

import { knownSince, overviewDocument } from '../../src/people/answers/overview.js';
import type { BlockOf, Document } from '../../src/people/pens/document.js';
import { linksFrom } from '../../src/people/pens/html-line.js';
import { writeHtml } from '../../src/people/pens/html-pen.js';
import { writeText } from '../../src/people/pens/text-pen.js';
import type { Status } from '../../src/people/query/status.js';
import type { EvictionReport } from '../../src/people/report/eviction-report.js';
import { evictionReport } from '../../src/people/report/eviction-report.js';
import { anEvictionRecord } from '../support/eviction-builders.js';
import {
  aCluster,
  aGrid,
  aHealth,
  aNearPod,
  aPressedNode,
  aProblem,
  aStatus,
  aSummary,
} from '../support/status-builders.js';
import { gib } from '../support/units.js';

type Cluster = NonNullable<Status['cluster']>;

const hourMs = 3_600_000;
const nowMs = Date.UTC(2026, 0, 2, 12);

/** A list that shows all that there is. */
const all = <T = never>(...items: readonly T[]) => ({ items, totalCount: items.length });

const documentOf = (overrides: Partial<Status> = {}, evictions: readonly EvictionReport[] = []): Document =>
  overviewDocument(aStatus({ generatedAtMs: nowMs, ...overrides }), evictions);
const ofCluster = (cluster: Partial<Cluster>): Document => documentOf({ cluster: aCluster(cluster) });
const textOf = (document: Document): string => writeText(document, { width: 120, isWhole: true });
/** The lines of a section. */
const partOf = ({ blocks }: Document, title: string): string =>
  textOf({ title: ['', ''], blocks: blocks.filter((block) => block.is === 'section' && block.title === title) })
    .replaceAll('\n\n', '\n')
    .trimEnd();

type Figures = BlockOf<'figures'>['figures'];
const figuresOf = (document: Document): Figures =>
  document.blocks.flatMap((block) => (block.is === 'figures' ? block.figures : []));
const tonesOf = (document: Document): readonly string[] => figuresOf(document).map(({ tone }) => tone);
const figureOf = (document: Document, name: string): string =>
  new RegExp(`^${name}: +(.*)$`, 'm').exec(textOf(document))?.[1] ?? '';

describe('the figures', () => {
  const grid = (conditions: Cluster['grid']['conditions'], nodeCount = 9) =>
    aGrid({ conditions, troubles: conditions, nodeCount });

  it.each<[Cluster['grid']['conditions'], Partial<Cluster['summary']>, string, string]>([
    [{ ok: 9 }, {}, 'ok', '0, of 9 nodes'],
    [
      { evicting: 3, ok: 6 },
      { pressedEmptyNodeCount: 1 },
      'critical',
      '3, 3 below a threshold, 1 with no pod left to evict',
    ],
    [{ no_space: 1 }, {}, 'critical', '1, 1 full without a threshold'],
    [{ near: 1, full: 2, refusing: 1 }, {}, 'critical', '4, 1 under DiskPressure, 1 near a threshold, 2 nearly full'],
    [{ silent: 1, awaited: 1, unknown: 1 }, { absentNodeCount: 2 }, 'unknown', '0 and 3 unknown, of 9 nodes'],
    [{ ok: 9 }, { freshNodeCount: 0 }, 'unknown', '0, of 9 nodes'],
  ])('disks in trouble: %j', (conditions, counts, tone, text) => {
    const document = ofCluster({ grid: grid(conditions), summary: aSummary(counts) });
    expect([tonesOf(document)[0], figureOf(document, 'Disks in trouble')]).toEqual([tone, text]);
  });

  it.each<[Partial<Cluster['summary']>, string, string]>([
    [{}, 'ok', '0, of 1 with limits'],
    [{ reachedLimitPodCount: 1, nearLimitPodCount: 2 }, 'warning', '3, 1 above a limit, 2 near one'],
    [{ nearLimitPodCount: 2 }, 'warning', '2, 2 near a limit'],
    [{ unknownLimitPodCount: 2 }, 'unknown', '0 and 2 unknown, of 3 with limits'],
    [{ limitedPodCount: 0, unenforcedPodCount: 2 }, 'unknown', '0, 2 with a limit that is not enforced'],
    [{ unenforcedPodCount: 2 }, 'ok', '0, of 1 with limits, 2 with a limit that is not enforced'],
    [{ limitedPodCount: 0 }, 'ok', '0, none has a limit'],
    [{ absentNodeCount: 1 }, 'unknown', '0, of 1 with limits'],
    [{ unlistedNamespaceCount: 2 }, 'unknown', '0, of 1 with limits'],
  ])('pods in trouble: %j', (counts, tone, text) => {
    const document = ofCluster({ summary: aSummary(counts) });
    expect([tonesOf(document)[1], figureOf(document, 'Pods in trouble')]).toEqual([tone, text]);
  });

  const evictionAt = (hoursAgo: number, more: Parameters<typeof anEvictionRecord>[0] = {}): EvictionReport => ({
    ...evictionReport(anEvictionRecord(more)),
    evictedAtMs: nowMs - hoursAgo * hourMs,
  });

  const since = (hoursAgo: number) => ({ evictionsSinceMs: nowMs - hoursAgo * hourMs });
  const gap = (fromHour: number, untilHour: number) => ({
    evictionGaps: [{ fromMs: nowMs - fromHour * hourMs, untilMs: nowMs - untilHour * hourMs }],
  });
  const refused: EvictionReport = { ...evictionAt(0), cause: 'node_admission' };

  it.each<[string, readonly EvictionReport[], Partial<Status['health']>, readonly unknown[]]>([
    ['none of a day that is known', [], {}, ['ok', '0']],
    ['one long ago', [evictionAt(5.5), evictionAt(30)], since(7), ['unknown', '1, known for 7h', 0, 1, 0, 0, 0, 0, 0]],
    [
      'some now',
      [evictionAt(0.5), evictionAt(0), evictionAt(1.5)],
      since(2),
      ['warning', '3, 2 in the last hour, known for 2h', 1, 2],
    ],
    ['a gap', [], gap(3, 2), ['unknown', '0, pods were not watched for a time']],
    ['an old gap', [], gap(30, 25), ['ok', '0']],
    ['refused ones alone', [refused], {}, ['ok', '0, 1 pod refused']],
  ])('evictions of 24 h: %s', (_case, evictions, health, expected) => {
    const document = documentOf({ health: aHealth(health) }, evictions);
    const [, , figure] = figuresOf(document);
    const counts = figure?.bars?.counts ?? [];
    expect([figure?.tone, figureOf(document, 'Evictions in 24 h'), ...counts]).toEqual(expected);
  });

  it.each<[Partial<Cluster['summary']>, boolean, string, string]>([
    [{}, false, 'ok', '1 of 1 node, up to 1s old'],
    [{ absentNodeCount: 1 }, false, 'warning', '1 of 2 nodes, up to 1s old, 1 absent'],
    [{ absentNodeCount: 2 }, false, 'critical', '1 of 3 nodes, up to 1s old, 2 absent'],
    [{ absentNodeCount: 1 }, true, 'unknown', '1 of 2 nodes, up to 1s old, 1 absent, some had not responded yet'],
    [{ staleNodeCount: 2 }, false, 'warning', '3 of 3 nodes, up to 1s old, 2 stale'],
    [{ expectedPodCount: 3 }, false, 'warning', '1 of 1 node, up to 1s old, 2 pods not measured'],
    [{ pendingPodCount: 1 }, false, 'unknown', '1 of 1 node, up to 1s old, volumes of 1 pod not measured'],
    [{ unlistedNamespaceCount: 2 }, false, 'unknown', '1 of 1 node, up to 1s old, 2 namespaces not listed'],
    [{ freshNodeCount: 0, oldestDataAgeMs: undefined }, false, 'unknown', '0 of 0 nodes, no data'],
  ])('data: %j', (counts, isPartial, tone, text) => {
    const document = ofCluster({ summary: aSummary(counts), isPartial });
    expect([tonesOf(document)[3], figureOf(document, 'Data')]).toEqual([tone, text]);
  });

  it('lead to their lists', () => {
    const paths = figuresOf(ofCluster({ summary: aSummary({ absentNodeCount: 1 }) })).map(({ name }) => [
      name.path,
      name.query,
    ]);
    expect(paths).toEqual([
      [['nodes'], { only: 'near' }],
      [['pods'], { only: 'near' }],
      [['evictions'], undefined],
      [['nodes'], undefined],
    ]);
    const [, ofPods] = figuresOf(ofCluster({ summary: aSummary({ unenforcedPodCount: 2 }) }));
    expect(ofPods?.note).toContainEqual({
      path: ['pods'],
      query: { only: 'unenforced' },
      shown: '2 with a limit that is not enforced',
    });
  });
});

describe('without a problem', () => {
  it.each<[string, Partial<Cluster['summary']>, string]>([
    ['all is known', {}, 'No problems: 1 node with fresh data, 1 pod measured, none of 1 pod with limits is near one.'],
    [
      'no limits are declared',
      { limitedPodCount: 0 },
      'No problems: 1 node with fresh data, 1 pod measured, no limits are declared.',
    ],
    ['no pod was read', { podCount: 0, limitedPodCount: 0 }, 'No problems: 1 node with fresh data, 0 pods measured.'],
    [
      'limits do not bind',
      { limitedPodCount: 0, unenforcedPodCount: 2 },
      'No known problems: 1 node with fresh data, 1 pod measured, 2 pods with a limit that is not enforced.',
    ],
    [
      'usage is unknown',
      { unknownLimitPodCount: 10, limitedPodCount: 0 },
      'No known problems: 1 node with fresh data, 1 pod measured, usage of 10 pods with limits not known.',
    ],
    [
      'a node is silent',
      { absentNodeCount: 1, limitedPodCount: 0 },
      'No known problems: 1 node with fresh data (1 not responded yet), 1 pod measured, no limits are declared.',
    ],
  ])('what is known is said where %s', (_case, counts, text) => {
    expect(
      textOf(ofCluster({ summary: aSummary(counts) }))
        .split('\n\n')[0]
        ?.replaceAll('\n', ' '),
    ).toBe(text);
  });
});

it('the worst problems come first, with the way to the others', () => {
  const problems = ['a', 'b', 'c', 'd', 'e'].map((text) => aProblem({ text }));
  const text = textOf(documentOf({ problems }));
  expect(text).toMatch(/^warning: a\n\nwarning: b\n\nwarning: c\n\nand 2 more\n\nNext to be evicted/);
  expect(text).toMatch(/\n\nDisks in trouble:[^\n]*\n[^]*\nData: [^\n]*\n$/);
});

it('checks that fail are named, and before the first lists nothing is counted', () => {
  const failing = Array.from({ length: 40 }, (_, index) => ({
    name: `pods in n${index}`,
    isOk: false,
    message: 'forbidden',
  }));
  const document = documentOf({ readinessChecks: failing });
  expect(partOf(document, 'Not ready')).toMatch(/pods in n4: forbidden\nand 35 more failing checks$/);
  const unlisted = documentOf({ cluster: undefined, notListed: 'Not listed.', readinessChecks: failing });
  expect(unlisted.blocks.map((block) => (block.is === 'section' ? block.id : block.is))).toEqual([
    'verdict',
    'evictions',
  ]);
  expect(textOf(unlisted)).toContain('Not listed.');
});

const nodefs = { signal: 'nodefs.available', thresholdBytes: 10 * gib } as const;
const victim = (pod: string) => ({ rank: 1, namespace: 'shop', pod, usage: 9 * gib, place: 'above_request' }) as const;

/** The cells of the first row, and its note. */
function firstRow(cluster: Partial<Cluster>): readonly string[] {
  const [, , line = '', below = ''] = partOf(ofCluster(cluster), 'Next to be evicted').split('\n');
  return [...line.trim().split(/ {2,}/), ...(below.startsWith('  ') ? [below.trim()] : [])];
}

describe('what is evicted next', () => {
  it.each<[string, Parameters<typeof aPressedNode>[1], readonly string[]]>([
    [
      'with the pod that is first',
      { ...nodefs, headroom: gib, timeToEvictionMs: 41_000, victims: [victim('big'), victim('b')] },
      ['40s', 'crosses nodefs.available', '1Gi', 'evicts shop/big first, of 2 pods in the order of eviction'],
    ],
    [
      'with a threshold that is assumed',
      { ...nodefs, isAssumed: true, headroom: gib, victims: [victim('big')] },
      ['-', 'near nodefs.available', '1Gi', 'evicts shop/big first; the threshold of 10Gi is assumed'],
    ],
    [
      'below it, in inodes, with no pod left',
      { signal: 'nodefs.inodesFree', thresholdInodes: 1000, headroom: -100, timeToEvictionMs: 0, victims: [] },
      ['-', 'below nodefs.inodesFree: no pod left', '-100 inodes', 'no pod is left to evict'],
    ],
    [
      'below it',
      { ...nodefs, headroom: -gib, timeToEvictionMs: 0, victims: [victim('big')] },
      ['now', 'below nodefs.available: evicts pods', '-1Gi', 'evicts shop/big first'],
    ],
    [
      'below it as of old data',
      {
        ...nodefs,
        dataState: 'stale',
        dataAgeMs: 240_000,
        headroom: -gib,
        timeToEvictionMs: 0,
        victims: [victim('big')],
      },
      ['as of 4m ago', 'below nodefs.available: evicts pods', '-1Gi', 'stale, 4m old', 'evicts shop/big first'],
    ],
    [
      'below it when last known',
      { ...nodefs, dataState: 'absent', dataAgeMs: 720_000, headroom: -gib, victims: [victim('big')] },
      ['-', 'below nodefs.available', '-1Gi', 'last known 12m ago', 'evicts shop/big first'],
    ],
    [
      'whose DiskPressure is left',
      { ...nodefs, headroom: 7 * gib, victims: undefined, diskPressure: true },
      [...['-', 'DiskPressure: refuses new pods', '7Gi'], 'evicts nobody now: DiskPressure is left from a shortage'],
    ],
    [
      'under DiskPressure above an assumed threshold',
      { ...nodefs, headroom: 7 * gib, victims: undefined, isAssumed: true, diskPressure: true },
      [
        ...['-', 'DiskPressure: refuses new pods', '7Gi'],
        'under DiskPressure: may be evicting now; the threshold of 10Gi is assumed',
      ],
    ],
    [
      'whose DiskPressure is left, by old data',
      { ...nodefs, dataState: 'stale', dataAgeMs: 240_000, headroom: 7 * gib, victims: undefined, diskPressure: true },
      [
        ...['-', 'DiskPressure: refuses new pods', '7Gi', 'stale, 4m old'],
        'evicts nobody as of 4m ago: DiskPressure is left from a shortage',
      ],
    ],
    [
      'close to it under DiskPressure',
      { ...nodefs, headroom: gib, victims: [victim('big')], diskPressure: true },
      ['-', 'near nodefs.available', '1Gi', 'evicts shop/big first'],
    ],
    [
      'of which nothing is known',
      { ...nodefs, headroom: undefined, victims: undefined, diskPressure: true },
      ['-', 'DiskPressure: may be evicting, headroom unknown', '-', 'under DiskPressure: may be evicting now'],
    ],
    [
      'with pods that are not read',
      { ...nodefs, headroom: -gib, victims: undefined, unreadPodCount: 12 },
      [
        ...['now', 'below nodefs.available: evicts pods', '-1Gi'],
        'which pod goes first is unknown: 12 pods of this node are not read',
      ],
    ],
    [
      'without data',
      { ...nodefs, dataState: 'absent', dataAgeMs: 720_000, headroom: gib, victims: [victim('big')] },
      ['-', 'near nodefs.available', '1Gi', 'last known 12m ago', 'evicts shop/big first'],
    ],
  ])('a node close to a threshold is shown %s', (_case, pressure, [time, ...cells]) => {
    expect(firstRow({ nearNodes: all(aPressedNode('node-3', pressure)) })).toEqual([
      ...['node node-3', time],
      ...cells,
    ]);
  });

  it.each<[string, Parameters<typeof aNearPod>[0], readonly string[]]>([
    [
      'with the time in which it grows to it',
      { ratio: 0.6, timeToLimitMs: 250_000 },
      ['4m', '60 % of 8Ki (pod)', '4Ki'],
    ],
    [
      'of a part, whose countdown has run out',
      { rule: 'emptydir', volume: 'cache', ratio: 0.96, timeToLimitMs: 0 },
      ['any moment', '96 % of 8Ki (emptydir/cache)', '4Ki'],
    ],
    [
      'that is exceeded',
      { usedBytes: 3 * gib, limitBytes: 2 * gib, timeToLimitMs: 0 },
      ['now', '150 % of 2Gi (pod)', '-1Gi'],
    ],
    [
      'that is exceeded as of old data',
      { usedBytes: 3 * gib, limitBytes: 2 * gib, timeToLimitMs: 0, dataState: 'stale', dataAgeMs: 240_000 },
      ['as of 4m ago', '150 % of 2Gi (pod)', '-1Gi', 'stale, 4m old'],
    ],
    [
      'not rounded up to one that is not reached',
      { usedBytes: 9_999, limitBytes: 10_000 },
      ['-', '99 % of 9.8Ki (pod)', '1B'],
    ],
    [
      'of which a part is compared',
      { ratio: 0.9, unenforced: 'dedicated_imagefs' },
      ['-', '90 % of 8Ki (pod)', '4Ki', 'not enforced: writable layers not compared'],
    ],
    [
      'whose volumes are pending',
      { ratio: 0.9, state: 'pending' },
      ['-', '90 % of 8Ki (pod)', '4Ki', 'volumes pending'],
    ],
    [
      'that was near one when last known',
      { ratio: 0.9, dataState: 'absent', dataAgeMs: 720_000 },
      ['-', '90 % of 8Ki (pod)', '4Ki', 'last known 12m ago'],
    ],
  ])('a pod near a limit is shown %s', (_case, limit, [time, ...cells]) => {
    expect(firstRow({ nearPods: all(aNearPod(limit)) })).toEqual(['shop/cart-0', time, ...cells]);
  });

  it.each([
    [120_000, 300_000, 'node node-3'],
    [120_000, 40_000, 'shop/cart-0'],
    [40_000, 40_000, 'node node-3'],
    [undefined, 40_000, 'shop/cart-0'],
  ])('what comes first, node (%s) or pod (%s), is the first row', (timeToEvictionMs, timeToLimitMs, first) => {
    const nearNodes = all(aPressedNode('node-3', { ...nodefs, headroom: gib, timeToEvictionMs }));
    expect(firstRow({ nearPods: all(aNearPod({ timeToLimitMs })), nearNodes })[0]).toBe(first);
  });

  it.each([
    [1_235, 0, 'and 1,231 more pods'],
    [1_235, 2, 'and 1,233 more pods and nodes'],
    [4, 2, 'and 2 more nodes'],
  ])('of %d pods and %d nodes, the others are counted as what they are', (podCount, nodeCount, more) => {
    const items = Array.from({ length: 5 }, (_, index) => aNearPod({ pod: `p-${index}`, ratio: 0.9 }));
    const part = partOf(
      ofCluster({
        nearPods: { items, totalCount: podCount },
        nearNodes: { items: [], totalCount: nodeCount },
      }),
      'Next to be evicted',
    );
    expect(part).toMatch(new RegExp(`^${more}$`, 'm'));
    expect(part).not.toContain('p-4');
  });

  const calm = 'and no measured node is near an eviction threshold.';
  it.each<[Partial<Cluster['summary']>, string]>([
    [{}, `No measured pod is near a limit, ${calm}`],
    [{ limitedPodCount: 0 }, `No measured pod declares an ephemeral storage limit, ${calm}`],
    [{ limitedPodCount: 0, pendingPodCount: 1 }, `No measured pod is near a limit, ${calm}`],
    [{ podCount: 0, limitedPodCount: 0 }, 'No pods are measured yet.'],
    [
      { unknownLimitPodCount: 2, absentNodeCount: 1 },
      `No measured pod is near a limit, ${calm}\nUnknown: the usage of 2 pods with limits, and how close 1 node is to a threshold.`,
    ],
    [
      { unknownPressureNodeCount: 2 },
      `No measured pod is near a limit, ${calm}\nUnknown: how close 2 nodes are to a threshold.`,
    ],
  ])('without any, what is known is said: %j', (counts, text) => {
    expect(partOf(ofCluster({ summary: aSummary(counts) }), 'Next to be evicted')).toBe(`Next to be evicted:\n${text}`);
  });
});

describe('the nodes', () => {
  const nodes = [
    { node: 'ip-1.example.com', condition: 'evicting', fullRatio: 0.931 },
    { node: 'ip-2.example.com', condition: 'silent' },
    { node: 'ip-3.example.com', condition: 'ok', fullRatio: 0.4 },
  ] as const;
  const conditions = { evicting: 1, silent: 1, ok: 1 };
  const grid = aGrid({ pools: [{ pool: 'gpu', nodeCount: 3, nodes }], nodeCount: 3, conditions });

  it('are tiles by pool, the worst first, with what their letters mean', () => {
    expect(partOf(ofCluster({ grid }), 'Nodes')).toBe(`\
Nodes:
gpu, 3 nodes:
E ip-1.example.com 93 %  ? ip-2.example.com       . ip-3.example.com 40 %
E below an eviction threshold: 1 node, ? no data: 1 node, . ok: 1 node`);
  });

  it('are counted by what their letters mean, not the pods and limits that these are about', () => {
    const conditions = { missing: 3, unprotected: 1 };
    expect(partOf(ofCluster({ grid: aGrid({ conditions, nodeCount: 4 }) }), 'Nodes')).toContain(
      "M pods missing from the kubelet's summary: 3 nodes, U unreliable limits or eviction thresholds: 1 node",
    );
  });

  it('of which some are not shown lead to all of them', () => {
    const html = writeHtml(ofCluster({ grid: { ...grid, nodeCount: 5_000 } }), linksFrom('/', '.example.com')).text;
    expect(html).toContain('<a href="./nodes">and 4,997 more</a>');
    expect(html).toContain('class="tile silent d0" href="./nodes/ip-2.example.com" title="ip-2.example.com: no data"');
  });

  it('are said to be none in scope', () => {
    expect(partOf(ofCluster({ grid: aGrid({ pools: [], nodeCount: 0 }) }), 'Nodes')).toContain(
      'No nodes are in scope.',
    );
  });
});

describe('evictions', () => {
  it('are the newest, with how many others there are, and pods that were refused', () => {
    const one = { ...evictionReport(anEvictionRecord()), ageMs: 300_000 };
    const evictions = { items: [one, one, one, one], totalCount: 9, refusedCount: 7 };
    expect(partOf(documentOf({ evictions }), 'Recent evictions')).toMatch(
      /^Recent evictions:\n(?:\S+ \S+ UTC 5m ago shop\/cart-0: .*\n){3}and 6 more evictions\nBesides, 7 pods were refused: /,
    );
  });

  it('that were not seen may not be known', () => {
    expect(partOf(documentOf(), 'Recent evictions')).toMatch(
      /was seen\.\nEvictions are known since 2026-01-01 00:00:00 UTC\.$/,
    );
    const notListed = 'Nodes and pods have not been listed.';
    expect(partOf(documentOf({ cluster: undefined, notListed }), 'Recent evictions')).toBe(
      `Recent evictions:\n${notListed}`,
    );
  });

  it('may be missing from the newest gaps in which pods were not watched', () => {
    const at = (minute: number): number => Date.UTC(2026, 0, 1, 3, minute);
    const gaps = [0, 10, 20, 30].map((minute) => ({ fromMs: at(minute), untilMs: at(minute + 3) }));
    const textWith = (count: number): string => {
      const line = knownSince(aStatus({ health: aHealth({ evictionGaps: gaps.slice(0, count) }) }));
      return writeText(
        { title: ['', ''], blocks: [{ is: 'verdict', tone: 'ok', lines: [line], commands: [] }] },
        { width: Infinity },
      );
    };
    expect(textWith(0)).toBe('Evictions are known since 2026-01-01 00:00:00 UTC.\n');
    expect(textWith(1)).toContain(
      ' Pods were not watched from 2026-01-01 03:00:00 UTC to 2026-01-01 03:03:00 UTC, and evictions of that time may be missing.',
    );
    expect(textWith(4)).toMatch(/watched from 2026-01-01 03:10:00 .*03:33:00 UTC, and 1 time before, and evictions/);
  });
});

describe('warnings', () => {
  it('are shown by kind, with what to do', () => {
    const finding = {
      ...({ namespace: 'shop', pod: 'cart-0', node: 'node-1', kind: 'volume_not_mounted', volume: 'data' } as const),
      ...{ what: 'no container mounts emptyDir data', fix: 'Mount it.', podCount: 3 },
    };
    const kind = { kind: finding.kind, findingCount: 5, items: [finding], totalCount: 3 };
    expect(partOf(ofCluster({ findings: [kind], summary: aSummary({ absentNodeCount: 2 }) }), 'Warnings')).toBe(`\
Warnings (what makes evictions of pods likelier, or has no effect):
Volume that no container mounts. Mount it.
shop/cart-0 on node-1, 2 more pods of its controller: no container mounts emptyDir data
and 2 more workloads or bare pods with it
Of 2 nodes without data: by the last values and the specs of the pods.`);
  });

  it.each([
    [{}, 'Nothing was found.'],
    [{ podCount: 0 }, 'No pods are measured yet.'],
  ])('of a cluster with %j are none', (summary, text) => {
    expect(partOf(ofCluster({ summary: aSummary(summary) }), 'Warnings')).toContain(text);
  });
});
