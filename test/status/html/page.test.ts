import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

import { describe, expect, it } from 'vitest';

import { nodeConditions } from '../../../src/people/report/node-condition.js';
import { pagePolicy } from '../../../src/people/status/html/frame.js';
import { renderPage } from '../../../src/people/status/html/page.js';
import type { Status } from '../../../src/people/status/status.js';
import { sectionText as textOf } from '../../support/page-text.js';
import { aCluster, aGrid, aHealth, aLimit, aStatus, aSummary } from '../../support/status-builders.js';
import { gib } from '../../support/units.js';

const frame = {
  path: '/',
  search: '',
  metricsPath: '/metrics',
  documentationUrl: './docs',
};

function pageOf(overrides: Partial<Status> = {}): string {
  const status = aStatus(overrides);
  return renderPage(status, { ...frame, status });
}

function pageOfCluster(overrides: Parameters<typeof aCluster>[0]): string {
  return pageOf({ cluster: aCluster(overrides) });
}

/** A list that shows all that there is. */
const all = <T = never>(...items: readonly T[]) => ({ items, totalCount: items.length });

/** Of the tiles. */
function severitiesIn(page: string): readonly (string | undefined)[] {
  return Array.from(page.matchAll(/<div class="(\w*)"><dt>/g), ([, severity]) => severity);
}

describe('unknown values', () => {
  it('no tile of a cluster with a silent node is green', () => {
    const summary = aSummary({ absentNodeCount: 1, expectedPodCount: 3, unknownLimitPodCount: 2 });
    const page = pageOfCluster({ summary });
    expect(severitiesIn(page)).toEqual(['unknown', 'unknown', 'unknown', 'unknown', 'unknown', 'critical', 'warning']);
    expect(textOf(page, 'part-tiles')).toContain('Pods near a limit 0 and 2 unknown ≥ 80 % or within 10 min');
    expect(textOf(page, 'part-tiles')).toContain('Used by pods at least 4Ki of 1 pod, without 2 not measured');
  });

  it.each([
    ['no kubelet answers', { freshNodeCount: 0, absentNodeCount: 2, podCount: 0, podsUsedBytes: 0 }],
    ['no node is in scope', { freshNodeCount: 0, podCount: 0, podsUsedBytes: 0 }],
  ])('the tiles show no sum of 0 bytes when %s', (_case, counts) => {
    const page = pageOfCluster({ summary: aSummary({ ...counts, oldestDataAgeMs: undefined }) });
    expect(textOf(page, 'part-tiles')).toContain('Used by pods - of 0 pods');
    expect(severitiesIn(page)).not.toContain('ok');
    expect(severitiesIn(page)[4]).toBe('unknown');
  });

  it.each([
    ['a node without expected pods', { absentNodeCount: 1, expectedPodCount: 0, measuredPodCount: 0, podCount: 0 }],
    ['no node', { freshNodeCount: 0, oldestDataAgeMs: undefined, expectedPodCount: 0, measuredPodCount: 0 }],
  ])('the tiles are not green for %s', (_case, summary) => {
    expect(severitiesIn(pageOfCluster({ isPartial: true, summary: aSummary(summary) }))).toEqual(
      Array<string>(7).fill('unknown'),
    );
  });

  it.each([
    [{ pressedNodeCount: 3, pressedEmptyNodeCount: 1 }, 'critical', '3 1 with no pod left to evict'],
    [{ pressedNodeCount: 1, pressedEmptyNodeCount: 1 }, 'critical', '1 1 with no pod left to evict'],
    [{ noSpaceNodeCount: 1 }, 'critical', '0 1 more full without a threshold'],
    [{ pressedNodeCount: 1 }, 'critical', '1 where kubelets evict pods'],
  ])('a disk below its threshold counts, also with no pod left to evict: %j', (counts, severity, text) => {
    const page = pageOfCluster({ summary: aSummary(counts) });
    expect(severitiesIn(page)[0]).toBe(severity);
    expect(textOf(page, 'part-tiles')).toContain(`Nodes below a threshold ${text}`);
  });

  it('no limit that is not enforced is green, or counted as one that is not near', () => {
    const page = pageOfCluster({ summary: aSummary({ limitCount: 2, unenforcedLimitCount: 2 }) });
    expect(severitiesIn(page).slice(2, 4)).toEqual(['unknown', 'unknown']);
    expect(textOf(page, 'part-tiles')).toContain('of 1 pod with limits; 2 limits not enforced');
    expect(textOf(page, 'part-banner')).toMatch(/1 pod measured, 2 limits not enforced$/);
    const some = pageOfCluster({ summary: aSummary({ limitCount: 3, unenforcedLimitCount: 2 }) });
    expect(severitiesIn(some).slice(2, 4)).toEqual(['ok', 'ok']);
    expect(textOf(some, 'part-banner')).toContain('none of 1 limit is near, 2 limits not enforced');
  });

  it.each([
    ['a part of which is compared, and that is low', { ratio: 0.6, unenforced: 'dedicated_imagefs' }, ''],
    ['a part of which is compared, and that is near', { ratio: 0.85, unenforced: 'dedicated_imagefs' }, 't-warning'],
    ['that is reached', { ratio: 1 }, 't-critical'],
    ['that is near, of a node without data', { ratio: 1.2, dataState: 'absent' }, ''],
  ] as const)('the ratio of a limit %s has the colour "%s"', (_case, limit, colour) => {
    const page = pageOfCluster({ limits: all(aLimit(limit)) });
    expect(page).toContain(`<span class="${colour}">${Math.round(limit.ratio * 100)} %</span>`);
  });

  it('unknown usage and nodes are shown beside what is known of limits and thresholds', () => {
    const summary = aSummary({ absentNodeCount: 1, unknownPressureNodeCount: 1, unknownLimitPodCount: 2 });
    const page = pageOfCluster({ summary, limits: all() });
    const shown = textOf(page, 'next-evictions');
    expect(shown).toContain('No measured pod has reached 50 % of a limit. Unknown: the usage of 2 pods with limits.');
    expect(shown).toContain('No measured node is close to an eviction threshold. Unknown: 2 nodes.');
    expect(textOf(page, 'part-tiles')).toContain('Nodes below a threshold 0 and 2 unknown');
  });

  it('a cluster with a node that may be below a threshold is not well', () => {
    const page = pageOfCluster({ summary: aSummary({ unknownPressureNodeCount: 1 }) });
    expect(severitiesIn(page).slice(0, 2)).toEqual(['unknown', 'unknown']);
    expect(page).not.toContain('class="banner ok"');
  });
});

