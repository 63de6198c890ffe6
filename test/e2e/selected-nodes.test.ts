// @module-tag sockets

import { expect, it } from 'vitest';

import type { Scenario } from '../../sim/model/scenario.js';
import { Exporter } from '../support/exporter.js';

const message = 'Usage of EmptyDir volume "data" exceeds the limit "10Mi". ';
const containers = [{ name: 'main', rootfs: { initialBytes: 4096 }, logs: { initialBytes: 4096 } }];

/** A workload with a pod on each of three nodes, two of which are selected. */
const scenario: Scenario = {
  nodes: [
    { name: 'blue-1', labels: { pool: 'blue' } },
    { name: 'blue-2', labels: { pool: 'blue' } },
    { name: 'red', labels: { pool: 'red' } },
  ],
  populate: ({ model }) => {
    for (const nodeName of ['blue-1', 'blue-2', 'red']) {
      const owner = { kind: 'ReplicaSet', name: 'web-5d4f8' } as const;
      const labels = { 'pod-template-hash': '5d4f8' };
      model.addPod({ namespace: 'shop', name: `web-${nodeName}`, nodeName, owner, labels, containers });
    }
  },
};

async function start(): Promise<Exporter> {
  const exporter = await Exporter.start({ scenario, settings: 'cluster: {nodeSelector: pool=blue}' });
  await exporter.synced();
  await exporter.clock.advance(120_000);
  return exporter;
}

it('evictions on nodes that are not selected are neither listed nor counted', async () => {
  await using exporter = await start();
  const evict = (name: string): void => {
    const pod = exporter.cluster.model.pods.find((candidate) => candidate.spec.name === name);
    if (pod === undefined) throw new Error(`no pod ${name}`);
    exporter.cluster.model.evictPod(pod, { message, isForNode: false });
  };
  evict('web-red');
  evict('web-blue-1');
  await exporter.clock.advance(60_000);
  const evicted = async () =>
    (await exporter.scrape()).samples('pod_evicted_timestamp_seconds').map(({ labels }) => labels['pod']);
  await expect.poll(evicted).toEqual(['web-blue-1']);
  const counted = (await exporter.scrape()).samples('node_evictions_total').filter(({ value }) => value > 0);
  expect(counted.map(({ labels }) => labels['node'])).toEqual(['blue-1']);
});
