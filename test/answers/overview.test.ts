import { expect, it } from 'vitest';

import { overviewDocument } from '../../src/people/answers/overview.js';
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
/** The lines of a section, or the verdict. */
const partOf = ({ blocks }: Document, title: string): string =>
  textOf({
    title: ['', ''],
    blocks: blocks.filter((block) => (block.is === 'section' ? block.title === title : block.is === title)),
  })
    .replaceAll('\n\n', '\n')
    .trimEnd();

type Figures = BlockOf<'figures'>['figures'];
const figuresOf = (document: Document): Figures =>
  document.blocks.flatMap((block) => (block.is === 'figures' ? block.figures : []));

/** The tone, the text and the bars of a figure. */
function figureOf(document: Document, title: string): string | undefined {
  const figure = figuresOf(document).find(({ name }) => name.shown === title);
  if (figure === undefined) return undefined;
  const line = textOf(document)
    .split('\n')
    .find((of) => of.startsWith(`${title}:`));
  return [figure.tone, line, ...(figure.bars?.counts ?? [])].join(' ');
}

interface Situation extends Partial<Status> {
  /** Evictions of 24 h, and before. */
  readonly evicted?: readonly EvictionReport[];
}

const of = (cluster: Partial<Cluster>): Situation => ({ cluster: aCluster(cluster) });
const counting = (counts: Partial<Cluster['summary']>, more: Partial<Cluster> = {}): Situation =>
  of({ summary: aSummary(counts), ...more });
const withNodes = (conditions: Cluster['grid']['conditions'], counts: Partial<Cluster['summary']> = {}): Situation =>
  of({ grid: aGrid({ conditions, troubles: conditions, nodeCount: 9 }), summary: aSummary(counts) });

const evictedAt = (hoursAgo: number): EvictionReport => ({
  ...evictionReport(anEvictionRecord()),
  evictedAtMs: nowMs - hoursAgo * hourMs,
});
const since = (hoursAgo: number): Situation => ({ health: aHealth({ evictionsSinceMs: nowMs - hoursAgo * hourMs }) });
const notWatched = (fromHour: number, untilHour: number): Situation => ({
  health: aHealth({ evictionGaps: [{ fromMs: nowMs - fromHour * hourMs, untilMs: nowMs - untilHour * hourMs }] }),
});

const nodefs = { signal: 'nodefs.available', thresholdBytes: 10 * gib } as const;
const victim = (pod: string) => ({ rank: 1, namespace: 'shop', pod, usage: 9 * gib, place: 'above_request' }) as const;
const big = [victim('big')];
const old = { dataState: 'stale', dataAgeMs: 240_000 } as const;
const lost = { dataState: 'absent', dataAgeMs: 720_000 } as const;
const pressed = (pressure: Parameters<typeof aPressedNode>[1]): Situation =>
  of({ nearNodes: all(aPressedNode('node-3', { ...nodefs, ...pressure })) });
const near = (limit: Parameters<typeof aNearPod>[0]): Situation => of({ nearPods: all(aNearPod(limit)) });
const exceeded = { usedBytes: 3 * gib, limitBytes: 2 * gib, timeToLimitMs: 0 } as const;
const first = (timeToEvictionMs: number | undefined, timeToLimitMs: number): Situation =>
  of({
    nearNodes: all(aPressedNode('node-3', { ...nodefs, headroom: gib, timeToEvictionMs })),
    nearPods: all(aNearPod({ timeToLimitMs })),
  });
const crowd = (podCount: number, nodeCount: number): Situation => {
  const items = Array.from({ length: 5 }, (_, index) => aNearPod({ pod: `p-${index}`, ratio: 0.9 }));
  return of({ nearPods: { items, totalCount: podCount }, nearNodes: { items: [], totalCount: nodeCount } });
};

const nodes = [
  { node: 'ip-1.example.com', condition: 'evicting', fullRatio: 0.931 },
  { node: 'ip-2.example.com', condition: 'silent' },
  { node: 'ip-3.example.com', condition: 'ok', fullRatio: 0.4 },
] as const;
const conditions = { evicting: 1, silent: 1, ok: 1 };
const grid = aGrid({ pools: [{ pool: 'gpu', nodeCount: 3, nodes }], nodeCount: 3, conditions });

const eviction = { ...evictionReport(anEvictionRecord()), ageMs: 300_000 };
const finding = {
  ...({ namespace: 'shop', pod: 'cart-0', node: 'node-1', kind: 'volume_not_mounted', volume: 'data' } as const),
  ...{ what: 'no container mounts emptyDir data', fix: 'Mount it.', podCount: 3 },
};
/** Ten minutes apart. */
const gaps = [0, 10, 20, 30].map((minute) => ({
  fromMs: Date.UTC(2026, 0, 1, 3, minute),
  untilMs: Date.UTC(2026, 0, 1, 3, minute + 3),
}));
const notListed = 'Nodes and pods have not been listed.';
const readinessChecks = Array.from({ length: 40 }, (_, index) => {
  return { name: `pods in n${index}`, isOk: false, message: 'forbidden' };
});

