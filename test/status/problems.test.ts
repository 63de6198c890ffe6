import { describe, expect, it } from 'vitest';

import { evictionReport } from '../../src/report/eviction-report.js';
import { type ProblemsInput, problemsOf } from '../../src/status/problems.js';
import type { Problem } from '../../src/status/status.js';
import { anEvictionRecord } from '../support/eviction-builders.js';
import { aCluster, aHealth, aLimit, anAbsence, aSummary } from '../support/status-builders.js';

const nowMs = Date.UTC(2026, 0, 1, 12, 30);

function problemsIn(input: Partial<ProblemsInput>): readonly Problem[] {
  const healthy = { readinessChecks: [], cluster: aCluster(), evictions: [], generatedAtMs: nowMs, health: aHealth() };
  return problemsOf({ ...healthy, ...input });
}

function textsOf(input: Partial<ProblemsInput>): readonly string[] {
  return problemsIn(input).map(({ severity, text, section }) => `${severity} ${section}: ${text}`);
}

it('no problems are reported for a healthy exporter', () => {
  expect(textsOf({})).toEqual([]);
});

it.each([
  [{ evictedAtMs: nowMs - 3_599_000 }, ['warning evictions: 1 pod evicted in the last hour']],
  [{ evictedAtMs: nowMs - 3_600_000 }, []],
  [{ evictedAtMs: nowMs, cause: 'node_admission' as const }, []],
])('an eviction with %j is a problem: %j', (overrides, problems) => {
  expect(textsOf({ evictions: [evictionReport(anEvictionRecord(overrides))] })).toEqual(problems);
});

describe('a problem', () => {
  it.each([
    [{ reachedLimitPodCount: 1, evictableLimitCount: 1 }, 'critical next-evictions: 1 pod at or above a limit'],
    [{ reachedLimitPodCount: 2, evictableLimitCount: 1 }, 'critical next-evictions: 2 pods at or above a limit'],
    [{ pressedNodeCount: 1 }, 'critical next-evictions: 1 node below an eviction threshold'],
    [{ nearLimitPodCount: 3 }, 'warning next-evictions: 3 pods near a limit'],
    [{ staleNodeCount: 2 }, 'warning nodes: 2 nodes with stale data'],
    [
      { fullNodeCount: 1, pressedNodeCount: 1, pressedFullNodeCount: 1 },
      'critical next-evictions: 1 node below an eviction threshold',
    ],
    [{ fullNodeCount: 1 }, 'warning nodes: 1 node at least 90 % full'],
    [{ expectedPodCount: 5, measuredPodCount: 3 }, 'warning nodes: 2 pods not measured'],
    [{ incompleteWorkloadCount: 1 }, 'warning workloads: 1 incomplete workload'],
  ])('is reported for %j', (summary, text) => {
    expect(textsOf({ cluster: aCluster({ summary: aSummary(summary) }) })).toEqual([text]);
  });

  it('is a warning when the pods at their limits are exempt from eviction', () => {
    const cluster = aCluster({ summary: aSummary({ reachedLimitPodCount: 1, evictableLimitCount: 0 }) });
    expect(textsOf({ cluster })).toEqual(['warning next-evictions: 1 pod at or above a limit']);
  });

  it('is a warning when nodes have not had time to answer', () => {
    const cluster = aCluster({ isPartial: true, absences: [anAbsence({ failedNodeCount: 0 })] });
    expect(textsOf({ cluster })).toEqual(['warning nodes: 1 node without data (timeout): node-2']);
  });

  it('is critical when a node has failed, even if others had no time to answer', () => {
    const absence = anAbsence({ nodeCount: 2, exampleNodes: ['a', 'b'] });
    const cluster = aCluster({ isPartial: true, absences: [absence] });
    expect(textsOf({ cluster })).toEqual(['critical nodes: 2 nodes without data (timeout): a, b']);
  });

  it('names the pods with it', () => {
    const items = [
      aLimit({ pod: 'over', ratio: 1.2 }),
      aLimit({ pod: 'near', ratio: 0.9 }),
      aLimit({ pod: 'silent', ratio: 0.9, dataState: 'absent' }),
      aLimit({ pod: 'calm', ratio: 0.7 }),
    ];
    const summary = aSummary({ reachedLimitPodCount: 1, nearLimitPodCount: 1 });
    const cluster = aCluster({ summary, limits: { items, totalCount: 4 } });
    expect(problemsIn({ cluster }).map(({ text, detail }) => [text, detail])).toEqual([
      ['1 pod at or above a limit', 'shop/over'],
      ['1 pod near a limit', 'shop/near'],
    ]);
  });

  it('is reported for a scope without nodes', () => {
    expect(textsOf({ cluster: aCluster({ nodes: { items: [], totalCount: 0 } }) })).toEqual([
      'warning nodes: no nodes in scope',
    ]);
  });

  it('names the failing checks before the first lists', () => {
    const readinessChecks = [
      { name: 'nodes', isOk: true },
      { name: 'pods', isOk: false, message: 'forbidden' },
    ];
    expect(textsOf({ readinessChecks, cluster: undefined })).toEqual(['critical trust: not ready: pods']);
  });

  it('names three of many failing checks', () => {
    const readinessChecks = Array.from({ length: 40 }, (_, index) => ({ name: `pods in n${index}`, isOk: false }));
    expect(textsOf({ readinessChecks, cluster: undefined })).toEqual([
      'critical trust: not ready: pods in n0, pods in n1, pods in n2 and 37 more',
    ]);
  });

  it.each([
    [true, 299_999, []],
    [true, 300_000, ['warning trust: watch of pods had no events for 5m']],
    [false, 29_999, []],
    [false, 30_000, ['critical trust: watch of pods is disconnected: no events for 30s']],
    [false, undefined, []],
  ])('is reported for a watch (connected: %s) without events for %s ms', (isConnected, lastProgressAgeMs, texts) => {
    const stores = [{ resource: 'pods', objectCount: 1, isConnected, lastProgressAgeMs }];
    expect(textsOf({ health: aHealth({ stores }) })).toEqual(texts);
  });

  it.each([
    [{ droppedFamilies: ['a', 'b'] }, 'warning trust: 2 metric families dropped by metrics.maxSeries'],
    [{ workloadNameClashCount: 1 }, 'warning trust: 1 workload name clash'],
    [{ isLastReloadSuccessful: false }, 'warning trust: the last reload of the settings failed'],
    [{ isKubeletTlsUnverified: true }, 'warning trust: kubelet TLS verification is disabled'],
  ])('is reported for the exporter: %j', (health, text) => {
    expect(textsOf({ health: aHealth(health) })).toEqual([text]);
  });
});

