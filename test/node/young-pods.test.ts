import { expect, it } from 'vitest';

import type { Pod } from '../../src/cluster/kube/objects.js';
import { lacksYoungPod } from '../../src/facts/node/young-pods.js';
import { aNodeSummary, aPod, aPodSummary } from '../support/builders.js';

const nowMs = 1_000_000;

const since = (ageMs: number, overrides: Partial<Pod> = {}): Pod =>
  aPod({ runningSinceMs: nowMs - ageMs, ...overrides });

const lacks = (podsOnNode: readonly Pod[], possibleNowMs: readonly number[] = [nowMs]): boolean =>
  lacksYoungPod({ summary: aNodeSummary({ pods: [aPodSummary()] }), podsOnNode, possibleNowMs });

it.each<[string, readonly Pod[]]>([
  ['a pod that has just started', [since(0, { name: 'x' })]],
  ['one that has run for almost the grace period', [since(59_999, { name: 'x' })]],
  ['one of several', [since(30_000), since(30_000, { name: 'x' })]],
  ['one with the UID of another', [since(30_000, { name: 'x', kubeletUid: aPodSummary().uid })]],
  ['one re-created under the name that it lists', [since(30_000, { uid: 'u' })]],
  ['one that is pending, with an init container that runs', [since(30_000, { name: 'x', phase: 'Pending' })]],
  ['one that starts in the near future, as clocks differ', [since(-3_000, { name: 'x' })]],
])('a summary lacks a young pod: %s', (_case, podsOnNode) => {
  expect(lacks(podsOnNode)).toBe(true);
});

it.each<[string, readonly Pod[]]>([
  ['on a node without pods', []],
  ['when it lists the young one', [since(30_000)]],
  ['when the other is past its grace period', [since(60_000, { name: 'x' })]],
  ['when the other starts in the far future', [since(-3_600_000, { name: 'x' })]],
  ['when no container of the other runs', [aPod({ name: 'x', runningSinceMs: undefined })]],
  ['when the other has ended', [since(30_000, { name: 'x', phase: 'Succeeded' })]],
])('a summary lacks no young pod %s', (_case, podsOnNode) => {
  expect(lacks(podsOnNode)).toBe(false);
});
