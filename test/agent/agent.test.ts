import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { resourceParts } from '../../src/facts/node/agent-pod.js';
import { aPod } from '../support/builders.js';
import { cgroupFolder, type MadePod, type MadeTree, writeBlockDevices, writeCgroups } from '../support/cgroup-trees.js';
import { untilEnd } from '../support/fixtures.js';
import { aNodeAgent } from '../support/node-agents.js';
import { temporaryFolder } from '../support/programs.js';
import { recordingLogger } from '../support/recording-logger.js';
import { aBoundPod, someNodeObjects } from '../support/snapshot-builders.js';

const it = test.extend('host', ({ onTestFinished }) => untilEnd(onTestFinished, temporaryFolder()));

const tree: MadeTree = { version: 'v2', driver: 'systemd' };
const cart: MadePod = { uid: '0b2d9c1e-7b6f-4c39-9f7e-0c8e61c0a001', qos: 'guaranteed' };
const proxy: MadePod = { uid: '2af987a8f0d0a40fa563f2d90719d0ab', qos: 'burstable' };
const stranger: MadePod = { uid: '0b2d9c1e-7b6f-4c39-9f7e-0c8e61c0a009', qos: 'besteffort' };

const nodes = [
  someNodeObjects({
    pods: [
      aBoundPod({ pod: aPod({ name: 'ended', kubeletUid: 'uid-of-a-pod-that-has-ended' }) }),
      aBoundPod({ pod: aPod({ name: 'cart', kubeletUid: cart.uid }) }),
      aBoundPod({ pod: aPod({ namespace: 'kube-system', name: 'proxy', kubeletUid: proxy.uid, isStatic: true }) }),
    ],
  }),
];

const all = new Set(resourceParts);

/** An agent of the cgroups below `host`. */
const agentOn = (host: { readonly path: string }, log: string[] = [], deviceFolder?: string) =>
  aNodeAgent({
    cgroupFolder: path.join(host.path, 'sys/fs/cgroup'),
    logger: recordingLogger(log),
    ...(deviceFolder !== undefined && { deviceFolder }),
  });

describe('the agent on a node', () => {
  it('the agent reads the cgroups of the pods that the API server knows, also of static ones', async ({ host }) => {
    writeCgroups(host.path, tree, [cart, proxy, stranger]);
    const deviceFolder = writeBlockDevices(host.path, [{ id: '259:0', path: 'pci0/block/nvme0n1' }]);
    const log: string[] = [];
    const { pods } = await agentOn(host, log, deviceFolder).read(nodes, all);
    expect(pods.map(({ nodeName, namespace, name }) => `${nodeName} ${namespace}/${name}`)).toEqual([
      'node-1 shop/cart',
      'node-1 kube-system/proxy',
    ]);
    expect(pods[1]?.resources).toMatchObject({
      cpu: { userUs: 3_000_000 },
      memory: { workingSetBytes: 73_400_320 },
      io: { devices: [{ device: 'nvme0n1' }, { device: '7:0' }] },
      pids: { current: 7 },
      pressure: { io: { someUs: 3_000_000 } },
    });
    const folder = path.join(host.path, 'sys/fs/cgroup/kubepods.slice');
    expect(log).toEqual([`info: found the cgroups of pods {"version":"v2","driver":"systemd","folder":"${folder}"}`]);
  });

  it('the agent reads only the parts that are shown', async ({ host }) => {
    writeCgroups(host.path, tree, [cart]);
    const agent = agentOn(host);
    const [pod] = (await agent.read(nodes, new Set(['pids'] as const))).pods;
    expect(JSON.parse(JSON.stringify(pod?.resources))).toEqual({ pids: { current: 7, peak: 12, max: 1024 } });
    expect(await agent.read(nodes, new Set())).toEqual({ pods: [] });
  });

  it('the agent reads what has changed since, and follows pods that start and end', async ({ host }) => {
    writeCgroups(host.path, tree, [cart]);
    const agent = agentOn(host);
    const read = async () =>
      (await agent.read(nodes, new Set(['pids'] as const))).pods.map(({ name, resources }) => [
        name,
        resources.pids?.current,
      ]);
    expect(await read()).toEqual([['cart', 7]]);
    const folder = path.join(host.path, 'sys/fs/cgroup', cgroupFolder(tree, cart));
    writeFileSync(path.join(folder, 'pids.current'), '9\n');
    writeCgroups(host.path, tree, [proxy]);
    expect(await read()).toEqual([
      ['cart', 9],
      ['proxy', 7],
    ]);
    rmSync(folder, { recursive: true });
    expect(await read()).toEqual([['proxy', 7]]);
  });

  it('a pod whose cgroup ends while it is read has no values, and the others are read', async ({ host }) => {
    writeCgroups(host.path, tree, [{ ...cart, files: { 'cgroup.events': 'populated 0\n' } }, proxy]);
    const agent = agentOn(host);
    const { pods } = await agent.read(nodes, all);
    expect(JSON.stringify(pods[0]?.resources.memory)).toBe('{}');
    expect(pods[1]?.resources.memory?.currentBytes).toBe(104_857_600);
  });

  it('the agent without cgroups logs one warning with the fix, and reads nothing', async ({ host }) => {
    const log: string[] = [];
    const agent = agentOn(host, log);
    expect(await agent.read(nodes, all)).toEqual({ pods: [] });
    expect(await agent.read(nodes, all)).toEqual({ pods: [] });
    expect(log).toEqual([expect.stringMatching(/^warn: .*is not mounted; .*agent\.enabled/)]);
  });

  it('the log names files that the kernel does not have', async ({ host }) => {
    writeCgroups(host.path, { version: 'v1', driver: 'cgroupfs' }, []);
    rmSync(path.join(host.path, 'sys/fs/cgroup/pids'), { recursive: true });
    const log: string[] = [];
    const agent = agentOn(host, log);
    expect(await agent.read([], all)).toEqual({ pods: [] });
    expect(log).toEqual([expect.stringContaining('"version":"v1","driver":"cgroupfs"')]);
    expect(log).toEqual([expect.stringContaining('"missingFiles":"pids.current,pids.peak,pids.max"')]);
  });
});
