import { readFile } from 'node:fs/promises';

import { expect, it } from 'vitest';

import { predict, type Semantics } from './predict.js';
import { replayed } from './replayed.js';
import { differences, familiesOf, seriesKey, type SeriesTable } from './series.js';
import { nodeName, synthesised } from './synthesised.js';

const byController: Semantics = { attribution: 'measured', controllers: true };

const ways: readonly Semantics[] = [
  byController,
  { ...byController, attribution: 'even' },
  { ...byController, controllers: false },
];

/** The values of a pod's series, by the text of what else tells them apart. */
const ofPod =
  (served: SeriesTable, pod: string) =>
  (name: string, labels: Readonly<Record<string, string>> = {}): number | undefined =>
    served.get(seriesKey(name, { namespace: 'shop', pod, node: nodeName, ...labels }));

it.each(Object.entries(synthesised).flatMap(([name, recording]) => ways.map((way) => ({ ...way, name, recording }))))(
  'recordings have the predicted series alone: $name, $attribution, controllers: $controllers',
  async ({ recording, ...semantics }) => {
    const served = await replayed(recording, semantics);
    expect(differences(predict(recording, semantics), served)).toEqual([]);
  },
);

it('recordings cover every documented family but those about the exporter, its settings, its agent and evictions', async () => {
  const tables = Object.values(synthesised).map((recording) => predict(recording, byController));
  const predicted = new Set(tables.flatMap(familiesOf));
  const documented = await readFile(new URL('../../docs/metrics.md', import.meta.url), 'utf8');
  const rows = documented.matchAll(
    /^\| `ephemeral_storage_(?!exporter_|pod_cgroup_|pod_io_written_|node_unattributed_owner_|node_eviction_|node_threshold_|pod_evicted_|pod_eviction_rank|\w+_time_to_|\w+_evictions_total)(\w+)`/gm,
  );
  expect([...predicted].sort()).toEqual([...rows].map(([, name]) => name).sort());
});

it('volumes count as the kubelet counts them: not those in memory, of tokens, of claims', async () => {
  const value = ofPod(await replayed(synthesised['volumes of many kinds'], byController), 'shared');
  const components = { rootfs: 1000, logs: 120, emptydir: 3333, configmap: 1451, other: 4096 };
  for (const [component, bytes] of Object.entries(components)) {
    expect(value('pod_component_used_bytes', { component }), component).toBe(bytes);
  }
  // Each its own, half of the emptyDir that both mount, of the configMap that none mounts, and of the rest.
  expect(value('container_used_bytes', { container: 'app' })).toBe(650 + 1667 + 726 + 2048);
  expect(value('container_used_bytes', { container: 'helper' })).toBe(470 + 1666 + 725 + 2048);
});
