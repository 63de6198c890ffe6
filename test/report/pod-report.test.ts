import { expect, it } from 'vitest';

import { nothingFrozen } from '../../src/facts/node/frozen-statistics.js';
import { nearestRatio } from '../../src/facts/node/limit-ratios.js';
import {
  containerReports,
  dataFacts,
  measuredPodReport,
  podSpecReport,
  unmeasuredPodReport,
} from '../../src/people/report/pod-report.js';
import { aContainer, aPod, aPodSummary } from '../support/builders.js';
import { aFreshNode, aLimitRatio, aMeasuredPod, aNodeSnapshot, aWorkload } from '../support/snapshot-builders.js';

const node = aFreshNode(undefined, 1_500.4);
const mainLimit = aLimitRatio({ rule: 'container', container: 'main', usedBytes: 1, limitBytes: 2 });

it('the report of a pod that the API server does not know is neither known nor exempt', () => {
  const pod = aMeasuredPod({ pod: undefined });
  expect(measuredPodReport({ node, pod })).toMatchObject({ isKnown: false, isExempt: false });
});

it('a pod that its kubelet measures no longer is as old as its last measurement, on a node with new data', () => {
  const pod = aMeasuredPod();
  const frozen = { ...nothingFrozen, pods: new Map([[pod.summary.uid, { summary: pod.summary, heldMs: 400_000 }]]) };
  const frozenNode = aFreshNode(aNodeSnapshot({ frozen }), 1_500.4);
  expect(measuredPodReport({ node: frozenNode, pod })).toMatchObject({ dataState: 'stale', dataAgeMs: 401_500 });
  expect(containerReports({ node: frozenNode, pod }).map(({ dataAgeMs }) => dataAgeMs)).toEqual([401_500]);
  expect(dataFacts({ ...frozenNode, state: 'absent' }, pod.summary).dataState).toBe('absent');
  expect(dataFacts(frozenNode)).toMatchObject({ dataState: 'fresh', dataAgeMs: 1_500 });
  const other = aMeasuredPod({ summary: aPodSummary({ ...pod.summary, name: 'other' }) });
  expect(measuredPodReport({ node: frozenNode, pod: other })).toMatchObject({ dataState: 'fresh', dataAgeMs: 1_500 });
});

it.each([[{ isStatic: true }], [{ priority: 2_000_001_000 }]])('a report is exempt with %j', (overrides) => {
  expect(measuredPodReport({ node, pod: aMeasuredPod({ pod: aPod(overrides) }) }).isExempt).toBe(true);
});

it('the report of a pod without data has the reason and the limits of its spec', () => {
  const pod = aPod({ nodeName: undefined, containers: [aContainer({ limitBytes: 5, requestBytes: 4 })] });
  const found = { pod, workloads: [aWorkload({ name: 'cart' })] };
  const report = unmeasuredPodReport(found, { reason: 'not scheduled', isExpected: false });
  expect(report).toMatchObject({
    namespace: pod.namespace,
    pod: pod.name,
    node: undefined,
    workloads: [{ workload: 'cart', workloadType: 'selector', workloadNamespace: '' }],
    state: 'unmeasured',
    reason: 'not scheduled',
    isExpected: false,
    limitBytes: 5,
    requestBytes: 4,
  });
});

it('the report of a spec has what the API server knows besides storage', () => {
  const pod = aPod({ priorityClass: 'high', isStatic: true, startTimeMs: 7 });
  expect(podSpecReport(pod)).toMatchObject({ uid: pod.uid, priorityClass: 'high', isStatic: true, startTimeMs: 7 });
});

it('the nearest limit is the first of those with the highest ratio', () => {
  expect(nearestRatio([])).toBeUndefined();
  expect(
    nearestRatio([mainLimit, aLimitRatio({ rule: 'emptydir', volume: 'cache', usedBytes: 2, limitBytes: 4 })])?.rule,
  ).toBe('container');
});