/** By part of the page: `overview.txt` has what is shown of each. */
const situations: Readonly<Record<string, Readonly<Record<string, Situation>>>> = {
  'Disks in trouble': {
    none: withNodes({ ok: 9 }),
    'below a threshold': withNodes({ evicting: 3, ok: 6 }, { pressedEmptyNodeCount: 1 }),
    'without space': withNodes({ no_space: 1 }),
    'near, full and under DiskPressure': withNodes({ near: 1, full: 2, refusing: 1 }),
    unknown: withNodes({ silent: 1, awaited: 1, unknown: 1 }, { absentNodeCount: 2 }),
    'no fresh data': withNodes({ ok: 9 }, { freshNodeCount: 0 }),
  },
  'Pods in trouble': {
    none: counting({}),
    'above and near': counting({ reachedLimitPodCount: 1, nearLimitPodCount: 2 }),
    near: counting({ nearLimitPodCount: 2 }),
    unknown: counting({ unknownLimitPodCount: 2 }),
    'limits that are not enforced, alone': counting({ limitedPodCount: 0, unenforcedPodCount: 2 }),
    'limits that are not enforced': counting({ unenforcedPodCount: 2 }),
    'no limits': counting({ limitedPodCount: 0 }),
    'a silent node': counting({ absentNodeCount: 1 }),
    'namespaces that are not listed': counting({ unlistedNamespaceCount: 2 }),
  },
  'Evictions in 24 h': {
    'none of a day that is known': {},
    'one long ago': { evicted: [evictedAt(5.5), evictedAt(30)], ...since(7) },
    'some now': { evicted: [evictedAt(0.5), evictedAt(0), evictedAt(1.5)], ...since(2) },
    'a gap': notWatched(3, 2),
    'an old gap': notWatched(30, 25),
    'refused ones alone': { evicted: [{ ...evictedAt(0), cause: 'node_admission' }] },
  },
  Data: {
    whole: counting({}),
    'one node absent of two': counting({ absentNodeCount: 1 }),
    'most nodes absent': counting({ absentNodeCount: 2 }),
    'not responded yet': counting({ absentNodeCount: 1 }, { isPartial: true }),
    stale: counting({ staleNodeCount: 2 }),
    'pods not measured': counting({ expectedPodCount: 3 }),
    'volumes not measured': counting({ pendingPodCount: 1 }),
    'namespaces not listed': counting({ unlistedNamespaceCount: 2 }),
    none: counting({ freshNodeCount: 0, oldestDataAgeMs: undefined }),
  },
  verdict: {
    'all is known': counting({}),
    'no limits are declared': counting({ limitedPodCount: 0 }),
    'no pod was read': counting({ podCount: 0, limitedPodCount: 0 }),
    'limits do not bind': counting({ limitedPodCount: 0, unenforcedPodCount: 2 }),
    'usage is unknown': counting({ unknownLimitPodCount: 10, limitedPodCount: 0 }),
    'a node is silent': counting({ absentNodeCount: 1, limitedPodCount: 0 }),
  },
  'Not ready': { 'checks that fail': { readinessChecks } },
  'Next to be evicted': {
    'a node: the pod that is first': pressed({
      ...{ headroom: gib, timeToEvictionMs: 41_000, victims: [victim('big'), victim('b')] },
    }),
    'a node: an assumed threshold': pressed({ isAssumed: true, headroom: gib, victims: big }),
    'a node: below, in inodes, with no pod left': of({
      nearNodes: all(
        aPressedNode('node-3', {
          ...{ signal: 'nodefs.inodesFree', thresholdInodes: 1000, headroom: -100, timeToEvictionMs: 0, victims: [] },
        }),
      ),
    }),
    'a node: below': pressed({ headroom: -gib, timeToEvictionMs: 0, victims: big }),
    'a node: below as of old data': pressed({ ...old, headroom: -gib, timeToEvictionMs: 0, victims: big }),
    'a node: below when last known': pressed({ ...lost, headroom: -gib, victims: big }),
    'a node: DiskPressure is left': pressed({ headroom: 7 * gib, victims: undefined, diskPressure: true }),
    'a node: DiskPressure above an assumed threshold': pressed({
      ...{ headroom: 7 * gib, victims: undefined, isAssumed: true, diskPressure: true },
    }),
    'a node: DiskPressure is left, by old data': pressed({
      ...{ ...old, headroom: 7 * gib, victims: undefined, diskPressure: true },
    }),
    'a node: close under DiskPressure': pressed({ headroom: gib, victims: big, diskPressure: true }),
    'a node: nothing is known': pressed({ headroom: undefined, victims: undefined, diskPressure: true }),
    'a node: pods that are not read': pressed({ headroom: -gib, victims: undefined, unreadPodCount: 12 }),
    'a node: without data': pressed({ ...lost, headroom: gib, victims: big }),
    'a pod: the time in which it grows to a limit': near({ ratio: 0.6, timeToLimitMs: 250_000 }),
    'a pod: a part, whose countdown has run out': near({
      ...{ rule: 'emptydir', volume: 'cache', ratio: 0.96, timeToLimitMs: 0 },
    }),
    'a pod: exceeded': near(exceeded),
    'a pod: exceeded as of old data': near({ ...exceeded, ...old }),
    'a pod: not rounded up to a limit that is not reached': near({ usedBytes: 9_999, limitBytes: 10_000 }),
    'a pod: a part is compared': near({ ratio: 0.9, unenforced: 'dedicated_imagefs' }),
    'a pod: pending volumes': near({ ratio: 0.9, state: 'pending' }),
    'a pod: near a limit when last known': near({ ratio: 0.9, ...lost }),
    'a node before a pod that is later': first(120_000, 300_000),
    'a pod before a node that is later': first(120_000, 40_000),
    'a node before a pod at the same time': first(40_000, 40_000),
    'a pod before a node without a time': first(undefined, 40_000),
    'many pods': crowd(1_235, 0),
    'many pods and some nodes': crowd(1_235, 2),
    'all pods shown, and some nodes': crowd(4, 2),
    none: counting({}),
    'no limits': counting({ limitedPodCount: 0 }),
    'no limits but those of pods whose volumes are pending': counting({ limitedPodCount: 0, pendingPodCount: 1 }),
    'no pods': counting({ podCount: 0, limitedPodCount: 0 }),
    'unknown usage and a silent node': counting({ unknownLimitPodCount: 2, absentNodeCount: 1 }),
    'unknown headroom': counting({ unknownPressureNodeCount: 2 }),
  },
  Nodes: {
    'by pool, the worst first': of({ grid }),
    'counted by what their letters mean, not the pods and limits that these are about': of({
      grid: aGrid({ conditions: { missing: 3, unprotected: 1 }, nodeCount: 4 }),
    }),
    'none in scope': of({ grid: aGrid({ pools: [], nodeCount: 0 }) }),
  },
  'Recent evictions': {
    'the newest, and pods that were refused': {
      evictions: { items: [eviction, eviction, eviction, eviction], totalCount: 9, refusedCount: 7 },
    },
    'none seen': {},
    'nothing listed': { cluster: undefined, notListed },
    'a time in which pods were not watched': { health: aHealth({ evictionGaps: gaps.slice(0, 1) }) },
    'the newest of such times': { health: aHealth({ evictionGaps: gaps }) },
  },
  Warnings: {
    'by kind, with what to do': of({
      findings: [{ kind: finding.kind, findingCount: 5, items: [finding], totalCount: 3 }],
      summary: aSummary({ absentNodeCount: 2 }),
    }),
    none: counting({}),
    'no pods': counting({ podCount: 0 }),
  },
};

