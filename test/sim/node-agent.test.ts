// @module-tag sockets

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, it } from 'vitest';

import { SimulatedCluster } from '../../sim/cluster.js';
import { addExporter } from '../../sim/model/exporter-pod.js';
import { nodeAgentScenario } from '../../sim/scenarios/node-agent.js';
import { readLayerMounts } from '../../src/agent/mount-table.js';
import { duOf } from '../support/du.js';
import { ManualClock } from '../support/manual-clock.js';
import { isInstalled } from '../support/programs.js';
import { callKubelet } from './wire.js';

interface Usage {
  readonly usedBytes: number;
}

interface Summary {
  readonly node: { readonly fs: Usage; readonly runtime: { readonly imageFs: Usage } };
  readonly pods: readonly {
    readonly podRef: { readonly namespace: string; readonly name: string; readonly uid: string };
    readonly containers: readonly { readonly name: string; readonly rootfs: Usage; readonly logs: Usage }[];
    readonly volume?: readonly (Usage & { readonly name: string })[];
  }[];
}

async function startCluster(clock = new ManualClock()) {
  const scenario = nodeAgentScenario({ seed: 1, nowMs: clock.nowMs() });
  const cluster = await SimulatedCluster.start({ clock, scenario });
  addExporter(cluster.model, 1, scenario.exporter);
  const dispose = async (): Promise<void> => {
    await cluster[Symbol.asyncDispose]();
    await scenario[Symbol.asyncDispose]();
  };
  return { cluster, clock, root: scenario.hostRoot, [Symbol.asyncDispose]: dispose };
}

const summaryOf = async (cluster: SimulatedCluster) =>
  JSON.parse((await callKubelet(cluster, 'node-1')).text) as Summary;

/** Writable layers by the links to logs, as the mount table of the node has them. */
async function writableLayers(root: string): Promise<ReadonlyMap<string, string>> {
  const layers = await readLayerMounts(path.join(root, 'proc/1/mountinfo'));
  const uppers = new Map(layers.map(({ containerId = '', upperDirectory = '' }) => [containerId, upperDirectory]));
  return new Map(
    readdirSync(path.join(root, 'var/log/containers')).map((link) => {
      const [, container = '', id = ''] = /^(.+)-([0-9a-f]{64})\.log$/.exec(link) ?? [];
      return [container, path.join(root, uppers.get(id) ?? '/nonexistent')];
    }),
  );
}

it.skipIf(!isInstalled('du'))(
  'the summary of node-agent has the sizes that du finds, to the byte; needs du',
  async () => {
    await using running = await startCluster();
    const { cluster, root } = running;
    const { node, pods } = await summaryOf(cluster);
    const layers = await writableLayers(root);
    expect(pods).toHaveLength(5);
    let rootfsBytes = 0;
    for (const { podRef, containers, volume = [] } of pods) {
      const { namespace, name: pod, uid } = podRef;
      for (const { name, rootfs, logs } of containers) {
        expect(rootfs.usedBytes, name).toBe(duOf(layers.get(`${pod}_${namespace}_${name}`) ?? ''));
        expect(logs.usedBytes, name).toBe(duOf(path.join(root, `var/log/pods/${namespace}_${pod}_${uid}/${name}`)));
        rootfsBytes += rootfs.usedBytes;
      }
      for (const { name, usedBytes } of volume) {
        const folder = `var/lib/kubelet/pods/${uid}/volumes/kubernetes.io~empty-dir/${name}`;
        expect(usedBytes, name).toBe(duOf(path.join(root, folder)));
      }
    }
    const onDiskBytes = duOf(root) - duOf(path.join(root, 'proc')) - duOf(path.join(root, 'sys'));
    expect(node.fs.usedBytes).toBe(onDiskBytes);
    expect(onDiskBytes).toBeLessThan(150_000_000);
    // All snapshots but the two that are forgotten.
    const snapshots = path.join(root, 'var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots');
    const sizes = readdirSync(snapshots).map((name) => ({
      name: Number(name),
      bytes: duOf(`${snapshots}/${name}/fs`),
    }));
    const known = sizes.sort((a, b) => a.name - b.name).slice(0, -2);
    expect(node.runtime.imageFs.usedBytes).toBe(known.reduce((sum, { bytes }) => sum + bytes, 0));
    expect(node.runtime.imageFs.usedBytes).toBeGreaterThan(rootfsBytes);
  },
);

it('the cgroups of node-agent count on as time passes, and nobody is evicted', async () => {
  await using running = await startCluster();
  const { cluster, clock, root } = running;
  const pod = cluster.model.pods.find(({ spec }) => spec.labels?.['app'] === 'builder');
  const slice = `kubepods-besteffort-pod${pod?.uid.replaceAll('-', '_') ?? ''}.slice`;
  const file = path.join(root, 'sys/fs/cgroup/kubepods.slice/kubepods-besteffort.slice', slice, 'io.stat');
  expect(readFileSync(file, 'utf8')).toContain(' wbytes=0 ');
  await clock.advance(20_000);
  expect(readFileSync(file, 'utf8')).toContain(` wbytes=${20 * 6 * 2 ** 20} `);
  expect(cluster.model.pods.map(({ phase }) => phase)).toEqual(Array.from({ length: 5 }, () => 'Running'));
  expect(cluster.model.nodes.map(({ hasDiskPressure }) => hasDiskPressure)).toEqual([false]);
});

it('node-agent has the same pods for the same seed, and leaves nothing on the disk', async () => {
  const namesWith = async (seed: number): Promise<readonly string[]> => {
    await using scenario = nodeAgentScenario({ seed, nowMs: 0 });
    return readdirSync(path.join(scenario.hostRoot, 'var/log/containers'));
  };
  const first = nodeAgentScenario({ seed: 1, nowMs: 0 });
  const names = readdirSync(path.join(first.hostRoot, 'var/log/containers'));
  await first[Symbol.asyncDispose]();
  expect(existsSync(first.hostRoot)).toBe(false);
  expect(await namesWith(1)).toEqual(names);
  expect(await namesWith(2)).not.toEqual(names);
});
