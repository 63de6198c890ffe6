import { readFile } from 'node:fs/promises';

import { describe, expect, it } from 'vitest';

import { predict, type Recording, type Semantics } from './predict.js';
import { replayed } from './replayed.js';
import { differences, familiesOf, seriesKey, type SeriesTable } from './series.js';
import { nodeName, synthesised } from './synthesised.js';

const byController: Semantics = { attribution: 'measured', controllers: true };

const ways: readonly Semantics[] = [
  byController,
  { ...byController, attribution: 'even' },
  { ...byController, controllers: false },
];

function serve(recording: Recording, semantics = byController): Promise<SeriesTable> {
  return replayed({ ...recording, summary: JSON.stringify(recording.summary) }, semantics);
}

/** The values of a pod's series, by the text of what else tells them apart. */
const ofPod =
  (served: SeriesTable, pod: string) =>
  (name: string, labels: Readonly<Record<string, string>> = {}): number | undefined =>
    served.get(seriesKey(name, { namespace: 'shop', pod, node: nodeName, ...labels }));

const node = { node: nodeName };

const barePod = (name: string) => ({ namespace: 'shop', workload: name, workload_type: 'barepod' });

it.each(Object.entries(synthesised).flatMap(([name, recording]) => ways.map((way) => ({ ...way, name, recording }))))(
  'recordings have the predicted series alone: $name, $attribution, controllers: $controllers',
  async ({ recording, ...semantics }) => {
    const served = await serve(recording, semantics);
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

describe('with a dedicated image filesystem', () => {
  it('a dedicated image filesystem makes only logs count towards the limit of a container', async () => {
    const ratioOf = async (recording: Recording): Promise<number | undefined> =>
      ofPod(await serve(recording), 'limited')('limit_ratio', { rule: 'container', container: 'app' });
    expect(await ratioOf(synthesised['a dedicated image filesystem'])).toBe(500 / 2000);
    expect(await ratioOf(synthesised['one filesystem for all'])).toBe(1500 / 2000);
  });

  it.each([
    ['a dedicated image filesystem', 1, undefined],
    ['a split container filesystem', 1, 1],
    ['one filesystem for all', 0, 0],
  ] as const)('a node with %s says so, and whether writable layers lie apart', async (name, dedicated, split) => {
    const served = await serve(synthesised[name]);
    expect(served.get(seriesKey('node_dedicated_imagefs', node))).toBe(dedicated);
    expect(served.get(seriesKey('node_split_imagefs', node))).toBe(split);
  });
});

it('volumes count as the kubelet counts them: not those in memory, of tokens, of claims', async () => {
  const value = ofPod(await serve(synthesised['volumes of many kinds']), 'shared');
  const components = { rootfs: 1000, logs: 120, emptydir: 3333, configmap: 1451, other: 4096 };
  for (const [component, bytes] of Object.entries(components)) {
    expect(value('pod_component_used_bytes', { component }), component).toBe(bytes);
  }
  // Each its own, half of the emptyDir that both mount, of the configMap that none mounts, and of the rest.
  expect(value('container_used_bytes', { container: 'app' })).toBe(650 + 1667 + 726 + 2048);
  expect(value('container_used_bytes', { container: 'helper' })).toBe(470 + 1666 + 725 + 2048);
});

it('volumes in memory count towards their size limit', async () => {
  const value = ofPod(await serve(synthesised['volumes of many kinds']), 'shared');
  expect(value('limit_ratio', { rule: 'emptydir', volume: 'memory' })).toBe(7777 / 7168);
  expect(value('limit_ratio', { rule: 'emptydir', volume: 'cache' })).toBe(3333 / 4000);
  expect(value('volume_limit_bytes', { volume: 'memory', type: 'emptydir', medium: 'Memory', counted: 'false' })).toBe(
    7168,
  );
});

it('volumes are pending after a restart of the kubelet, and the workload is not complete', async () => {
  const served = await serve(synthesised['a kubelet that just restarted']);
  expect(ofPod(served, 'restarted')('pod_volume_stats_pending')).toBe(1);
  expect(ofPod(served, 'limited')('pod_volume_stats_pending')).toBeUndefined();
  expect(served.get(seriesKey('workload_complete', barePod('restarted')))).toBe(0);
  expect(served.get(seriesKey('workload_complete', barePod('limited')))).toBe(1);
});

it('limits of a pod are those of the largest moment of its life, with its overhead', async () => {
  const value = ofPod(await serve(synthesised['sidecars and init containers']), 'sidecars');
  expect(value('pod_limit_bytes')).toBe(300 + 5000 + 64);
  expect(value('limit_ratio', { rule: 'pod' })).toBe(4426 / 5364);
});

it('limits of sidecars are served where kubelets enforce them, those of init containers never', async () => {
  const recording = synthesised['sidecars and init containers'];
  const held = ofPod(await serve(recording), 'sidecars');
  const nodes = recording.nodes.map((object) => ({
    ...object,
    status: { ...object.status, nodeInfo: { ...object.status?.nodeInfo, kubeletVersion: 'v1.36.9' } },
  }));
  const notHeld = ofPod(await serve({ ...recording, nodes }), 'sidecars');
  expect(held('limit_ratio', { rule: 'container', container: 'proxy' })).toBe(220 / 300);
  expect(notHeld('limit_ratio', { rule: 'container', container: 'proxy' })).toBeUndefined();
  expect(held('limit_ratio', { rule: 'container', container: 'migrate' })).toBeUndefined();
  expect(held('container_limit_bytes', { container: 'migrate' })).toBeUndefined();
});

it('limits of static critical pods are served although exceeded, and the pod is marked as static', async () => {
  const value = ofPod(await serve(synthesised['a static critical pod over its limit']), `etcd-${nodeName}`);
  expect(value('limit_ratio', { rule: 'pod' })).toBe(2.5);
  expect(
    value('pod_info', {
      uid: `uid-etcd-${nodeName}`,
      qos_class: 'Burstable',
      phase: 'Running',
      host_ip: '192.0.2.1',
      static: 'true',
      priority_class: 'system-node-critical',
    }),
  ).toBe(1);
});

describe('pressure on the disk', () => {
  const waiting = 'io_pressure_waiting_seconds_total';

  it('pressure on the disk is in seconds, of the node and of the pods that have it', async () => {
    const served = await serve(synthesised['pods that wait for the disk']);
    expect(served.get(seriesKey(`node_${waiting}`, node))).toBe(82.998_085);
    expect(ofPod(served, 'limited')(`pod_${waiting}`)).toBe(0.064);
    expect(ofPod(served, 'limited')('pod_io_pressure_stalled_seconds_total')).toBe(0);
    expect(ofPod(served, 'shared')(`pod_${waiting}`)).toBeUndefined();
  });

  it('pressure on the disk is no series where the kernel does not measure it', async () => {
    const served = await serve(synthesised['a kernel that does not measure pressure']);
    expect(familiesOf(served).filter((family) => family.includes('pressure_'))).toEqual([]);
  });
});

it('pods of a virtual kubelet have their start and the figures of their specs alone, and their workload no data, not 0', async () => {
  const served = await serve(synthesised['a virtual kubelet without storage']);
  expect(familiesOf(served).filter((family) => /^(pod|container|volume|limit)_/.test(family))).toEqual([
    'container_limit_bytes',
    'container_request_bytes',
    'pod_info',
    'pod_limit_bytes',
    'pod_request_bytes',
    'pod_start_time_seconds',
    'pod_workload_info',
  ]);
  expect(served.get(seriesKey('workload_data_available', barePod('virtual')))).toBe(0);
  expect(familiesOf(served)).not.toContain('workload_used_bytes');
});

it('pods that run elsewhere are not served from the summary of their old node', async () => {
  const served = await serve(synthesised['a pod that runs elsewhere']);
  expect(familiesOf(served)).not.toContain('pod_used_bytes');
  expect(served.get(seriesKey('node_absent_info', { node: 'n2', reason: 'never' }))).toBe(1);
});
