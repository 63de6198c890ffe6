import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { BlockDevices } from '../../src/agent/block-devices.js';
import { filesOf, findCgroups, podFolders } from '../../src/agent/cgroup-tree.js';
import { UserError } from '../../src/lib/base/errors.js';
import {
  cgroupFolder,
  filesV2,
  type MadePod,
  type MadeTree,
  writeBlockDevices,
  writeCgroups,
} from '../support/cgroup-trees.js';
import { untilEnd } from '../support/fixtures.js';
import { temporaryFolder } from '../support/programs.js';

const it = test.extend('host', ({ onTestFinished }) => untilEnd(onTestFinished, temporaryFolder()));

const guaranteed: MadePod = { uid: '0b2d9c1e-7b6f-4c39-9f7e-0c8e61c0a001', qos: 'guaranteed' };
const burstable: MadePod = { uid: '0b2d9c1e-7b6f-4c39-9f7e-0c8e61c0a002', qos: 'burstable' };
const bestEffort: MadePod = { uid: '0b2d9c1e-7b6f-4c39-9f7e-0c8e61c0a003', qos: 'besteffort' };
const staticPod: MadePod = { uid: '2af987a8f0d0a40fa563f2d90719d0ab', qos: 'burstable' };
const pods = [guaranteed, burstable, bestEffort, staticPod];

const trees: readonly (MadeTree & { readonly where: string })[] = [
  { version: 'v2', driver: 'systemd', where: 'kubepods.slice' },
  { version: 'v2', driver: 'cgroupfs', where: 'kubepods' },
  { version: 'v2', driver: 'systemd', prefix: 'kubelet', where: 'kubelet.slice/kubelet-kubepods.slice' },
  { version: 'v2', driver: 'cgroupfs', prefix: 'docker/0a1b/kubelet', where: 'docker/0a1b/kubelet/kubepods' },
  { version: 'v1', driver: 'systemd', where: 'kubepods.slice' },
  { version: 'v1', driver: 'cgroupfs', where: 'kubepods' },
  { version: 'v1', driver: 'cgroupfs', prefix: 'kubelet', where: 'kubelet/kubepods' },
];

describe('the cgroups of a node', () => {
  it.for(trees)('cgroups $version of $driver are found in $where, with the pods of all classes', (tree, { host }) => {
    writeCgroups(host.path, tree, pods);
    const found = findCgroups(path.join(host.path, 'sys/fs/cgroup'));
    const { version, driver, where } = tree;
    expect(found).toMatchObject({ version, driver, kubepods: where, missing: new Set() });
    const folders = podFolders(found);
    expect(new Set(folders.keys())).toEqual(new Set(pods.map(({ uid }) => uid)));
    for (const pod of pods) {
      expect(folders.get(pod.uid)).toBe(cgroupFolder(tree, pod));
      expect(filesOf(found, folders.get(pod.uid) ?? '')('pids.current')).toBe('7\n');
    }
  });

  it('the tree of the driver that is in use is found beside one that is left from another', ({ host }) => {
    writeCgroups(host.path, { version: 'v2', driver: 'cgroupfs' }, []);
    writeCgroups(host.path, { version: 'v2', driver: 'systemd' }, [burstable]);
    expect(findCgroups(path.join(host.path, 'sys/fs/cgroup')).driver).toBe('systemd');
  });

  it('files that the kernel does not have are known from the cgroup of all pods', ({ host }) => {
    const tree = { version: 'v2', driver: 'systemd' } as const;
    writeCgroups(host.path, tree, [burstable]);
    for (const resource of ['cpu', 'memory', 'io']) {
      rmSync(path.join(host.path, 'sys/fs/cgroup', cgroupFolder(tree), `${resource}.pressure`));
    }
    const found = findCgroups(path.join(host.path, 'sys/fs/cgroup'));
    expect([...found.missing]).toEqual(['cpu.pressure', 'memory.pressure', 'io.pressure']);
    const read = filesOf(found, cgroupFolder(tree, burstable));
    expect([read('cpu.pressure'), read('cpu.stat')]).toEqual([undefined, filesV2['cpu.stat']]);
  });

  const fix = 'mount the host path /sys/fs/cgroup there, as the chart with agent.enabled does';
  const noPods =
    'has no cgroup kubepods in the 4 levels below it: either it is not the tree of the host, or the kubelet makes no cgroups for pods (cgroupsPerQOS: false)';

  it.for<[why: string, files: Readonly<Record<string, string>>, message: string]>([
    ['the mount is missing', {}, `is not mounted; ${fix}`],
    ['something else is mounted', { 'cgroup/kernel/file': '' }, `has no cgroups; ${fix}`],
    ['the mount is a file', { cgroup: '' }, `cannot be read (ENOTDIR); ${fix}`],
    ['there are no pods', { 'cgroup/system.slice/file': '', 'cgroup/cgroup.controllers': 'cpu io\n' }, noPods],
  ])('the error names what is missing and the fix: %s', ([, files, message], { host }) => {
    const mount = path.join(host.path, 'sys/fs/cgroup');
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(host.path, 'sys/fs', name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    expect(() => findCgroups(path.join(host.path, 'sys/fs/cgroup'))).toThrow(new UserError(`${mount} ${message}`));
  });
});

it('block devices have names, and the disks below them, whether these are divided or not', async () => {
  await using sys = await temporaryFolder();
  const folder = writeBlockDevices(sys.path, [
    { id: '8:0', path: 'pci0/block/sda' },
    { id: '8:3', path: 'pci0/block/sda/sda3' },
    { id: '8:16', path: 'pci0/block/sdb' },
    { id: '253:0', path: 'virtual/block/dm-0', below: ['pci0/block/sda/sda3', 'pci0/block/sdb'] },
    { id: '253:1', path: 'virtual/block/dm-1', below: ['virtual/block/dm-0'] },
  ]);
  const devices = new BlockDevices(folder);
  expect(['8:0', '253:0', '9:9'].map((id) => devices.nameOf(id))).toEqual(['sda', 'dm-0', '9:9']);
  expect(['8:0', '253:0', '253:1', '9:9'].map((id) => devices.below(id))).toEqual([[], ['8:0', '8:16'], ['253:0'], []]);
});
