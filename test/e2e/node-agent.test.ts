// @module-tag sockets

import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { emptyScenario } from '../../sim/model/scenario.js';
import { podSpec } from '../sim/pods.js';
import { filesV2, type MadePod, type MadeTree, writeCgroups } from '../support/cgroup-trees.js';
import { Exporter } from '../support/exporter.js';
import { temporaryFolder } from '../support/programs.js';

const tree: MadeTree = { version: 'v2', driver: 'systemd' };

/** No machine has a device of this number, so its name is the number. */
const files = { ...filesV2, 'io.stat': '4000:1 rbytes=4096 wbytes=1048576 rios=1 wios=16 dbytes=0 dios=0\n' };

const settings = (profile: string, isEnabled = true): string =>
  `cluster: {node: node-1}\nmetrics: {profile: ${profile}}\nagent: {enabled: ${isEnabled}}`;

/** An exporter of node-1 with an ordinary and a static pod, whose cgroups are below `hostRoot`. */
async function start(hostRoot: string, profile = 'standard'): Promise<Exporter> {
  const exporter = await Exporter.start({
    scenario: {
      ...emptyScenario('node-1'),
      populate: ({ model }) => {
        model.addPod(podSpec('cart', { namespace: 'shop' }));
        model.addPod(podSpec('etcd-node-1', { namespace: 'kube-system', isStatic: true }));
      },
    },
    settings: settings(profile),
    host: { name: 'test-host', nodeName: undefined, cgroupFolder: path.join(hostRoot, 'sys/fs/cgroup') },
  });
  await exporter.clock.advance(2_500);
  return exporter.settled();
}

/** The pods of the node as the kubelet knows them. */
function podsOn(exporter: Exporter): readonly MadePod[] {
  return exporter.cluster.model
    .podsOn('node-1')
    .map(({ kubeletUid }) => ({ uid: kubeletUid, qos: 'burstable', files }));
}

const agentFamilies = async (exporter: Exporter) =>
  (await exporter.scrape()).families
    .filter(({ name }) => /_cgroup_|_io_written_/.test(name))
    .map(({ name }) => name.replace('ephemeral_storage_', ''));

describe('an exporter with the agent on its node', () => {
  it('the agent adds one series of each pod at the profile standard, and those of cgroups at full', async () => {
    await using host = await temporaryFolder();
    // The agent looks for the tree when the settings take effect.
    writeCgroups(host.path, tree, []);
    await using exporter = await start(host.path);
    expect(await agentFamilies(exporter)).toEqual([]);
    writeCgroups(host.path, tree, podsOn(exporter));
    const scraped = await exporter.scrape();
    expect(scraped.samples('pod_io_written_bytes_total')).toMatchObject([
      { labels: { namespace: 'kube-system', pod: 'etcd-node-1', node: 'node-1' }, value: 1_048_576 },
      { labels: { namespace: 'shop', pod: 'cart', node: 'node-1' }, value: 1_048_576 },
    ]);
    expect(await agentFamilies(exporter)).toEqual(['pod_io_written_bytes_total']);
    await exporter.apply(settings('full'));
    const full = await exporter.scrape({ accept: 'application/openmetrics-text; version=1.0.0' });
    expect(full.families.filter(({ name }) => /_cgroup_|_io_written_/.test(name))).toHaveLength(12);
    expect((await exporter.scrape()).value('pod_cgroup_memory_bytes', { pod: 'cart', kind: 'working_set' })).toBe(
      73_400_320,
    );
    expect(full.families.map(({ name }) => name)).toContain('ephemeral_storage_pod_used_bytes');
  });

  it('a reload takes the agent away and brings it back', async () => {
    await using host = await temporaryFolder();
    writeCgroups(host.path, tree, []);
    await using exporter = await start(host.path);
    writeCgroups(host.path, tree, podsOn(exporter));
    await exporter.apply(settings('standard', false));
    expect(await agentFamilies(exporter)).toEqual([]);
    await exporter.apply(settings('standard'));
    expect(await agentFamilies(exporter)).toEqual(['pod_io_written_bytes_total']);
  });
});