it('pods with pending volumes are never green, and no part of a sum that looks whole', () => {
  const summary = aSummary({ pendingPodCount: 1, unknownLimitPodCount: 1, limitedPodCount: 0, limitCount: 0 });
  const page = pageOfCluster({ summary, limits: all() });
  const tiles = textOf(page, 'part-tiles');
  expect(page.match(/<div class="unknown"><dt>/g)).toHaveLength(4);
  expect(tiles).toContain('Running pods measured 1 of 1 volumes of 1 not measured, data up to 1s old');
  expect(tiles).toContain('Used by pods at least 4Ki of 1 pod, without the volumes of 1');
  expect(tiles).toContain('Pods near a limit 0 and 1 unknown');
  expect(textOf(page, 'next-evictions')).toContain('Unknown: the usage of 1 pod with limits.');
  expect(textOf(page, 'next-evictions')).not.toContain('No measured pod declares');
  expect(textOf(page, 'part-banner')).toContain('1 pod measured, usage of 1 pod with limits not known');
});

describe('the banner', () => {
  it.each<[string, Partial<ReturnType<typeof aSummary>>, string]>([
    ['limits', { unknownLimitPodCount: 10 }, 'usage of 10 pods with limits not known'],
    ['volumes', { pendingPodCount: 1 }, '1 pod measured'],
    ['pods', { expectedPodCount: 2 }, '1 pod measured'],
    ['nodes', { absentNodeCount: 1 }, '1 node with fresh data (1 not responded yet)'],
    ['namespaces', { unlistedNamespaceCount: 1 }, '1 pod measured'],
  ])('without a problem, a page that does not know all %s is not green', (_case, summary, text) => {
    const page = pageOfCluster({ summary: aSummary(summary) });
    expect(textOf(page, 'part-banner')).toContain(`? No known problems`);
    expect(textOf(page, 'part-banner')).toContain(text);
    expect(page).toContain('class="banner unknown"');
    expect(page).not.toContain(encodeURIComponent('#2e9150'));
  });

  it('limits are not called absent where no pod was read', () => {
    const page = (podCount: number) =>
      pageOfCluster({ summary: aSummary({ podCount, limitedPodCount: 0, limitCount: 0 }) });
    expect(textOf(page(1), 'part-banner')).toContain('1 pod measured, no limits are declared');
    expect(textOf(page(0), 'part-banner')).toMatch(/0 pods measured$/);
  });

  it('the detail of a problem of which nothing is below is left out where problems are not shown', () => {
    const problems = ['a', 'b', 'c', 'd', 'e'].map(
      (text) => ({ severity: 'warning', text, detail: `of-${text}`, section: 'pods' }) as const,
    );
    const bannerOf = (count: number): string => textOf(pageOf({ problems: problems.slice(0, count) }), 'part-banner');
    expect(bannerOf(4)).toBe(
      '! 4 problems warning: a warning: b of-b warning: c of-c warning: d of-d what to do of-a.',
    );
    expect(bannerOf(5)).toBe(
      '! 5 problems warning: a warning: b warning: c warning: d and 1 more, with what to do of-a.',
    );
  });

  it('the banner lists the failing checks, and without lists the page shows no values', () => {
    const page = pageOf({
      cluster: undefined,
      problems: [{ severity: 'critical', text: 'not ready: pods', section: 'trust' }],
      readinessChecks: [{ name: 'pods', isOk: false, message: 'not listed yet: forbidden' }],
    });
    expect(textOf(page, 'part-banner')).toContain('pods : not listed yet: forbidden');
    for (const id of ['part-tiles', 'next-evictions', 'nodes']) {
      expect(page).toMatch(new RegExp(`<section id="${id}"[^>]* hidden`));
    }
  });

  it('the banner shows the reasons of five of many failing checks', () => {
    const readinessChecks = Array.from({ length: 40 }, (_, index) => ({
      name: `pods in n${index}`,
      isOk: false,
      message: 'forbidden',
    }));
    const shown = textOf(pageOf({ cluster: undefined, readinessChecks }), 'part-banner');
    expect(shown).toContain('pods in n4 : forbidden and 35 more failing checks');
    expect(shown).not.toContain('pods in n5');
  });
});

