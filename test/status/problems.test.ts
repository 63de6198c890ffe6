import { describe, expect, it } from 'vitest';

import { type ProblemsInput, problemsOf } from '../../src/status/problems.js';
import { aCluster, aHealth, aSummary } from '../support/status-builders.js';

function textsOf(input: Partial<ProblemsInput>): readonly string[] {
  return problemsOf({ readinessChecks: [], cluster: aCluster(), health: aHealth(), ...input }).map(
    ({ severity, text, section }) => `${severity} ${section}: ${text}`,
  );
}

it('there are none when all is well', () => {
  expect(textsOf({})).toEqual([]);
});

describe('a problem', () => {
  it.each([
    [{ reachedLimitCount: 1, evictableLimitCount: 1 }, 'critical evictions: 1 limit is reached'],
    [{ reachedLimitCount: 2, evictableLimitCount: 1 }, 'critical evictions: 2 limits are reached'],
    [{ nearLimitCount: 3 }, 'warning evictions: 3 limits are near'],
    [{ absentNodeCount: 1 }, 'critical nodes: 1 node without data'],
    [{ staleNodeCount: 2 }, 'warning nodes: 2 nodes with stale data'],
    [{ fullNodeCount: 1 }, 'warning nodes: 1 node at least 85 % full'],
    [{ expectedPodCount: 5, measuredPodCount: 3 }, 'warning nodes: 2 pods not measured'],
    [{ incompleteWorkloadCount: 1 }, 'warning workloads: 1 incomplete sum'],
  ])('is told of %j', (summary, text) => {
    expect(textsOf({ cluster: aCluster({ summary: aSummary(summary) }) })).toEqual([text]);
  });

  it('is no more than a warning when the pods at their limits are never evicted for it', () => {
    const cluster = aCluster({ summary: aSummary({ reachedLimitCount: 1, evictableLimitCount: 0 }) });
    expect(textsOf({ cluster })).toEqual(['warning evictions: 1 limit is reached']);
  });

  it('is no more than a warning when nodes have not had the time to answer', () => {
    const cluster = aCluster({ isPartial: true, summary: aSummary({ absentNodeCount: 1 }) });
    expect(textsOf({ cluster })).toEqual(['warning nodes: 1 node without data']);
  });

  it('is critical when a node has failed, whatever others had no time to answer', () => {
    const cluster = aCluster({ isPartial: true, summary: aSummary({ absentNodeCount: 2, failedNodeCount: 1 }) });
    expect(textsOf({ cluster })).toEqual(['critical nodes: 2 nodes without data']);
  });

  it('is a scope without nodes', () => {
    expect(textsOf({ cluster: aCluster({ nodes: { items: [], totalCount: 0 } }) })).toEqual([
      'warning nodes: no node in scope',
    ]);
  });

  it('is what is missing before the first lists', () => {
    const readinessChecks = [
      { name: 'nodes', isOk: true },
      { name: 'pods', isOk: false, message: 'forbidden' },
    ];
    expect(textsOf({ readinessChecks, cluster: undefined })).toEqual(['critical trust: not ready: pods']);
  });

  it('names a few of many missing lists', () => {
    const readinessChecks = Array.from({ length: 40 }, (_, index) => ({ name: `pods in n${index}`, isOk: false }));
    expect(textsOf({ readinessChecks, cluster: undefined })).toEqual([
      'critical trust: not ready: pods in n0, pods in n1, pods in n2 and 37 more',
    ]);
  });

  it.each([
    [true, 299_999, []],
    [true, 300_000, ['warning trust: the watch of pods is silent for 5m']],
    [false, 29_999, []],
    [false, 30_000, ['critical trust: no watch of pods: nothing heard for 30s']],
    [false, undefined, []],
  ])('is a watch, connected: %s, that has heard nothing for %s ms', (isConnected, lastProgressAgeMs, texts) => {
    const stores = [{ resource: 'pods', objectCount: 1, isConnected, lastProgressAgeMs }];
    expect(textsOf({ health: aHealth({ stores }) })).toEqual(texts);
  });

  it.each([
    [{ droppedFamilies: ['a', 'b'] }, 'warning trust: 2 metric families left out by metrics.maxSeries'],
    [{ workloadNameClashCount: 1 }, 'warning trust: 1 workload name clash'],
    [{ isLastReloadSuccessful: false }, 'warning trust: the last settings were refused'],
    [{ isKubeletTlsUnverified: true }, 'warning trust: certificates of kubelets are not verified'],
  ])('is told of the exporter: %j', (health, text) => {
    expect(textsOf({ health: aHealth(health) })).toEqual([text]);
  });
});

it('tells the worst first', () => {
  const cluster = aCluster({ summary: aSummary({ nearLimitCount: 1, absentNodeCount: 1 }) });
  expect(textsOf({ cluster }).map((text) => text.split(' ')[0])).toEqual(['critical', 'warning']);
});