describe('nodes without data', () => {
  it('are one problem with what they cost, which is no problem of its own', () => {
    const cluster = aCluster({
      summary: aSummary({
        absentNodeCount: 1,
        expectedPodCount: 6,
        measuredPodCount: 4,
        incompleteWorkloadCount: 1,
        absentWorkloadCount: 1,
      }),
      absences: [anAbsence()],
    });
    expect(problemsIn({ cluster })).toEqual([
      {
        severity: 'critical',
        text: '1 node without data (timeout): node-2',
        detail: 'last data 12m ago; 2 pods not measured, 1 workload incomplete',
        hint: 'Look at the node.',
        section: 'nodes',
      },
    ]);
  });

  it('do not hide what is missing elsewhere', () => {
    const summary = aSummary({
      expectedPodCount: 7,
      measuredPodCount: 4,
      incompleteWorkloadCount: 3,
      absentWorkloadCount: 1,
    });
    expect(textsOf({ cluster: aCluster({ summary, absences: [anAbsence()] }) }).slice(1)).toEqual([
      'warning nodes: 1 pod not measured',
      'warning workloads: 2 incomplete workloads',
    ]);
  });

  it('are a problem for each reason, with examples', () => {
    const absences = [
      anAbsence({ reason: 'tls', nodeCount: 12, exampleNodes: ['a', 'b', 'c'], dataAgeMs: undefined }),
      anAbsence({ expectedPodCount: 0, incompleteWorkloadCount: 0 }),
    ];
    expect(problemsIn({ cluster: aCluster({ absences }) }).map(({ text, detail }) => [text, detail])).toEqual([
      [
        '12 nodes without data (tls): a, b, c and 9 more',
        'no data since the exporter started; 2 pods not measured, 1 workload incomplete',
      ],
      ['1 node without data (timeout): node-2', 'last data 12m ago'],
    ]);
  });
});

it('the worst problems come first', () => {
  const cluster = aCluster({ summary: aSummary({ nearLimitPodCount: 1 }), absences: [anAbsence()] });
  expect(textsOf({ cluster }).map((text) => text.split(' ')[0])).toEqual(['critical', 'warning']);
});