describe('the sections', () => {
  const pressedNode = { node: 'node-3', dataState: 'fresh', dataAgeMs: 1_500, isAssumed: false } as const;
  const nodefs = { signal: 'nodefs.available', thresholdBytes: 10 * gib } as const;
  it.each([
    [
      'with the pods that it would evict first',
      {
        ...{ ...nodefs, isAssumed: true, available: 11 * gib, headroom: gib, timeToEvictionMs: 41_000 },
        victims: [
          { rank: 1, namespace: 'shop', pod: 'big', usage: 9 * gib, place: 'above_request' },
          { rank: 2, namespace: 'shop', pod: 'small', usage: 1, place: 'within_request' },
        ],
      },
      'nodefs.available 1Gi above its threshold of 10Gi (assumed), reached in 40s; evicts shop/big first',
    ],
    [
      'below it, in inodes where those are short',
      { signal: 'nodefs.inodesFree', thresholdInodes: 1000, available: 900, headroom: -100, victims: [] },
      'nodefs.inodesFree 100 inodes below its threshold of 1,000 inodes; no pod',
    ],
    [
      'under DiskPressure that a shortage has left',
      { ...nodefs, available: 17 * gib, headroom: 7 * gib, victims: undefined },
      'nodefs.available 7Gi above its threshold of 10Gi; evicts nobody now: DiskPressure is left from a shortage',
    ],
    [
      'under DiskPressure without what is free',
      { ...nodefs, victims: undefined },
      'nodefs.available at an unknown distance from its threshold of 10Gi; may be evicting now',
    ],
  ] as const)('a node close to a threshold is shown %s', (_case, pressure, text) => {
    const cluster = { pressure: { items: [{ ...pressedNode, ...pressure }], totalCount: 2 } };
    expect(textOf(pageOfCluster(cluster), 'next-evictions')).toContain(
      `node-3 ${text} and 1 more nodes close to an eviction threshold`,
    );
  });

  it.each([
    [12, 'unknown: 12 pods of this node are not read'],
    [1, 'unknown: 1 pod of this node is not read'],
    [0, 'unknown: pods that the settings leave out are not read'],
  ])('victims of a node are shown as unknown with %i pods that are not read', (unreadPodCount, text) => {
    const pressure = { ...pressedNode, ...nodefs, available: 9 * gib, headroom: -gib, unreadPodCount };
    const shown = textOf(pageOfCluster({ pressure: all(pressure) }), 'next-evictions');
    expect(shown).toContain(`1Gi below its threshold of 10Gi; ${text}`);
    expect(shown).not.toContain('no pod');
  });

  it.each([
    [120_000, 300_000, 'Next: node node-3 crosses its threshold of nodefs.available in 2m'],
    [120_000, 40_000, 'Next: pod shop/cart-0 exceeds the limit of emptyDir cache in 40s'],
  ])('what comes first, node (%s) or pod (%s), is the first line', (timeToEvictionMs, timeToLimitMs, text) => {
    const limits = all(aLimit({ rule: 'emptydir', volume: 'cache', timeToLimitMs }));
    const pressure = all({ ...pressedNode, ...nodefs, available: 11 * gib, headroom: gib, timeToEvictionMs });
    expect(textOf(pageOfCluster({ limits, pressure }), 'next-evictions')).toContain(`${text} at its present growth`);
  });

  it.each([
    [-gib, 0, 'Next: node node-3 is below its threshold of nodefs.available and evicts pods now'],
    [-gib, 60_000, 'Next: node node-3 is below its threshold of nodefs.available and evicts pods in 1m'],
  ])('a node that is %d bytes above its threshold evicts pods after %d ms', (headroom, timeToEvictionMs, text) => {
    const pressure = all({ ...pressedNode, ...nodefs, available: 10 * gib + headroom, headroom, timeToEvictionMs });
    expect(textOf(pageOfCluster({ limits: all(), pressure }), 'next-evictions')).toContain(text);
  });

  it('a node without a pod that is left to evict is not the next to evict one', () => {
    const pressure = all({
      ...pressedNode,
      ...nodefs,
      available: 9 * gib,
      headroom: -gib,
      timeToEvictionMs: 0,
      victims: [],
    });
    const shown = textOf(pageOfCluster({ limits: all(), pressure }), 'next-evictions');
    expect(shown).toContain('1Gi below its threshold of 10Gi; no pod');
    expect(shown).not.toContain('evicts pods');
  });

  it('a pod whose countdown has run out below its limit exceeds it at any moment', () => {
    const limits = all(aLimit({ rule: 'emptydir', volume: 'cache', ratio: 0.96, timeToLimitMs: 0 }));
    const shown = textOf(pageOfCluster({ limits }), 'next-evictions');
    expect(shown).toContain('exceeds the limit of emptyDir cache at any moment at its present growth');
  });

  it('a pod that exceeds the limit of the pod exceeds its limit', () => {
    const limit = aLimit({ rule: 'pod', container: undefined, volume: undefined, timeToLimitMs: 60_000 });
    const shown = textOf(pageOfCluster({ limits: all(limit) }), 'next-evictions');
    expect(shown).toContain('Next: pod shop/cart-0 exceeds its limit in 1m');
  });

  it('the newest gaps in which pods were not watched are named, so that a night without evictions is not taken for quiet', () => {
    const at = (minute: number): number => Date.UTC(2026, 0, 1, 3, minute);
    const evictionGaps = [0, 10, 20, 30].map((minute) => ({ fromMs: at(minute), untilMs: at(minute + 3) }));
    const textWith = (count: number): string => {
      const health = aHealth({ evictionGaps: evictionGaps.slice(0, count) });
      return textOf(pageOf({ evictions: { ...all(), refusedCount: 0 }, health }), 'evictions');
    };
    expect(textWith(0)).not.toContain('No exporter');
    expect(textWith(1)).toMatch(
      /Pods were not watched from 2026-01-01 03:00:00 UTC to 2026-01-01 03:03:00 UTC ?, and evictions of that time may be missing\./,
    );
    expect(textWith(4)).toMatch(/watched from 2026-01-01 03:10:00 .*03:33:00 UTC ?, and 1 time before, and evictions/);
  });

  it('replicas of one workload are one line, with their number and the soonest of them', () => {
    const workload = { workload: 'cart', workloadType: 'deployment', workloadNamespace: 'shop' };
    const page = pageOfCluster({ limits: all(aLimit({ workload, podCount: 10 })) });
    expect(textOf(page, 'next-evictions')).toContain('shop/cart 10 pods, first cart-0 4Ki of 8Ki');
    expect(page).toContain('href="./workloads/shop/deployment/cart"');
  });

  it.each([
    ['a ratio that is not rounded up to a limit that is not reached', { usedBytes: 9_999, limitBytes: 10_000 }, '99 %'],
    ['the time in which a growing pod reaches it', { timeToLimitMs: 250_000 }, '50 % limit in 4m'],
    ['the note on a part', { unenforced: 'dedicated_imagefs' }, 'not enforced: writable layers not compared'],
  ] as const)('a limit is shown with %s', (_case, limit, text) => {
    expect(textOf(pageOfCluster({ limits: all(aLimit(limit)) }), 'next-evictions')).toContain(text);
  });

  const unlimited = aSummary({ limitCount: 0 });
  const unmeasured = aSummary({ podCount: 0, limitCount: 0 });
  const partly = aSummary({ podCount: 3, expectedPodCount: 30, measuredPodCount: 25 });

  it.each([
    ['next-evictions', { limits: all() }, 'No measured pod has reached 50 % of a limit.'],
    ['next-evictions', { limits: all(), summary: unlimited }, 'No measured pod declares an ephemeral storage limit.'],
    ['next-evictions', { limits: all(), summary: unmeasured }, 'No pods are measured yet.'],
    ['part-tiles', { hidesPodsWithoutWorkload: true }, 'of 1 pod with a workload'],
    ['part-tiles', { hidesPodsWithoutWorkload: true, summary: partly }, 'Running pods measured 25 of 30'],
    ['nodes', { grid: aGrid({ pools: [], nodeCount: 0 }) }, 'No nodes are in scope.'],
  ])('an empty section says so: %s', (id, cluster, text) => {
    expect(textOf(pageOfCluster(cluster), id)).toContain(text);
  });

  it('pods of namespaces are said not to be listed, and nothing that they may contradict is healthy', () => {
    const unlisted = ['a', 'b'].map((namespace) => ({ resource: 'pods', namespace, message: 'x', forMs: 60_000 }));
    const cluster = aCluster({ summary: aSummary({ unlistedNamespaceCount: 2 }) });
    const page = pageOf({ cluster, health: aHealth({ unlisted }) });
    expect(severitiesIn(page)).toEqual(['ok', 'ok', 'unknown', 'unknown', 'unknown', 'ok', 'unknown']);
    expect(textOf(page, 'part-tiles')).toContain('2 namespaces not listed');
  });
});

