import { writeFile } from 'node:fs/promises';

import { nodeObjectText, PodObjects } from '../../scripts/bench/cluster/api-objects.js';
import { ClusterState } from '../../scripts/bench/cluster/cluster-state.js';
import { Summaries } from '../../scripts/bench/cluster/summaries.js';
import { runArguments } from '../../src/commands/command-line.js';
import type { Profile } from '../../src/metrics/exposition/family.js';
import { aCommandContext } from './command-context.js';
import { temporaryFolder } from './programs.js';

export interface ExpositionSize {
  readonly seriesCount: number;
  readonly sizeBytes: number;
}

/** What so many pods of the benchmark's shape take of an exposition. */
export async function costOfPods(podCount: number, profile: Profile): Promise<ExpositionSize> {
  await using folder = await temporaryFolder();
  const nowMs = Date.UTC(2026, 6, 1, 12);
  const pods = new ClusterState({ nodeCount: 1, podsPerNode: podCount }, nowMs).podsOn(0);
  const podObjects = new PodObjects({ apiVersion: 'v1', kind: 'Pod' });
  const items = pods.map((pod) => {
    const text = Buffer.alloc(podObjects.sizeBytes);
    podObjects.write(text, 0, pod);
    return JSON.parse(text.toString()) as object;
  });
  const node = { apiVersion: 'v1', kind: 'Node', ...(JSON.parse(nodeObjectText(0, 10_250)) as object) };
  await writeFile(`${folder.path}/summary.json`, new Summaries(podCount).body(0, pods, nowMs));
  await writeFile(
    `${folder.path}/objects.json`,
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [node, ...items] }),
  );
  const { context, out } = aCommandContext();
  const recordings = ['--summaries', `${folder.path}/summary.json`, '--objects', `${folder.path}/objects.json`];
  await runArguments(['replay', ...recordings, '--set', `metrics.profile=${profile}`], context);
  const samples = out()
    .split('\n')
    .filter((line) => /[{,]pod="/.test(line));
  return {
    seriesCount: samples.length,
    sizeBytes: samples.reduce((total, line) => total + Buffer.byteLength(line) + 1, 0),
  };
}
