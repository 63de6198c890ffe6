import { describe, expect, it } from 'vitest';

import type { Pod } from '../../src/cluster/kube/objects.js';
import type { PodSummary } from '../../src/cluster/kubelet/summary.js';
import { entryFinder, type JoinInput, joinPods, type JoinReason } from '../../src/facts/node/join.js';
import { aNodeSummary, aPod, aPodSummary } from '../support/builders.js';

interface Scene {
  readonly listed: readonly PodSummary[];
  readonly known?: readonly Pod[];
  readonly deletedUids?: readonly string[];
  readonly scope?: Partial<JoinInput['scope']>;
}

/** The summary of `node-1`. */
function join({ listed, known = [], deletedUids = [], scope = {} }: Scene): {
  pods: (readonly [string, Pod | undefined])[];
  counts: Partial<Record<JoinReason, number>>;
} {
  const { pods, counts } = joinPods({
    nodeName: 'node-1',
    summary: aNodeSummary({ pods: listed }),
    findPod: (namespace, name) => known.find((pod) => pod.namespace === namespace && pod.name === name),
    isDeleted: ({ uid }) => deletedUids.includes(uid),
    scope: { namespaces: [], hasPodSelector: false, ...scope },
  });
  return { pods: Array.from(pods, ([{ uid }, pod]) => [uid, pod]), counts: Object.fromEntries(counts) };
}

it('the API UID of a static pod is taken for that of another pod', () => {
  const mirror = aPod({ uid: 'api-uid', kubeletUid: 'hash', isStatic: true });
  expect(join({ listed: [aPodSummary({ uid: 'api-uid' })], known: [mirror] }).counts).toEqual({ other_node: 1 });
});

it.each<[string, Pod]>([
  ['on another node', aPod({ nodeName: 'node-2' })],
  ['on no node yet', aPod({ nodeName: undefined })],
  ['on another node with another UID', aPod({ nodeName: 'node-2', uid: 'uid-new' })],
  ['on this node with another UID', aPod({ uid: 'uid-new' })],
])('a pod whose name the API server has %s is left out', (_, pod) => {
  expect(join({ listed: [aPodSummary()], known: [pod] })).toEqual({ pods: [], counts: { other_node: 1 } });
});

it('a pod that is back although its UID was deleted is joined', () => {
  const mirror = aPod({ kubeletUid: 'hash', isStatic: true });
  expect(join({ listed: [aPodSummary({ uid: 'hash' })], known: [mirror], deletedUids: ['hash'] })).toEqual({
    pods: [['hash', mirror]],
    counts: {},
  });
});

it.each([
  ['first', ['uid-new', 'uid-old']],
  ['last', ['uid-old', 'uid-new']],
])('the one with the API UID of two pods of one name is served, listed %s', (_, uids) => {
  const pod = aPod({ uid: 'uid-new' });
  const listed = uids.map((uid) => aPodSummary({ uid, startTimeMs: uid === 'uid-old' ? 9 : 5 }));
  expect(join({ listed, known: [pod] })).toEqual({ pods: [['uid-new', pod]], counts: { other_node: 1 } });
});

it.each<[string, number | undefined, number | undefined, string]>([
  ['the second is newer', 5, 9, 'b'],
  ['the first is newer', 9, 5, 'a'],
  ['both started together', 5, 5, 'a'],
  ['only the second has a start time', undefined, 5, 'b'],
  ['only the first has a start time', 5, undefined, 'a'],
  ['neither has a start time', undefined, undefined, 'a'],
])('the newer one of two unknown pods of one name is served: %s', (_, aStartMs, bStartMs, served) => {
  const listed = [aPodSummary({ uid: 'a', startTimeMs: aStartMs }), aPodSummary({ uid: 'b', startTimeMs: bStartMs })];
  expect(join({ listed })).toEqual({ pods: [[served, undefined]], counts: { unknown_pod: 2 } });
});

it.each([
  ['another name', { name: 'thief' }],
  ['another namespace', { namespace: 'evil' }],
  ['another UID', { kubeletUid: 'x' }],
])('the entry of a pod is none of a pod with %s', (_case, forged) => {
  const find = entryFinder({ pods: [aPodSummary()] });
  expect(find(aPod())).toEqual(aPodSummary());
  expect(find(aPod({ kubeletUid: aPod().kubeletUid, ...forged }))).toBeUndefined();
});

describe('scope', () => {
  it('pods in other namespaces are neither joined nor counted', () => {
    const listed = [aPodSummary({ namespace: 'other' }), aPodSummary({ namespace: 'shop', uid: 'stranger' })];
    expect(join({ listed, deletedUids: ['uid-other-cart-0'], scope: { namespaces: ['shop', 'pay'] } })).toEqual({
      pods: [['stranger', undefined]],
      counts: { unknown_pod: 1 },
    });
  });

  it('an unknown pod is neither joined nor counted under a pod selector, which may leave it out', () => {
    const pod = aPod();
    const listed = [aPodSummary(), aPodSummary({ name: 'stranger' })];
    expect(join({ listed, known: [pod], scope: { hasPodSelector: true } })).toEqual({
      pods: [[pod.uid, pod]],
      counts: {},
    });
  });

  it('deleted and moved pods are still counted under a pod selector', () => {
    const listed = [aPodSummary({ name: 'gone' }), aPodSummary({ name: 'moved' })];
    const known = [aPod({ name: 'moved', nodeName: 'node-2' })];
    expect(join({ listed, known, deletedUids: ['uid-shop-gone'], scope: { hasPodSelector: true } })).toEqual({
      pods: [],
      counts: { deleted_pod: 1, other_node: 1 },
    });
  });
});