describe('the tiles of nodes', () => {
  const nodes = [
    { node: 'ip-1.example.com', condition: 'evicting', fullRatio: 0.931 },
    { node: 'ip-2.example.com', condition: 'silent' },
    { node: 'ip-3.example.com', condition: 'ok', fullRatio: 0.4 },
  ] as const;
  const grid = aGrid({
    pools: [{ pool: 'gpu', nodeCount: 3, nodes }],
    nodeCount: 3,
    conditions: { evicting: 1, silent: 1, ok: 1 },
    commonSuffix: '.example.com',
  });

  it('tiles of many nodes are small, and the way to the others is a link', () => {
    const page = pageOfCluster({ grid: { ...grid, nodeCount: 5_000 } });
    expect(page).toContain('<a href="./nodes">and 4,997 more</a>');
    expect(page).not.toContain('class="tile-name"');
  });

  it('the overview of 5,000 nodes in trouble has at most 60 kB, compressed', () => {
    const many = Array.from({ length: 360 }, (_, index) => ({
      node: `ip-10-${index % 7}-${(index * 37) % 256}-${(index * 101) % 256}.eu-central-1.compute.internal`,
      condition: nodeConditions[index % nodeConditions.length] ?? 'ok',
      fullRatio: (index % 97) / 97,
    }));
    const pools = Array.from({ length: 13 }, (_, index) => ({
      pool: `pool-${index}`,
      nodeCount: 400,
      nodes: many.slice(index * 28, index * 28 + 28),
    }));
    const problems = Array.from({ length: 12 }, (_, index) => ({
      severity: 'critical' as const,
      text: `${index} nodes without data`,
      detail: many
        .slice(0, 20)
        .map(({ node }) => node)
        .join(', '),
      section: 'nodes' as const,
    }));
    const page = pageOf({ problems, cluster: aCluster({ grid: { ...grid, pools, nodeCount: 5_000, poolCount: 13 } }) });
    expect(gzipSync(page).length).toBeLessThan(60_000);
    expect(page.match(/class="tile [a-z]+ d/g)).toHaveLength(360);
  });
});

const hostile = `"><script>alert(1)</script><img src=x onerror=alert(2)>'\u202E`;

it('hostile names are never markup', () => {
  const page = pageOf({
    version: hostile,
    scope: hostile,
    clusterName: hostile,
    links: [{ name: hostile, url: `https://h/${hostile}` }],
    configuration: hostile,
    problems: [{ severity: 'critical', text: hostile, section: 'nodes' }],
    readinessChecks: [{ name: hostile, isOk: false, message: hostile }],
    health: aHealth({
      stores: [{ resource: hostile, objectCount: 1, isConnected: true, isPolled: false }],
      scrapes: { [hostile]: 1 },
      kubeletRequests: { [hostile]: 1 },
    }),
    cluster: aCluster({
      limits: all(aLimit({ namespace: hostile, pod: hostile, node: hostile, container: hostile })),
      grid: aGrid({ pools: [{ pool: hostile, nodeCount: 1, nodes: [{ node: hostile, condition: 'near' }] }] }),
    }),
  });
  expect(page.match(/<script/g)).toHaveLength(1);
  expect(page).not.toMatch(/<img|\u202E/);
  const ownTags = new Set(pageOf().match(/<\/?[a-z][a-z0-9]*/g));
  const tags = new Set(page.match(/<\/?[a-z][a-z0-9]*/g));
  expect([...tags].filter((tag) => !ownTags.has(tag))).toEqual([]);
});

it("the policy allows the page's own style and script, by their hashes, and nothing else", () => {
  const page = pageOf();
  const hashOf = (element: string): string => {
    const text = new RegExp(`<${element}[^>]*>([^]*?)</${element}>`).exec(page)?.[1] ?? '';
    return createHash('sha256').update(text).digest('base64');
  };
  expect(pagePolicy.split('; ')).toEqual([
    "default-src 'none'",
    `style-src 'sha256-${hashOf('style')}'`,
    `script-src 'sha256-${hashOf('script')}'`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ]);
});

it('the policy forbids nothing that the page uses: no inline style or handler, no external address', () => {
  const page = pageOf({ problems: [{ severity: 'warning', text: 'x', section: 'pods' }] });
  expect(page).not.toMatch(/\s(?:style|on\w+)=/);
  const addresses = Array.from(page.matchAll(/(?:href|src|action)="([^"]*)"/g), ([, address]) => address);
  expect(addresses.length).toBeGreaterThan(2);
  expect(addresses.filter((address) => !/^(?:#|\.\/|data:image\/svg\+xml,)/.test(address ?? ''))).toEqual([]);
});
