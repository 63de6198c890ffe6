import { createHash } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { evictionReport } from '../../../src/report/eviction-report.js';
import { pagePolicy } from '../../../src/status/html/frame.js';
import { renderPage } from '../../../src/status/html/page.js';
import type { Status } from '../../../src/status/status.js';
import { anEvictionRecord } from '../../support/eviction-builders.js';
import {
  aCluster,
  aHealth,
  aLimit,
  aMeasuredNode,
  anAbsentNodeStatus,
  aPodStatus,
  aStatus,
  aSummary,
  aWorkloadStatus,
} from '../../support/status-builders.js';
import { gib } from '../../support/units.js';

const frame = { path: '/', search: '', metricsPath: '/metrics', documentationUrl: './docs' };

function pageOf(overrides: Partial<Status> = {}): string {
  const status = aStatus(overrides);
  return renderPage(status, { ...frame, status });
}

function pageOfCluster(overrides: Parameters<typeof aCluster>[0]): string {
  return pageOf({ cluster: aCluster(overrides) });
}

/** A list that shows all that there is. */
const all = <T = never>(...items: readonly T[]) => ({ items, totalCount: items.length });

/** The words of a section, without its markup. */
function textOf(page: string, id: string): string {
  const section = new RegExp(`<section id="${id}"[^]*?</section>`).exec(page)?.[0] ?? '';
  return section
    .replaceAll(/<title>[^<]*<\/title>/g, '')
    .replaceAll(/<\/?abbr[^>]*>/g, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Of the tiles. */
function severitiesIn(page: string): readonly (string | undefined)[] {
  return Array.from(page.matchAll(/<div class="(\w*)"><dt>/g), ([, severity]) => severity);
}

it.each([
  ['pods that are too young to be expected', { podCount: 18, expectedPodCount: 0, measuredPodCount: 0 }, '18 of 18'],
  ['pods without data', { podCount: 12, expectedPodCount: 15, measuredPodCount: 11 }, '12 of 16'],
])('the tiles count %s', (_case, summary, text) => {
  const page = pageOfCluster({ summary: aSummary(summary) });
  expect(textOf(page, 'part-tiles')).toContain(`Running pods measured ${text} `);
});

describe('unknown values', () => {
  it('no tile of a cluster with a silent node is green', () => {
    const summary = aSummary({ absentNodeCount: 1, expectedPodCount: 3, unknownLimitPodCount: 2 });
    const page = pageOfCluster({ summary });
    expect(severitiesIn(page)).toEqual(['unknown', 'unknown', 'unknown', 'unknown', 'unknown', 'critical', 'warning']);
    expect(textOf(page, 'part-tiles')).toContain(
      'Pods near a limit 0 and 2 unknown from 80 %, or reached within 10 min; of 3 pods with limits',
    );
    expect(textOf(page, 'part-tiles')).toContain(
      'Used by pods at least 4.0KiB ephemeral storage of 1 pod, without 2 not measured',
    );
  });

  it.each([
    ['no kubelet answers', { freshNodeCount: 0, absentNodeCount: 2, podCount: 0, podsUsedBytes: 0 }],
    ['no node is in scope', { freshNodeCount: 0, podCount: 0, podsUsedBytes: 0 }],
  ])('the tiles show no sum of 0 bytes when %s', (_case, counts) => {
    const page = pageOfCluster({ summary: aSummary({ ...counts, oldestDataAgeMs: undefined }) });
    expect(textOf(page, 'part-tiles')).toContain('Used by pods - ephemeral storage of 0 pods');
    expect(severitiesIn(page)).not.toContain('ok');
    expect(severitiesIn(page)[4]).toBe('unknown');
  });

  it('the 0 bytes of a node without pods are shown as known', () => {
    const page = pageOfCluster({
      summary: aSummary({ podCount: 0, podsUsedBytes: 0, expectedPodCount: 0, measuredPodCount: 0 }),
    });
    expect(textOf(page, 'part-tiles')).toContain('Used by pods 0B');
    expect(severitiesIn(page)[4]).toBe('');
  });

  it.each([
    ['a node without expected pods', { absentNodeCount: 1, expectedPodCount: 0, measuredPodCount: 0, podCount: 0 }],
    [
      'no node',
      { freshNodeCount: 0, absentNodeCount: 0, oldestDataAgeMs: undefined, expectedPodCount: 0, measuredPodCount: 0 },
    ],
  ])('the tiles are not green for %s', (_case, summary) => {
    expect(severitiesIn(pageOfCluster({ isPartial: true, summary: aSummary(summary) }))).toEqual(
      Array<string>(7).fill('unknown'),
    );
  });

  it('the tiles are green where all is known', () => {
    expect(severitiesIn(pageOf())).toEqual(['ok', 'ok', 'ok', 'ok', '', 'ok', 'ok']);
  });

  it('nodes below a threshold and close to one come first', () => {
    const page = pageOfCluster({ summary: aSummary({ pressedNodeCount: 2, nearPressureNodeCount: 3 }) });
    expect(severitiesIn(page).slice(0, 2)).toEqual(['critical', 'warning']);
    expect(textOf(page, 'part-tiles')).toMatch(/^Nodes evicting 2 below .* Nodes close to evicting 3 headroom/);
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
    ['a part of which is compared, and that is low', { ratio: 0.6, unenforced: 'dedicated_imagefs' }, 'unknown'],
    ['a part of which is compared, and that is near', { ratio: 0.85, unenforced: 'dedicated_imagefs' }, 'warning'],
    ['that binds', { ratio: 0.6 }, 'ok'],
  ] as const)('the bar of a limit %s has the colour %s', (_case, limit, colour) => {
    const page = pageOfCluster({ limits: all(aLimit(limit)) });
    expect(page).toContain(`<rect class="f-${colour}-bar"`);
  });

  it('a pod whose nearest limit is not enforced says so', () => {
    const nearestLimit = { rule: 'pod', usedBytes: 1, limitBytes: 1, ratio: 1, unenforced: 'exempt' } as const;
    const page = pageOfCluster({ pods: all(aPodStatus({ limitBytes: 1, hasLimits: true, nearestLimit })) });
    expect(textOf(page, 'pods')).toContain('100 %, not enforced: exempt');
  });

  it('the card of a node says what does not protect, and is not green', () => {
    const page = pageOfCluster({ nodes: all(aMeasuredNode({ enforcement: ['threshold_unset'] })) });
    expect(textOf(page, 'nodes')).toContain('The kubelet has no eviction threshold for a disk');
    expect(page).toContain('<li class="unknown"><div class="card-head">');
    const absent = pageOfCluster({ nodes: all(anAbsentNodeStatus({ enforcement: ['isolation_disabled'] })) });
    expect(textOf(absent, 'nodes')).toContain('The kubelet enforces no limits');
  });

  it('unknown usage and nodes are shown beside what is known of limits and thresholds', () => {
    const summary = aSummary({ absentNodeCount: 1, unknownLimitPodCount: 2 });
    const shown = textOf(pageOfCluster({ summary, limits: all() }), 'next-evictions');
    expect(shown).toContain('No measured pod has reached 50 % of a limit. Unknown: the usage of 2 pods with limits.');
    expect(shown).toContain('No measured node is close to an eviction threshold. Unknown: 1 node without data.');
  });
});

describe('the last values of a node without data', () => {
  const facts = { dataState: 'absent', dataAgeMs: 720_000, absenceReason: 'timeout' } as const;
  const chip = 'last known 12m ago, node without data (timeout)';

  it('last values of a silent node are shown as such, with age and reason, in no colour of a state', () => {
    const limits = all(aLimit({ ...facts, ratio: 1.2 }));
    const page = pageOfCluster({ limits, pods: all(aPodStatus(facts)) });
    expect(textOf(page, 'next-evictions')).toContain(chip);
    expect(textOf(page, 'pods')).toContain(chip);
    expect(page).toContain('<rect class="f-unknown-bar"');
    expect(page).not.toMatch(/<rect class="f-(?:ok|warning|critical)-bar"/);
    expect(page.match(/<tr role="row" class="last">/g)).toHaveLength(2);
  });

  it('last values of a silent node are shown on its card', () => {
    const lastKnown = aMeasuredNode({ dataAgeMs: 720_000, otherPodCount: 1, otherPodsUsedBytes: 1024 });
    const shown = textOf(pageOfCluster({ nodes: all(anAbsentNodeStatus({ lastKnown })) }), 'nodes');
    expect(shown).toMatch(
      /no data: timeout .* Last known, 12m ago: nodefs 40 % full .* 4.0KiB by 1 pod, 1.0KiB by 1 other pod .* shop\/cart-0 4.0KiB/,
    );
  });
});

describe('pods whose volumes are not measured', () => {
  const facts = { state: 'pending', dataState: 'pending', dataAgeMs: 61_500 } as const;
  const chip = 'last known 1m1s ago, volumes pending';

  it('pods with pending volumes keep their last values as such, in no colour of a state', () => {
    const limits = all(aLimit({ ...facts, ratio: 0.92 }));
    const page = pageOfCluster({ limits, pods: all(aPodStatus(facts)) });
    expect(textOf(page, 'next-evictions')).toContain(chip);
    expect(textOf(page, 'pods')).toContain(chip);
    expect(page).toContain('<rect class="f-unknown-bar"');
    expect(page.match(/<tr role="row" class="last">/g)).toHaveLength(2);
  });

  it('pods with pending volumes are marked where their present values, which are too low, are shown', () => {
    const pending = { ...facts, dataState: 'fresh' } as const;
    const limits = all(aLimit({ ...pending, ratio: 0.92 }));
    const page = pageOfCluster({ limits, pods: all(aPodStatus(pending)) });
    for (const id of ['next-evictions', 'pods']) expect(textOf(page, id)).toMatch(/volumes pending(?! ago)/);
    expect(page).not.toContain('class="last"');
    expect(page).toContain('<rect class="f-critical-bar"');
  });

  it('pods with pending volumes are never green, and no part of a sum that looks whole', () => {
    const summary = aSummary({ pendingPodCount: 1, unknownLimitPodCount: 1, limitedPodCount: 0, limitCount: 0 });
    const page = pageOfCluster({ summary, limits: all() });
    const tiles = textOf(page, 'part-tiles');
    expect(page.match(/<div class="unknown"><dt>/g)).toHaveLength(4);
    expect(tiles).toContain('Running pods measured 1 of 1 volumes of 1 not measured, data up to 1s old');
    expect(tiles).toContain('Used by pods at least 4.0KiB ephemeral storage of 1 pod, without the volumes of 1');
    expect(tiles).toContain('Pods near a limit 0 and 1 unknown');
    expect(textOf(page, 'next-evictions')).toContain('Unknown: the usage of 1 pod with limits.');
    expect(textOf(page, 'next-evictions')).not.toContain('No measured pod declares');
    expect(textOf(page, 'part-banner')).toContain('1 pod measured, limits of 1 pod unknown');
  });

  it('pods with pending volumes are lower bounds on the card of their node', () => {
    const largestPods = [{ namespace: 'shop', pod: 'cart-0', state: 'pending', usedBytes: 4096 }] as const;
    const node = aMeasuredNode({ pendingPodCount: 1, largestPods });
    const shown = textOf(pageOfCluster({ nodes: all(node) }), 'nodes');
    expect(shown).toContain('at least 4.0KiB by 1 pod');
    expect(shown).toContain('shop/cart-0 at least 4.0KiB');
  });
});

describe('the bars of pods', () => {
  const barsOf = (...items: readonly Parameters<typeof aPodStatus>[0][]): readonly string[] => {
    const components = { rootfs: 60, logs: 0, emptydir: 0, configmap: 0, other: 0 };
    const pods = items.map((pod) => aPodStatus({ components, usedBytes: 60, ...pod }));
    const page = pageOfCluster({ pods: all(...pods) });
    const section = page.slice(page.indexOf('<section id="pods"'));
    return section.match(/<svg class="bar" width="100%".*?<\/svg>/g)?.slice(0, items.length) ?? [];
  };

  it('the bar of a pod with a limit is a share of that limit', () => {
    const [below, above] = barsOf({ limitBytes: 120 }, { limitBytes: 30 });
    expect(below).toMatch(/class="f-track"[^]*class="f-rootfs" x="0%" width="50%"[^]*class="mark limit" x="100%"/);
    expect(above).toMatch(/class="f-rootfs" x="0%" width="100%"[^]*class="mark limit" x="50%"/);
  });

  it('bars of pods without a limit are thin, without a track and of one scale', () => {
    const bars = barsOf({}, { usedBytes: 120 }, { usedBytes: 9_000, limitBytes: 10_000 }, { limitBytes: 0 });
    for (const index of [0, 1, 3]) expect(bars[index]).not.toMatch(/f-track|class="mark/);
    expect(bars[0]).toContain('height="6"');
    expect(bars[0]).toContain('class="f-rootfs" x="0%" width="50%"');
  });
});

it('the words of the page are explained', () => {
  expect(pageOf()).toContain(
    '<abbr title="Volumes of type configMap. Secrets, projected and downwardAPI volumes are in memory and do not count.">configmap</abbr>',
  );
  expect(pageOf()).toMatch(/<abbr title="The node's|<abbr title="The node&#39;s/);
  expect(pageOf()).toContain('>absent</abbr>');
});

describe('the head of the page', () => {
  it('the head names the cluster, and the number of problems first', () => {
    const problems = [{ severity: 'warning', text: 'x', section: 'pods' }] as const;
    expect(pageOf({ problems })).toContain('<title>(1) prod-1 - Ephemeral Storage Exporter</title>');
    const page = pageOf();
    expect(page).toContain('<title>prod-1 - Ephemeral Storage Exporter</title>');
    expect(page).toContain('cluster <strong>prod-1</strong>');
  });

  it('the head links to the pages of the settings', () => {
    const page = pageOf({ links: [{ name: 'Grafana', url: 'https://grafana.example.com/d/x?a=1&b=2' }] });
    expect(page).toContain('<a href="https://grafana.example.com/d/x?a=1&amp;b=2">Grafana</a>');
  });
});

describe('the banner', () => {
  it('the banner reports that there are no problems', () => {
    expect(textOf(pageOf(), 'part-banner')).toBe(
      '✓ No problems 1 node with fresh data, 1 pod measured, none of 1 limit is near',
    );
  });

  it('the banner lists the problems with links to their sections', () => {
    const page = pageOf({
      problems: [
        {
          severity: 'critical',
          text: '1 limit reached',
          detail: 'shop/a',
          hint: 'Raise it.',
          section: 'next-evictions',
        },
        { severity: 'warning', text: '2 nodes with stale data', section: 'nodes' },
      ],
    });
    expect(textOf(page, 'part-banner')).toBe(
      '✕ 2 problems 1 limit reached shop/a Raise it. warning: 2 nodes with stale data',
    );
    expect(page).toContain('href="#next-evictions"');
    expect(page).toContain('<section id="next-evictions"');
  });

  it('the banner lists the failing checks before the first lists, and the page shows no values', () => {
    const page = pageOf({
      cluster: undefined,
      problems: [{ severity: 'critical', text: 'not ready: pods', section: 'trust' }],
      readinessChecks: [{ name: 'pods', isOk: false, message: 'not listed yet: forbidden' }],
    });
    expect(textOf(page, 'part-banner')).toContain('pods : not listed yet: forbidden');
    for (const id of ['part-tiles', 'next-evictions', 'workloads', 'pods', 'nodes']) {
      expect(page).toMatch(new RegExp(`<section id="${id}"[^>]* hidden`));
    }
    expect(page).not.toMatch(/<section id="trust"[^>]* hidden/);
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

  it('the banner notes that nodes had not responded in time', () => {
    expect(textOf(pageOfCluster({ isPartial: true }), 'part-banner')).toContain('had not responded');
  });
});

describe('the sections', () => {
  it('an exceeded limit is shown with its rule, its values and the excess', () => {
    const limit = aLimit({ rule: 'emptydir', volume: 'cache', usedBytes: 3 * gib, limitBytes: 2 * gib });
    expect(textOf(pageOfCluster({ limits: { items: [limit], totalCount: 12 } }), 'next-evictions')).toContain(
      'shop/cart-0 node-1 emptyDir cache 3.0GiB of 2.0GiB 1.0GiB over 150 % and 11 more pods',
    );
  });

  const pressedNode = { node: 'node-3', dataState: 'fresh', dataAgeMs: 1_500, isAssumed: false } as const;
  const nodefs = { signal: 'nodefs.available', thresholdBytes: 10 * gib } as const;
  it.each([
    [
      'with the pods that it would evict first',
      {
        ...{ ...nodefs, isAssumed: true, available: 11 * gib, headroom: gib },
        victims: [
          { rank: 1, namespace: 'shop', pod: 'big', usage: 9 * gib, place: 'above_request' },
          { rank: 2, namespace: 'shop', pod: 'small', usage: 1, place: 'within_request' },
        ],
      },
      'nodefs.available 11.0GiB, threshold 10.0GiB default of Kubernetes, assumed 1.0GiB 1. shop/big 2. shop/small',
    ],
    [
      'below it, in inodes where those are short',
      { signal: 'nodefs.inodesFree', thresholdInodes: 1000, available: 900, headroom: -100, victims: [] },
      'nodefs.inodesFree 900 inodes, threshold 1000 inodes 100 inodes missing no pod',
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
    expect(shown).toContain(`1.0GiB missing ${text}`);
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

  it('a pod that is above its limit is evicted now, at any growth', () => {
    const limits = all(aLimit({ rule: 'emptydir', volume: 'cache', ratio: 1.2, timeToLimitMs: 0 }));
    const shown = textOf(pageOfCluster({ limits }), 'next-evictions');
    expect(shown).toContain('Next: pod shop/cart-0 exceeds the limit of emptyDir cache now');
    expect(shown).not.toContain('at its present growth');
  });

  it('a pod that exceeds the limit of the pod exceeds its limit', () => {
    const limit = aLimit({ rule: 'pod', container: undefined, volume: undefined, timeToLimitMs: 60_000 });
    const shown = textOf(pageOfCluster({ limits: all(limit) }), 'next-evictions');
    expect(shown).toContain('Next: pod shop/cart-0 exceeds its limit in 1m');
  });

  it('findings are shown by kind, with what to do', () => {
    const finding = {
      namespace: 'shop',
      pod: 'cart-0',
      node: 'node-1',
      kind: 'volume_not_mounted',
      volume: 'data',
      what: 'no container mounts emptyDir data',
      fix: 'Mount it.',
      podCount: 3,
    } as const;
    const kind = { kind: finding.kind, findingCount: 5, items: [finding], totalCount: 3 };
    const summary = aSummary({ absentNodeCount: 2 });
    expect(textOf(pageOfCluster({ findings: [kind], summary }), 'findings')).toContain(
      'Volume that no container mounts 5 findings Mount it. shop/cart-0 node-1; 2 more pods of its controller: no container mounts emptyDir data and 2 more workloads or bare pods with it Of 2 nodes without data: by the last values and the specs of the pods.',
    );
  });

  it('an eviction is shown with its cause, its last values and its growth', () => {
    const eviction = { ...evictionReport(anEvictionRecord()), ageMs: 300_000 };
    const page = pageOf({ evictions: { items: [eviction], totalCount: 3, refusedCount: 7 } });
    expect(textOf(page, 'evictions')).toContain(
      'shop/cart-0 node-1; deployment cart emptyDir data above its size limit of 100.0MiB 5m ago 90.0MiB 20s before',
    );
    expect(textOf(page, 'evictions')).toContain('32.7MiB/min limit for an hour more: 2.3GiB');
    expect(textOf(page, 'evictions')).toContain(
      'and 2 more evictions: all as JSON , or by top evictions -A Besides, 7 pods were refused',
    );
    expect(page).toContain('<a href="./evictions" data-key="all-evictions">as JSON</a>');
    expect(page).toContain('<polyline points="0.0,7.0 72.0,1.0"/>');
  });

  it.each([
    [{ lastUsage: 'before_start' as const }, 'The exporter was started after the eviction'],
    [{ lastUsage: 'not_measured' as const, cause: 'node_admission' as const }, 'Nothing of the pod ran.'],
    [{ lastUsage: 'not_measured' as const }, 'evicted before a summary of its node listed it'],
  ])('an evicted pod of which nothing is known is shown with the reason: %j', (overrides, text) => {
    const eviction = { ...evictionReport(anEvictionRecord(overrides)), ageMs: 0 };
    const evictions = { ...all(eviction), refusedCount: 0 };
    expect(textOf(pageOf({ evictions }), 'evictions')).toContain(text);
  });

  it('words are kept apart where a narrow screen has no line breaks', () => {
    const eviction = { ...evictionReport(anEvictionRecord()), ageMs: 300_000 };
    const limit = aLimit({ usedBytes: 3 * gib, limitBytes: 2 * gib });
    const page = pageOf({
      evictions: { ...all(eviction), refusedCount: 0 },
      cluster: aCluster({ limits: all(limit) }),
    });
    const cells = Array.from(page.matchAll(/<td[^>]* class="low[^"]*"[^>]*>([^]*?)<\/td>/g), ([, cell = '']) => cell);
    const texts = cells.map((cell) => cell.replaceAll(/<[^>]+>/g, '').trim());
    expect(texts).toContain('emptyDir data above its size limit of 100.0MiB 5m ago');
    expect(texts).toContain('32.7MiB/min limit for an hour more: 2.3GiB');
    expect(texts).toContain('3.0GiB of 2.0GiB 1.0GiB over');
  });

  it('the growth of a pod of which nothing is known has no label', () => {
    const eviction = { ...evictionReport(anEvictionRecord({ lastUsage: 'not_measured' })), ageMs: 0 };
    const page = pageOf({ evictions: { ...all(eviction), refusedCount: 0 } });
    expect(page).toMatch(/ data-label="Evicted for"/);
    expect(page).not.toMatch(/ data-label="Growth before"/);
  });

  it.each([
    ['a ratio that is not rounded up to a limit that is not reached', { usedBytes: 9_999, limitBytes: 10_000 }, '99 %'],
    ['the time in which a growing pod reaches it', { timeToLimitMs: 250_000 }, '50 % limit in 4m'],
    ['the note that only a part is compared', { unenforced: 'dedicated_imagefs' }, 'not enforced: dedicated imagefs'],
  ] as const)('a limit is shown with %s', (_case, limit, text) => {
    expect(textOf(pageOfCluster({ limits: all(aLimit(limit)) }), 'next-evictions')).toContain(text);
  });

  it.each([
    [{}, '1 pod', 'incomplete'],
    [{ measuredPodCount: 1, expectedPodCount: 3, isComplete: false }, '1 of 3 pods measured incomplete', 'pending'],
    [{ isComplete: false }, 'incomplete: volumes pending', 'no data'],
    [{ isComplete: false, limitBytes: 8192 }, '4.0KiB of pod limits 8.0KiB, at least 50 %', 'no data'],
    [{ limitBytes: 8192 }, '4.0KiB of pod limits 8.0KiB, 50 %', 'at least'],
    [
      { isComplete: false, usedBytes: undefined, components: undefined, measuredPodCount: 0, backoffMs: 8_000 },
      'no data; retry in 8s',
      'incomplete',
    ],
    [
      { isComplete: false, usedBytes: undefined, components: undefined, backoffMs: 9_000 },
      'no sum yet; retry',
      'no data',
    ],
    [{ isComplete: false, usedBytes: undefined, components: undefined, backoffMs: 4 }, 'retry in 1s', 'retry in 0s'],
  ])('a workload is shown with how far it is measured: %j', (overrides, text, otherText) => {
    const items = [aWorkloadStatus({ podMaxUsedBytes: undefined, ...overrides })];
    const shown = textOf(pageOfCluster({ workloads: all(...items) }), 'workloads');
    expect(shown).toContain(text);
    expect(shown).not.toContain(otherText);
  });

  it('the components of a pod are shown in words too', () => {
    const components = { rootfs: 0, logs: 1024, emptydir: 2 * gib, configmap: 0, other: 0 };
    const items = [aPodStatus({ components, usedBytes: 2 * gib + 1024, requestBytes: gib })];
    const shown = textOf(pageOfCluster({ pods: all(...items) }), 'pods');
    expect(shown).toContain('2.0GiB no limit emptydir 2.0GiB · logs 1.0KiB request 1.0GiB');
  });

  const podLimit = { rule: 'pod', usedBytes: 4096, limitBytes: 8192, ratio: 0.5 } as const;
  const emptyDirLimit = { rule: 'emptydir', volume: 'work', usedBytes: 3072, limitBytes: 4096, ratio: 0.75 } as const;
  const containerLimit = {
    rule: 'container',
    container: 'main',
    usedBytes: 3900,
    limitBytes: 4096,
    ratio: 0.952,
  } as const;

  it.each([
    [{ hasLimits: false }, '4.0KiB no limit'],
    [{ hasLimits: undefined, isKnown: false }, '4.0KiB limits unknown'],
    [{ hasLimits: true }, '4.0KiB no limit applies'],
    [{ hasLimits: true, state: 'pending' }, '4.0KiB limits not measured'],
    [{ hasLimits: true, limitBytes: 8192, nearestLimit: podLimit }, '4.0KiB of pod limit 8.0KiB, 50 %'],
    [{ hasLimits: true, nearestLimit: emptyDirLimit }, '4.0KiB emptyDir work: 3.0KiB of 4.0KiB, 75 %'],
    [{ hasLimits: true, nearestLimit: containerLimit }, '4.0KiB container main: 3.8KiB of 4.0KiB, 95 %'],
  ] as const)('a pod is shown with the limit that it is nearest to: %j', (pod, text) => {
    const shown = textOf(pageOfCluster({ pods: all(aPodStatus(pod)) }), 'pods');
    expect(shown).toContain(`${text} rootfs`);
  });

  it('the whole of which the bar of a pod is part is named when another limit is nearer', () => {
    const items = [aPodStatus({ limitBytes: 8192, requestBytes: 1024, nearestLimit: containerLimit })];
    const shown = textOf(pageOfCluster({ pods: all(...items) }), 'pods');
    expect(shown).toMatch(/other 96B 50 % of pod limit 8.0KiB · request 1.0KiB$/);
  });

  it('a workload is shown with its used bytes and the sum of the limits of its pods', () => {
    const items = [aWorkloadStatus({ limitBytes: 8192 }), aWorkloadStatus({ workload: 'web' })];
    const shown = textOf(pageOfCluster({ workloads: all(...items) }), 'workloads');
    expect(shown).toContain('4.0KiB of pod limits 8.0KiB, 50 %');
    expect(shown).toContain('4.0KiB no pod limits');
  });

  it('a node without data is shown with the reason and a hint', () => {
    const shown = textOf(pageOfCluster({ nodes: { items: [anAbsentNodeStatus()], totalCount: 40 } }), 'nodes');
    expect(shown).toContain('node-2 no data: timeout 2 running pods not measured. Look at the node.');
    expect(shown).toContain('Last request 3s ago: summary of node node-2: no complete answer within 10 s');
    expect(shown).toContain('and 39 more nodes');
  });

  it('one filesystem is shown once, with its images and inodes', () => {
    const filesystems = [
      {
        filesystem: 'nodefs',
        capacityBytes: 100 * gib,
        availableBytes: 5 * gib,
        usedBytes: 95 * gib,
        podsUsedBytes: 60 * gib,
        imagesUsedBytes: 20 * gib,
        unattributedBytes: 15 * gib,
        fullRatio: 0.95,
        inodesFullRatio: 0.9,
        evictionThresholdBytes: 10 * gib,
      },
      { filesystem: 'imagefs', sameAs: 'nodefs', usedBytes: 20 * gib },
    ] as const;
    const page = pageOfCluster({ nodes: all(aMeasuredNode({ filesystems })) });
    const shown = textOf(page, 'nodes');
    expect(shown).toContain('nodefs 95 % full 5.0GiB free of 100.0GiB');
    expect(shown).toContain('pods 60.0GiB · images 20.0GiB · other 15.0GiB inodes 90 %');
    expect(shown).not.toContain('imagefs');
    expect(page).toContain('evictions below 10.0GiB free');
  });

  it.each([
    [-gib, true, 'DiskPressure', 'critical'],
    [gib, true, 'DiskPressure', 'critical'],
    [-gib, false, 'below its threshold', 'critical'],
    [gib, false, 'near its threshold', 'warning'],
  ])('a node with headroom %d and DiskPressure %s is shown as %s', (headroom, diskPressure, chip, card) => {
    const verdict = {
      kind: 'pods',
      text: 'Pods are the cause.',
      commands: ['kubectl delete pod -n shop cart-0'],
      signal: 'nodefs.available',
      isAssumed: true,
      thresholdBytes: 10 * gib,
      headroom,
    } as const;
    const page = pageOfCluster({ nodes: all(aMeasuredNode({ verdict, diskPressure })) });
    expect(textOf(page, 'nodes')).toContain(
      `node-1 ${chip} Pods are the cause. nodefs.available: headroom ${headroom / gib}.0GiB, threshold 10.0GiB (assumed) kubectl delete pod -n shop cart-0`,
    );
    expect(page).toContain(`<ul class="cards"><li class="${card}">`);
    expect(textOf(page, 'nodes')).not.toContain('fresh');
    const stale = pageOfCluster({ nodes: all(aMeasuredNode({ verdict, diskPressure, state: 'stale' })) });
    expect(textOf(stale, 'nodes')).toContain(`node-1 ${chip} stale, 1s old Pods`);
  });

  it('a silent node is shown with the verdict of its last data', () => {
    const verdict = { kind: 'unknown', text: 'Unknown cause.', commands: [] } as const;
    const page = pageOfCluster({ nodes: all(anAbsentNodeStatus({ verdict })) });
    expect(textOf(page, 'nodes')).toContain('node-2 no data: timeout Unknown cause.');
  });

  it('an eviction for a shortage of its node is shown with what filled the disk', () => {
    const record = anEvictionRecord({ cause: 'node_bytes', volume: '', message: '' });
    const page = pageOf({ evictions: { ...all({ ...evictionReport(record), ageMs: 0 }), refusedCount: 0 } });
    expect(textOf(page, 'evictions')).toContain(
      'node low on disk space Unknown cause: the shortage was not seen before the eviction. 0s ago',
    );
  });

  it.each([
    [0.79, '', 'ok'],
    [0.8, 't-warning', 'warning'],
    [0.9, 't-critical', 'warning'],
  ])('a filesystem that is full to %d has the colours of a limit', (fullRatio, colour, card) => {
    const filesystems = [{ filesystem: 'nodefs', fullRatio, inodesFullRatio: fullRatio }] as const;
    const page = pageOfCluster({ nodes: all(aMeasuredNode({ filesystems })) });
    expect(page).toMatch(new RegExp(`</abbr> <span class="${colour}">\\d+ % full</span>`));
    expect(page).toMatch(new RegExp(`<span class="${colour}">inodes \\d+ %</span>`));
    expect(page).toContain(`<ul class="cards"><li class="${card}">`);
  });

  it('a node shows how much of its images is unused, and in which sizes', () => {
    const images = {
      sizes: 'compressed',
      imageCount: 4,
      sizeBytes: 8 * gib,
      isCut: false,
      unusedBytes: 2 * gib,
      maxCopiesBytes: 8 * gib,
      collection: { startsInBytes: 6 * gib, wantedBytes: 5 * gib, isEnough: false, minAgeMs: 0 },
    } as const;
    const shown = textOf(pageOfCluster({ nodes: all(aMeasuredNode({ images })) }), 'nodes');
    expect(shown).toContain('Images: 4, 8.0GiB compressed (more on disk); no container uses 2.0GiB of them.');
    expect(shown).toContain('Image garbage collection starts in 6.0GiB');
    expect(textOf(pageOfCluster({ nodes: all(aMeasuredNode({})) }), 'nodes')).not.toContain('Images:');
  });

  it('no more of a filesystem is drawn than is occupied, even if the runtime counts twice', () => {
    const filesystems = [
      {
        filesystem: 'nodefs',
        capacityBytes: 100 * gib,
        availableBytes: 40 * gib,
        podsUsedBytes: 45 * gib,
        imagesUsedBytes: 55 * gib,
        unattributedBytes: -40 * gib,
        fullRatio: 0.6,
      },
      { filesystem: 'imagefs', sameAs: 'nodefs', usedBytes: 55 * gib },
    ] as const;
    const page = pageOfCluster({ nodes: all(aMeasuredNode({ filesystems })) });
    expect(page).toContain('<rect class="f-pods" x="0%" width="45%"');
    expect(page).toContain('<rect class="f-images" x="45%" width="15%"');
    expect(textOf(page, 'nodes')).toContain('pods 45.0GiB · images 55.0GiB');
  });

  it('all but the largest pods of a node are collapsed', () => {
    const largestPods = Array.from({ length: 5 }, (_, index) => ({
      namespace: 'shop',
      pod: `p-${index}`,
      state: 'measured' as const,
      usedBytes: 9 - index,
    }));
    const page = pageOfCluster({ nodes: all(aMeasuredNode({ largestPods })) });
    expect(page).toMatch(/shop\/p-2[^]*<details id="node-node-1"><summary[^>]*>2 more[^]*shop\/p-3/);
  });

  it.each([
    ['next-evictions', { limits: all() }, 'No measured pod has reached 50 % of a limit.'],
    [
      'next-evictions',
      { limits: all(), summary: aSummary({ limitCount: 0 }) },
      'No measured pod declares an ephemeral storage limit.',
    ],
    [
      'next-evictions',
      { limits: all(), summary: aSummary({ podCount: 0, limitCount: 0 }) },
      'No pods are measured yet.',
    ],
    ['workloads', { workloads: all() }, 'No pods belong to a workload yet.'],
    ['pods', { pods: all() }, 'No pods are measured yet.'],
    ['findings', {}, 'Nothing was found.'],
    ['findings', { summary: aSummary({ podCount: 0 }) }, 'No pods are measured yet.'],
    ['pods', { hidesPodsWithoutWorkload: true }, 'not shown'],
    ['part-tiles', { hidesPodsWithoutWorkload: true }, 'ephemeral storage of 1 pod with a workload'],
    [
      'part-tiles',
      {
        hidesPodsWithoutWorkload: true,
        summary: aSummary({ podCount: 3, expectedPodCount: 30, measuredPodCount: 25 }),
      },
      'Running pods measured 25 of 30',
    ],
    ['nodes', { nodes: all() }, 'No nodes are in scope.'],
  ])('an empty section says so: %s', (id, cluster, text) => {
    expect(textOf(pageOfCluster(cluster), id)).toContain(text);
  });

  it('pods of namespaces are said not to be listed, and nothing that they may contradict is healthy', () => {
    const unlisted = ['a', 'b'].map((namespace) => ({ resource: 'pods', namespace, message: 'x', forMs: 60_000 }));
    const cluster = aCluster({ summary: aSummary({ unlistedNamespaceCount: 2 }) });
    const page = pageOf({ cluster, health: aHealth({ unlisted }) });
    expect(severitiesIn(page)).toEqual(['ok', 'ok', 'unknown', 'unknown', 'unknown', 'ok', 'unknown']);
    expect(textOf(page, 'part-tiles')).toContain('2 namespaces not listed');
    expect(textOf(page, 'trust')).toContain('pods 2 namespaces not listed');
  });

  it('the quality of the data is shown', () => {
    const health = aHealth({
      stores: [{ resource: 'pods', objectCount: 7, isConnected: false, isPolled: false, lastProgressAgeMs: undefined }],
      kubeletRequests: { success: 2, http_status: 3, tls: 0 },
      droppedSeriesCount: 5,
      isLastReloadSuccessful: false,
      isKubeletTlsUnverified: true,
      seriesCount: undefined,
    });
    const shown = textOf(pageOf({ health }), 'trust');
    expect(shown).toContain('pods not listed never 7');
    expect(shown).toContain('success 2 http status 3 Scrapes');
    expect(shown).toContain('series in the last scrape none yet series dropped 5');
    expect(shown).toContain('last reload failed: see the log kubelet certificates not verified');
  });

  it('certificates that are verified are not mentioned', () => {
    expect(textOf(pageOf(), 'trust')).not.toContain('certificates');
  });

  it('the settings are shown line by line', () => {
    expect(pageOf({ configuration: 'a: 1\nb: <x>\n' })).toContain('a: 1\nb: &lt;x&gt;\n</pre>');
  });
});

describe('hostile names', () => {
  const hostile = `"><script>alert(1)</script><img src=x onerror=alert(2)>'\u202E`;

  it('hostile names are never markup', () => {
    const failure = { reason: 'decode' as const, message: hostile, ageMs: 1 };
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
        limits: {
          items: [aLimit({ namespace: hostile, pod: hostile, node: hostile, container: hostile })],
          totalCount: 1,
        },
        workloads: all(aWorkloadStatus({ workload: hostile })),
        pods: all(aPodStatus({ namespace: hostile, pod: hostile, node: hostile })),
        nodes: {
          items: [
            aMeasuredNode({
              node: hostile,
              failure,
              largestPods: Array.from({ length: 4 }, () => ({
                namespace: hostile,
                pod: hostile,
                state: 'measured' as const,
                usedBytes: 1,
              })),
            }),
            anAbsentNodeStatus({ node: hostile, failure }),
          ],
          totalCount: 2,
        },
      }),
    });
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page).not.toMatch(/<img|\u202E/);
    const ownTags = new Set(pageOf().match(/<\/?[a-z][a-z0-9]*/g));
    const tags = new Set(page.match(/<\/?[a-z][a-z0-9]*/g));
    expect([...tags].filter((tag) => !ownTags.has(tag))).toEqual([]);
  });
});

describe('the policy of the page', () => {
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
});