it('a part of the overview says what is known of a situation, in the tone of it', async () => {
  const shown = Object.entries(situations).flatMap(([part, ofPart]) =>
    Object.entries(ofPart).map(([what, { evicted, ...status }]) => {
      const document = documentOf(status, evicted);
      return `# ${part}: ${what}\n${figureOf(document, part) ?? partOf(document, part)}\n`;
    }),
  );
  await expect(shown.join('\n')).toMatchFileSnapshot('../golden/overview.txt');
});

it('the worst problems come first, with the way to the others', () => {
  const problems = ['a', 'b', 'c', 'd', 'e'].map((text) => aProblem({ text }));
  const text = textOf(documentOf({ problems }));
  expect(text).toMatch(/^warning: a\n\nwarning: b\n\nwarning: c\n\nand 2 more: \/problems\n\nNext to be evicted/);
  expect(text).toMatch(/\n\nDisks in trouble:[^\n]*\n[^]*\nData: [^\n]*\n$/);
});

it('nodes of which some are not shown lead to all of them', () => {
  const html = writeHtml(ofCluster({ grid: { ...grid, nodeCount: 5_000 } }), linksFrom('/', '.example.com')).text;
  expect(html).toContain('<a href="./nodes">and 4,997 more</a>');
  expect(html).toContain('class="tile silent d0" href="./nodes/ip-2.example.com" title="ip-2.example.com: no data"');
});
