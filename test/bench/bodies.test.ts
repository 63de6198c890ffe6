import { expect, it } from 'vitest';

import { ClusterState } from '../../scripts/bench/cluster/cluster-state.js';
import { Summaries } from '../../scripts/bench/cluster/summaries.js';
import { shapes } from '../../scripts/bench/shapes.js';
import { decodeSummary } from '../../src/cluster/kubelet/summary-reader.js';
import { sumOf } from '../support/figures.js';

const nowMs = Date.UTC(2026, 6, 1, 12);

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
