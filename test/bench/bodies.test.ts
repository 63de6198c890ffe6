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

it('a pod of the benchmark is replaced in the API and in the summary of its node', () => {
  const state = new ClusterState(shape, nowMs);
  const summaries = new Summaries(shape.podsPerNode);
  summaries.body(0, state.podsOn(0), nowMs);
  for (const pod of state.replace(shape.nodeCount, nowMs)) summaries.replaced(pod);
  const body = summaries.body(0, state.podsOn(0), nowMs);
  expect(joinedCount(state, body, 0)).toBe(shape.podsPerNode);
});
