import { expect, it } from 'vitest';

import { PodObjects } from '../../scripts/bench/cluster/api-objects.js';
import { ClusterState } from '../../scripts/bench/cluster/cluster-state.js';
import { nodeNameOf } from '../../scripts/bench/cluster/pods.js';
import { Summaries } from '../../scripts/bench/cluster/summaries.js';
import { shapes } from '../../scripts/bench/shapes.js';
import { projectPod } from '../../src/cluster/kube/projection.js';
import { decodeSummary } from '../../src/cluster/kubelet/summary-reader.js';
import { joinPods } from '../../src/facts/node/join.js';
import { sumOf } from '../support/figures.js';

const shape = { nodeCount: 10, podsPerNode: 3 };
const nowMs = Date.UTC(2026, 6, 1, 12);
const intern = (text: string): string => text;

function podsOf(state: ClusterState, nodeIndex: number) {
  const objects = new PodObjects();
  return state.podsOn(nodeIndex).map((pod) => {
    const text = Buffer.alloc(objects.sizeBytes);
    objects.write(text, 0, pod);
    return projectPod(JSON.parse(text.toString()), intern);
  });
}

function joinedCount(state: ClusterState, body: Buffer, nodeIndex: number): number {
  const pods = podsOf(state, nodeIndex);
  const { pods: joined } = joinPods({
    nodeName: nodeNameOf(nodeIndex),
    summary: decodeSummary(body, 'summary'),
    findPod: (namespace, name) => pods.find((pod) => pod.namespace === namespace && pod.name === name),
    isDeleted: () => false,
    scope: { namespaces: [], hasPodSelector: false },
  });
  return [...joined.values()].filter((pod) => pod !== undefined).length;
}

it.each(Object.values(shapes))('the benchmark has a summary of $name that decodes', ({ podsPerNode }) => {
  const state = new ClusterState({ nodeCount: 1, podsPerNode }, nowMs);
  const summary = decodeSummary(new Summaries(podsPerNode).body(0, state.podsOn(0), nowMs), 'summary');
  expect(summary.pods).toHaveLength(podsPerNode);
  for (const { containers, volumes, usedBytes = 0 } of summary.pods) {
    expect(containers.map(({ name }) => name)).toEqual(['app', 'proxy']);
    const files = containers.flatMap(({ rootfs, logs }) => [rootfs, logs]);
    expect(usedBytes).toBe(4096 + sumOf([...files, volumes?.[0]].map((part) => part?.usedBytes)));
  }
});

it('values and times of a summary of the benchmark change with each request, and nothing else', () => {
  const state = new ClusterState(shape, nowMs);
  const summaries = new Summaries(shape.podsPerNode);
  const [first, second] = [nowMs, nowMs + 60_000].map((atMs) =>
    decodeSummary(summaries.body(4, state.podsOn(4), atMs), 'summary'),
  );
  expect(second?.pods.map(({ uid }) => uid)).toEqual(first?.pods.map(({ uid }) => uid));
  expect(second?.pods[0]?.usedBytes).not.toBe(first?.pods[0]?.usedBytes);
  expect(second?.nodefs?.timeMs).toBe(nowMs + 60_000);
});

it('a pod of the benchmark is replaced in the API and in the summary of its node', () => {
  const state = new ClusterState(shape, nowMs);
  const summaries = new Summaries(shape.podsPerNode);
  summaries.body(0, state.podsOn(0), nowMs);
  for (const pod of state.replace(shape.nodeCount, nowMs)) summaries.replaced(pod);
  const body = summaries.body(0, state.podsOn(0), nowMs);
  expect(joinedCount(state, body, 0)).toBe(shape.podsPerNode);
});

it('changed pods of the benchmark are spread over all nodes, with an event for each', () => {
  const state = new ClusterState(shape, nowMs);
  const before = state.resourceVersion;
  state.modify(shape.nodeCount);
  const events = (state.eventsAfter(before) ?? []).map(
    ({ line }) => JSON.parse(line.toString()) as { type: string; object: unknown },
  );
  const changed = events.map(({ object }) => projectPod(object, intern));
  expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['MODIFIED']));
  expect(new Set(changed.map(({ nodeName }) => nodeName)).size).toBe(shape.nodeCount);
  expect(Number(changed.at(-1)?.resourceVersion)).toBe(state.resourceVersion);
});

it('pods of a cluster of the benchmark have different names and UIDs', () => {
  const { pods } = new ClusterState({ nodeCount: 100, podsPerNode: 30 }, nowMs);
  expect(new Set(pods.map(({ namespace, name }) => `${namespace}/${name}`)).size).toBe(pods.length);
  expect(new Set(pods.map(({ uid }) => uid)).size).toBe(pods.length);
});
